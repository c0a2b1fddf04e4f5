"""The graph from the command line: one element explained, its callers, references and slice, all of it for programs."""

import re
import sys
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, get_args

import click
import msgspec
from msgspec.structs import replace

from clew import engine
from clew.engine import Engine
from clew.graph.view import encode, graph_hash, view, with_history
from clew.model.code import SCOPE, split_id
from clew.model.errors import InvalidInput, Unavailable
from clew.model.time import to_iso
from clew.model.words import EdgeKind
from clew.pack.slicing import Context
from clew.surfaces.cli.calling import caller_of, finish
from clew.surfaces.cli.output import print_json, warn
from clew.surfaces.cli.state import State, common, from_root, readable, time_options, times
from clew.text.escaping import line
from clew.tools.answer import Caller, answer
from clew.tools.explanation import in_short
from clew.tools.freshness import to_state
from clew.workspaces import Workspaces

CALLS = "CALLS"


@click.command()
@click.argument("symbol")
@common
@click.pass_obj
def callers(state: State, symbol: str, as_json: bool, quiet: bool) -> int:
    """List who calls SYMBOL, one line each, and the calls by its name that could not be resolved."""
    return _list_references(state, symbol, as_json=as_json, quiet=quiet, only_calls=True)


@click.command()
@click.argument("symbol")
@common
@click.pass_obj
def refs(state: State, symbol: str, as_json: bool, quiet: bool) -> int:
    """List every place that refers to SYMBOL, one line each: what is resolved first, then lines that have its name."""
    return _list_references(state, symbol, as_json=as_json, quiet=quiet, only_calls=False)


def _list_references(state: State, symbol: str, *, as_json: bool, quiet: bool, only_calls: bool) -> int:
    workspaces = Workspaces(state.start, create=False)
    try:
        caller = caller_of(workspaces)
        reply = answer(caller, "code_explain", {"element": readable(symbol), "profile": "debug"})
        envelope: dict[str, Any] = msgspec.json.decode(reply.body)
        lines = [] if only_calls or as_json or not reply.ok else _by_name(caller, envelope["data"])
    finally:
        workspaces.close()

    def show(envelope: dict[str, Any], quiet: bool) -> None:
        data = envelope["data"]
        if "choices" in data:
            for one in data["choices"]:
                click.echo(one["id"])
            warn(envelope["summary"])
            return
        known = [*_references_in(data, only_calls=only_calls)]
        seen = {place for place, _ in known}
        others = ((line(place), line(text)) for place, text in lines)
        for place, said in [*known, *(one for one in others if one[0] not in seen)]:
            click.echo(f"{click.style(place, fg='green')}: {said}")
        if not quiet and not known and not lines:
            click.echo(envelope["summary"])

    return finish(reply, show, as_json=as_json, quiet=quiet)


def _references_in(data: dict[str, Any], *, only_calls: bool) -> Iterator[tuple[str, str]]:
    """Places, and their content."""
    for one in data.get("dependents", ()):
        if not only_calls or one["relation"] == CALLS:
            yield _place(one), f"{_describe_reference(one, only_calls=only_calls)}{_unsure(one)}"
    for one in data.get("candidates", {}).get("places", ()):
        if not only_calls or one["relation"] == CALLS:
            yield _place(one), f"{_describe_reference(one, only_calls=only_calls)} (may be)"
    for one in data.get("unresolved", {}).get("places", ()):
        yield _place(one), f"{one['id']} (unresolved: {one['written']})"


def _place(one: dict[str, Any]) -> str:
    return f"{one['path']}:{one['line']}"


def _describe_reference(one: dict[str, Any], *, only_calls: bool) -> str:
    times = f" ({one['times']} times)" if one.get("times", 1) > 1 else ""
    return f"{'' if only_calls else one['relation'].lower() + ' '}{one['id']}{times}"


def _unsure(one: dict[str, Any]) -> str:
    return f" ({one['confidence']:.2f})" if one["confidence"] < 1 else ""


def _by_name(caller: Caller, data: dict[str, Any]) -> list[tuple[str, str]]:
    """All lines with the name of a symbol, regardless of their meaning."""
    if "id" not in data or "::" not in data["id"]:
        return []
    name = data["id"].rpartition("::")[2].partition("#")[0]
    reply = answer(caller, "query_context", {"query": name, "exact": True, "k": 100, "profile": "debug"})
    if not reply.ok:
        return []
    hits = msgspec.json.decode(reply.body)["data"]["hits"]
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    found = [(f"{one['file_path']}:{one['first_line']}", one["snippet"].strip()) for one in hits]
    return [(place, text) for place, text in found if word.search(text)]


_LEFT_OUT = "… "  # begins the marks that count the lines left out


@click.command()
@click.argument("symbol", nargs=-1)
@click.option("--file", "file", default="", help="The file of SYMBOL; without SYMBOL, show the file's outline.")
@click.option("--query", default="", help="A description, if the name is unknown or not found.")
@click.option("--context", type=click.Choice(get_args(Context)), default="body", help="How much to show.")
@click.option("--max-tokens", type=click.IntRange(1), help="Token budget of the answer.")
@time_options
@common
@click.pass_obj
def slice(  # noqa: A001 - the command's name
    state: State, /, symbol: tuple[str, ...], as_json: bool, quiet: bool, **options: Any
) -> int:
    """Show the lines of SYMBOL: an id, a name, Class.method, FILE:LINE or a file; several words are a query.

    \b
    clew slice Card.charge --context with-deps
    clew slice src/pay.py:42
    clew slice charge --file src/pay.py --context signature
    """
    workspaces = Workspaces(state.start, create=False)
    try:
        arguments = _arguments(state, symbol, options)
        if not as_json and options["max_tokens"] is None:
            arguments["profile"] = "debug"  # a person reads what they came for, whatever it costs an agent
        reply = answer(caller_of(workspaces), "semantic_slice", arguments)
    finally:
        workspaces.close()
    return finish(reply, _show_slice, as_json=as_json, quiet=quiet)


def _arguments(state: State, words: tuple[str, ...], options: dict[str, Any]) -> dict[str, Any]:
    said, query = readable(" ".join(words)), readable(options["query"])
    is_question = len(said.split()) > 1 and SCOPE not in said  # in quotes, or not
    arguments: dict[str, Any] = {
        "symbol": "" if is_question else said,
        "query": query or (said if is_question else ""),
        "file": readable(from_root(state, options["file"])) if options["file"] else "",
        "context": options["context"],
    }
    if options["max_tokens"] is not None:
        arguments["max_tokens"] = options["max_tokens"]
    return arguments | times(options)


def _show_slice(envelope: dict[str, Any], quiet: bool) -> None:
    data = envelope["data"]
    if not quiet:
        path, scope = split_id(data["id"])
        place = click.style(f"{path}:{data['start_line']}-{data['end_line']}", fg="green")
        marks = " (changed on disk)" if data.get("stale") else ""
        name = data.get("symbol_name") or scope.rpartition(SCOPE)[2] or path
        kind = f"{data['kind']} " if "kind" in data else ""  # a small budget leaves it to the summary
        click.echo(f"{place}  {kind}{click.style(name, bold=True)}{marks}")
    for row in data["code"].split("\n") if data["code"] else ():
        click.echo(click.style(row, dim=True) if data.get("elided") and row.strip().startswith(_LEFT_OUT) else row)
    if quiet:
        return
    for title, name, total in (
        ("called by", "incoming_callers", "callers_total"),
        ("calls", "outgoing_calls", "calls_total"),
    ):
        _show_refs(title, data.get(name, ()), data.get(total, 0))
    for one in data.get("memories", ()):
        state = f" ({one['state']})" if "state" in one else ""
        click.echo(f"{click.style('known:', fg='cyan')} {line(one['content'].replace(chr(10), ' — '))}{state}")
    for part in data.get("parts", ()):
        click.echo(f"{click.style('part:', fg='cyan')} {part}")
    for other in data.get("also", ()):
        click.echo(f"{click.style('also:', fg='cyan')} {other}")
    click.echo(envelope["summary"])


def _show_refs(title: str, refs: list[dict[str, Any]], total: int) -> None:
    if not refs:
        return
    click.echo(f"{title}: {total}")
    for one in refs:
        where = f"  {one.get('file') or split_id(one['id'])[0]}:{one['line']}" if "line" in one else ""
        perhaps = "  unsure" if one.get("unsure") else ""
        click.echo(f"    {one['id']}{click.style(where, fg='green')}{click.style(perhaps, fg='yellow')}")
    if total > len(refs):
        click.echo(click.style(f"    … {total - len(refs)} more", dim=True))


FORMATS = ("jsonl", "graphml", "dot", "hash")
DRAWN = 60  # nodes of a picture: more cannot be read
MOST_SHOWN = 12  # relations of a kind, or choices, on a terminal; --json has more
MOST_DRAWN_STEPS = 6


@click.command()
@click.argument("element", nargs=-1, required=True)
@click.option("--max-tokens", type=click.IntRange(1), help="Token budget of the answer.")
@time_options
@common
@click.pass_obj
def explain(
    state: State, /, element: tuple[str, ...], max_tokens: int | None, as_json: bool, quiet: bool, **options: str
) -> int:
    """Explain ELEMENT: an id such as src/pay.py::Card::charge, a name, file:line, or a question."""
    workspaces = Workspaces(state.start, create=False)
    arguments: dict[str, Any] = {"element": readable(" ".join(element)), **times(options)}
    if max_tokens is not None:
        arguments["max_tokens"] = max_tokens
    elif not as_json:
        arguments["profile"] = "debug"  # a person reads the first lines, whatever they cost an agent
    try:
        reply = answer(caller_of(workspaces), "code_explain", arguments)
    finally:
        workspaces.close()
    return finish(reply, _show, as_json=as_json, quiet=quiet)


@click.command()
@click.argument("symbol", required=False)
@click.option("--format", "form", type=click.Choice(FORMATS), default="jsonl", help="Output format.")
@click.option("--candidates", is_flag=True, help="Include edges below confidence 0.5 and unresolved calls.")
@click.option(
    "--history",
    is_flag=True,
    help="Add files that change together in git, transactions, and all versions with their times.",
)
@click.option("--svg", "drawn", is_flag=True, help="Draw the neighborhood of SYMBOL.")
@click.option("--radius", type=click.IntRange(1, MOST_DRAWN_STEPS), default=1, help="Radius in graph steps.")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write to this file.")
@time_options
@common
@click.pass_obj
def graph(
    state: State,
    /,
    symbol: str | None,
    form: str,
    candidates: bool,
    history: bool,
    drawn: bool,
    radius: int,
    output: Path | None,
    as_json: bool,
    quiet: bool,
    **options: str,
) -> None:
    """Print the current graph, sorted by id and without times; or draw what lies around SYMBOL.

    jsonl has an object a line, graphml and dot are for other programs, hash is the SHA-256 of jsonl.
    """
    if drawn != (symbol is not None):
        raise InvalidInput("--svg and SYMBOL go together", "Say `clew graph SYMBOL --svg`, or neither.")
    with engine.Engine.open(state.start, create=False) as present:
        opened = present.at(**times(options))
        fresh = opened.refresh(patient=True)
        if unseen := to_state(replace(fresh, linking=not opened.catch_up()), 0).unseen():
            warn(unseen)
        if symbol is not None:
            _write([_draw_around(opened, readable(symbol), radius).encode()], output)
        elif form == "hash" and as_json:
            print_json({"sha256": graph_hash(opened.db, opened.where, candidates=candidates)})
        else:
            _write(_print_graph(opened, form, candidates=candidates, history=history), output)


def _print_graph(opened: Engine, form: str, *, candidates: bool, history: bool) -> Iterable[bytes]:
    from clew.graph.record import dot, graphml

    if form == "hash":
        return [f"{graph_hash(opened.db, opened.where, candidates=candidates)}\n".encode()]
    found = view(opened.db, opened.where, candidates=candidates)
    found = with_history(opened.db, opened.where, found) if history else found
    if form == "jsonl":
        from clew.graph.record import record_lines

        return chain(encode(found), record_lines(opened.db, opened.where)) if history else encode(found)
    write = graphml if form == "graphml" else dot
    return (part.encode() for part in write(found))


def _draw_around(opened: Engine, symbol: str, radius: int) -> str:
    from clew.graph.drawing import svg  # numpy is heavy, and most commands do not need it
    from clew.graph.elements import Elements
    from clew.graph.neighborhood import Reach, neighborhood
    from clew.tools.naming import one_meant

    found = one_meant(opened, Elements(opened.files), symbol)
    content = frozenset(EdgeKind) - {EdgeKind.CO_CHANGES}
    reach = Reach(radius, undirected=True, most=DRAWN, edge_kinds=content)
    return svg(neighborhood(opened.graph(), found, reach))


def _write(parts: Iterable[bytes], output: Path | None) -> None:
    if output is None:
        for part in parts:
            sys.stdout.buffer.write(part)
        return
    try:
        with output.open("wb") as file:
            file.writelines(parts)
    except OSError as error:
        raise Unavailable(f"{output} cannot be written: {error.strerror}", "Name another file.") from error


def _show(envelope: dict[str, Any], quiet: bool) -> None:
    data = envelope["data"]
    if "choices" in data:
        for choice in data["choices"][:MOST_SHOWN]:
            click.echo(f"{click.style(choice['id'], fg='green')}  {choice['type']}  {choice['summary_line']}")
        if (left := data["choices_total"] - MOST_SHOWN) > 0:
            click.echo(f"… {left} more; --json lists them")
    elif not quiet:
        _show_element(data, envelope["summary"].partition(f"{in_short(data['summary_line'])} ")[2])
    if "choices" in data or quiet:
        click.echo(envelope["summary"])


def _show_element(data: dict[str, Any], counts: str) -> None:
    place = f"{data.get('file_path', '')}:{data.get('first_line', 0)}-{data.get('last_line', 0)}"
    click.echo(f"{click.style(data['id'], bold=True)}  {data['type']}  {click.style(place, fg='green')}")
    click.echo(data["summary_line"])
    if data.get("decorators"):
        click.echo(click.style(f"    decorated with {', '.join(data['decorators'])}", fg="cyan"))
    if data.get("signature"):
        click.echo(click.style(f"    {data['signature']}", fg="cyan"))
    _show_parts(data)
    for title, name in (("used by", "dependents"), ("may be used by", "candidates"), ("uses", "dependencies")):
        some = data.get(name, ())
        some = some["places"] if isinstance(some, dict) else some
        _show_relations(title, some, data.get(f"{name}_total", len(some)))
    for title, name in (("calls by this name that are not resolved", "unresolved"), ("calls here", "unresolved_calls")):
        if found := data.get(name, {}).get("count"):
            click.echo(f"{title}: {found}")
            for one in data[name]["places"][:MOST_SHOWN]:
                click.echo(f"    {one['path']}:{one['line']}  {one['written']}  in {one['id']}")
    for title, name in (("lines with its name", "named"), ("lines that may put it together", "put_together")):
        if places := data.get(name, {}).get("places"):
            click.echo("\n    ".join([f"{title}:", *places[:MOST_SHOWN]]))
    _show_times(data)
    click.echo(counts)


def _show_parts(data: dict[str, Any]) -> None:
    if total := data.get("parts_total", 0):
        click.echo(f"parts: {total}{', of which this is one' if data.get('one_part') else ''}")
        for one in data.get("parts", ())[:MOST_SHOWN]:
            lines = f":{one['first_line']}-{one['last_line']}"
            where = click.style(f"{one['id'].partition('::')[0]}{lines}", fg="green")
            click.echo("    ".join(["", where, "members" if one.get("members") else one.get("signature", "")]).rstrip())
        if total > MOST_SHOWN:
            click.echo(click.style(f"    … {total - MOST_SHOWN} more", dim=True))


def _show_relations(title: str, some: list[dict[str, Any]], total: int) -> None:
    if not some:
        return
    click.echo(f"{title}: {total}")
    for one in some[:MOST_SHOWN]:
        where = click.style(f"{one['path']}:{one['line']}", fg="green")
        sure = "" if one["confidence"] == 1 else f"  {one['confidence']:.2f}"
        click.echo(f"    {one['relation'].lower()}  {one['id']}  {where}{sure}")
    if total > MOST_SHOWN:
        click.echo(click.style(f"    … {total - min(MOST_SHOWN, len(some))} more", dim=True))


def _show_times(data: dict[str, Any]) -> None:
    if data.get("valid_from"):
        until = f" until {to_iso(data['valid_to'])}" if "valid_to" in data else ""
        click.echo(f"unchanged since {to_iso(data['valid_from'])}{until}")
