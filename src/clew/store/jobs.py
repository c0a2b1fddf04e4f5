"""Jobs at rest, and the files that could not be read."""

from collections.abc import Iterable

import msgspec
from msgspec import structs

from clew.model.jobs import FileError, Job, JobLine, JobOptions, JobResult, JobStatus, JobType
from clew.model.run import FileFailure
from clew.store.database import Database, Durability, Row, Where
from clew.store.outage import outlast
from clew.store.packing import from_json


class Jobs:
    """Jobs of one checkout."""

    def __init__(self, db: Database, where: Where) -> None:
        self._db = db
        self._where = where._asdict()
        self._project = where.project

    def put(self, job: Job) -> None:
        outlast(self._db, lambda: self._run("job_put", {**_to_row(job), **self._where}))

    def change(self, job: Job) -> None:
        """Store all that changes in a job's life."""
        row = _to_row(job)
        for name in ("type", "agent", "session", "paths", "options", "created_at"):
            del row[name]
        outlast(self._db, lambda: self._run("job_change", {**row, "project": self._project}))

    def note_progress(self, id: str, done: int, total: int, path: str) -> None:
        with self._db.transaction(Durability.DERIVED):
            self._db.execute(
                "job_progress", project=self._project, id=id, files_done=done, files_total=total, current_file=path
            )

    def cancel(self, id: str) -> None:
        self._run("job_cancel", {"project": self._project, "id": id})

    def get(self, id: str) -> Job | None:
        return next((_to_job(row) for row in self._db.query("job_get", project=self._project, id=id)), None)

    def latest(self, limit: int) -> list[Job]:
        return [_to_job(row) for row in self._db.query("job_latest", limit=limit, **self._where)]

    def active(self) -> list[Job]:
        """Jobs that have not ended, as far as the store knows; the oldest first."""
        return [_to_job(row) for row in self._db.query("job_active", **self._where)]

    def _run(self, name: str, row: dict[str, object]) -> None:
        with self._db.transaction():
            self._db.execute(name, **row)


class FileErrors:
    """Read errors of one checkout."""

    def __init__(self, db: Database, where: Where) -> None:
        self._db = db
        self._where = where._asdict()

    def note(self, failed: Iterable[FileFailure], settled: Iterable[str], now: int) -> None:
        """Record the failures of a run, and remove resolved ones. Call within a transaction."""
        for one in failed:
            self._db.execute("index_error_put", path=one.path, message=one.detail, at=now, **self._where)
        for path in settled:
            self._db.execute("index_error_drop", path=path, **self._where)

    def all(self) -> list[FileError]:
        rows = self._db.query("index_error_all", **self._where)
        return [FileError(r["path"], r["message"], r["first_at"], r["last_at"], r["retries"]) for r in rows]

    def clear(self) -> None:
        with self._db.transaction(Durability.DERIVED):
            self._db.execute("index_error_clear", **self._where)


def _to_row(job: Job) -> dict[str, object]:
    encoded = {name: msgspec.json.encode(getattr(job, name)).decode() for name in ("paths", "options", "result", "log")}
    return {**structs.asdict(job), **encoded}


def _to_job(row: Row) -> Job:
    plain = {name: row[name] for name in Job.__struct_fields__}
    return Job(
        **{
            **plain,
            "type": JobType(row["type"]),
            "status": JobStatus(row["status"]),
            "paths": from_json(row["paths"], tuple[str, ...]),
            "options": from_json(row["options"], JobOptions),
            "result": from_json(row["result"], JobResult),
            "log": from_json(row["log"], tuple[JobLine, ...]),
        }
    )
