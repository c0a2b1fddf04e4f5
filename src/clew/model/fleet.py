"""Coordination of agents: claims, tasks with their plans, and features."""

from enum import StrEnum

from msgspec import Struct

from clew.model.agents import Identity
from clew.model.time import FOREVER


class ClaimKind(StrEnum):
    """The kind of a claimed target. A folder counts as a file, any symbol as a function."""

    TASK = "task"
    FILE = "file"
    FUNCTION = "function"
    FEATURE = "feature"


class EndReason(StrEnum):
    RELEASED = "released"
    TASK_COMPLETED = "task_completed"
    TAKEN_OVER = "taken_over"
    CODE_CHANGED = "code_changed"


class TaskStatus(StrEnum):
    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    BLOCKED = "blocked"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


CLOSED = frozenset({TaskStatus.COMPLETED, TaskStatus.FAILED, TaskStatus.CANCELLED})


class StepState(StrEnum):
    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    DONE = "done"
    SKIPPED = "skipped"


NOBODY = Identity("", "")


class Claim(Struct, frozen=True):
    """`claimed_sha` is the target's version when it was claimed, `version_sha` that as of its holder's last edit.

    `claimed_tx` and `settled_tx` are the runs up to which these are known; `fence` grows from claim to claim.
    """

    id: str
    fence: int
    target: str
    kind: ClaimKind
    holder: Identity
    intent: str
    task: str
    checkout: int
    since: int
    claimed_sha: str
    version_sha: str
    claimed_tx: int
    settled_tx: int
    ended_at: int = FOREVER
    end_reason: str = ""
    outcome: str = ""

    @property
    def is_open(self) -> bool:
        return self.ended_at == FOREVER


class Session(Struct, frozen=True):
    """A holder as it was last seen, `silent` microseconds ago by the store's clock."""

    holder: Identity
    since: int
    seen_at: int
    ended_at: int
    silent: int


class TaskStep(Struct, frozen=True):
    text: str
    state: StepState = StepState.PENDING

    @property
    def is_open(self) -> bool:
        return self.state not in (StepState.DONE, StepState.SKIPPED)


class Task(Struct, frozen=True):
    """`files` are its subjects: paths and ids. `revision` counts its changes. Of a damaged one only the id is kept."""

    id: str
    title: str
    description: str = ""
    feature: str = ""
    status: TaskStatus = TaskStatus.PENDING
    assignee: Identity = NOBODY
    priority: int = 0
    dependencies: tuple[str, ...] = ()
    plan: tuple[TaskStep, ...] = ()
    files: tuple[str, ...] = ()
    created_at: int = 0
    changed_at: int = 0
    revision: int = 0
    is_damaged: bool = False

    @property
    def is_closed(self) -> bool:
        return self.status in CLOSED


class TaskChange(Struct, frozen=True):
    """One change of a task: its author, the changed fields with their new values, and a note."""

    number: int
    task: str
    at: int
    by: Identity
    fields: dict[str, object]
    note: str = ""
    is_damaged: bool = False


class Feature(Struct, frozen=True):
    id: str
    title: str
    files: tuple[str, ...]
    created_at: int
    is_damaged: bool = False
