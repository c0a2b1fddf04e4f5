"""Questions about the whole project from the command line: its communities."""

from typing import Any

import click

from clew.surfaces.cli.calling import caller_of, finish
from clew.surfaces.cli.state import State, common, from_root, readable, time_options, times
from clew.tools.answer import Reply, answer
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
