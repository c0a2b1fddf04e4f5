"""An evaluation as tables: lines on a terminal, aligned columns in a pipe."""

import sys
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import click

from clew.evaluate.report import Cost, Evaluation, Figure, Lead, Scores, Standing, Task, TaskReport

COLUMNS = ("R@1", "R@5", "R@10", "MRR")
COSTS = ("ms", "p95 ms", "CPU ms")

_WHERE = {Task.COMMITS: "after", Task.DOCSTRINGS: "at"}


class Table(NamedTuple):
    title: str
    header: tuple[str, ...]
    rows: list[tuple[str, ...]]


def show(result: Evaluation, *, explain: bool, quiet: bool) -> None:
    for task in result.tasks:
        if not quiet:
            click.echo(click.style(_heading(task, result), bold=True))
        for table in tables(task):
            print_table(table)
        for line in _left_out(task) if explain else ():
            click.echo(line)
    for note in result.notes if not quiet else ():
        click.echo(note)


def tables(task: TaskReport) -> list[Table]:
    """Of files, of functions if there are any, and of Clew's lead over each other ranker."""
    found = [_files(task.standings)]
    if functions := [(one.ranker, one.functions) for one in task.standings if one.functions]:
        cases = functions[0][1].cases
        rows = [(name, *figures(scores)) for name, scores in functions]
        found.append(Table(f"functions, {counted(cases, 'case')}", ("ranker", *COLUMNS), rows))
    if task.leads:
        found.append(_leads(task.leads))
    return found


def _files(standings: Sequence[Standing]) -> Table:
    rows = [(one.ranker, *figures(one.files), *_costs(one.cost)) for one in standings]
    return Table(f"files, {counted(standings[0].files.cases, 'case')}", ("ranker", *COLUMNS, *COSTS), rows)


def _leads(leads: Sequence[Lead]) -> Table:
    rows = [(f"files, over {one.over}", *figures(one.files, "+")) for one in leads]
    rows += [(f"functions, over {one.over}", *figures(one.functions, "+")) for one in leads if one.functions]
    return Table("clew's lead", ("", *COLUMNS), rows)


def _heading(task: TaskReport, result: Evaluation) -> str:
    cases = len(task.cases)
    short = f" (only {cases} of {task.wanted} asked for)" if cases < task.wanted else ""
    ranked = f"{counted(task.files, 'file')} and {counted(task.functions, 'function')} ranked"
    return f"{task.task}: {counted(cases, 'case')}{short} {_WHERE[task.task]} {result.base[:12]}; {ranked}"


def _left_out(task: TaskReport) -> list[str]:
    return ["left out:", *(f"  {count:>7}  {reason}" for reason, count in task.left_out.items()), ""]


def figures(scores: Scores, sign: str = "") -> tuple[str, ...]:
    return tuple(figure(one, sign) for one in (scores.recall_1, scores.recall_5, scores.recall_10, scores.mrr))


def figure(figure: Figure, sign: str) -> str:
    return f"{figure.mean:{sign}.3f} ({figure.low:{sign}.2f} to {figure.high:{sign}.2f})"


def _costs(cost: Cost | None) -> tuple[str, ...]:
    return (f"{cost.mean_ms:.1f}", f"{cost.p95_ms:.1f}", f"{cost.cpu_ms:.1f}") if cost else ("", "", "")


def counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def print_table(table: Table) -> None:
    if sys.stdout.isatty():
        _draw(table)
        return
    rows = [table.header, *table.rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    click.echo(f"\n{table.title}")
    for row in rows:
        click.echo(_aligned(row, widths))
    click.echo()


def _aligned(row: Sequence[str], widths: Iterable[int]) -> str:
    first, *rest = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
    return "  ".join([first, *rest]).rstrip()


def _draw(table: Table) -> None:
    from rich.console import Console  # only where a person watches
    from rich.table import Table as Drawn

    drawn = Drawn(title=table.title, title_justify="left")
    for number, name in enumerate(table.header):
        drawn.add_column(name, justify="right" if number else "left", no_wrap=True)
    for row in table.rows:
        drawn.add_row(*row)
    Console().print(drawn)
