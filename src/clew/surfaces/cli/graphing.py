"""The graph from the command line: one element explained, all of it for other programs, a part of it drawn."""

import sys
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from clew import engine
from clew.engine import Engine
from clew.graph.view import encode, graph_hash, view, with_history
from clew.model.errors import InvalidInput, Unavailable
from clew.model.time import to_iso
from clew.model.words import EdgeKind
from clew.surfaces.cli.calling import caller_of, finish
from clew.surfaces.cli.output import print_json, warn
from clew.surfaces.cli.state import State, common, readable, time_options, times
from clew.tools.answer import answer
from clew.tools.explanation import in_short
from clew.tools.freshness import to_state
from clew.workspaces import Workspaces

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
