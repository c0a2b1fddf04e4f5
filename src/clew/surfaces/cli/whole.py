"""Questions about the whole project from the command line: its communities and patterns."""

import json
import sys
from typing import Any

import click

from clew.surfaces.cli.calling import caller_of, finish
from clew.surfaces.cli.state import State, common, from_root, readable, time_options, times
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
