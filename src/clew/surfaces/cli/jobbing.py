"""Jobs: listed, shown, cancelled; and rebuilding."""

import os
import sys

import click

from clew import jobs as job_runs
from clew.engine import Engine
from clew.jobs import JobRequest
from clew.model.jobs import Job, JobOptions, JobStatus, JobType
from clew.model.time import to_iso
from clew.surfaces.cli.indexing import UNREAD, be_sound, mend, progress, rebuild_damaged
from clew.surfaces.cli.models import LAST
from clew.surfaces.cli.output import TextTable, print_json, print_table, warn
from clew.surfaces.cli.state import State, common, from_root, readable
from clew.text.escaping import line

MOST = 20
MOST_ERRORS = 10


@click.group(invoke_without_command=True)
@click.option("--limit", type=click.IntRange(1, 1000), default=MOST, help=f"At most so many (default {MOST}).")
@common
@click.pass_context
def jobs(context: click.Context, limit: int, as_json: bool, quiet: bool) -> None:
    """List rebuild and refresh jobs, the newest first."""
    if context.invoked_subcommand:
        return
    with Engine.open(context.obj.start, create=False) as engine:
        found = job_runs.latest(engine, limit)
    if as_json:
        print_json(found)
        return
    rows = [_cells(one) for one in found]
    if rows:
        print_table(TextTable("", ("job", "type", "status", "files", "created"), rows, words=True))
    elif not quiet:
        click.echo("There was no job. `clew rebuild` starts one.", err=True)


@jobs.command()
@click.argument("job_id")
@click.option("--logs", is_flag=True, help="Also show its log.")
@common
@click.pass_obj
def show(state: State, job_id: str, logs: bool, as_json: bool, quiet: bool) -> None:
    """Show the progress of a job, or its result."""
    with Engine.open(state.start, create=False) as engine:
        job = job_runs.get(engine, readable(job_id))
    _show(job, logs=logs, as_json=as_json)


@jobs.command()
@click.argument("job_id")
@common
@click.pass_obj
def cancel(state: State, job_id: str, as_json: bool, quiet: bool) -> None:
    """Cancel a job; files it has already read stay indexed."""
    with Engine.open(state.start, create=False) as engine:
        job = job_runs.cancel(engine, readable(job_id))
    _show(job, logs=False, as_json=as_json)


@jobs.command()
@common
@click.pass_obj
def errors(state: State, as_json: bool, quiet: bool) -> int:
    """List the files that could not be read, and why. Every run tries them again."""
    with Engine.open(state.start, create=False) as engine:
        found = engine.file_errors.all()
    if as_json:
        print_json(found)
    for one in () if as_json else found:
        again = f", tried {one.retries + 1} times" if one.retries else ""
        click.echo(f"{line(one.path)}: {line(one.message)} (since {to_iso(one.first_at)[:19]}{again})")
    return UNREAD if found else 0


@jobs.command(hidden=True)
@click.argument("job_id")
@common
@click.pass_obj
def run(state: State, job_id: str, as_json: bool, quiet: bool) -> None:
    """Work on a queued job."""
    if hasattr(os, "nice"):
        os.nice(LAST)
    with Engine.open(state.start, create=False) as engine:
        job_runs.work(engine, job_id)


@click.command()
@click.option("--force", is_flag=True, help="Do not ask.")
@click.option("--paths", multiple=True, metavar="PATH", help="Only these files or folders; repeatable.")
@click.option("--dry-run", is_flag=True, help="Only show what would be read, and an estimate of the time.")
@click.option("--no-vacuum", is_flag=True, help="Do not return freed disk space to the system.")
@click.option("--keep-errors", is_flag=True, help="Keep the list of earlier read errors.")
@common
@click.pass_obj
def rebuild(
    state: State,
    force: bool,
    paths: tuple[str, ...],
    dry_run: bool,
    no_vacuum: bool,
    keep_errors: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Read every file again. History, memory and the versions of unchanged symbols are kept.

    Asks for confirmation on a terminal. A damaged database is repaired. Queries are answered during the rebuild.

    \b
    clew rebuild --paths src/auth --paths docs
    clew rebuild --dry-run
    """
    named = tuple(from_root(state, readable(path)) for path in paths)
    if dry_run:
        _show_plan(state, named, as_json=as_json)
        return 0
    if not force and sys.stdin.isatty() and not as_json:
        click.confirm(f"Read {', '.join(named) or 'every file'} again?", abort=True, err=True)
    if not named:
        mend(state, quiet=quiet)
    options = JobOptions(True, not no_vacuum, not keep_errors)
    request = JobRequest(JobType.REBUILD_PARTIAL if named else JobType.REBUILD_FULL, named, options)
    return rebuild_damaged(state, lambda: _rebuild(state, request, as_json=as_json, quiet=quiet), quiet=quiet)


def _rebuild(state: State, request: JobRequest, *, as_json: bool, quiet: bool) -> int:
    with Engine.open(state.start) as engine:
        if not quiet:
            for warning in engine.place.warnings:
                warn(warning)
        be_sound(engine)
        job = job_runs.start(engine, request)
        with progress(engine.config.bootstrap, "rebuilding", "files", quiet=quiet or as_json) as report:
            done = job_runs.work(engine, job.id, report)
        failed = engine.file_errors.all()
    if as_json:
        print_json(done)
    elif not quiet:
        _show(done, logs=False, as_json=False)
    for one in failed[:MOST_ERRORS] if not quiet else ():
        warn(f"{one.path}: {one.message}")
    return UNREAD if failed else 0


def _show_plan(state: State, paths: tuple[str, ...], *, as_json: bool) -> None:
    with Engine.open(state.start) as engine:
        found, seconds = job_runs.estimate(engine, paths)
    if as_json:
        print_json({"estimate": found, "seconds": round(seconds, 1)})
        return
    click.echo(f"would read {found.files:,} files ({found.bytes / 1e6:.1f} MB), in about {seconds:.0f} s")
    for language, count in found.by_language.items():
        click.echo(f"    {count:7,}  {language}")


def _show(job: Job, *, logs: bool, as_json: bool) -> None:
    if as_json:
        print_json(job)
        return
    told = f"{job.result.read:,} files read in {job.result.seconds:.1f} s" if job.status is JobStatus.COMPLETED else ""
    click.echo(f"{job.id}  {job.type}  {job.status}  {told or _how_far(job)}  {line(job.error)}".rstrip())
    for one in job.log if logs else ():
        click.echo(f"    {to_iso(one.at)[:19]}  {line(one.text)}")


def _cells(job: Job) -> tuple[str, ...]:
    return job.id, job.type.value, job.status.value, _how_far(job), to_iso(job.created_at)[:19]


def _how_far(job: Job) -> str:
    return f"{job.files_done:,}/{job.files_total:,}" if job.files_total else ""
