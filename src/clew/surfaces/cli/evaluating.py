"""How well questions find code: the ruler, with progress and tables."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from clew import projects
from clew.evaluate.report import CASES, TUNING_CASES, EvaluationStep, EvaluationTask, QuerySource, Request, Tuning
from clew.model.errors import Interrupted, InvalidInput
from clew.runtime import tuned
from clew.runtime.paths import parse_path
from clew.runtime.place import find_place
from clew.surfaces.cli import standings, tunings
from clew.surfaces.cli.output import print_json
from clew.surfaces.cli.state import State, common

Report = Callable[[EvaluationStep], None]
TASKS = [task.value for task in EvaluationTask]
ALL = "all"
PARTS = [part.value for part in QuerySource]


@click.command()
@click.option("--repo", metavar="PATH", help="A working tree or a bare mirror; default: the current project.")
@click.option("--task", type=click.Choice([*TASKS, ALL]), default=ALL, show_default=True, help="What to measure.")
@click.option("--base", default="", metavar="REV", help="Measure on this commit and those after it.")
@click.option(
    "--cases",
    type=click.IntRange(1),
    help=f"At most this many of each task; default: {CASES}, with --tune {TUNING_CASES}.",
)
@click.option(
    "--query",
    "asked",
    type=click.Choice(PARTS),
    default=QuerySource.MESSAGE.value,
    help="How much of a message is asked.",
)
@click.option("--keep", metavar="DIR", help="Keep the checkout and its index there, and use them again.")
@click.option("--explain", is_flag=True, help="Say what was left out, and why.")
@click.option("--tune", is_flag=True, help="Fit the retrievers' weights to the project's past, and keep them in .clew.")
@click.option("--untune", is_flag=True, help="Remove weights that were fitted: the defaults count again.")
@common
@click.pass_obj
def eval(  # noqa: A001 - its name
    state: State, /, as_json: bool, quiet: bool, explain: bool, tune: bool, untune: bool, **options: Any
) -> None:
    """Measure how well questions find the code that is meant, on a repository's own history."""
    if untune:
        _untune(state, options, tune=tune, as_json=as_json, quiet=quiet)
        return
    request = _request(state, options, tune=tune)
    try:
        with _progress(quiet=quiet or as_json) as report:
            result = projects.tune(request, report) if tune else projects.evaluate(request, report)
    except KeyboardInterrupt:
        raise Interrupted("interrupted before there were figures", "Run the command again.") from None
    if as_json:
        print_json(result)
    elif isinstance(result, Tuning):
        tunings.show(result, quiet=quiet)
    else:
        standings.show(result, explain=explain, quiet=quiet)


def _untune(state: State, options: dict[str, Any], *, tune: bool, as_json: bool, quiet: bool) -> None:
    if tune:
        raise InvalidInput("--tune and --untune exclude each other", "Say one of them.")
    place = find_place(_repository(state, options), os.environ)
    removed = tuned.remove(place.folder)
    if as_json:
        print_json({"removed": removed})
    elif not quiet:
        click.echo(f"{tuned.SHOWN} is removed: the default weights count again." if removed else "Nothing was tuned.")


def _repository(state: State, options: dict[str, Any]) -> Path:
    return parse_path(options["repo"]) if options["repo"] else state.start


def _request(state: State, options: dict[str, Any], *, tune: bool) -> Request:
    tasks = tuple(EvaluationTask) if options["task"] == ALL else (EvaluationTask(options["task"]),)
    if tune and EvaluationTask.COMMITS not in tasks:
        raise InvalidInput("weights are fitted to commits", "Leave --task out.")
    return Request(
        repository=_repository(state, options),
        tasks=tasks,
        base=options["base"],
        cases=options["cases"] or (TUNING_CASES if tune else CASES),
        asked=QuerySource(options["asked"]),
        keep=parse_path(options["keep"]) if options["keep"] else None,
    )


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Report]:
    if quiet or not sys.stderr.isatty():
        yield lambda step: None
        return
    from rich.console import Console  # only where a person watches
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("choosing", total=None)
        yield lambda step: bar.update(task, description=step.doing, completed=step.done, total=step.total or None)
