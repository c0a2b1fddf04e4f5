"""How answers look: colours on a terminal, plain text in a pipe, JSON when asked."""

import os
import re
import sys
from typing import Any

import click
import msgspec

from clew.model.errors import ClewError

_ARGUMENT = re.compile(r"\b(max_tokens)=(\d+)")


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
