"""Moves a whole project, or its user's preferences, into another database."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from clew import projects
from clew.model.errors import InvalidInput
from clew.runtime.place import find_place
from clew.runtime.values import Url
from clew.surfaces.cli.output import print_json
from clew.surfaces.cli.state import State, common

if TYPE_CHECKING:
    from clew.memory.preferences import Taken
    from clew.store.moving import Report

_SERVER = Url(schemes=("postgresql", "postgres"))


@click.command()
@click.option("--to", required=True, metavar="URL", help="postgresql://user@host/name, or sqlite for the file.")
@click.option("--preferences", is_flag=True, help="Not the project, but your preferences; may be done again.")
@common
@click.pass_obj
def migrate(state: State, to: str, preferences: bool, as_json: bool, quiet: bool) -> None:
    """Move the project into another database: its index, its record and what agents wrote.

    The copy is checked (rows, graph hash) before it counts; whatever stops it, both databases stay as they were.
    Stop who writes to the project first. Afterwards, name the new place in your configuration, or in context.toml and
    accept it with `clew trust`. Preferences are yours, not
    the project's, and go by themselves: with --preferences they are merged with those that are there.
    """
    if to != projects.SQLITE and not _is_url(to):
        raise InvalidInput(f"{to!r} is not a database", "Give a URL such as postgresql://user@host/name, or sqlite.")
    if preferences:
        _show_taken(projects.move_preferences(state.start, to), as_json=as_json)
        return
    with _progress(quiet=quiet or as_json) as report:
        moved = projects.move(state.start, to, report)
    if as_json:
        print_json(moved)
        return
    rows = sum(moved.rows.values())
    click.echo(f"moved {moved.project}: {rows} rows in {len(moved.rows)} tables; counts and graph hashes agree")
    for name, sha in moved.graphs.items():
        click.echo(f"  {name}  {sha[:16]}")
    if not quiet:
        click.echo(_next_step(moved.project, to), err=True)
        if to == projects.SQLITE and find_place(state.start, os.environ).tree not in moved.graphs:
            click.echo("No index of this tree was among them: run `clew index` then.", err=True)


def _show_taken(taken: "Taken", *, as_json: bool) -> None:
    if as_json:
        print_json(taken)
        return
    ended = f"; {taken.ended} ended there too" if taken.ended else ""
    click.echo(f"preferences, with their past: {taken.added} came along, {taken.known} were there already{ended}")


def _next_step(project: str, to: str) -> str:
    if to == projects.SQLITE:
        return "Now take url out of [storage] in context.toml (and CLEW_STORAGE_URL out of the environment)."
    shown = _SERVER.mask(to)
    written = f'[project]\nid = "{project}"\n\n[storage]\nurl = "{shown}"'
    return f"Now write into context.toml, and accept it with `clew trust`:\n\n{written}"


def _is_url(text: str) -> bool:
    try:
        return bool(_SERVER.check(text))
    except ValueError:
        return False


@contextmanager
def _progress(*, quiet: bool) -> Iterator["Report"]:
    if quiet or not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console  # only where a person watches
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("moving"), BarColumn(), MofNCompleteColumn(), TextColumn("rows"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("moving", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
