"""References to a symbol, from the command line: one line for each place."""

import re
from collections.abc import Iterator
from typing import Any

import click
import msgspec

from clew.surfaces.cli.calling import caller_of, finish
from clew.surfaces.cli.output import warn
from clew.surfaces.cli.state import State, common, readable
from clew.tools.answer import Caller, answer
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
        for place, said in [*known, *((place, text) for place, text in lines if place not in seen)]:
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
