"""How answers look: colours on a terminal, plain text in a pipe, JSON when asked."""

import io
import os
import re
import sys
from typing import Any

import click
import msgspec

from clew.model.errors import ClewError

_ARGUMENT = re.compile(r"\b(max_tokens)=(\d+)")
# What a terminal would obey instead of showing it; colours aside, which Clew writes itself.
_OBEYED = re.compile(
    r"\x1b(?!\[[\d;]*m)|[\x00-\x08\x0b-\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)


class _Shown(io.TextIOWrapper):
    """A terminal that shows what stands in files, and what others wrote, and obeys none of it."""

    def write(self, text: str, /) -> int:
        return super().write(_OBEYED.sub(_named, text))


def _named(sign: re.Match[str]) -> str:
    return f"\\u{ord(sign[0]):04x}"


def guard_terminal() -> None:
    """From here on, what is printed on a terminal cannot steer it."""
    out = sys.stdout
    if isinstance(out, io.TextIOWrapper) and out.isatty():
        sys.stdout = _Shown(out.buffer, encoding=out.encoding, errors=out.errors, line_buffering=True)


def print_json(value: Any) -> None:
    print_body(msgspec.json.encode(value))


def print_body(body: bytes) -> None:
    """Indented for people; in a pipe as it was measured, since a budget counts blanks too."""
    click.echo((msgspec.json.format(body, indent=2) if sys.stdout.isatty() else body).decode())


def report_error(error: ClewError, *, as_json: bool) -> int:
    """Say what is wrong and what to do next; returns the exit code."""
    if as_json:
        from clew.tools.answer import failure

        print_body(failure(error).body)
    else:
        click.echo(f"{click.style('error:', fg='red', bold=True)} {error.message}", err=True)
        show_hint(error.hint)
    return error.exit_code


def show_hint(hint: str) -> None:
    """With arguments of tools as they are typed here."""
    typed = _ARGUMENT.sub(lambda found: f"--{found[1].replace('_', '-')} {found[2]}", hint)
    click.echo(f"{click.style('hint:', fg='cyan')} {typed}", err=True)


def leave_stdout() -> None:
    """Nothing is left to flush at the end, where nobody could be told that it failed."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def warn(text: str) -> None:
    """Once in a command, whoever else has it to say."""
    context = click.get_current_context(silent=True)
    said: set[str] = context.meta.setdefault(f"{__name__}.said", set()) if context else set()
    if text in said:
        return
    said.add(text)
    click.echo(f"{click.style('warning:', fg='yellow')} {text}", err=True)
