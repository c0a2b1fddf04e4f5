"""Index runs, with progress."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from clew.engine import PATIENCE, Engine
from clew.model.run import Mode, Progress, RunReport
from clew.runtime.settings import Bootstrap
from clew.surfaces.cli.output import print_json, warn
from clew.surfaces.cli.state import State, common

if TYPE_CHECKING:
    from clew.index.pipeline import Report

MOST_FAILURES = 10


@click.command()
@click.argument("path", required=False)
@click.option("--full", is_flag=True, help="Read every file again, changed or not.")
@click.option("--no-wait", is_flag=True, help="Fail at once if another process is indexing this tree.")
@common
@click.pass_obj
def index(state: State, path: str | None, full: bool, no_wait: bool, as_json: bool, quiet: bool) -> None:
    """Bring the index of the project up to date. The first time, every file is read."""
    patience = 0.0 if no_wait else PATIENCE
    _index(State(path) if path else state, Mode.FULL if full else Mode.INCREMENTAL, patience, as_json, quiet)


@click.command()
@common
@click.pass_obj
def rebuild(state: State, as_json: bool, quiet: bool) -> None:
    """Read every file again. What did not change keeps its version; the record of the past stays."""
    _index(state, Mode.FULL, PATIENCE, as_json, quiet)


def _index(state: State, mode: Mode, patience: float, as_json: bool, quiet: bool) -> None:
    with Engine.open(state.start) as engine:
        if not quiet:
            for warning in engine.place.warnings:
                warn(warning)
        with _progress(engine.config.bootstrap, quiet=quiet or as_json) as report:
            result = engine.index(mode, report, patience=patience)
    if as_json:
        print_json(result)
    elif not quiet:
        _print(result)


def _print(result: RunReport) -> None:
    click.echo(result.summary)
    for warning in result.warnings:
        warn(warning)
    for failure in result.failed[:MOST_FAILURES]:
        warn(f"{failure.path}: {failure.detail}")
    if len(result.failed) > MOST_FAILURES:
        warn(f"and {len(result.failed) - MOST_FAILURES} more failures; --json lists them all")


@contextmanager
def _progress(settings: Bootstrap, *, quiet: bool) -> Iterator["Report"]:
    if quiet or not settings.show_progress:
        yield lambda progress: None
    elif sys.stderr.isatty():
        with _bar() as report:
            yield report
    else:
        yield _lines(settings.progress_interval_seconds)


def _lines(interval: float) -> "Report":
    """In a pipe or a log: a line now and then."""
    last = time.monotonic()

    def report(progress: Progress) -> None:
        nonlocal last
        if time.monotonic() - last >= interval:
            last = time.monotonic()
            click.echo(f"indexed {progress.done} of {progress.total} files", err=True)

    return report


@contextmanager
def _bar() -> Iterator["Report"]:
    from rich.console import Console  # only where a person watches
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    rate = TextColumn("{task.fields[rate]}")
    columns = (TextColumn("indexing"), BarColumn(), MofNCompleteColumn(), rate, TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("indexing", total=None, rate="")
        started = time.monotonic()

        def report(progress: Progress) -> None:
            rate = progress.done / max(time.monotonic() - started, 0.001)
            bar.update(task, completed=progress.done, total=progress.total, rate=f"{rate:.0f} files/s")

        yield report
