"""Notes from the command line: shared notes of a project, and the user's preferences for every project."""

from collections.abc import Iterable
from typing import Any

import click

from clew.surfaces.cli.calling import finish, speaking
from clew.surfaces.cli.state import State, common, readable
from clew.text.escaping import indent
from clew.tools.answer import answer
from clew.workspaces import Workspaces

SCOPES = ("working", "shared", "user")


@click.command()
@click.argument("text", nargs=-1)
@click.option("--name", default="", help="Noting under the same name again replaces it.")
@click.option("--scope", type=click.Choice(SCOPES), help="Whose: of this terminal, the project, the user.")
@click.option("--task", "task_id", default="", help="The task that a working note is for.")
@click.option("--entity", "entities", multiple=True, help="The id of code it is about; may be given again.")
@click.option("--end", default="", help="Be rid of the note of this name or id.")
@click.option("--page-out", is_flag=True, help="Make episodes of the working notes of this terminal.")
@common
@click.pass_obj
def notes(state: State, /, text: tuple[str, ...], end: str, page_out: bool, **options: Any) -> int:
    """List the notes that can be read here; with TEXT, keep one, which all agents of the project share."""
    if page_out:
        return _answered(state, {**options, "change": "page_out"})
    return _noted(state, text, end, {**options, "scope": options["scope"] or ("shared" if text else None)})


@click.command()
@click.argument("text", nargs=-1)
@click.option("--name", default="", help="Preferring under the same name again replaces it.")
@click.option("--end", default="", help="Be rid of the preference of this name or id.")
@common
@click.pass_obj
def prefer(state: State, /, text: tuple[str, ...], end: str, **options: Any) -> int:
    """List your preferences; with TEXT, keep one. They are seen by your agents in all of your projects."""
    return _noted(state, text, end, {**options, "scope": "user"})


def _noted(state: State, text: tuple[str, ...], end: str, options: dict[str, Any]) -> int:
    if end:
        return _answered(state, {**options, "change": "end", "name": end})
    if text:
        return _answered(state, {**options, "change": "keep", "content": readable(" ".join(text))})
    return _answered(state, options)


def _answered(state: State, options: dict[str, Any]) -> int:
    as_json, quiet = options.pop("as_json"), options.pop("quiet")
    given = {name: readable(value) if isinstance(value, str) else value for name, value in options.items() if value}
    workspaces = Workspaces(state.start, create=False)
    try:
        reply = answer(speaking(workspaces), "notes", {**given, **({} if as_json else {"profile": "debug"})})
    finally:
        workspaces.close()
    return finish(reply, _show, as_json=as_json, quiet=quiet)


def _show(envelope: dict[str, Any], quiet: bool) -> None:
    show_notes(envelope["data"]["notes"])
    if not quiet:
        click.echo(envelope["summary"])


def show_notes(notes: Iterable[dict[str, Any]]) -> None:
    for one in notes:
        head = "  ".join(filter(None, [f"{one['scope']:7s}", one.get("name"), one["noted_at"][:16], one["agent_id"]]))
        click.echo(f"{click.style(head, fg='green')}  {one['id']}\n    {indent(one['content'])}")
        show_entities(one)


def show_entities(memory: dict[str, Any]) -> None:
    """The drift of the code that a memory is about."""
    for one in memory.get("entities", ()):
        state = " ".join(filter(None, [one["state"], one.get("now", "")]))
        click.echo(f"    {one['id']}: {state}{', changed' if one.get('changed') else ''}")
