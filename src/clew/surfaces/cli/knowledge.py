"""Knowledge from the command line: questions, entities, events, concepts, facts and causes."""

from pathlib import Path
from typing import Any

import click
import msgspec

from clew.model.errors import InvalidInput
from clew.surfaces.cli.calling import caller_of, finish
from clew.surfaces.cli.output import print_json
from clew.surfaces.cli.state import State, common, readable, time_options
from clew.text.escaping import indent
from clew.tools.answer import answer
from clew.workspaces import Workspaces

TEXTS_AT_ONCE = 500
SCOPES = click.Choice(["project", "user", "agent", "session"])


@click.command()
@click.argument("query", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1, 100), default=10, show_default=True, help="Maximum number of items.")
@click.option("--since", default="", help="Only what happened since this ISO 8601 time.")
@click.option("--until", default="", help="Only what happened before this ISO 8601 time.")
@click.option("--past", "include_past", is_flag=True, help="Include facts that are no longer true.")
@click.option("--sensitive", "include_sensitive", is_flag=True, help="Include sensitive records.")
@click.option("--raw", is_flag=True, help="All ranked candidates, uncut and without a written answer.")
@time_options
@common
@click.pass_obj
def recall(state: State, /, query: tuple[str, ...], raw: bool, **options: Any) -> int:
    """Answer QUERY (why, when, who or what) from everything that agents recorded, with sources."""
    given = {**options, "query": " ".join(query)}
    return _call(state, "recall_raw" if raw else "recall", given)


@click.command()
@click.argument("text", nargs=-1)
@click.option(
    "--file",
    "file",
    type=click.Path(path_type=Path),
    help="Read texts from this file: JSON lines with `text`, `occurred_at`, `source`, `key`.",
)
@click.option("--at", "occurred_at", default="", help="ISO 8601 time of the text; default: now.")
@click.option("--source", default="", help="Episode id, commit, path:line, or person.")
@click.option("--scope", type=SCOPES, default="project", show_default=True, help="Who may read it.")
@click.option("--sensitive", is_flag=True, help="Mark as sensitive: queries exclude it by default.")
@click.option("--key", default="", help="Idempotency key: adding the same key again has no effect.")
@common
@click.pass_obj
def remember(state: State, /, text: tuple[str, ...], file: Path | None, **options: Any) -> int:
    """Store TEXT, and the names, dated facts, events and causes stated in it."""
    if file is None:
        return _call(state, "remember", {**options, "text": " ".join(text)})
    return _remember_file(state, file, options)


def _remember_file(state: State, file: Path, options: dict[str, Any]) -> int:
    """Many texts, some hundred in one transaction."""
    from clew.tools.knowledge_remember import GivenText, remember_texts  # few have a file
    from clew.tools.knowledge_views import WriteOptions

    given = [_to_text(line, number) for number, line in enumerate(file.read_bytes().splitlines(), 1) if line.strip()]
    shared = WriteOptions(options["scope"], options["sensitive"])
    workspaces = Workspaces(state.start, create=False)
    try:
        who, engine = caller_of(workspaces).identity, workspaces.get()
        done = [
            view
            for start in range(0, len(given), TEXTS_AT_ONCE)
            for view in remember_texts(
                engine, who, shared, [GivenText(**one) for one in given[start : start + TEXTS_AT_ONCE]]
            )
        ]
    finally:
        workspaces.close()
    counts = {"texts": len(done), "known": sum(one.known for one in done), "facts": sum(len(one.facts) for one in done)}
    if options["as_json"]:
        print_json(counts)
    elif not options["quiet"]:
        click.echo(f"Kept {counts['texts']} texts, {counts['known']} known before, with {counts['facts']} facts.")
    return 0


def _to_text(line: bytes, number: int) -> dict[str, str]:
    try:
        found = msgspec.json.decode(line, type=dict[str, str])
    except msgspec.MsgspecError as error:
        raise InvalidInput(f"line {number} is no text to remember: {error}", _LINE_FORM) from error
    if "text" not in found or found.keys() - {"text", "occurred_at", "source", "key"}:
        raise InvalidInput(f"line {number} is no text to remember", _LINE_FORM)
    return found


_LINE_FORM = 'Write {"text": "..."} on each line; occurred_at, source and key may be given.'


@click.group()
def knowledge() -> None:
    """Entities, events, concepts, facts and causes that agents recorded: add, look up, expand, withdraw."""


def _record_command(command: click.Command) -> click.Command:
    """The options that all commands that record have."""
    command.params += [
        click.Option(["--scope"], type=SCOPES, default="project", show_default=True, help="Who may read it."),
        click.Option(["--sensitive"], is_flag=True, help="Mark as sensitive: queries exclude it by default."),
        click.Option(["--key"], default="", help="Idempotency key: adding the same key again has no effect."),
    ]
    knowledge.add_command(command)
    return command


@_record_command
@click.command()
@click.argument("name")
@click.option("--type", default="", help="For example person, service, file.")
@click.option("--alias", "aliases", multiple=True, help="Another name; may be repeated.")
@click.option("--description", default="", help="In a sentence or two.")
@common
@click.pass_obj
def entity(state: State, /, **options: Any) -> int:
    """Record a person, service, symbol or other thing called NAME."""
    return _call(state, "add_entity", options)


@_record_command
@click.command()
@click.argument("description")
@click.option("--at", "occurred_at", required=True, help="When it happened, as ISO 8601.")
@click.option("--entity", "entities", multiple=True, help="Name or id of an entity it involves; may be given again.")
@common
@click.pass_obj
def event(state: State, /, **options: Any) -> int:
    """Record that something happened."""
    return _call(state, "add_event", options)


@_record_command
@click.command()
@click.argument("name")
@click.option("--description", default="", help="In a sentence or two.")
@click.option("--entity", "entities", multiple=True, help="Name or id of an entity it describes; may be given again.")
@common
@click.pass_obj
def concept(state: State, /, **options: Any) -> int:
    """Record an idea called NAME."""
    return _call(state, "add_concept", options)


@_record_command
@click.command()
@click.argument("subject")
@click.argument("predicate")
@click.argument("object")
@click.option("--from", "valid_from", required=True, help="Start of validity, as ISO 8601.")
@click.option("--to", "valid_to", default="", help="End of validity; default: open.")
@click.option("--entity", "subject_entity", default="", help="The entity it is about; default: SUBJECT.")
@common
@click.pass_obj
def fact(state: State, /, **options: Any) -> int:
    """Record a fact, as in: fact payments "owned by" "team red" --from 2026-01-01"""
    return _call(state, "add_fact", options)


@_record_command
@click.command()
@click.argument("cause")
@click.argument("effect")
@click.option("--confidence", type=click.FloatRange(0, 1), default=1.0, help="Confidence.")
@click.option("--entity", "entities", multiple=True, help="Name or id of an entity it affects; may be given again.")
@click.option("--event", "events", multiple=True, help="Id or description of an event; may be given again.")
@common
@click.pass_obj
def cause(state: State, /, **options: Any) -> int:
    """Record that CAUSE led to EFFECT."""
    return _call(state, "add_causal_link", options)


@_record_command
@click.command()
@click.argument("source")
@click.argument("relation")
@click.argument("target")
@click.option("--confidence", type=click.FloatRange(0, 1), default=1.0, help="Confidence.")
@common
@click.pass_obj
def link(state: State, /, **options: Any) -> int:
    """Record how two entities are related."""
    return _call(state, "link_entities", options)


@knowledge.command()
@click.argument("query", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1, 100), default=10, show_default=True, help="Maximum number of results.")
@time_options
@common
@click.pass_obj
def search(state: State, /, query: tuple[str, ...], **options: Any) -> int:
    """Find recorded knowledge by words and meaning."""
    return _call(state, "semantic_search", {**options, "query": " ".join(query)})


@knowledge.command()
@click.argument("entities", nargs=-1, required=True)
@click.option("--view", type=click.Choice(["relations", "events", "causes"]), default="relations", show_default=True)
@click.option("--depth", type=click.IntRange(0, 10), help="Number of steps; default: the setting.")
@common
@click.pass_obj
def expand(state: State, /, view: str, **options: Any) -> int:
    """Show what is linked to ENTITIES: relations and facts, dated events, or causes and effects."""
    tools = {"relations": "entity_lookup", "events": "temporal_expand", "causes": "causal_expand"}
    return _call(state, tools[view], options)


@knowledge.command()
@common
@click.pass_obj
def stats(state: State, /, **options: Any) -> int:
    """Count what is recorded, by kind."""
    return _call(state, "get_statistics", options)


@knowledge.command()
@click.argument("id")
@click.option("--reason", default="", help="Reason; stored with the record.")
@common
@click.pass_obj
def forget(state: State, /, **options: Any) -> int:
    """Withdraw one record and everything derived from it. `clew forget ID` erases it permanently."""
    return _call(state, "forget", options)


@knowledge.command()
@click.option("--confirm", default="", help="The id of the project; without it, records are only counted.")
@common
@click.pass_obj
def clear(state: State, /, **options: Any) -> int:
    """Remove all recorded knowledge, after writing an export that `restore` can read."""
    return _call(state, "clear_graph", options)


@knowledge.command()
@click.argument("file", type=click.Path(path_type=Path))
@common
@click.pass_obj
def restore(state: State, /, file: Path, as_json: bool, quiet: bool) -> None:
    """Restore what `clear` removed, from the export that it wrote."""
    from clew.knowledge.export import read_records  # seldom asked for

    workspaces = Workspaces(state.start, create=False)
    try:
        engine = workspaces.get()
        engine.be_writable()
        path = file if file.is_absolute() or file.exists() else engine.place.root / file
        count = engine.knowledge.restore(read_records(path))
    finally:
        workspaces.close()
    if as_json:
        print_json({"restored": count})
    elif not quiet:
        click.echo(f"Restored {count} rows.")


def _call(state: State, tool: str, options: dict[str, Any]) -> int:
    as_json, quiet = options.pop("as_json"), options.pop("quiet")
    given = {name: _as_argument(value) for name, value in options.items() if value not in (None, "", (), False)}
    workspaces = Workspaces(state.start, create=False)
    try:
        reply = answer(caller_of(workspaces), tool, {**given, **({} if as_json else {"profile": "debug"})})
    finally:
        workspaces.close()
    return finish(reply, _show, as_json=as_json, quiet=quiet)


def _as_argument(value: Any) -> Any:
    if isinstance(value, str):
        return readable(value)
    return [readable(one) for one in value] if isinstance(value, tuple) else value


def _show(envelope: dict[str, Any], quiet: bool) -> None:
    data = envelope["data"]
    if text := data.get("answer"):
        click.echo(text)
    rows = [("", data.get("items", ())), ("near: ", data.get("nearest_misses", ()))]
    rows += [(f"{name}: ", data.get(name, ())) for name in ("affecting", "upstream", "downstream", "events")]
    rows += [("", data.get(name, ())) for name in ("matches", "nodes")]
    for lead, found in rows:
        for one in found if isinstance(found, list) else ():
            _show_row(lead, one, quiet)
    if not quiet:
        click.echo(envelope["summary"])


def _show_row(lead: str, one: dict[str, Any], quiet: bool) -> None:
    when = one.get("occurred_at") or one.get("valid_from", "")
    until = f"..{one['valid_to'][:10]}" if one.get("valid_to") else ""
    score = one.get("evidence") or one.get("score", 0.0)
    head = f"{score:.2f}  {one['kind']:8s} {when[:10]}{until}"
    click.echo(f"{lead}{click.style(head.rstrip(), fg='green')}  {indent(one['text'])}")
    if not quiet:
        for name in ("path", "why", "code"):
            if one.get(name):
                click.echo(f"    {name}: {indent(one[name])}")
