"""Tasks with their plans. An agent that works on a task holds it as a claim, so that no other can."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from msgspec.structs import asdict, replace

from clew.coordinate.claims import ClaimWithState, Clock, Desk
from clew.coordinate.hooks import SILENT, Closing, Seams
from clew.model.agents import Identity
from clew.model.errors import Conflict, InvalidInput, NotFound
from clew.model.fleet import CLOSED, NOBODY, Claim, Feature, StepState, Task, TaskStatus, TaskStep
from clew.store.claims import Claims
from clew.store.database import Database, Where
from clew.store.outage import outlast
from clew.store.tasks import Features, Tasks


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of a task; None keeps a value.

    `assignee` is an agent: one's own name takes the task, another's hands it over, an empty one gives it up. `steps`
    are states by the number of the step, from 1.
    """

    title: str | None = None
    description: str | None = None
    feature: str | None = None
    status: TaskStatus | None = None
    assignee: str | None = None
    priority: int | None = None
    dependencies: tuple[str, ...] | None = None
    plan: tuple[TaskStep, ...] | None = None
    files: tuple[str, ...] | None = None
    steps: Mapping[int, StepState] | None = None
    note: str = ""
    takeover: bool = False


@dataclass(frozen=True, slots=True)
class TaskUpdate:
    """The task as it is now, and the claims that ended with it; or, with conflicts, as it was."""

    task: Task
    conflicts: tuple[ClaimWithState, ...] = ()
    released: tuple[Claim, ...] = ()
    created: bool = False


_PLAIN = ("title", "description", "feature", "status", "priority", "dependencies", "plan", "files")


class Board:
    def __init__(self, db: Database, where: Where, desk: Desk, now: Clock, seams: Seams = SILENT) -> None:
        self._db = db
        self._desk = desk
        self._now = now
        self._seams = seams
        self._claims = Claims(db, where)
        self._tasks = Tasks(db, where)
        self._features = Features(db, where)

    def update(self, who: Identity, id: str, edit: Edit) -> TaskUpdate:
        """Change a task, or make it if it is new and has a title: all of the change, or nothing."""
        name = id.strip().removeprefix("task:").strip()
        if not name:
            raise InvalidInput("a task needs an id", "Give task_id, such as T-12.")
        return outlast(self._db, lambda: self._update(who, name, edit))

    def describe(self, who: Identity, id: str, title: str | None, files: tuple[str, ...] | None) -> Feature:
        """Give a feature its title and its files; it is made if it is new."""
        return outlast(self._db, lambda: self._describe(who, id, title, files))

    def _describe(self, who: Identity, id: str, title: str | None, files: tuple[str, ...] | None) -> Feature:
        with self._claims.at_once(self._now) as now:
            self._desk.greet(who, now)
            old = self._features.get(id) or Feature(id, id, (), now)
            if old.is_damaged and not title:
                raise _damage_error(f"feature:{id}")
            new = replace(old, title=title or old.title, files=old.files if files is None else files, is_damaged=False)
            self._features.put(new)
            self._tasks.record(f"feature:{id}", now, who, {"title": new.title, "files": new.files}, "")
            return new

    def _update(self, who: Identity, id: str, edit: Edit) -> TaskUpdate:
        with self._claims.at_once(self._now) as now:
            self._desk.greet(who, now)
            old = self._tasks.get(id)
            task = self._new(id, edit, now) if old is None else _anew(old, edit) if old.is_damaged else old
            new = _apply(task, edit)
            conflicts = self._hold(who, new, edit, now)
            if conflicts:
                return TaskUpdate(task, conflicts, created=False)
            new = replace(new, assignee=_assignee(who, new, edit))
            changed = _difference(task if old and not old.is_damaged else None, new)
            if not changed and not edit.note:
                return TaskUpdate(task)
            new = replace(new, changed_at=now, revision=task.revision + 1)
            self._tasks.put(new, who, changed, edit.note)
            self._remember_feature(new, now)
            return TaskUpdate(new, released=self._after(who, task, new, edit, now), created=old is None)

    def _new(self, id: str, edit: Edit, now: int) -> Task:
        if not edit.title:
            raise NotFound(f"no task {id!r}", "progress_query lists the tasks; with a title, task_update makes it.")
        return Task(id, edit.title, created_at=now, changed_at=now)

    def _hold(self, who: Identity, task: Task, edit: Edit, now: int) -> tuple[ClaimWithState, ...]:
        """Changing a task's status requires its claim, or that it is unclaimed; taking a task claims it."""
        if edit.status is None and edit.assignee is None:
            return ()
        wish, wanted, seen = self._desk.task_wish(task.id, task.title, takeover=edit.takeover)
        if _takes(who, edit):
            return self._desk.decide(who, wish, wanted, seen, now).conflicts
        return self._desk.in_the_way(who, wish, wanted)

    def _after(self, who: Identity, old: Task, new: Task, edit: Edit, now: int) -> tuple[Claim, ...]:
        """A task that is closed ends its claims, and is reflected on; one that is given up is free again."""
        note = edit.note or f"{new.title}: {new.status}"
        if new.is_closed and not old.is_closed:
            ended = self._desk.end_of_task(new.id, now, note)
            self._seams.on_closed(Closing(new, ended, who, now, edit.note))
            return tuple(ended)
        if edit.assignee is not None and not _takes(who, edit):
            return tuple(self._desk.give_up(who, new.id, now, note))
        return ()

    def _remember_feature(self, task: Task, now: int) -> None:
        if task.feature and self._features.get(task.feature) is None:
            self._features.put(Feature(task.feature, task.feature, (), now))


def _anew(old: Task, edit: Edit) -> Task:
    """A damaged task is written again as a whole: nothing of the damaged row may come under a valid digest."""
    if not edit.title:
        raise _damage_error(f"task {old.id}")
    return Task(old.id, edit.title, created_at=old.created_at, changed_at=old.changed_at, revision=old.revision)


def _damage_error(what: str) -> Conflict:
    return Conflict(
        f"{what} is damaged: what the database holds does not match its checksum",
        "Restore the database from a backup, or give a title and the other fields to write it again.",
    )


def _takes(who: Identity, edit: Edit) -> bool:
    if edit.status in CLOSED:
        return False
    if edit.assignee is not None:
        return edit.assignee in (who.agent_id, str(who))
    return edit.status is TaskStatus.IN_PROGRESS


def _assignee(who: Identity, task: Task, edit: Edit) -> Identity:
    if _takes(who, edit):
        return who
    if edit.assignee is None:
        return task.assignee
    return Identity(edit.assignee, "") if edit.assignee else NOBODY


def _apply(task: Task, edit: Edit) -> Task:
    given = {name: value for name in _PLAIN if (value := getattr(edit, name)) is not None}
    new = replace(task, **given)
    others = [one.strip().removeprefix("task:") for one in new.dependencies]
    new = replace(new, dependencies=_names(others), files=_names(new.files))
    if edit.assignee == "" and edit.status is None and task.status is TaskStatus.IN_PROGRESS:
        new = replace(new, status=TaskStatus.PENDING)
    if not new.title.strip():
        raise InvalidInput("a task needs a title")
    if new.id in new.dependencies:
        raise InvalidInput(f"task {new.id} cannot depend on itself", "Leave it out of dependencies.")
    return replace(new, plan=_set_steps(new.plan, edit.steps or {}))


def _names(some: Sequence[str]) -> tuple[str, ...]:
    """Each once, and none that is blank."""
    return tuple(dict.fromkeys(one.strip() for one in some if one.strip()))


def _set_steps(plan: Sequence[TaskStep], states: Mapping[int, StepState]) -> tuple[TaskStep, ...]:
    if strange := [number for number in states if not 1 <= number <= len(plan)]:
        raise InvalidInput(f"the plan has no step {strange[0]}", f"Steps are numbered from 1; there are {len(plan)}.")
    return tuple(replace(step, state=states.get(number, step.state)) for number, step in enumerate(plan, 1))


def _difference(old: Task | None, new: Task) -> dict[str, object]:
    """The fields that became something else, as the record keeps them."""
    before = asdict(old) if old else {}
    after = asdict(new)
    names = [name for name in after if name not in ("created_at", "changed_at", "revision", "is_damaged")]
    return {name: _plain(after[name]) for name in names if name not in before or before[name] != after[name]}


def _plain(value: object) -> object:
    return {"agent_id": value.agent_id, "session_id": value.session_id} if isinstance(value, Identity) else value
