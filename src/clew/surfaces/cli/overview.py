"""The whole project from the command line: its map, communities and patterns, and free queries."""

import json
import math
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import msgspec

from clew.model.errors import Unavailable
from clew.surfaces.cli.calling import caller_of, finish
from clew.surfaces.cli.output import print_json
from clew.surfaces.cli.state import State, common, from_root, readable, time_options, times
from clew.text.escaping import all_shown, block, code_span, escape, inert
from clew.tools.answer import Reply, answer
from clew.tools.patterns import PATTERNS
from clew.workspaces import Workspaces

MOST_SHOWN = 40  # rows on a terminal; --json has all


@click.command()
@click.argument("question", nargs=-1)
@click.option("--level", type=click.IntRange(-1, 8), default=0, help="0: the main parts; 1: their parts; -1: all.")
@click.option("--file", "file", default="", help="Only the communities of this file.")
@click.option("--limit", type=click.IntRange(1, 1000), default=50, help="At most this many.")
@time_options
@common
@click.pass_obj
def communities(state: State, /, question: tuple[str, ...], as_json: bool, quiet: bool, **options: Any) -> int:
    """List the main parts of the project: communities of files that use each other most. With a QUESTION, those that
    answer it.

    \b
    clew communities
    clew communities --level -1
    clew communities "where are payments handled"
    clew communities --file src/pay/card.py
    """
    if question:
        asked = {"query": readable(" ".join(question)), "mode": "global", "limit": min(options["limit"], 100)}
        past = {"as_of": options["as_of"]} if options["as_of"] else {}
        return finish(ask(state, "graph_query", {**asked, **past}), _show, as_json=as_json, quiet=quiet)
    file = readable(from_root(state, options["file"])) if options["file"] else ""
    asked = {"level": options["level"], "file": file, "limit": options["limit"], **times(options)}
    return finish(ask(state, "community_list", asked), _show, as_json=as_json, quiet=quiet)


@click.command()
@click.argument("query", nargs=-1, required=True)
@click.option(
    "--language",
    type=click.Choice(("cypher", "sql", "natural")),
    help="By default, by how it begins: MATCH is Cypher, SELECT is SQL.",
)
@click.option("--limit", type=click.IntRange(1, 100), default=50, help="At most this many rows.")
@click.option("--as-of", default="", help="Answer as of a time, commit, tag, branch or transaction.")
@common
@click.pass_obj
def query(state: State, /, query: tuple[str, ...], as_json: bool, quiet: bool, **options: Any) -> int:
    """Ask the graph: a read-only QUERY in Cypher (extra `cypher`) or SQL, or a question in words.

    \b
    clew query "MATCH (a:Function)-[:CALLS]->(b:Function {name: 'charge'}) RETURN a.id"
    clew query "SELECT path, lines FROM files ORDER BY lines DESC LIMIT 5"
    """
    text = readable(" ".join(query))
    first = text.split(None, 1)[0].upper() if text.strip() else ""
    guessed = (
        "sql" if first == "SELECT" else "cypher" if first in ("MATCH", "OPTIONAL", "UNWIND", "RETURN") else "natural"
    )
    asked = {"query": text, "language": options["language"] or guessed, "limit": options["limit"]}
    past = {"as_of": options["as_of"]} if options["as_of"] else {}
    return finish(ask(state, "graph_query", {**asked, **past}), _show_rows, as_json=as_json, quiet=quiet)


def _show_rows(envelope: dict[str, Any], quiet: bool) -> None:
    data = envelope["data"]
    for one in data.get("results", ()):
        click.echo(one["node_id"])
    if "rows" in data:
        if not quiet:
            click.echo("\t".join(data["columns"]))
        for row in data["rows"]:
            click.echo("\t".join(value if isinstance(value, str) else json.dumps(value) for value in row))
    if not quiet:
        click.echo(click.style(envelope["summary"], dim=True))


@click.command()
@click.argument("pattern", type=click.Choice(PATTERNS), required=False)
@click.option("--path", "path", default="", help="Only below this folder or file.")
@click.option("--like", default="", help="With similar: a symbol, or a piece of code; - reads standard input.")
@click.option("--limit", type=click.IntRange(1, 1000), default=40, help="At most this many.")
@time_options
@common
@click.pass_obj
def patterns(state: State, /, pattern: str | None, as_json: bool, quiet: bool, **options: Any) -> int:
    """Find one PATTERN in the code, or some of each, with a suggested fix.

    \b
    clew patterns
    clew patterns dead_code --path src/pay
    clew patterns similar --like Card.charge
    """
    like = sys.stdin.read() if options["like"] == "-" else options["like"]
    path = readable(from_root(state, options["path"])) if options["path"] else ""
    asked = {"path": path, "like": readable(like), "limit": options["limit"], **times(options)}
    reply = ask(state, "find_pattern", {**asked, "pattern": pattern} if pattern else asked)
    return finish(reply, _show_patterns, as_json=as_json, quiet=quiet)


def _show_patterns(envelope: dict[str, Any], quiet: bool) -> None:
    data = envelope["data"]
    shown = ""
    for one in data["found"]:
        if one["pattern"] != shown and not quiet:
            shown = one["pattern"]
            click.echo(click.style(shown.replace("_", " "), bold=True))
        line = f":{one['lines'][0]}" if one.get("lines") else ""
        more = f" and {len(one['members']) - 1} more" if len(one["members"]) > 1 else ""
        said = "" if quiet else f"{more}  {click.style(one['said'], dim=True)}"
        click.echo(f"{click.style(one['members'][0], fg='green')}{line}{said}")
    if not quiet:
        click.echo(data.get("note") or ("" if data["found"] else envelope["summary"]))


def ask(state: State, tool: str, arguments: dict[str, Any]) -> Reply:
    workspaces = Workspaces(state.start, create=False)
    try:
        return answer(caller_of(workspaces), tool, {"profile": "debug", **arguments})
    finally:
        workspaces.close()


def _show(envelope: dict[str, Any], quiet: bool) -> None:
    data = envelope["data"]
    if not quiet:
        click.echo(envelope["summary"])
    for one in data.get("communities", ())[: None if quiet else MOST_SHOWN]:
        indent = "  " * one.get("level", 0)
        if quiet:
            click.echo(one["label"])
            continue
        click.echo(f"{indent}{click.style(one['label'], fg='green')}  {click.style(one['summary'], dim=True)}")


SIZE, RING = 900, 320  # of the picture, and the radius on which communities stand
LEAST, MOST = 16, 70  # radius of a community
MOST_LETTERS = 26
_FILLS = ("#d5f5e3", "#fdebd0", "#e8eef7", "#f2e6f7", "#fcf3cf", "#d1f2eb", "#fadbd8", "#eaecee")


@click.command("map")
@click.option("--max-tokens", type=click.IntRange(100), default=1500, help="Token budget of the answer.")
@click.option("--svg", "as_svg", is_flag=True, help="Draw the main parts and how they use each other, as SVG.")
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False, path_type=Path), help="A file; otherwise standard output."
)
@time_options
@common
@click.pass_obj
def map_(state: State, /, as_json: bool, quiet: bool, **options: Any) -> int:
    """Show the repository on one page: where to start, main parts, entry points, central code, hotspots, its tests. The
    same files and commits give the same page.

    \b
    clew map --max-tokens 800
    clew map --svg -o map.svg
    """
    as_svg: bool = options["as_svg"]
    budget = {"profile": "debug"} if as_svg else {"max_tokens": options["max_tokens"], "profile": None}
    reply = ask(state, "project_map", {**budget, **times(options)})
    if as_json and not as_svg:
        return finish(reply, lambda *_: None, as_json=True, quiet=quiet)
    output: Path | None = options["output"]

    def show(envelope: dict[str, Any], quiet: bool) -> None:
        page = svg(envelope["data"]) if as_svg else text(envelope["data"])
        if output is None:
            print_json({"svg": page}) if as_json else click.echo(page, nl=False)
            return
        try:
            output.write_text(page, "utf-8")
        except OSError as error:
            raise Unavailable(f"{output} cannot be written: {error.strerror}", "Name another file.") from error
        if not quiet:
            click.echo(f"Written to {output}.")

    if as_json and not reply.ok:
        return finish(reply, show, as_json=True, quiet=quiet)
    if as_svg and reply.ok:
        show(msgspec.json.decode(reply.body), quiet)
        return 0
    return finish(reply, show, as_json=False, quiet=quiet)


def text(data: Mapping[str, Any]) -> str:
    """The page as Markdown."""
    return block("\n".join(_rows(all_shown(data, frozenset()))).rstrip() + "\n")


def _rows(data: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"# {data['project']}", "")
    sections: tuple[tuple[str, str, Callable[[Any], str]], ...] = (
        ("Where to start", "start", _entry),
        ("Main parts", "parts", _part),
        ("Entry points", "entry_points", _entry),
        ("Central code", "central", _entry),
        ("Hotspots", "hotspots", _entry),
        ("Services", "services", inert),
        ("Run the tests", "tests", lambda one: f"- {code_span(one)}"),
        ("Languages", "languages", lambda one: f"- {one['language']}: {one['files']} files, {one['lines']} lines"),
    )
    for title, name, line in sections:
        if some := data.get(name):
            yield f"## {title}"
            yield from map(line, some)
            if left := data.get(f"{name}_left_out"):
                yield f"- … {left} more"
            yield ""


def _entry(one: Mapping[str, Any]) -> str:
    said = f": {inert(one['said'])}" if one.get("said") else ""
    return f"- {code_span(one['id'])}{said}"


def _part(one: Mapping[str, Any]) -> str:
    said = f": {inert(one['summary'])}" if one.get("summary") else f" ({one['files']} files)"
    return f"- **{inert(one['label'])}**{said}"


def svg(data: Mapping[str, Any]) -> str:
    """Communities on a ring, larger with more files; lines lead to the communities that they use most."""
    parts = data["parts"]
    largest = max((one["files"] for one in parts), default=1)
    places = {}
    for number, one in enumerate(parts):
        angle = 2 * math.pi * number / max(1, len(parts)) - math.pi / 2
        x, y = SIZE / 2 + RING * math.cos(angle), SIZE / 2 + RING * math.sin(angle)
        places[one["label"]] = x, y, LEAST + (MOST - LEAST) * math.sqrt(one["files"] / largest)
    rows = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {SIZE}" width="{SIZE}" height="{SIZE}" '
        'font-family="ui-sans-serif, system-ui, sans-serif" font-size="12">',
        f"<title>{escape(data['project'])}</title>",
        f'<rect width="{SIZE}" height="{SIZE}" fill="#ffffff"/>',
    ]
    for one in parts:
        x, y, _ = places[one["label"]]
        for rank, other in enumerate(one.get("uses", ())):
            if other in places:
                to_x, to_y, _ = places[other]
                rows.append(
                    f'<path d="M {x:.0f} {y:.0f} Q {SIZE / 2} {SIZE / 2}, {to_x:.0f} {to_y:.0f}" fill="none" '
                    f'stroke="#9fb3c8" stroke-width="{max(0.5, 2.5 - 0.5 * rank):.1f}"/>'
                )
    for number, one in enumerate(parts):
        x, y, radius = places[one["label"]]
        label = one["label"] if len(one["label"]) <= MOST_LETTERS else f"{one['label'][: MOST_LETTERS - 1]}…"
        rows.append(
            f'<circle cx="{x:.0f}" cy="{y:.0f}" r="{radius:.0f}" stroke="#7b8794" '
            f'fill="{_FILLS[number % len(_FILLS)]}">'
            f"<title>{escape(one.get('summary', one['label']))}</title></circle>"
            f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="middle">{escape(label)}</text>'
            f'<text x="{x:.0f}" y="{y + 15:.0f}" text-anchor="middle" fill="#7b8794">{one["files"]} files</text>'
        )
    return "\n".join([*rows, "</svg>", ""])
