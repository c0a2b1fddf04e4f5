"""How answers look: colours on a terminal, plain text in a pipe, JSON when asked."""

import io
import os
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import click
import msgspec

from clew.model.errors import ClewError
from clew.text.escaping import all_shown, json_text, line

_ARGUMENT = re.compile(r"\b(max_tokens|as_of)=([^\s;,]+)|\b(takeover)=true|\bscope\.(path)s \['([^']*)'\]")
# Tools that hints name, as commands; any other can be called by `clew tool`.
_TYPED = {
    "agent_status": "clew claims",
    "code_explain": "clew explain",
    "context_pack": "clew pack",
    "progress_query": "clew tasks",
    "query_context": "clew search",
    "semantic_slice": "clew slice",
    "service_edges": "clew services edges",
    "service_list": "clew services list",
    "task_update": "clew tasks add",
}
_TOOL = re.compile(rf"(?<![\w`])(?:{'|'.join(_TYPED)})(?!\w)")
BLOCKS = frozenset({"code", "content", "snippet", "text", "toml"})  # fields of several lines
# What a terminal would obey instead of showing it; colours aside, which Clew writes itself.
_OBEYED = re.compile(
    r"\x1b(?!\[[\d;]*m)|[\x00-\x08\x0b-\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)


class _Shown(io.TextIOWrapper):
    """A terminal stream that escapes control sequences from files and other authors."""

    def write(self, text: str, /) -> int:
        return super().write(_show_text(text))


def _show_text(text: str) -> str:
    return _OBEYED.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)


def guard_terminal() -> None:
    """From here on, printed text cannot control the terminal."""
    out = sys.stdout
    if isinstance(out, io.TextIOWrapper) and out.isatty():
        sys.stdout = _Shown(out.buffer, encoding=out.encoding, errors=out.errors, line_buffering=True)


def print_json(value: Any) -> None:
    print_body(json_text(value))


def print_body(body: bytes) -> None:
    """Indented for people; in a pipe as it was measured, since a budget counts blanks too."""
    click.echo((msgspec.json.format(body, indent=2) if sys.stdout.isatty() else body).decode())


def report_error(error: ClewError, *, as_json: bool) -> int:
    """Say what is wrong and what to do next; returns the exit code."""
    if as_json:
        from clew.tools.answer import failure

        print_body(failure(error).body)
    else:
        show_failure(error.message, error.hint)
    return error.exit_code


def show_failure(message: str, hint: str) -> None:
    _say(click.style("error:", fg="red", bold=True), message)
    show_hint(hint)


def show_envelope(envelope: dict[str, Any]) -> dict[str, Any]:
    """An answer as people read it: every text in one line, but for those that commands print line by line."""
    shown: dict[str, Any] = all_shown(envelope, BLOCKS)
    return shown


def show_hint(hint: str) -> None:
    _say(click.style("hint:", fg="cyan"), as_typed(hint))


def as_typed(text: str) -> str:
    """Tools and their arguments as they are typed here."""
    commands = _TOOL.sub(lambda found: f"`{_TYPED[found[0]]}`", text)
    return _ARGUMENT.sub(_option, commands)


def _option(found: re.Match[str]) -> str:
    name, value = next(filter(None, found.group(1, 3, 4))), found[2] or found[5]
    return f"--{name.replace('_', '-')}{f' {value}' if value else ''}"


def leave_stdout() -> None:
    """Nothing is left to flush at the end, where nobody could be told that it failed."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def warn(text: str) -> None:
    """Print a warning once per command."""
    context = click.get_current_context(silent=True)
    said: set[str] = context.meta.setdefault(f"{__name__}.said", set()) if context else set()
    if text in said:
        return
    said.add(text)
    _say(click.style("warning:", fg="yellow"), text)


def _say(label: str, text: str) -> None:
    """To people, beside the answer, in one line."""
    click.echo(f"{label} {line(text)}", err=True)


# Tables: lines on a terminal, aligned columns in a pipe.


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
        click.echo(_align(row, widths))
    if table.title:
        click.echo()


def _align(row: Sequence[str], widths: Iterable[int]) -> str:
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
