"""Tables: lines on a terminal, aligned columns in a pipe."""

import sys
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import click

from clew.text.escaping import line


class TextTable(NamedTuple):
    """`words` are columns of text, on the left; others are figures, on the right but for the first."""

    title: str
    header: tuple[str, ...]
    rows: list[tuple[str, ...]]
    words: bool = False


def print_table(table: TextTable) -> None:
    table = table._replace(rows=[tuple(map(line, row)) for row in table.rows])
    if sys.stdout.isatty():
        _draw(table)
        return
    rows = [table.header, *table.rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    if table.title:
        click.echo(f"\n{table.title}")
    for row in rows:
        click.echo(_aligned(row, widths))
    if table.title:
        click.echo()


def _aligned(row: Sequence[str], widths: Iterable[int]) -> str:
    first, *rest = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
    return "  ".join([first, *rest]).rstrip()


def _draw(table: TextTable) -> None:
    from rich.console import Console  # only where a person watches
    from rich.table import Table as Drawn
    from rich.text import Text

    drawn = Drawn(title=table.title or None, title_justify="left")
    for number, name in enumerate(table.header):
        drawn.add_column(
            name, justify="left" if table.words or not number else "right", no_wrap=not table.words, overflow="fold"
        )
    for row in table.rows:
        drawn.add_row(*(Text(cell) for cell in row))  # brackets are no markup
    Console().print(drawn)
