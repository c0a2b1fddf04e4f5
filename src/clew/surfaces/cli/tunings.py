"""A tuning as tables: the weights, their results on the later cases, and the outcome."""

from collections.abc import Iterator
from datetime import UTC, datetime

import click

from clew.evaluate.report import RankerLead, RankerResult, Stretch, Tuning, Weight
from clew.surfaces.cli.standings import COLUMNS, counted, figure, figures
from clew.surfaces.cli.tables import TextTable, print_table

BEFORE, AFTER, DIFFERENCE = "before", "after", "difference"


def show(result: Tuning, *, quiet: bool) -> None:
    if not quiet:
        click.echo(click.style(_heading(result), bold=True))
    for table in tables(result):
        print_table(table)
    for line in _said(result) if not quiet else ():
        click.echo(line)


def tables(result: Tuning) -> list[TextTable]:
    """Of the weights, and of the later cases' files and functions."""
    found = [TextTable("weights", ("retriever", BEFORE, AFTER, ""), [_weight(one) for one in result.weights])]
    found.append(_later(result, f"files, {counted(result.before.files.cases, 'later case')}", functions=False))
    if result.before.functions:
        title = f"functions, {counted(result.before.functions.cases, 'later case')}"
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
    parts = f"fitted to the earlier {_told(result.fitted)}, reported on the later {_told(result.reported)}"
    return f"commits: {counted(total, 'case')} after {result.base[:12]}; {parts}"


def _told(stretch: Stretch) -> str:
    return f"{stretch.cases} ({_day(stretch.first)} to {_day(stretch.last)})"


def _said(result: Tuning) -> Iterator[str]:
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
