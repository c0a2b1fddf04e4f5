"""Index runs on request: refreshed paths, rebuilds, and how far they are."""

import math
from typing import Annotated

from msgspec import Meta, Struct

from clew import jobs
from clew.engine import Engine, now
from clew.jobs import JobRequest
from clew.model.agents import Identity
from clew.model.errors import InvalidInput
from clew.model.jobs import Job, JobOptions, JobResult, JobStatus, JobType
from clew.model.time import to_iso
from clew.tools.budget import Priority, Shape
from clew.tools.freshness import count_of
from clew.tools.params import Patterns
from clew.tools.registry import Effect, tool

JobId = Annotated[str, Meta(min_length=1, max_length=200, description="The `job_id` of an earlier answer.")]
Async = Annotated[bool, Meta(description="Answer at once; the run goes on in a process of its own.")]
_SHAPE = Shape({"logs": Priority.LOW, "details": Priority.MEDIUM, "message": Priority.MEDIUM})


class RebuildOptions(Struct, frozen=True, forbid_unknown_fields=True):
    clear_errors: Annotated[bool, Meta(description="Forget which files could not be read.")] = True
    vacuum: Annotated[bool, Meta(description="Give freed room on the disk back.")] = True
    validate_only: Annotated[bool, Meta(description="Only say what would be read, and for how long.")] = False


BY_DEFAULT = RebuildOptions()


class JobProgress(Struct, frozen=True, rename="camel"):
    files_processed: int
    files_total: int
    percent_complete: int
    current_file: str
    started_at: str
    estimated_completion: str


class RebuildDetails(Struct, frozen=True, rename="camel"):
    by_language: dict[str, int]
    directories: int
    total_size_mb: float
    current_index_size_mb: float


class RebuildJob(Struct, frozen=True, omit_defaults=True, rename="camel"):
    """`status` is queued, in_progress, cancelling, completed, failed or cancelled."""

    status: str
    job_id: str
    scope: str
    estimated_files: int
    message: str
    estimated_time: int = 0
    progress: JobProgress | None = None
    result: JobResult | None = None
    error: str = ""
    logs: tuple[str, ...] = ()
    details: RebuildDetails | None = None

    def summary(self) -> str:
        return self.message


class ContextRefresh(Struct, frozen=True, omit_defaults=True, rename="camel"):
    status: str
    files_queued: int
    message: str
    job_id: str = ""

    def summary(self) -> str:
        return self.message


@tool(Effect.WRITE, toolset="context", shape=_SHAPE, also="reindex update stale files paths now")
def refresh_context(
    engine: Engine,
    who: Identity,
    paths: Annotated[Patterns, Meta(min_length=1)],
    force: Annotated[bool, Meta(description="Read the files again even if they are unchanged.")] = False,
    async_: Async = True,
) -> ContextRefresh:
    """Index some files or folders now, for example those that failed; answers look for changes anyway."""
    request = JobRequest(JobType.REFRESH, paths, JobOptions(force, vacuum=False, clear_errors=False), who)
    jobs.check_paths(engine, paths)
    files = jobs.estimate(engine, paths)[0].files
    job = jobs.start(engine, request)
    named = ", ".join(paths[:3]) + (" …" if len(paths) > 3 else "")
    if async_:
        jobs.run_apart(engine, job)
        return ContextRefresh("queued", files, f"{count_of(files, 'file', 'files')} of {named} queued.", job.id)
    done = jobs.work(engine, job.id)
    told = f"{count_of(files, 'file', 'files')} of {named} looked at, {done.result.read} read."
    return ContextRefresh(done.status, files, told, job.id)


@tool(Effect.WRITE, toolset="context", shape=_SHAPE, also="reindex from scratch corrupt full reset again")
def rebuild_context(
    engine: Engine,
    who: Identity,
    confirm: Annotated[bool, Meta(description="Must be true: every file is read again, which takes a while.")],
    async_: Async = True,
    paths: Patterns = (),
    options: Annotated[RebuildOptions, Meta(description="What else to do, or only to estimate.")] = BY_DEFAULT,
) -> RebuildJob:
    """Read all files again, or those of some paths, and derive everything anew; memory and history stay."""
    if not confirm:
        raise InvalidInput("confirm is not true", "Call again with confirm=true, or see options.validate_only first.")
    found, seconds = jobs.estimate(engine, paths)
    scope, wait = ("partial" if paths else "full"), max(1, math.ceil(seconds))
    what = f"{found.files:,} files in {found.directories:,} directories"
    if options.validate_only:
        sizes = round(found.bytes / 1e6, 2), round(engine.db.size() / 1e6, 2)
        details = RebuildDetails(found.by_language, found.directories, *sizes)
        told = f"Dry run: would read {what} again, in about {wait} s. Nothing was changed."
        return RebuildJob("completed", "", scope, found.files, told, wait, details=details)
    type_ = JobType.REBUILD_PARTIAL if paths else JobType.REBUILD_FULL
    settings = JobOptions(True, options.vacuum, options.clear_errors)
    job = jobs.start(engine, JobRequest(type_, paths, settings, who))
    if async_:
        jobs.run_apart(engine, job)
        told = f"{scope.capitalize()} rebuild queued: {what}, about {wait} s. Follow it with get_rebuild_status."
        return RebuildJob(job.status, job.id, scope, found.files, told, wait)
    return _to_rebuild(jobs.work(engine, job.id), logs=False)


@tool(Effect.READ, toolset="context", shape=_SHAPE, dated=False, also="job progress running finished percent")
def get_rebuild_status(
    engine: Engine,
    job_id: JobId,
    include_logs: Annotated[bool, Meta(description="Also give the lines of its log.")] = False,
) -> RebuildJob:
    """Say how far a job of rebuild_context or refresh_context is, or how it ended."""
    return _to_rebuild(jobs.get(engine, job_id), logs=include_logs)


@tool(Effect.WRITE, toolset="context", shape=_SHAPE, also="stop abort job")
def cancel_rebuild(engine: Engine, job_id: JobId) -> RebuildJob:
    """End a job of rebuild_context or refresh_context; what it did until then stays."""
    return _to_rebuild(jobs.cancel(engine, job_id), logs=False)


def _to_rebuild(job: Job, *, logs: bool) -> RebuildJob:
    ended = job.status is JobStatus.COMPLETED
    total = max(job.files_total, job.result.read)
    return RebuildJob(
        status=job.status,
        job_id=job.id,
        scope="partial" if job.paths else "full",
        estimated_files=total,
        message=_message(job),
        progress=_progress(job) if job.status in (JobStatus.IN_PROGRESS, JobStatus.CANCELLING) else None,
        result=job.result if ended else None,
        error=job.error,
        logs=tuple(f"{to_iso(one.at)} {one.text}" for one in job.log) if logs else (),
    )


def _message(job: Job) -> str:
    name = job.type.replace("_", " ").capitalize()
    if job.status is JobStatus.COMPLETED:
        failed = f", {job.result.failed} could not be read" if job.result.failed else ""
        return f"{name} completed: {job.result.read:,} files read in {job.result.seconds:.1f} s{failed}."
    if job.status is JobStatus.IN_PROGRESS and job.files_total:
        share = 100 * job.files_done // job.files_total
        return f"{name} in progress: {job.files_done:,} of {job.files_total:,} files ({share} %)."
    return f"{name} {job.status.replace('_', ' ')}{f': {job.error}' if job.error else ''}."


def _progress(job: Job) -> JobProgress:
    share = job.files_done / job.files_total if job.files_total else 0.0
    ends = ""
    if share and job.log:
        spent = now() - job.started_at
        ends = to_iso(job.started_at + int(spent / share))
    began = to_iso(job.started_at)
    return JobProgress(job.files_done, job.files_total, int(100 * share), job.current_file, began, ends)
