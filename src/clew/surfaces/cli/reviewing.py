"""Restoring of exports; and import of an untrusted index's memory, reviewed by a person piece by piece."""

import os
import sys
from pathlib import Path

import click
import msgspec
from msgspec import Struct

from clew.model.errors import InvalidInput, NotFound
from clew.model.time import to_iso
from clew.runtime.place import DATABASE, ProjectPaths, find_place
from clew.store.foreign import ForeignMemory, read_memory
from clew.surfaces.cli.calling import caller_of
from clew.surfaces.cli.output import print_json
from clew.surfaces.cli.state import State, common
from clew.surfaces.cli.storage import is_export, restore
from clew.text.escaping import indent, line
from clew.tools.answer import answer
from clew.workspaces import Workspaces

ALL = "all"
AGENT = "imported"  # who writes what was taken over: never the name that somebody else's file gives


class RefusedMemory(Struct, frozen=True):
    """An entry that was accepted and cannot be written, and why."""

    id: str
    why: str


@click.command("import")
@click.argument("database", metavar="[FILE]", required=False, type=click.Path(path_type=Path))
@click.option("--review", is_flag=True, help="Ask about each entry.")
@click.option(
    "--accept", "accepted", multiple=True, metavar="ID", help="Import this entry; may be repeated. `all`: every entry."
)
@click.option(
    "--replace", is_flag=True, help="Replace what agents recorded here with the export; a backup is made first."
)
@common
@click.pass_obj
def import_(
    state: State,
    database: Path | None,
    review: bool,
    accepted: tuple[str, ...],
    replace: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Restore an export, or review the memory of another index.

    If FILE is an export (`clew export`) or a backup, it is restored as a whole, with its authors and times. Import
    only exports that you trust.

    FILE can also be another index (a clew.db). The default is the project's own .clew, if Clew ignores it because it
    was not made on this machine by you. Its episodes, decisions and learnings are listed. Only entries that you
    accept are written, marked as imported. The other index is not changed.
    """
    if database is not None and is_export(database):
        if review or accepted:
            raise InvalidInput("an export is restored as a whole", "Leave out --review and --accept.")
        restore(state, database, replace=replace, as_json=as_json, quiet=quiet)
        return
    if replace:
        raise InvalidInput("--replace is for exports and backups", "Name a file that `clew export` wrote.")
    place = find_place(state.start, os.environ)
    source = database or _shipped_index(place)
    memories = read_memory(source)
    if review and not as_json:
        accepted = tuple(_ask_which(memories))
    chosen = _choose(memories, accepted)
    refused = _write_accepted(state, chosen, source)
    if as_json:
        print_json({"entries": memories, "imported": len(chosen) - len(refused), "refused": refused})
        return
    if not (review or accepted):
        for memory in memories:
            _show(memory)
        if not quiet:
            click.echo(
                f"{len(memories)} entries; nothing is taken over. Take over some: --review, or --accept ID", err=True
            )
        return
    for one in refused:
        click.echo(f"not taken over: {line(one.id)}: {line(one.why)}", err=True)
    click.echo(f"{len(chosen) - len(refused)} of {len(memories)} entries are taken over, marked as imported.")


def _shipped_index(place: ProjectPaths) -> Path:
    folder = place.settings.folder
    if not folder.refused:
        raise InvalidInput("this project has no index that is not trusted", "Name the database to import from.")
    file = folder.shipped / DATABASE
    if not file.is_file():
        raise NotFound(f"there is no {file}", "Name the database to import from.")
    return file


def _ask_which(memories: list[ForeignMemory]) -> list[str]:
    if not sys.stdin.isatty():
        raise InvalidInput("reviewing needs a terminal to ask in", "List the entries, then take some over: --accept ID")
    accepted = []
    for memory in memories:
        _show(memory)
        answered = click.prompt("Take it over?", type=click.Choice(["y", "n", "q"]), default="n", err=True)
        if answered == "q":
            break
        if answered == "y":
            accepted.append(memory.id)
    return accepted


def _choose(memories: list[ForeignMemory], accepted: tuple[str, ...]) -> list[ForeignMemory]:
    if ALL in accepted:
        return memories
    if unknown := [one for one in accepted if one not in {memory.id for memory in memories}]:
        raise NotFound(f"no entry has the id {unknown[0]!r}", "List them: clew import")
    return [memory for memory in memories if memory.id in accepted]


def _show(memory: ForeignMemory) -> None:
    click.echo(f"{memory.type}  {to_iso(memory.at)[:16]}  {line(memory.agent)}  {line(memory.id)}")
    click.echo(f"    {indent(memory.content)}")
    if memory.entities:
        click.echo(f"    about: {line(', '.join(memory.entities))}")


def _write_accepted(state: State, chosen: list[ForeignMemory], source: Path) -> list[RefusedMemory]:
    """By the tool that agents write with: it checks, bounds and scrubs."""
    if not chosen:
        return []
    refused = []
    workspaces = Workspaces(state.start)
    try:
        for memory in chosen:
            reply = answer(caller_of(workspaces), "episode_add", _arguments(memory, source))
            if not reply.ok:
                refused.append(RefusedMemory(memory.id, str(msgspec.json.decode(reply.body)["summary"])))
    finally:
        workspaces.close()
    return refused


def _arguments(memory: ForeignMemory, source: Path) -> dict[str, object]:
    mark = {"imported": True, "imported_id": memory.id, "imported_agent": memory.agent, "imported_file": source.name}
    return {
        "type": memory.type,
        "content": memory.content,
        "entities": list(memory.entities),
        "metadata": {**memory.metadata, **mark},
        "occurred_at": to_iso(memory.at),
        "key": f"import:{memory.id}"[:200],
        "agent_id": AGENT,
    }
