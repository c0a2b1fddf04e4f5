"""Tasks and features at rest, with every change that a task went through."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import to_builtins
from msgspec.structs import asdict, replace

from clew.model.agents import Identity
from clew.model.fleet import NOBODY, Feature, Task, TaskChange, TaskStatus, TaskStep
from clew.model.time import NOW, AsOf
from clew.store import digests
from clew.store.database import Database, Row, Where
from clew.store.packing import from_json

FEATURE = "feature:"  # begins the name by which changes of features are recorded
_WRITTEN = frozenset(
    {"title", "description", "status", "plan", "files"}
)  # the fields of a task that is written as a whole


class Tasks:
    def __init__(self, db: Database, where: Where) -> None:
        self._db = db
        self._project = where.project

    def put(self, task: Task, by: Identity, fields: Mapping[str, object], note: str) -> None:
        """Store a task with the change that was made; call it inside of `Claims.at_once`."""
        self._db.execute("task_put", project=self._project, **_to_row(task))
        self.record(task.id, task.changed_at, by, fields, note)

    def record(self, of: str, at: int, by: Identity, fields: Mapping[str, object], note: str) -> None:
        """A change of a task, or of a `feature:ID`."""
        row = {
            "task": of, "at": at, "agent": by.agent_id, "session": by.session_id,
            "fields": _json(dict(fields)), "note": note,
        }  # fmt: skip
        digest = digests.digest(row, digests.TASK_CHANGE)
        self._db.execute("task_change_put", project=self._project, digest=digest, **row)

    def get(self, id: str) -> Task | None:
        return next((_to_task(row) for row in self._db.query("task_get", project=self._project, id=id)), None)

    def all(self, at: AsOf = NOW) -> list[Task]:
        """The most important first, then the oldest; as of a time, they are made of their changes."""
        if at == NOW:
            return [_to_task(row) for row in self._db.query("task_all", project=self._project)]
        found: dict[str, Task] = {}
        for row in self._db.query("task_changes_until", project=self._project, at=at.instant):
            if not (change := _to_change(row)).task.startswith(FEATURE):
                found[change.task] = _apply_change(found.get(change.task), change)
        return sorted(found.values(), key=lambda one: (-one.priority, one.created_at, one.id))

    def changes(self, id: str, at: AsOf = NOW) -> list[TaskChange]:
        """The oldest first."""
        rows = self._db.query("task_changes", project=self._project, task=id, at=at.instant)
        return [_to_change(row) for row in rows]


class Features:
    def __init__(self, db: Database, where: Where) -> None:
        self._db = db
        self._project = where.project
        self._tasks = Tasks(db, where)

    def put(self, feature: Feature) -> None:
        row = {"id": feature.id, "title": feature.title, "files": _json(feature.files)}
        digest = digests.digest(row, digests.FEATURE)
        self._db.execute(
            "feature_put", project=self._project, created_at=feature.created_at, digest=digest, **row
        )  # fmt: skip

    def get(self, id: str, at: AsOf = NOW) -> Feature | None:
        rows = self._db.query("feature_get", project=self._project, id=id, at=at.instant)
        return next((self._at(_to_feature(row), at) for row in rows), None)

    def all(self, at: AsOf = NOW) -> list[Feature]:
        rows = self._db.query("feature_all", project=self._project, at=at.instant)
        return [self._at(_to_feature(row), at) for row in rows]

    def _at(self, feature: Feature, at: AsOf) -> Feature:
        """As its changes until then made it; one that only tasks had named has no more than its name."""
        if at == NOW:
            return feature
        then = Feature(feature.id, feature.id, (), feature.created_at)
        for change in self._tasks.changes(f"{FEATURE}{feature.id}", at):
            then = msgspec.convert({**to_builtins(then), **change.fields, "is_damaged": change.is_damaged}, Feature)
        return replace(then, title=digests.DAMAGED, files=()) if then.is_damaged else then


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _strings(text: str) -> tuple[str, ...]:
    return from_json(text, tuple[str, ...])


def _to_row(task: Task) -> dict[str, object]:
    values: dict[str, Any] = asdict(task)
    del values["assignee"], values["is_damaged"]
    packed = {name: _json(values[name]) for name in ("dependencies", "plan", "files")}
    values |= {**packed, "agent": task.assignee.agent_id, "session": task.assignee.session_id}
    return {**values, "digest": digests.digest(values, digests.TASK)}


def _to_task(row: Row) -> Task:
    if digests.is_damaged(row, digests.TASK):
        return _damaged_task(row)
    return Task(
        id=row["id"],
        title=row["title"],
        description=row["description"],
        feature=row["feature"],
        status=TaskStatus(row["status"]),
        assignee=Identity(row["agent"], row["session"]),
        priority=row["priority"],
        dependencies=_strings(row["dependencies"]),
        plan=from_json(row["plan"], tuple[TaskStep, ...]),
        files=_strings(row["files"]),
        created_at=row["created_at"],
        changed_at=row["changed_at"],
        revision=row["revision"],
    )


def _damaged_task(row: Row) -> Task:
    """Reported in its place, without an assignee: nothing of it is quoted."""
    status = TaskStatus(row["status"]) if row["status"] in list(TaskStatus) else TaskStatus.PENDING
    return Task(
        row["id"], digests.DAMAGED, status=status, created_at=row["created_at"], changed_at=row["changed_at"],
        revision=row["revision"], is_damaged=True,
    )  # fmt: skip


def _apply_change(task: Task | None, change: TaskChange) -> Task:
    """A task after a change. One of which a change is damaged is, too, until it is written again as a whole."""
    old = task or Task(change.task, "", created_at=change.at)
    fields = dict(change.fields)
    if assignee := fields.pop("assignee", None):
        old = replace(old, assignee=msgspec.convert(assignee, Identity))
    whole = change.fields.keys() >= _WRITTEN
    is_damaged = change.is_damaged or (old.is_damaged and not whole)
    before = {name: value for name, value in to_builtins(old).items() if name not in ("assignee", *fields)}
    new = msgspec.convert({**before, **fields}, Task)
    new = replace(new, assignee=old.assignee, changed_at=change.at, revision=old.revision + 1)
    if not is_damaged:
        return replace(new, is_damaged=False)
    return Task(
        new.id, digests.DAMAGED, status=new.status, created_at=new.created_at, changed_at=new.changed_at,
        revision=new.revision, is_damaged=True,
    )  # fmt: skip


def _to_change(row: Row) -> TaskChange:
    if digests.is_damaged(row, digests.TASK_CHANGE):
        return TaskChange(row["number"], row["task"], row["at"], NOBODY, {}, digests.DAMAGED, is_damaged=True)
    by, fields = Identity(row["agent"], row["session"]), from_json(row["fields"], dict[str, object])
    return TaskChange(row["number"], row["task"], row["at"], by, fields, row["note"])


def _to_feature(row: Row) -> Feature:
    if digests.is_damaged(row, digests.FEATURE):
        return Feature(row["id"], digests.DAMAGED, (), row["created_at"], is_damaged=True)
    return Feature(row["id"], row["title"], _strings(row["files"]), row["created_at"])
