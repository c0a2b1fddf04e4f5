"""Exact lines of code from the command line."""

from typing import Any, get_args

import click

from clew.model.code import SCOPE, split_id
from clew.pack.slicing import Context
from clew.surfaces.cli.calling import caller_of, finish
from clew.surfaces.cli.state import State, common, from_root, readable, time_options, times
from clew.text.escaping import line
from clew.tools.answer import answer
from clew.workspaces import Workspaces

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
    return finish(reply, _show, as_json=as_json, quiet=quiet)


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


def _show(envelope: dict[str, Any], quiet: bool) -> None:
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
