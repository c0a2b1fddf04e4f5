"""How well questions find code: the ruler, with progress and tables."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from clew import engine
from clew.evaluate.report import CASES, Asked, Request, Step, Task
from clew.model.errors import Interrupted
from clew.runtime.paths import named
from clew.surfaces.cli import standings
from clew.surfaces.cli.output import print_json
from clew.surfaces.cli.state import State, common

Report = Callable[[Step], None]
TASKS = [task.value for task in Task]
ALL = "all"
PARTS = [part.value for part in Asked]


@click.command()
@click.option("--repo", metavar="PATH", help="A working tree or a bare mirror; default: the current project.")
@click.option("--task", type=click.Choice([*TASKS, ALL]), default=ALL, show_default=True, help="What to measure.")
@click.option("--base", default="", metavar="REV", help="Measure on this commit and those after it.")
@click.option(
    "--cases", type=click.IntRange(1), default=CASES, show_default=True, help="At most this many of each task."
)
@click.option(
    "--query", "asked", type=click.Choice(PARTS), default=Asked.MESSAGE.value, help="How much of a message is asked."
)
@click.option("--keep", metavar="DIR", help="Keep the checkout and its index there, and use them again.")
@click.option("--explain", is_flag=True, help="Say what was left out, and why.")
@common
@click.pass_obj
def eval(state: State, /, as_json: bool, quiet: bool, explain: bool, **options: Any) -> None:  # noqa: A001 - its name
    """Measure how well questions find the code that is meant, on a repository's own history."""
    request = _request(state, options)
    try:
        with _progress(quiet=quiet or as_json) as report:
            result = engine.evaluate(request, report)
    except KeyboardInterrupt:
        raise Interrupted("interrupted before there were figures", "Run the command again.") from None
    if as_json:
        print_json(result)
    else:
        standings.show(result, explain=explain, quiet=quiet)


def _request(state: State, options: dict[str, Any]) -> Request:
    return Request(
        repository=named(options["repo"]) if options["repo"] else state.start,
        tasks=tuple(Task) if options["task"] == ALL else (Task(options["task"]),),
        base=options["base"],
        cases=options["cases"],
        asked=Asked(options["asked"]),
        keep=named(options["keep"]) if options["keep"] else None,
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
