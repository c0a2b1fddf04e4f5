"""The progress of work: tasks that match a filter, dependencies between them, and issues. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from clew.coordinate.claims import ClaimState, ClaimWithState
from clew.coordinate.targets import Meeting
from clew.model.fleet import Task, TaskStatus


@dataclass(frozen=True, slots=True)
class Filter:
    """Empty: any. `assignee` is an agent, or an agent and its session."""

    status: tuple[TaskStatus, ...] = ()
    feature: str = ""
    assignee: str = ""
    text: str = ""

    def fits(self, task: Task) -> bool:
        words = self.text.lower().split()
        told = f"{task.id} {task.title} {task.description}".lower()
        return (
            (not self.status or task.status in self.status)
            and self.feature in ("", task.feature)
            and self.assignee in ("", task.assignee.agent_id, str(task.assignee))
            and all(word in told for word in words)
        )


class IssueKind(StrEnum):
    """In the order of how much they hold up."""

    DEPENDENCY_CYCLE = "dependency_cycle"
    BLOCKED_TASK = "blocked_task"
    CLAIM_CONFLICT = "claim_conflict"
    UNKNOWN_DEPENDENCY = "unknown_dependency"
    UNMET_DEPENDENCY = "unmet_dependency"
    ABANDONED_CLAIM = "abandoned_claim"
    STALE_CLAIM = "stale_claim"


@dataclass(frozen=True, slots=True)
class Issue:
    """`tasks` are those it is about, `holds_up` those that wait for them."""

    kind: IssueKind
    detail: str
    tasks: tuple[str, ...] = ()
    holds_up: tuple[str, ...] = ()
    claim_id: str = ""


_CLAIM_ISSUES = {ClaimState.ABANDONED: IssueKind.ABANDONED_CLAIM, ClaimState.STALE: IssueKind.STALE_CLAIM}


def waits_for(task: Task, tasks: Mapping[str, Task]) -> tuple[str, ...]:
    """Uncompleted dependencies of an open task."""
    return () if task.is_closed else open_dependencies(task, tasks)


def open_dependencies(task: Task, tasks: Mapping[str, Task]) -> tuple[str, ...]:
    """Dependencies that are not completed, or not known."""
    done = [one for one in task.dependencies if one in tasks and tasks[one].status is TaskStatus.COMPLETED]
    return tuple(one for one in task.dependencies if one not in done)


class Waiting:
    """Dependencies between tasks."""

    def __init__(self, tasks: Mapping[str, Task]) -> None:
        self._for: defaultdict[str, list[str]] = defaultdict(list)
        for task in tasks.values():
            for other in waits_for(task, tasks):
                self._for[other].append(task.id)

    def held_up(self, id: str) -> tuple[str, ...]:
        """All that wait for a task, also by way of others."""
        return tuple(sorted(_reachable(id, self._for) - {id}))


def circle(id: str, tasks: Mapping[str, Task]) -> tuple[str, ...]:
    """The tasks that wait for each other with one; empty if it does not wait for itself."""
    return next((group for group in cycles(tasks) if id in group), ())


def cycles(tasks: Mapping[str, Task]) -> list[tuple[str, ...]]:
    """Tasks that wait for each other, each group once."""
    waiting = _without_end({task.id: waits_for(task, tasks) for task in tasks.values()})
    reached = {one: _reachable(one, waiting) for one in waiting}
    groups = {tuple(sorted(other for other in reached[one] if one in reached.get(other, ()))) for one in waiting}
    return sorted(group for group in groups if group)


def _without_end(waiting: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
    """The tasks on or before a dependency cycle; mostly none."""
    left = {one: {other for other in others if other in waiting} for one, others in waiting.items()}
    before: dict[str, list[str]] = {one: [] for one in waiting}
    for one, others in left.items():
        for other in others:
            before[other].append(one)
    ended = [one for one, others in left.items() if not others]
    while ended:
        gone = ended.pop()
        del left[gone]
        for one in before[gone]:
            left[one].discard(gone)
            if not left[one]:
                ended.append(one)
    return {one: sorted(others) for one, others in left.items()}


def _reachable(id: str, leads: Mapping[str, Sequence[str]]) -> set[str]:
    """All that is led to; the start itself only if something leads back to it."""
    found: set[str] = set()
    ahead = list(leads.get(id, ()))
    while ahead:
        one = ahead.pop()
        if one not in found:
            found.add(one)
            ahead.extend(leads.get(one, ()))
    return found


def issues(tasks: Mapping[str, Task], held: Sequence[ClaimWithState], reasons: Mapping[str, str]) -> list[Issue]:
    """All that is in the way, the worst first; `reasons` are the last notes on tasks."""
    waiting = Waiting(tasks)
    found = [
        *_circles(tasks, waiting),
        *_blocked_tasks(tasks, waiting, reasons),
        *_unknown(tasks),
        *_unmet(tasks, waiting),
    ]
    found += [*_find_contested_files(tasks, waiting, held), *_left_claims(held)]
    order = list(IssueKind)
    return sorted(found, key=lambda one: (order.index(one.kind), -len(one.holds_up), one.tasks, one.detail))


def _circles(tasks: Mapping[str, Task], waiting: Waiting) -> Iterable[Issue]:
    for group in cycles(tasks):
        circle = " → ".join([*group, group[0]])
        yield Issue(IssueKind.DEPENDENCY_CYCLE, f"they wait for each other: {circle}", group, waiting.held_up(group[0]))


def _blocked_tasks(tasks: Mapping[str, Task], waiting: Waiting, reasons: Mapping[str, str]) -> Iterable[Issue]:
    for task in tasks.values():
        if task.status is TaskStatus.BLOCKED:
            detail = reasons.get(task.id) or f"{task.title} is blocked"
            yield Issue(IssueKind.BLOCKED_TASK, detail, (task.id,), waiting.held_up(task.id))


def _unknown(tasks: Mapping[str, Task]) -> Iterable[Issue]:
    for task in tasks.values():
        for other in waits_for(task, tasks):
            if other not in tasks:
                detail = f"{task.id} waits for {other}, which nobody has made"
                yield Issue(IssueKind.UNKNOWN_DEPENDENCY, detail, (other,), (task.id,))


def _unmet(tasks: Mapping[str, Task], waiting: Waiting) -> Iterable[Issue]:
    """Open tasks that block others, except those reported as blocked or cyclic."""
    awaited = {one for task in tasks.values() for one in waits_for(task, tasks)}
    for task in (tasks[one] for one in sorted(awaited & tasks.keys())):
        if task.status is not TaskStatus.BLOCKED and not circle(task.id, tasks):
            who = f"assigned to {task.assignee}" if task.assignee.agent_id else "assigned to nobody"
            detail = f"{task.id} is {task.status.replace('_', ' ')}, {who}, and others wait for it"
            yield Issue(IssueKind.UNMET_DEPENDENCY, detail, (task.id,), waiting.held_up(task.id))


def _find_contested_files(
    tasks: Mapping[str, Task], waiting: Waiting, held: Sequence[ClaimWithState]
) -> Iterable[Issue]:
    """Files of an open task that someone holds for something else."""
    claims = Meeting((one.claim.target, one.claim) for one in held)
    for task in (one for one in tasks.values() if not one.is_closed):
        for claim in dict.fromkeys(claim for file in task.files for claim in claims.at(file)):
            if claim.task != task.id and claim.holder != task.assignee:
                detail = f"{claim.target} is held by {claim.holder}: {claim.intent}".removesuffix(": ")
                yield Issue(IssueKind.CLAIM_CONFLICT, detail, (task.id,), waiting.held_up(task.id), claim.id)


def _left_claims(held: Sequence[ClaimWithState]) -> Iterable[Issue]:
    for one in held:
        if kind := _CLAIM_ISSUES.get(one.standing):
            tasks = (one.claim.task,) if one.claim.task else ()
            yield Issue(kind, f"{one.claim.target}, held by {one.claim.holder}", tasks, claim_id=one.claim.id)
