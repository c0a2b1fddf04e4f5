"""How well questions find code: the ruler, with progress and tables."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from clew import projects
from clew.evaluate.report import (
    CASES,
    TUNING_CASES,
    EvaluationStep,
    EvaluationTask,
    QuerySource,
    RankerLead,
    RankerResult,
    Request,
    Stretch,
    Tuning,
    Weight,
)
from clew.model.errors import Interrupted, InvalidInput
from clew.runtime import tuned
from clew.runtime.paths import parse_path
from clew.runtime.place import find_place
from clew.surfaces.cli import standings
from clew.surfaces.cli.output import TextTable, print_json, print_table
from clew.surfaces.cli.standings import COLUMNS, count_of, figure, figures
from clew.surfaces.cli.state import State, common

# A tuning as tables: the weights, their results on the later cases, and the outcome.

BEFORE, AFTER, DIFFERENCE = "before", "after", "difference"


def show(result: Tuning, *, quiet: bool) -> None:
    if not quiet:
        click.echo(click.style(_heading(result), bold=True))
    for table in tables(result):
        print_table(table)
    for line in _describe_tuning(result) if not quiet else ():
        click.echo(line)


def tables(result: Tuning) -> list[TextTable]:
    """Tables of the weights, and of files and functions of the later cases."""
    found = [TextTable("weights", ("retriever", BEFORE, AFTER, ""), [_weight(one) for one in result.weights])]
    found.append(_later(result, f"files, {count_of(result.before.files.cases, 'later case')}", functions=False))
    if result.before.functions:
        title = f"functions, {count_of(result.before.functions.cases, 'later case')}"
        found.append(_later(result, title, functions=True))
    return found


def _later(result: Tuning, title: str, *, functions: bool) -> TextTable:
    rows: list[tuple[str, ...]] = []
    sides: tuple[tuple[str, RankerResult | RankerLead | None, str], ...] = (
        (BEFORE, result.before, ""),
        (AFTER, result.after, ""),
        (DIFFERENCE, result.gain, "+"),
    )
    for name, side, sign in sides:
        scores = (side.functions if functions else side.files) if side else None
        rows += [(name, *figures(scores, sign))] if scores else []
    return TextTable(title, ("", *COLUMNS), rows)


def _heading(result: Tuning) -> str:
    total = result.fitted.cases + result.reported.cases
    earlier, later = _describe_stretch(result.fitted), _describe_stretch(result.reported)
    parts = f"fitted to the earlier {earlier}, reported on the later {later}"
    return f"commits: {count_of(total, 'case')} after {result.base[:12]}; {parts}"


def _describe_stretch(stretch: Stretch) -> str:
    return f"{stretch.cases} ({_day(stretch.first)} to {_day(stretch.last)})"


def _describe_tuning(result: Tuning) -> Iterator[str]:
    """The decision, its reason, and the next step."""
    thirds = ", ".join(f"{one:+.3f}" for one in result.folds)
    gain = f"{figure(result.held_out, '+')} of the objective on earlier cases that were held out (by third: {thirds})"
    if result.is_changed:
        yield f"These weights count from now on: {gain}, which is more than noise. Kept in {result.stored}."
        yield "The later cases had no say in that; if they lose, `clew eval --untune` brings the defaults back."
    else:
        yield f"The weights stay as they are by default: {gain}, which is no steady gain."
    if result.removed:
        yield "Those that were tuned before are removed."
    yield from result.notes


def _weight(one: Weight) -> tuple[str, ...]:
    fixed = f"set by {one.fixed_by}" if one.fixed_by else ""
    return one.retriever, f"{one.before:g}", f"{one.after:g}", fixed


def _day(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")


Report = Callable[[EvaluationStep], None]
TASKS = [task.value for task in EvaluationTask]
ALL = "all"
PARTS = [part.value for part in QuerySource]


@click.command()
@click.option("--repo", metavar="PATH", help="A working tree or a bare mirror; default: the current project.")
@click.option("--task", type=click.Choice([*TASKS, ALL]), default=ALL, show_default=True, help="What to measure.")
@click.option("--base", default="", metavar="REV", help="Index this commit, and use the commits after it as cases.")
@click.option(
    "--cases",
    type=click.IntRange(1),
    help=f"Maximum number of cases per task; default: {CASES}, with --tune {TUNING_CASES}.",
)
@click.option(
    "--query",
    "asked",
    type=click.Choice(PARTS),
    default=QuerySource.MESSAGE.value,
    help="The part of a commit message used as the question.",
)
@click.option("--keep", metavar="DIR", help="Keep the checkout and its index in this folder, and reuse them.")
@click.option("--explain", is_flag=True, help="List excluded cases, with reasons.")
@click.option(
    "--tune", is_flag=True, help="Fit the retrievers' weights to the project's history, and store them in .clew."
)
@click.option("--untune", is_flag=True, help="Remove fitted weights and return to the defaults.")
@common
@click.pass_obj
def eval(  # noqa: A001 - its name
    state: State, /, as_json: bool, quiet: bool, explain: bool, tune: bool, untune: bool, **options: Any
) -> None:
    """Measure how well questions find the relevant code, using a repository's own history as test cases."""
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
        show(result, quiet=quiet)
    else:
        standings.show(result, explain=explain, quiet=quiet)


def _untune(state: State, options: dict[str, Any], *, tune: bool, as_json: bool, quiet: bool) -> None:
    if tune:
        raise InvalidInput("--tune and --untune exclude each other", "Use only one of them.")
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
