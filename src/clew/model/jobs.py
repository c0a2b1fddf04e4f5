"""Jobs: index runs that somebody asked for, with progress and an end."""

from enum import StrEnum

from msgspec import Struct


class JobType(StrEnum):
    REBUILD_FULL = "rebuild_full"
    REBUILD_PARTIAL = "rebuild_partial"
    REFRESH = "refresh"


class JobStatus(StrEnum):
    QUEUED = "queued"
    IN_PROGRESS = "in_progress"
    CANCELLING = "cancelling"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_active(self) -> bool:
        return self in (JobStatus.QUEUED, JobStatus.IN_PROGRESS, JobStatus.CANCELLING)


class JobOptions(Struct, frozen=True):
    """`force`: read files again, changed or not; `vacuum`: give freed room back afterwards."""

    force: bool = True
    vacuum: bool = True
    clear_errors: bool = True


class JobLine(Struct, frozen=True):
    at: int
    text: str


class JobResult(Struct, frozen=True):
    """The counts of a job that ended well."""

    files: int = 0
    read: int = 0
    deleted: int = 0
    failed: int = 0
    seconds: float = 0.0


class Job(Struct, frozen=True):
    id: str
    type: JobType
    status: JobStatus
    paths: tuple[str, ...]
    options: JobOptions
    agent: str
    session: str
    process: str
    files_total: int
    files_done: int
    current_file: str
    created_at: int
    started_at: int
    ended_at: int
    error: str
    result: JobResult
    log: tuple[JobLine, ...]


class FileError(Struct, frozen=True):
    """A file that could not be read when it was last tried."""

    path: str
    message: str
    first_at: int
    last_at: int
    retries: int
