"""Context packs from the command line: made, written, and read again."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, get_args

import click
import msgspec

from clew.pack.request import EDGE_TYPES, FormOption, Intent, Primary, SeedMode, SeedProvider, Strictness, Way
from clew.runtime import paths
from clew.surfaces.cli.calling import caller_of, finish
from clew.surfaces.cli.output import as_typed, print_body, warn
from clew.surfaces.cli.state import State, common, readable
from clew.tools.answer import Caller, Reply, answer
from clew.workspaces import Workspaces

F = TypeVar("F", bound=Callable[..., Any])

_EXPANSION = ("max_hops", "direction", "include_same_file_neighbors")
_BUDGETS = ("max_total_chars", "max_total_tokens", "max_items", "max_items_per_section", "max_bytes_per_item")
_VALUE = re.compile(r"\b(?:budgets\.)?(max_total_tokens|max_total_chars|seed_provider|form)=(\w+)")


def _choice(option: str, of: object, about: str) -> Callable[[F], F]:
    return click.option(option, type=click.Choice(get_args(of)), help=about)


@click.command()
@click.option("--repo", help="The project; default: the current directory.")
@click.option("--query", default="", help="The question or task.")
@_choice("--intent", Intent, "Purpose. impact: dependents come before other seeds; the other values have no effect.")
@click.option("--focus", help="Start here: a name, an id, file:line, a path or a chunk uid.")
@click.option("--explain/--no-explain", default=None, help="Include the explanation.")
@click.option("--write", is_flag=True, help="Store the pack in .clew/ and print its id.")
@click.option("--read", is_flag=True, help="Read a stored pack, named by --pack-id.")
@click.option("--pack-id", help="Id of a stored pack, or its first digits.")
@_choice("--seed-mode", SeedMode, "Seeds to use: code, prose or both.")
@_choice("--seed-provider", SeedProvider, "Retriever of the seeds. sparse, fts: words only; ann: vectors only.")
@click.option("--max-hops", type=click.IntRange(1), help="Maximum number of graph steps from a seed.")
@click.option(
    "--edge-type",
    "edge_types",
    multiple=True,
    type=click.Choice(EDGE_TYPES),
    help="Edge type to follow; repeatable.",
)
@_choice("--direction", Way, "Follow uses (out), users (in), or both.")
@click.option(
    "--same-file",
    "include_same_file_neighbors",
    is_flag=True,
    default=None,
    help="Also include neighbors of a seed in its file.",
)
@click.option("--max-items", type=click.IntRange(1), help="Maximum number of items.")
@click.option("--max-items-per-section", type=click.IntRange(1), help="Maximum number of items per section.")
@click.option("--max-bytes-per-item", type=click.IntRange(1), help="Maximum size of an excerpt in bytes.")
@click.option("--max-total-chars", type=click.IntRange(1), help="Maximum size of the pack in characters of JSON.")
@click.option("--max-total-tokens", type=click.IntRange(1), help="Maximum size of the pack in tokens.")
@_choice("--primary", Primary, "Primary sort key of the items.")
@_choice("--form", FormOption, "lean: items with text, location and rule only; auto: lean below 4,000 tokens.")
@_choice("--strictness", Strictness, "Items without evidence: drop, report, or keep.")
@common
@click.pass_obj
def context_pack(state: State, /, as_json: bool, quiet: bool, **options: Any) -> int:
    """Make a context pack for a query, or read a stored one. --json prints the pack itself."""
    start = paths.parse_path(options["repo"]) if options["repo"] else state.start
    if options["read"] and not options["pack_id"]:
        raise click.UsageError("--read needs --pack-id")
    if options["pack_id"] and (extra := [f"--{name}" for name in ("query", "focus", "write") if options[name]]):
        raise click.UsageError(f"{extra[0]} cannot be combined with --pack-id, which reads a stored pack")
    workspaces = Workspaces(start, create=False)
    try:
        reply = _reply(caller_of(workspaces), start, options)
    finally:
        workspaces.close()
    if reply.ok and as_json:
        print_body(msgspec.json.encode(msgspec.json.decode(reply.body)["data"]))
        return 0
    show = _show_id if options["write"] else _show_explained if options["explain"] else _show
    return finish(reply, show, as_json=as_json, quiet=quiet, typed=_as_typed)


def _as_typed(hint: str) -> str:
    """Arguments of the tool as the options of this command."""
    hint = hint.replace("include_explain=false", "--no-explain").replace("write=true", "--write")
    hint = _VALUE.sub(lambda found: f"--{found[1].replace('_', '-')} {found[2]}", hint)
    return as_typed(hint.replace("context_pack_create", "`clew context-pack`"))


def _reply(caller: Caller, start: Path, options: dict[str, Any]) -> Reply:
    if options["pack_id"]:
        form = {"form": options["form"]} if options["form"] else {}
        return answer(caller, "context_pack_get", {"pack_id": readable(options["pack_id"]), **form})
    return answer(caller, "context_pack_create", _arguments(start, options))


def _arguments(start: Path, options: dict[str, Any]) -> dict[str, Any]:
    named = ("form", "intent", "seed_mode", "seed_provider", "strictness")
    given: dict[str, Any] = {name: options[name] for name in named if options[name] is not None}
    expansion = {name: options[name] for name in _EXPANSION if options[name] is not None}
    if options["edge_types"]:
        expansion["edge_types"] = options["edge_types"]
    budgets = {name: options[name] for name in _BUDGETS if options[name] is not None}
    given |= {
        "query": readable(options["query"]),
        "write": options["write"],
        "expansion": expansion,
        "budgets": budgets,
    }
    if options["explain"] is not None:
        given["include_explain"] = options["explain"]
    if options["primary"]:
        given["ordering"] = {"primary": options["primary"]}
    if options["focus"]:
        given["focus"] = _focus(start, readable(options["focus"]))
    return given


def _focus(start: Path, text: str) -> str:
    """A path as one types it where one is; all else as the tool takes it."""
    here, root = (start / text).resolve(), paths.find_root(start)
    return paths.inside(root, here).relative_to(root).as_posix() if here.exists() else text


def _show_id(envelope: dict[str, Any], quiet: bool) -> None:
    click.echo(envelope["data"]["packId"])
    _show_warnings(envelope["data"])


def _show_explained(envelope: dict[str, Any], quiet: bool) -> None:
    _show_pack(envelope, quiet=quiet, explained=True)


def _show(envelope: dict[str, Any], quiet: bool) -> None:
    _show_pack(envelope, quiet=quiet, explained=False)


def _show_pack(envelope: dict[str, Any], *, quiet: bool, explained: bool) -> None:
    data = envelope["data"]
    for section in data["sections"]:
        if section["items"]:
            click.echo(click.style(section["type"], bold=True))
        for item in section["items"]:
            click.echo(_line(item))
            if explained and "scores" in item:
                _show_path(item["why"])
    if not quiet:
        click.echo(envelope["summary"])
        click.echo(f"pack: {data['packId']}")
    _show_warnings(data)


def _line(item: dict[str, Any]) -> str:
    """In the lean form, an item has no title and no scores."""
    path = item["chunkUid"].rpartition("#")[0]
    place = click.style(f"{path}:{item['lines']['start']}-{item['lines']['end']}", fg="green")
    if "scores" not in item:
        return f"  {place}  {item.get('symbolId', path).rpartition('::')[2]}  {item['why']['rule']}"
    return f"  {place}  {item['title']}  {item['why']['rule']}  {item['scores']['hybridScore']:.2f}"


def _show_path(why: dict[str, Any]) -> None:
    for step, evidence in zip(why["path"], why["evidence"], strict=True):
        where = f"{evidence['fileRelPath']}:{evidence['line']}" if evidence["line"] else evidence["fileRelPath"]
        told = f"{step['from']} {step['edgeType']} {step['to']}  {where}  {evidence['confidence']:.2f}"
        click.echo(click.style(f"      {told}", fg="cyan"))


def _show_warnings(data: dict[str, Any]) -> None:
    stats = data.get("stats", {})
    told = (*data.get("warnings", ()), *stats.get("warnings", ()), *data.get("explain", {}).get("warnings", ()))
    for warning in told:
        warn(warning)
