"""Questions from the command line."""

import textwrap
from typing import Any

import click

from clew.engine import Engine
from clew.store.opening import session_role
from clew.surfaces.cli.calling import caller_of, finish
from clew.surfaces.cli.output import warn
from clew.surfaces.cli.state import State, common, from_root, readable, time_options, times
from clew.text import escaping
from clew.tools.answer import answer
from clew.workspaces import Workspaces

MOST_LINES = 8  # of a hit, on a terminal; --json has them all
ANY_SIZE = 10_000_000  # tokens: a person reads the first lines of each hit, whatever they cost an agent


@click.command()
@click.argument("query", nargs=-1, required=True)
@click.option("-k", "--limit", type=click.IntRange(1, 100), help="Maximum number of results.")
@click.option("-p", "--path", "paths", multiple=True, help="Search only here: a file, directory or glob.")
@click.option("-x", "--exclude", multiple=True, help="Exclude this file, directory or glob.")
@click.option("-l", "--language", "languages", multiple=True, help="Only this language.")
@click.option("--kind", "kinds", multiple=True, help="Only this kind: function, class, section …")
@click.option("--min-score", type=click.FloatRange(0, 1), help="Drop results with a lower score.")
@click.option("--max-tokens", type=click.IntRange(1), help="Token budget of the answer.")
@click.option("--offset", type=click.IntRange(0), default=0, help="Skip this many of the first results.")
@click.option(
    "--exact", is_flag=True, help="Find QUERY literally, in code, data and prose; the same as a query in quotes."
)
@click.option("--oneline", is_flag=True, help="One line per result: its location and name.")
@click.option("--explain", is_flag=True, help="Show the score of each result and all ranking reasons.")
@time_options
@common
@click.pass_obj
def search(
    state: State, /, query: tuple[str, ...], oneline: bool, explain: bool, as_json: bool, quiet: bool, **options: Any
) -> int:
    """Find the code and text that best answer QUERY: a question, words, or a symbol's name."""
    workspaces = Workspaces(state.start, create=False)
    try:
        arguments = _arguments(state, readable(" ".join(query)), options)
        if not as_json and options["max_tokens"] is None:
            arguments["max_tokens"] = ANY_SIZE
        if explain:
            arguments["explain"] = True
        reply = answer(caller_of(workspaces), "query_context", arguments)
    finally:
        workspaces.close()
    return finish(reply, _show_lines if oneline else _show, as_json=as_json, quiet=quiet)


@click.command()
@common
@click.pass_obj
def status(state: State, as_json: bool, quiet: bool) -> int:
    """Show whether the index is ready, what it contains, and what the last run did."""
    workspaces = Workspaces(state.start, create=False)
    try:
        reply = answer(caller_of(workspaces), "graph_health", {"profile": "debug", "with_hash": True})
        done = finish(reply, _show_health, as_json=as_json, quiet=quiet)
        if reply.ok and not (as_json or quiet):
            _show_role(workspaces.get(create=False))
    finally:
        workspaces.close()
    return done


def _show_role(engine: Engine) -> None:
    """On a server, the database role and its rights."""
    if engine.place.url:
        role = escaping.line(session_role(engine.config, engine.place.url))
        click.echo(
            f"database role: {role}; all who connect as {role} can read and write every project of this database, and "
            "each other's preferences, whatever name they go by"
        )


def _arguments(state: State, query: str, options: dict[str, Any]) -> dict[str, Any]:
    scope = {
        "paths": [from_root(state, path) for path in options["paths"]],
        "languages": options["languages"],
        "kinds": options["kinds"],
        "exclude_patterns": [from_root(state, path) for path in options["exclude"]],
    }
    arguments: dict[str, Any] = {"query": query, "scope": scope}
    if options["limit"] is not None:
        arguments["k"] = options["limit"]
    if options["exact"]:
        arguments["exact"] = True
    if options["offset"]:
        arguments["offset"] = options["offset"]
    if options["min_score"] is not None:
        arguments["filters"] = {"min_score": options["min_score"]}
    if options["max_tokens"] is not None:
        arguments["max_tokens"] = options["max_tokens"]
    return arguments | times(options)


def _show(envelope: dict[str, Any], quiet: bool) -> None:
    data = envelope["data"]
    for hit in data["hits"]:
        place = f"{hit['file_path']}:{hit['first_line']}-{hit['last_line']}"
        score = f"  {hit['score']:.2f}" if "score" in hit else ""
        kind = f"  {hit['kind']}" if "kind" in hit else ""
        click.echo(f"{click.style(place, fg='green')}  {_label(hit)}{kind}{score}{_marks(hit)}")
        if not quiet:
            _show_text(hit)
    _show_rest(envelope, quiet)


def _show_lines(envelope: dict[str, Any], quiet: bool) -> None:
    """A line for each, as compilers write them."""
    for hit in envelope["data"]["hits"]:
        place = click.style(f"{hit['file_path']}:{hit['first_line']}", fg="green")
        is_line = hit["first_line"] == hit.get("last_line") and "\n" not in hit["snippet"]
        click.echo(f"{place}: {hit['snippet'].strip() if is_line else _label(hit)}{_marks(hit)}")
    _show_rest(envelope, quiet)


def _label(hit: dict[str, Any]) -> str:
    return click.style(hit.get("label", ""), bold=True)


def _marks(hit: dict[str, Any]) -> str:
    return " (changed on disk)" if hit.get("stale") else ""


def _show_rest(envelope: dict[str, Any], quiet: bool) -> None:
    data = envelope["data"]
    for place in data.get("more", ()):
        click.echo(click.style(place, fg="green"))
    if not quiet:
        left, alike = data.get("hits_left_out", 0), data.get("collapsed", 0)
        more = f" {left} more did not fit; raise --max-tokens." if left else ""
        same = f" Left out as nearly the same: {alike}." if alike else ""
        click.echo(f"{envelope['summary']}{more}{same}")
    for failed in data.get("failed", ()):
        warn(f"{failed['retriever']} could not answer: {failed['reason']}")


def _show_text(hit: dict[str, Any]) -> None:
    """Why it is there, in a line unless all reasons were asked for, and its first lines."""
    if "reason" in hit:
        click.echo(click.style(f"    why: {hit['reason']}", fg="cyan"))
    for reason in hit.get("reasons", ()):
        told = f"{reason['retriever']} {reason['share']:.2f}  {reason['detail']}".rstrip()
        click.echo(click.style(f"    why: {told}", fg="cyan"))
    lines = textwrap.dedent(hit["snippet"]).strip("\n").splitlines()
    for line in lines[:MOST_LINES]:
        click.echo(f"    {line}")
    if len(lines) > MOST_LINES:
        left = len(lines) - MOST_LINES
        click.echo(click.style(f"    … {left} more line{'s' if left != 1 else ''}", dim=True))
    click.echo()


def _show_health(envelope: dict[str, Any], quiet: bool) -> None:
    click.echo(envelope["summary"])
    if quiet:
        return
    data = envelope["data"]
    for title, counts in (("nodes", data["nodes_by_kind"]), ("edges", data["edges_by_kind"])):
        listed = ", ".join(f"{count} {kind}" for kind, count in counts.items())
        click.echo(f"{title}: {listed or 'none'}")
    click.echo(f"runs: {data['tx_count']}, the last one {data['latest_tx_status'] or 'never'}")
    waiting = f", {data['pendingChanges']} changes waiting" if data["pendingChanges"] else ""
    click.echo(f"watcher: {data['watcherState']}{waiting}")
    if problem := data.get("watcherProblem"):
        warn(f"the watcher is {problem}")
    if vectors := data.get("vectors"):
        click.echo(f"vectors: {vectors['chunks']:,} of {vectors['chunks_total']:,} by {vectors['model']}")
    click.echo(f"graph: {data['graph_hash']}")
    click.echo(f"project: {data['project']}")
    for warning in data.get("warnings", ()):
        warn(warning)
