"""Index runs with progress, and watching for changes."""

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import click

from clew.engine import PATIENCE, Engine
from clew.model.errors import ClewError, StoreCorrupt
from clew.model.run import FileFailure, Mode, Progress, RunReport
from clew.runtime.settings import Bootstrap
from clew.store.transactions import Author
from clew.surfaces.cli.output import print_json, warn
from clew.surfaces.cli.state import State, common
from clew.text import notifications
from clew.text.escaping import line

if TYPE_CHECKING:
    from clew.index.pipeline import Report
    from clew.index.watch_state import WatchStatus


@click.command()
@common
@click.pass_obj
def watch(state: State, as_json: bool, quiet: bool) -> None:
    """Keep the index current as files change, until Ctrl-C.

    Only one process watches a working tree; a second one waits, and takes over when the first ends. `clew serve`
    includes a watcher. Without a watcher, each question looks for changes first, which takes time. With --json,
    prints one line per update.
    """
    with Engine.open(state.start) as engine:
        engine.index()
        owner = engine.watch_status().process
        if not quiet:
            waits = f"process {owner} watches already; waiting to take over" if owner else "watching"
            click.echo(f"{waits}: {line(str(engine.place.root))}", err=True)
        watched = engine.watch(_Printer(as_json=as_json, quiet=quiet))
        try:
            threading.Event().wait()
        finally:
            watched.close()


class _Printer:
    """Prints each update once."""

    def __init__(self, *, as_json: bool, quiet: bool) -> None:
        self._as_json = as_json
        self._quiet = quiet
        self._last = ""
        self._mode = ""

    def __call__(self, status: "WatchStatus") -> None:
        if status.mode != self._mode and status.reason and not self._quiet:
            click.echo(f"sweeping instead of watching: {line(status.reason)}", err=True)
        self._mode = status.mode
        event = status.events[-1] if status.events else None
        if event is None or event.at == self._last:
            return
        self._last = event.at
        if self._as_json:
            print_json(event)
        else:
            names = f": {', '.join(map(line, event.paths))}" if event.paths else ""
            click.echo(f"{event.at[11:19]}  {event.indexed} indexed of {event.changes} changed in {event.ms} ms{names}")


MOST_CHECKED = 32_000_000  # bytes of a database: looking at so many takes a quarter of a second
UNREAD = 7  # exit code: files could not be read
MOST_FAILURES = 10
MOST_FLAWED = 5  # of those that were read with problems: it is only that some of their edges may be missing


@click.command()
@click.argument("path", required=False)
@click.option("--full", is_flag=True, help="Read every file again, changed or not.")
@click.option("--no-wait", is_flag=True, help="Fail at once if another process is indexing this tree.")
@click.option("--timings", is_flag=True, help="Print the time spent in each stage, with the CPU time of all processes.")
@click.option("--transaction", default="", hidden=True, help="The id that the run's record is to have.")
@click.option("--for", "asked_by", nargs=2, default=("", ""), hidden=True, help="The agent and its session.")
@click.option("--catch-up", is_flag=True, hidden=True, help="Only link what questions did not wait for.")
@common
@click.pass_obj
def index(
    state: State,
    path: str | None,
    full: bool,
    no_wait: bool,
    timings: bool,
    transaction: str,
    asked_by: tuple[str, str],
    catch_up: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Bring the project's index up to date. The first run reads every file.

    Exits with 7 if files could not be read. They are listed, and every run tries them again.
    """
    if catch_up:
        _catch_up(State(path) if path else state)
        return 0
    mode, patience = Mode.FULL if full else Mode.INCREMENTAL, 0.0 if no_wait else PATIENCE
    how = _How(mode, patience, transaction, Author(*asked_by), timings)
    return _index(State(path) if path else state, how, as_json=as_json, quiet=quiet)


def _catch_up(state: State) -> None:
    from clew.index.catchup import step_back  # only ever asked for by Clew itself

    step_back()
    with Engine.open(state.start, create=False) as engine:
        engine.catch_up(patience=0.0, whole=True)


class _How(NamedTuple):
    mode: Mode
    patience: float = PATIENCE
    transaction: str = ""
    author: Author = Author()
    timings: bool = False


def _index(state: State, how: _How, *, as_json: bool, quiet: bool) -> int:
    if how.mode is not Mode.FULL:
        return _run(state, how, as_json=as_json, quiet=quiet)
    mend(state, quiet=quiet)
    first = iter([how])  # the record of a second attempt has another id
    again = how._replace(transaction="")
    return rebuild_damaged(
        state, lambda: _run(state, next(first, again), as_json=as_json, quiet=quiet), quiet=quiet
    )  # fmt: skip


def rebuild_damaged(state: State, work: Callable[[], int], *, quiet: bool) -> int:
    """Do some work; if the database turns out to be damaged, repair it and do the work again."""
    try:
        return work()
    except StoreCorrupt:
        if not mend(state, quiet=quiet, in_doubt=True):
            raise
        return work()


def mend(state: State, *, quiet: bool, in_doubt: bool = False) -> bool:
    """Repair damaged database files; whether any was."""
    from clew import projects  # seldom needed

    done = projects.mend(state.start, in_doubt=in_doubt)
    for told in () if quiet else done:
        warn(told)
    return bool(done)


def _run(state: State, how: _How, *, as_json: bool, quiet: bool) -> int:
    with Engine.open(state.start) as engine:
        if not quiet:
            for warning in engine.place.warnings:
                warn(warning)
        be_sound(engine)
        settings, is_quiet = engine.config.bootstrap, quiet or as_json
        is_first = not engine.coverage().indexed
        told = (
            first_run(settings, quiet=is_quiet) if is_first else progress(settings, "indexing", "files", quiet=is_quiet)
        )
        with told as report:
            result = engine.index(how.mode, report, how.author, how.patience, how.transaction)
        if is_first and result.files and settings.show_progress and not is_quiet:
            click.echo(notifications.completes(result.files, result.chunks, engine.db.size()), err=True)
        _embed(engine, quiet=quiet)
        engine.import_history_apart()
        engine.back_up_apart()
    if as_json:
        print_json(result)
    elif not quiet:
        _print(result)
        if how.timings:
            _print_stages(result)
    return UNREAD if result.failed else 0


def be_sound(engine: Engine) -> None:
    """Verify the database: a run without changes would not notice damage."""
    if not engine.place.url and engine.db.size() <= MOST_CHECKED and (faults := engine.db.check()):
        raise StoreCorrupt(f"{engine.place.database} is damaged: {faults[0]}")


def _embed(engine: Engine, *, quiet: bool) -> None:
    """Start embedding new chunks in the background; the index is complete without vectors."""
    try:
        engine.embed_apart()
    except ClewError as error:
        if not quiet:
            warn(f"no vectors are made: {error.message}. {error.hint}")


def _print(result: RunReport) -> None:
    click.echo(result.summary)
    for warning in result.warnings:
        warn(warning)
    _list(result.failed, MOST_FAILURES, "failures")
    _list(result.flawed, MOST_FLAWED, "with problems")


def _print_stages(result: RunReport) -> None:
    for one in result.stages:
        click.echo(f"{one.stage:<14}{one.seconds:8.2f} s{one.cpu_seconds:8.2f} CPU s")


def _list(files: Sequence[FileFailure], most: int, what: str) -> None:
    for one in files[:most]:
        warn(f"{one.path}: {one.detail}")
    if len(files) > most:
        warn(f"and {len(files) - most} more {what}; `clew index --full --json` lists them all")


@contextmanager
def progress(settings: Bootstrap, work: str, things: str, *, quiet: bool) -> Iterator["Report"]:
    """A progress report for long work, such as "indexing" of "files"."""
    if quiet or not settings.show_progress:
        yield lambda progress: None
    elif sys.stderr.isatty():
        with _bar(work, things) as report:
            yield report
    else:
        yield _lines(settings.progress_interval_seconds, work, things)


@contextmanager
def first_run(settings: Bootstrap, *, quiet: bool) -> Iterator["Report"]:
    """A progress report for the first index: that it began, how far it is, and from when on it is of use."""
    if quiet or not settings.show_progress or sys.stderr.isatty():
        with progress(settings, "indexing", "files", quiet=quiet) as report:
            yield report
    else:
        yield _FirstRun(settings.progress_interval_seconds)


class _FirstRun:
    """In a pipe or a log: the notifications of a first index, each once, and how far it is now and then."""

    def __init__(self, interval: float) -> None:
        self._interval = interval
        self._started = self._last = 0.0
        self._is_usable = False

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if not self._started:
            self._started = self._last = now
            click.echo(notifications.starts(progress.total), err=True)
        if not self._is_usable and notifications.USABLE_FILES <= progress.done < progress.total:
            self._is_usable = True
            click.echo(notifications.usable(progress.done), err=True)
        if now - self._last >= self._interval:
            self._last = now
            left = notifications.seconds_left(progress.done, progress.total, now - self._started)
            click.echo(notifications.advances(progress.done, progress.total, left), err=True)


def _lines(interval: float, work: str, things: str) -> "Report":
    """In a pipe or a log: a line now and then."""
    started = last = time.monotonic()

    def report(progress: Progress) -> None:
        nonlocal last
        if progress.estimate:
            click.echo(progress.estimate, err=True)
        if time.monotonic() - last >= interval:
            last = time.monotonic()
            left = (last - started) * (progress.total - progress.done) / max(progress.done, 1)
            click.echo(f"{work}: {progress.done} of {progress.total} {things}, about {left:.0f} s left", err=True)

    return report


@contextmanager
def _bar(work: str, things: str) -> Iterator["Report"]:
    from rich.console import Console  # only where a person watches
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    rate = TextColumn("{task.fields[rate]}")
    columns = (TextColumn(work), BarColumn(), MofNCompleteColumn(), rate, TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(work, total=None, rate="")
        started = time.monotonic()

        def report(progress: Progress) -> None:
            if progress.estimate:
                bar.console.print(progress.estimate, markup=False, highlight=False)
            rate = progress.done / max(time.monotonic() - started, 0.001)
            bar.update(task, completed=progress.done, total=progress.total, rate=f"{rate:.0f} {things}/s")

        yield report
