"""Tasks and features: progress, assignees, and blockers."""

import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from clew.coordinate.progress import Filter, circle, open_dependencies
from clew.coordinate.tasks import Edit, TaskUpdate
from clew.engine import Engine
from clew.model.agents import Identity
from clew.model.errors import InvalidInput, NotFound
from clew.model.fleet import Feature, StepState, Task, TaskStatus, TaskStep
from clew.model.time import NOW, AsOf
from clew.tools.budget import Priority, Row, Shape, grow_lists
from clew.tools.drift import viewpoint
from clew.tools.fleet import TakeOver
from clew.tools.fleet_views import (
    CLAIM_FORMS,
    CONFLICT,
    OK,
    TASK_FORMS,
    ClaimView,
    TaskView,
    describe_conflicts,
    describe_redaction,
    held_claim_view,
    shortened_target,
    task_view,
)
from clew.tools.freshness import count_of, settle_claims
from clew.tools.naming import ids_of
from clew.tools.params import AgentId, KnownMoment, Limit, Moment, Patterns, SessionId
from clew.tools.registry import Effect, tool

if TYPE_CHECKING:
    from clew.text.secrets.scrubber import Scrubbing

MOST_OPEN = 5  # steps that a sentence names
_FEATURE = "feature:"
_NUMBER = re.compile(r"\d{1,9}")
_FEATURE_ONLY = "Of a feature only title and files can be set; the rest belongs to its tasks."

StatusName = Literal["pending", "in_progress", "blocked", "completed", "failed", "cancelled"]
StateName = Literal["pending", "in_progress", "done", "skipped"]
Named = Annotated[str, Meta(max_length=200)]
TaskId = Annotated[str, Meta(min_length=1, max_length=200, description="A task's id, or feature:ID.")]
FeatureId = Annotated[str, Meta(min_length=1, max_length=200, description="As tasks name it.")]


PlanText = Annotated[str, Meta(max_length=2000)]


class PlanStep(Struct, frozen=True, forbid_unknown_fields=True):
    text: Annotated[str, Meta(min_length=1, max_length=2000, description="What is to be done.")]
    state: Annotated[StateName, Meta(description="How far it is.")] = "pending"


class TaskResult(Struct, frozen=True, omit_defaults=True):
    """With `CONFLICT` the task is as it was, and `conflicts` are the claims of those who have it.

    `unmade` are tasks that it waits for and nobody has made, `cycle` those that wait for each other with it. Of one
    that is completed, `open_steps` are the numbers of those not done, `overtaken` what it should have waited for.
    """

    status: str
    task_id: str
    task_status: str
    revision: int
    task: TaskView
    created: bool = False
    released: tuple[str, ...] = ()
    conflicts: tuple[ClaimView, ...] = ()
    scrubbed: int = 0
    unmade: tuple[str, ...] = ()
    cycle: tuple[str, ...] = ()
    open_steps: tuple[int, ...] = ()
    overtaken: tuple[str, ...] = ()

    def summary(self) -> str:
        if self.status == CONFLICT:
            return f"CONFLICT: {describe_conflicts(self.conflicts)}"
        ended = f" {count_of(len(self.released), 'claim', 'claims')} released." if self.released else ""
        waits = f" It waits for {count_of(len(self.task.waits_for), 'other', 'others')}." if self.task.waits_for else ""
        stands = f"{self.task_id} is {'made, ' if self.created else ''}{self.task_status}."
        lacks = f" Nobody has made {shortened_target(self.unmade[0])}." if self.unmade else ""
        around = (
            f" It and {count_of(len(self.cycle) - 1, 'other', 'others')} wait for each other." if self.cycle else ""
        )
        return f"{stands}{self._describe_unfinished()}{ended}{waits}{lacks}{around}{describe_redaction(self.scrubbed)}"

    def _describe_unfinished(self) -> str:
        """The open steps of a completed task; it is completed all the same."""
        number, steps = len(self.open_steps), ", ".join(map(str, self.open_steps[:MOST_OPEN]))
        more = f" and {number - MOST_OPEN} more" if number > MOST_OPEN else ""
        left = f" Not done: step{'s' * (number > 1)} {steps}{more}." if number else ""
        first = (
            f" {shortened_target(self.overtaken[0])}, which it waited for, is not completed." if self.overtaken else ""
        )
        return f"{left}{first}"


# What was written is always told: nothing that may be long is required.
_TASK_SHAPE = Shape(
    {
        "task": Priority.LOW,
        "cycle": Priority.LOW,
        "unmade": Priority.MEDIUM,
        "conflicts": Priority.MEDIUM,
        "released": Priority.MEDIUM,
        "open_steps": Priority.MEDIUM,
        "overtaken": Priority.MEDIUM,
    }
)


@tool(
    Effect.WRITE,
    toolset="fleet",
    shape=_TASK_SHAPE,
    also="todo ticket create new add assign start finish mark done close status step",
)
def task_update(
    engine: Engine,
    who: Identity,
    task_id: TaskId,
    status: Annotated[StatusName | None, Meta(description="in_progress takes the task.")] = None,
    title: Annotated[Named | None, Meta(description="With it, a task that is new is made.")] = None,
    description: Annotated[str, Meta(max_length=20_000, description="What it is about.")] | None = None,
    feature: Annotated[Named | None, Meta(description="What it is a part of.")] = None,
    assignee: Annotated[Named | None, Meta(description="An agent; your own name takes it, empty gives it up.")] = None,
    priority: Annotated[int, Meta(ge=-1000, le=1000, description="Higher comes first.")] | None = None,
    dependencies: Annotated[tuple[Named, ...] | None, Meta(description="Tasks that must be completed first.")] = None,
    plan: Annotated[
        tuple[PlanText | PlanStep, ...] | None, Meta(description="Its steps, in order; replaces them.")
    ] = None,
    steps: Annotated[dict[str, StateName], Meta(description='New states of steps by number: {"1": "done"}.')] = {},  # noqa: B006 - copied by msgspec
    files: Annotated[Patterns | None, Meta(description="Files and ids that it is about.")] = None,
    note: Annotated[
        str, Meta(max_length=20_000, description="For the record; of what is closed, what came of it.")
    ] = "",
    takeover: TakeOver = False,
    agent_id: AgentId = "",
    session_id: SessionId = "",
) -> TaskResult:
    """Make, take, change or complete a task; completion releases its claims."""
    speaking = who.with_ids(agent_id, session_id)
    clean = engine.new_scrubbing()
    edit = Edit(
        title and clean.text(title), description and clean.text(description), feature,
        TaskStatus(status) if status else None, assignee, priority, dependencies, _plan(plan, clean),
        files and ids_of(engine, files),
        _states(steps), clean.text(note), takeover,
    )  # fmt: skip
    if task_id.startswith(_FEATURE):
        return _describe(engine, speaking, task_id.removeprefix(_FEATURE).strip(), edit, clean.count)
    return _update(engine, engine.fleet.board.update(speaking, task_id, edit), clean.count)


def _plan(plan: tuple[str | PlanStep, ...] | None, clean: "Scrubbing") -> tuple[TaskStep, ...] | None:
    if plan is None:
        return None
    steps = [TaskStep(one) if isinstance(one, str) else TaskStep(one.text, StepState(one.state)) for one in plan]
    return tuple(replace(step, text=clean.text(step.text)) for step in steps)


def _states(steps: dict[str, StateName]) -> dict[int, StepState]:
    if strange := [number for number in steps if not _NUMBER.fullmatch(number)]:
        raise InvalidInput(f"{strange[0]!r} is not the number of a step", 'Such as {"1": "done"}.')
    return {int(number): StepState(state) for number, state in steps.items()}


def _update(engine: Engine, outcome: TaskUpdate, scrubbed: int) -> TaskResult:
    tasks = _tasks(engine)
    task = task_view(outcome.task, tasks)
    unmade = tuple(one for one in task.waits_for if one not in tasks)
    conflicts = tuple(held_claim_view(one) for one in outcome.conflicts)
    status = CONFLICT if conflicts else OK
    released = tuple(claim.target for claim in outcome.released)
    done = outcome.task if outcome.task.status is TaskStatus.COMPLETED else None
    return TaskResult(
        status, task.task_id, task.status, task.revision, task, outcome.created, released, conflicts,
        0 if conflicts else scrubbed, unmade, circle(task.task_id, tasks),
        tuple(i for i, step in enumerate(done.plan, 1) if step.is_open) if done else (),
        open_dependencies(done, tasks) if done else (),
    )  # fmt: skip


def _describe(engine: Engine, who: Identity, feature: str, edit: Edit, scrubbed: int) -> TaskResult:
    if edit != Edit(title=edit.title, files=edit.files, steps={}) or not feature:
        raise InvalidInput(f"{_FEATURE}{feature} is no task", _FEATURE_ONLY)
    made = engine.fleet.board.describe(who, feature, edit.title, edit.files)
    name = f"{_FEATURE}{made.id}"
    return TaskResult(
        OK, name, "described", 0, TaskView(name, made.title, "feature", files=made.files), scrubbed=scrubbed
    )


def _tasks(engine: Engine, at: AsOf = NOW) -> dict[str, Task]:
    return {task.id: task for task in engine.fleet.lookout.tasks.all(at)}


class TaskProgress(Struct, frozen=True, omit_defaults=True):
    """`counts` and `features` are of all that fits; `next_offset` is where the rest begins."""

    total: int
    tasks: tuple[TaskView, ...]
    counts: dict[str, int]
    features: dict[str, int] = {}
    next_offset: int = 0

    def summary(self) -> str:
        told = ", ".join(f"{count} {status}" for status, count in self.counts.items())
        return f"{count_of(self.total, 'task', 'tasks')}{f': {told}' if told else ''}."


_PROGRESS_SHAPE = Shape(
    {"features": Priority.LOW, "counts": Priority.MEDIUM},
    grow_lists("tasks", forms={"tasks": TASK_FORMS}),
    pages=("tasks",),
)


@tool(Effect.READ, toolset="fleet", shape=_PROGRESS_SHAPE, also="todo ticket backlog left open remaining tasks work")
def progress_query(
    engine: Engine,
    query: Annotated[str, Meta(max_length=2000, description="Words of id, title or description.")] = "",
    status: Annotated[tuple[StatusName, ...], Meta(description="Only these.")] = (),
    feature: Annotated[Named, Meta(description="Only of this feature.")] = "",
    assignee: Annotated[Named, Meta(description="Only of this agent.")] = "",
    offset: Annotated[int, Meta(ge=0, description="Leave out so many.")] = 0,
    limit: Limit = 20,
    as_of: Moment = "",
    known_as_of: KnownMoment = "",
) -> TaskProgress:
    """List tasks, the most important first: their state, plan, assignee and what they wait for."""
    tasks = _tasks(engine, viewpoint(engine, as_of, known_as_of))
    wanted = Filter(tuple(map(TaskStatus, status)), feature, assignee, query)
    fitting = [task for task in tasks.values() if wanted.fits(task)]
    page = fitting[offset : offset + limit]
    more = offset + limit if offset + limit < len(fitting) else 0
    shown = tuple(task_view(task, tasks) for task in page)
    return TaskProgress(len(fitting), shown, _counts(fitting), _by_feature(fitting), more)


def _counts(tasks: list[Task]) -> dict[str, int]:
    counts = {status.value: sum(task.status is status for task in tasks) for status in TaskStatus}
    return {status: count for status, count in counts.items() if count}


def _by_feature(tasks: list[Task]) -> dict[str, int]:
    names = sorted({task.feature for task in tasks if task.feature})
    return {name: sum(task.feature == name for task in tasks) for name in names}


class CoverageView(Struct, frozen=True, omit_defaults=True):
    """Functions, methods and classes of the feature's files that a test leads to, and those that none does."""

    share: float
    tested: int
    symbols: int
    untested: tuple[str, ...] = ()


class FeatureStatus(Struct, frozen=True, omit_defaults=True):
    feature_id: str
    title: str
    progress: float
    counts: dict[str, int]
    coverage: CoverageView
    tasks: tuple[TaskView, ...] = ()
    claims: tuple[ClaimView, ...] = ()
    files: tuple[str, ...] = ()

    def summary(self) -> str:
        done, total = self.counts.get(TaskStatus.COMPLETED, 0), sum(self.counts.values())
        tested = f"tests lead to {self.coverage.tested} of its {self.coverage.symbols} symbols"
        files = count_of(len(self.files), "file", "files")
        return f"{self.title}: {done} of {total} tasks completed; {tested} in {files}."


_of_feature = grow_lists("tasks", "claims", "files", forms={"tasks": TASK_FORMS, "claims": CLAIM_FORMS})


def _feature_steps(data: Row) -> Iterator[Row]:
    """Untested code is always counted, and listed by name once everything else fits."""
    covered = {name: value for name, value in data["coverage"].items() if name != "untested"}
    yield from _of_feature({**data, "coverage": covered})
    yield data


_FEATURE_SHAPE = Shape(
    {"files": Priority.MEDIUM, "claims": Priority.HIGH, "tasks": Priority.HIGH},
    _feature_steps,
    pages=("tasks", "claims", "files"),
    in_sequence=True,
)
MOST_UNTESTED = 10  # symbols that are named


@tool(Effect.READ, toolset="fleet", shape=_FEATURE_SHAPE, also="milestone epic coverage percent done")
def feature_status(
    engine: Engine, feature_id: FeatureId, as_of: Moment = "", known_as_of: KnownMoment = ""
) -> FeatureStatus:
    """Show how far a feature is: its tasks, who works on it, and which of its code has tests."""
    from clew.coordinate import features  # numpy is heavy

    at, then = viewpoint(engine, as_of, known_as_of), engine.at(as_of, known_as_of)
    feature = _feature(engine, feature_id.removeprefix(_FEATURE), at)
    tasks = _tasks(engine, at)
    own = [task for task in tasks.values() if task.feature == feature.id]
    made = [claim for task in own for claim in engine.fleet.claims.of_task(task.id, at)]
    targets = features.targets_of(feature, own, made)
    covered = features.coverage(then.db, then.where, then.corpus(), targets)
    symbols = len(covered.tested) + len(covered.untested)
    counts = _counts(own)
    ids = {claim.id for claim in made}
    open_claims = [one for one in engine.fleet.desk.open(at) if one.claim.id in ids]
    return FeatureStatus(
        feature_id=feature.id,
        title=feature.title,
        progress=round(counts.get(TaskStatus.COMPLETED, 0) / len(own), 3) if own else 0.0,
        counts=counts,
        coverage=CoverageView(covered.share, len(covered.tested), symbols, covered.untested[:MOST_UNTESTED]),
        tasks=tuple(task_view(task, tasks) for task in own),
        claims=tuple(held_claim_view(one) for one in open_claims),
        files=covered.files,
    )


def _feature(engine: Engine, name: str, at: AsOf) -> Feature:
    feature = engine.fleet.features.get(name, at)
    if feature is None:
        known = [one.id for one in engine.fleet.features.all(at)]
        near = get_close_matches(name, known, n=3) or known[:3]
        hint = f"Features: {', '.join(near)}." if near else "A task that names a feature makes it."
        raise NotFound(f"no feature {name!r}", hint)
    return feature


class IssueView(Struct, frozen=True, omit_defaults=True):
    kind: str
    detail: str
    tasks: tuple[str, ...] = ()
    holds_up: tuple[str, ...] = ()
    claim_id: str = ""


class BlockingIssues(Struct, frozen=True, omit_defaults=True):
    total: int
    issues: tuple[IssueView, ...]

    def summary(self) -> str:
        if not self.issues:
            return "Nothing is in the way."
        first = self.issues[0]
        return f"{count_of(self.total, 'issue', 'issues')}; first: {first.kind}, {first.detail}."


@tool(
    Effect.READ,
    toolset="fleet",
    shape=Shape(steps=grow_lists("issues"), pages=("issues",)),
    also="stuck blocker deadlock waiting dependency",
)
def blocking_issues(
    engine: Engine, limit: Limit = 20, as_of: Moment = "", known_as_of: KnownMoment = ""
) -> BlockingIssues:
    """Say what holds work up: blocked tasks, cycles, unmet dependencies, claims of others or left behind."""
    at = viewpoint(engine, as_of, known_as_of)
    if at == NOW:
        settle_claims(engine)
    found = engine.fleet.lookout.issues(at)
    shown = tuple(IssueView(one.kind, one.detail, one.tasks, one.holds_up, one.claim_id) for one in found[:limit])
    return BlockingIssues(len(found), shown)
