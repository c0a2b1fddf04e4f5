"""Index runs on request: started, worked on, followed and cancelled by any process of the project."""

import logging
import math
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from msgspec import Struct, structs

from clew.engine import PATIENCE, Engine, new_id, now
from clew.index import partial
from clew.index.partial import Estimate
from clew.index.rules import refuse_newer
from clew.model.agents import Identity
from clew.model.errors import ClewError, Conflict, Interrupted, InvalidInput, NotFound
from clew.model.jobs import Job, JobLine, JobOptions, JobResult, JobStatus, JobType
from clew.model.run import Mode, Progress, RunReport, unheard
from clew.runtime.detached_process import Apart
from clew.store.leases import is_dead, this_process
from clew.store.transactions import Author

MOST_LINES = 200
PROGRESS_SECONDS = 0.5
FILES_PER_SECOND = 150.0  # of a project of which nothing is known
GRACE_SECONDS = 60.0  # that a queued job may wait for its process to begin
WEBHOOK_SECONDS = 10.0

log = logging.getLogger(__name__)


class JobRequest(Struct, frozen=True):
    type: JobType
    paths: tuple[str, ...] = ()
    options: JobOptions = JobOptions()
    who: Identity = Identity()


def start(engine: Engine, request: JobRequest) -> Job:
    """Put a job on record. Rebuilds are done one at a time: a second one is refused."""
    engine.be_writable()
    refuse_newer(engine.checkouts.state(engine.where).rules)
    check_paths(engine, request.paths)
    jobs, who = engine.jobs, request.who
    made = Job(
        id=new_id(), type=request.type, status=JobStatus.QUEUED, paths=request.paths, options=request.options,
        agent=who.agent_id, session=who.session_id, process="", files_total=0, files_done=0, current_file="",
        created_at=now(), started_at=0, ended_at=0, error="", result=JobResult(), log=(JobLine(now(), "queued"),),
    )  # fmt: skip
    with engine.db.transaction():
        engine.db.execute("project_lock", project=engine.where.project)
        rebuilds = [one for one in active(engine) if one.type is not JobType.REFRESH]
        if request.type is not JobType.REFRESH and rebuilds:
            raise Conflict(
                f"job {rebuilds[0].id} is {rebuilds[0].status} already",
                "Follow it with get_rebuild_status, or end it with cancel_rebuild (clew jobs cancel).",
            )
        jobs.put(made)
    return made


def run_apart(engine: Engine, job: Job) -> None:
    """Work on a job in a process of its own, which outlives this one."""
    Apart(engine.place.root, "jobs", "run", job.id, part=engine.place.part)


def work(engine: Engine, id: str, report: Callable[[Progress], None] = unheard) -> Job:
    """Work on a queued job here, until it has ended; its failure is recorded and raised."""
    job = get(engine, id)
    if job.status is not JobStatus.QUEUED:
        raise Conflict(f"job {id} is {job.status}", "Start another one.")
    begun = _change_job(job, "started", status=JobStatus.IN_PROGRESS, process=this_process(new_id()), started_at=now())
    engine.jobs.change(begun)
    watched = _Progress(engine, id, report)
    try:
        result = _run(engine, begun, watched)
    except BaseException as error:
        ended = JobStatus.CANCELLED if isinstance(error, Interrupted | KeyboardInterrupt) else JobStatus.FAILED
        message = error.message if isinstance(error, ClewError) else f"{type(error).__name__}: {error}"
        with suppress(ClewError):  # what it failed for is raised
            _end(engine, watched.at_last(begun), ended, message)
        if isinstance(error, Interrupted):
            return get(engine, id)
        raise
    return _end(engine, watched.at_last(begun), JobStatus.COMPLETED, "", result)


def get(engine: Engine, id: str) -> Job:
    job = engine.jobs.get(id)
    if job is None:
        raise NotFound(f"there is no job {id!r}", "List them: clew jobs")
    return _settle(engine, job)


def latest(engine: Engine, limit: int) -> list[Job]:
    """The newest first."""
    return [_settle(engine, job) for job in engine.jobs.latest(limit)]


def active(engine: Engine) -> list[Job]:
    """Those that wait or run."""
    return [job for one in engine.jobs.active() if (job := _settle(engine, one)).status.is_active]


def cancel(engine: Engine, id: str) -> Job:
    """Ask a job to end; what it did until then stays. A job that has ended is left as it is."""
    engine.be_writable()
    job = get(engine, id)
    if job.status is JobStatus.QUEUED:
        return _end(engine, job, JobStatus.CANCELLED, "")
    engine.jobs.cancel(id)
    return get(engine, id)


def estimate(engine: Engine, paths: Sequence[str]) -> tuple[Estimate, float]:
    """The files that a rebuild would read, and the seconds that it would take by earlier runs."""
    check_paths(engine, paths)
    found = partial.estimate(engine.working_tree, paths)
    runs = [one for one in engine.transactions.latest(50) if one.counts.get("read", 0) and one.duration]
    read = sum(one.counts["read"] for one in runs)
    rate = read * 1_000_000 / sum(one.duration for one in runs) if runs else FILES_PER_SECOND
    return found, found.files / max(rate, 0.1)


def check_paths(engine: Engine, paths: Sequence[str]) -> None:
    """Raise if a path leads out of the project, or if nothing is there and nothing was."""
    root = engine.place.root.resolve()
    for path in paths:
        if any(sign in path for sign in "*?["):
            continue
        whole = (root / path).resolve()
        if not whole.is_relative_to(root):
            raise InvalidInput(f"{path!r} leads out of the project", "Name paths relative to the project's root.")
        if not whole.exists() and not engine.files.history(path):
            raise NotFound(f"there is no {path!r}", "Name a file or folder of the project.")


def _run(engine: Engine, job: Job, report: "_Progress") -> JobResult:
    author = Author(job.agent, job.session)
    if job.options.clear_errors and job.type is not JobType.REFRESH:
        engine.file_errors.clear()
    if job.type is JobType.REBUILD_FULL:
        done = engine.index(Mode.FULL, report, author, PATIENCE)
    else:
        done = engine.index(Mode.INCREMENTAL, report, author, PATIENCE)
        if job.options.force:
            done = _join(done, engine.index_part(job.paths, report, author))
    if job.options.vacuum and job.type is not JobType.REFRESH and engine.db.dialect == "sqlite":
        with suppress(ClewError):  # somebody reads: the room is used again all the same
            engine.db.define("VACUUM")
    return JobResult(done.files, done.read, done.deleted, len(done.failed), round(done.seconds, 3))


def _join(first: RunReport, second: RunReport) -> RunReport:
    return structs.replace(
        second,
        files=first.files,
        read=first.read + second.read,
        deleted=first.deleted + second.deleted,
        seconds=first.seconds + second.seconds,
    )


def _end(engine: Engine, job: Job, status: JobStatus, error: str, result: JobResult | None = None) -> Job:
    found = result or JobResult()
    told = f"read {found.read} files in {found.seconds:.1f} s, {found.failed} failed" if result else error
    ended = _change_job(
        job, f"{status}: {told}".rstrip(": "), status=status, ended_at=now(), error=error, result=found, current_file=""
    )
    engine.jobs.change(ended)
    if url := engine.config.jobs.webhook_url:
        _notify(url, ended)
    return ended


def _settle(engine: Engine, job: Job) -> Job:
    """A job whose process ended without a word has failed."""
    waited = (now() - job.created_at) / 1_000_000
    lost = is_dead(job.process) if job.process else job.status is JobStatus.QUEUED and waited > GRACE_SECONDS
    if not (job.status.is_active and lost):
        return job
    status = JobStatus.CANCELLED if job.status is JobStatus.CANCELLING else JobStatus.FAILED
    ended = _change_job(job, "its process ended", status=status, ended_at=now(), error="its process ended")
    if engine.writable:
        engine.jobs.change(ended)
    return ended


def _change_job(job: Job, line: str, **changes: object) -> Job:
    lines = (*job.log, JobLine(now(), line))[-MOST_LINES:]
    return structs.replace(job, log=lines, **changes)


class _Progress:
    """Records progress now and then, and ends the run once the job is cancelled."""

    def __init__(self, engine: Engine, id: str, report: Callable[[Progress], None]) -> None:
        self._engine = engine
        self._id = id
        self._report = report
        self._noted = -math.inf
        self._last = Progress(0, 0, "")
        self._lines: list[JobLine] = []
        self._tenths = 0

    def __call__(self, progress: Progress) -> None:
        self._last = progress
        self._report(progress)
        tenths = 10 * progress.done // max(progress.total, 1)
        if tenths > self._tenths:
            self._tenths = tenths
            self._lines.append(JobLine(now(), f"{progress.done} of {progress.total} files"))
        if time.monotonic() - self._noted < PROGRESS_SECONDS:
            return
        self._noted = time.monotonic()
        self._engine.jobs.note_progress(self._id, progress.done, progress.total, progress.path)
        job = self._engine.jobs.get(self._id)
        if job is None or job.status is JobStatus.CANCELLING:
            raise Interrupted(f"job {self._id} was cancelled", "What was done is kept.")

    def at_last(self, job: Job) -> Job:
        """The job with the last progress."""
        lines = (*job.log, *self._lines)[-MOST_LINES:]
        return structs.replace(job, files_done=self._last.done, files_total=self._last.total, log=lines)


def _notify(url: str, job: Job) -> None:
    """Tell the user's own server that a job has ended; if that fails, it is only logged."""
    import urllib.request  # only where a webhook is configured

    from msgspec import json

    body = json.encode({"jobId": job.id, "type": job.type, "status": job.status, "result": job.result})
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})  # noqa: S310 - its rule allows http(s) alone
    try:
        with urllib.request.urlopen(request, timeout=WEBHOOK_SECONDS):  # noqa: S310 - likewise
            return
    except (OSError, ValueError) as error:
        log.warning("the webhook of job %s was not reached: %s", job.id, error)
