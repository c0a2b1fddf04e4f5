"""The past from the command line: differences between two times, histories of symbols, import from git."""

import os
from typing import Any

import click
import msgspec

from clew.engine import Engine, now
from clew.history.git_import import ImportReport, ImportRequest
from clew.history.moments import Moments
from clew.model.errors import InvalidInput
from clew.model.time import to_iso
from clew.surfaces.cli.calling import caller_of, finish
from clew.surfaces.cli.indexing import progress
from clew.surfaces.cli.models import LAST
from clew.surfaces.cli.output import print_json, warn
from clew.surfaces.cli.state import State, common, readable
from clew.text.escaping import line
from clew.tools.answer import Reply, answer
from clew.workspaces import Workspaces

COMMITS = 1000  # that are imported by default


@click.group(name="history")
def history() -> None:
    """Import earlier versions of files and symbols from git's commits."""


@history.command(name="import")
@click.option(
    "--commits", type=click.IntRange(1), help=f"Maximum number of commits, the newest first (default {COMMITS})."
)
@click.option(
    "--since", default="", help='No commits before this time, commit or tag: "2024-01-01", "1 year ago", v1.0.'
)
@click.option("--all", "everything", is_flag=True, help="All commits of the branch.")
@click.option("--max-seconds", type=click.FloatRange(0, min_open=True), help="Stop after this many seconds.")
@click.option(
    "--max-megabytes", type=click.FloatRange(0, min_open=True), help="Stop once the database has grown by this much."
)
@click.option("--background", is_flag=True, hidden=True, help="Run at low priority.")
@common
@click.pass_obj
def import_(
    state: State,
    commits: int | None,
    since: str,
    everything: bool,
    max_seconds: float | None,
    max_megabytes: float | None,
    background: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Read versions of files and symbols from git's commits into the index, the newest first.

    Follows the first parents of merges. Nothing is checked out, and each content is parsed once. The import can be
    interrupted; run it again to continue. The current state does not change.

    \b
    clew history import --commits 500
    clew history import --since "1 year ago"
    """
    if everything and (commits or since):
        raise InvalidInput("--all excludes --commits and --since", "Use only one of them.")
    if background and hasattr(os, "nice"):
        os.nice(LAST)
    with Engine.open(state.start) as engine:
        moment = Moments(engine.place.root, engine.transactions, now).find(since).time if since else 0
        bound = commits or (0 if everything or since else COMMITS)
        request = ImportRequest(bound, moment, max_seconds or 0.0, max_megabytes or 0.0)
        with progress(engine.config.bootstrap, "importing", "commits", quiet=quiet or as_json) as report:
            done = engine.import_history(request, report)
    if as_json:
        print_json(done)
    elif not quiet:
        _print(done)


@history.command(hidden=True)
@click.argument("key")
@click.option("--quiet", is_flag=True)
@click.pass_obj
def settle(state: State, key: str, quiet: bool) -> None:
    """Finish linking a past state in the background."""
    with Engine.open(state.start, create=False) as engine:
        engine.settle_past(key)


def _print(done: ImportReport) -> None:
    click.echo(
        f"{done.commits:,} of {done.commits_total:,} commits imported in {done.seconds:.1f} s: {done.versions:,} "
        f"versions of {done.files:,} files; the database grew by {done.megabytes:.1f} MB."
    )
    if done.oldest_time:
        click.echo(f"The record begins at {done.oldest[:10]} ({to_iso(done.oldest_time)[:10]}).")
    if done.stopped:
        warn(f"{done.stopped}; run the command again to go on")
    for note in done.notes:
        warn(note)


BREAKING = 7  # exit code of --breaking
MOST_PATHS = 5  # of a transaction, on a terminal
MOST_SHOWN = 30  # rows of a list on a terminal; --json has all
_SIGNS = {
    "removed": ("-", "red"),
    "renamed": ("→", "cyan"),
    "moved": ("⇒", "magenta"),
    "added": ("+", "green"),
    "modified": ("~", "yellow"),
}


@click.command()
@click.argument("since", default="HEAD")
@click.argument("until", default="")
@click.option("--breaking", is_flag=True, help="Show only breaking changes, and exit with 7 if there are any.")
@click.option("--type", "types", multiple=True, help="Only this kind: file, function, class …; may be repeated.")
@click.option("--max-tokens", type=click.IntRange(1), help="Token budget of the answer.")
@common
@click.pass_obj
def diff(state: State, /, since: str, until: str, as_json: bool, quiet: bool, **options: Any) -> int:
    """Show which files and symbols changed from SINCE to UNTIL: added, removed, renamed, moved, modified.

    Both are commits, tags, branches, ISO times, "3 days ago", transactions or agents. UNTIL defaults to the working
    tree; without both, the uncommitted changes are shown.

    \b
    clew diff
    clew diff main
    clew diff v1.0 v2.0 --breaking
    clew diff "3 days ago"
    """
    if not until and ".." in since and not since.startswith("."):
        since, _, until = since.partition("..")
        until = until.removeprefix(".") or "HEAD"
    arguments = {"since": readable(since), "until": readable(until), "types": list(options["types"])}
    reply = _ask(state, "diff_since", arguments, options["max_tokens"])
    only_breaking = options["breaking"]
    code = finish(
        reply, lambda envelope, quiet: _show_diff(envelope, quiet, only_breaking), as_json=as_json, quiet=quiet
    )
    if code or not only_breaking:
        return code
    return BREAKING if msgspec.json.decode(reply.body)["data"]["breaking_changes"] else 0


@click.command()
@click.argument("symbol", nargs=-1, required=True)
@click.option("--at", default="", help="Start at this commit, tag or branch; default: HEAD.")
@click.option("--as-of", default="", help='As --at, but also a time ("3 days ago"); shows the memory of that time.')
@click.option("--limit", type=click.IntRange(1, 10_000), default=1000, help="Maximum number of changes.")
@click.option(
    "--formatting", is_flag=True, help="For Python, also list commits that changed only formatting or comments."
)
@click.option("--max-tokens", type=click.IntRange(1), help="Token budget of the answer.")
@common
@click.pass_obj
def log(
    state: State, /, symbol: tuple[str, ...], at: str, limit: int, as_json: bool, quiet: bool, **options: Any
) -> int:
    """Show the commits that changed SYMBOL (or a file), following renames, moves and extractions.

    \b
    clew log Card.charge
    clew log src/pay/card.py::Card::charge --at v1.0
    clew log src/pay/card.py:31
    """
    arguments: dict[str, Any] = {"element": readable(" ".join(symbol)), "at": readable(at), "limit": limit}
    arguments["formatting"] = options["formatting"]
    reply = _ask(state, "symbol_history", {**arguments, "as_of": readable(options["as_of"])}, options["max_tokens"])
    return finish(reply, _show_log, as_json=as_json, quiet=quiet)


@click.command()
@click.argument("symbol", nargs=-1, required=True)
@click.option("--at", default="", help="As of this commit, tag or branch; default: HEAD.")
@click.option("--as-of", default="", help='As --at, but also a time ("3 days ago").')
@click.option("--max-tokens", type=click.IntRange(1), help="Token budget of the answer.")
@common
@click.pass_obj
def blame(state: State, /, symbol: tuple[str, ...], at: str, as_json: bool, quiet: bool, **options: Any) -> int:
    """Show who wrote each line of SYMBOL, and in which commit, following renames and moves."""
    arguments = {"element": readable(" ".join(symbol)), "at": readable(at), "as_of": readable(options["as_of"])}
    reply = _ask(state, "symbol_blame", arguments, options["max_tokens"])
    return finish(reply, _show_blame, as_json=as_json, quiet=quiet)


@click.command()
@click.option("--since", default="", help="Only runs after this time, commit, transaction or agent.")
@click.option("--until", default="", help="Only runs before this time, commit, transaction or agent.")
@click.option("--agent", default="", help="Only runs of this agent.")
@click.option(
    "--type",
    "types",
    multiple=True,
    help="full_rebuild, incremental_rebuild, file_change, agent_edit, history_import, link; may be repeated.",
)
@click.option("-n", "--limit", type=click.IntRange(1, 1000), default=20, help="At most this many.")
@click.option("--max-tokens", type=click.IntRange(1), help="Token budget of the answer.")
@common
@click.pass_obj
def transactions(state: State, /, as_json: bool, quiet: bool, **options: Any) -> int:
    """List the runs that wrote to the graph, the newest first: type, agent, commit, files, counts and duration."""
    arguments = {name: readable(options[name]) for name in ("since", "until", "agent")}
    reply = _ask(
        state,
        "transactions",
        {**arguments, "types": list(options["types"]), "limit": options["limit"]},
        options["max_tokens"],
    )
    return finish(reply, _show_transactions, as_json=as_json, quiet=quiet)


def _show_transactions(envelope: dict[str, Any], quiet: bool) -> None:
    if not quiet:
        click.echo(line(envelope["summary"]))
    for one in envelope["data"]["transactions"]:
        if quiet:
            click.echo(one["id"])
            continue
        who = line(one.get("agent", ""))
        counts = ", ".join(f"{count} {name}" for name, count in one.get("counts", {}).items() if count)
        click.echo(
            f"{click.style(one['id'], fg='yellow')} {to_iso(one['time'])[:19]} {one['type']:20}"
            f"{click.style(who, fg='green')} {one.get('commit', '')[:10]:10} {one['status']} "
            f"{one.get('duration_ms', 0):.0f} ms  {click.style(counts, dim=True)}"
        )
        for path in one.get("files", ())[:MOST_PATHS]:
            click.echo(f"    {line(path)}")
        if (left := one["files_affected"] - MOST_PATHS) > 0:
            click.echo(click.style(f"    … {left} more files", dim=True))


def _show_log(envelope: dict[str, Any], quiet: bool) -> None:
    data = envelope["data"]
    if not quiet:
        click.echo(envelope["summary"].replace("formatting=true", "--formatting"))
    for one in data["changes"]:
        if quiet:
            click.echo(one["commit"])
            continue
        was = f"  from {one['from_symbol']}" if one.get("from_symbol") else ""
        click.echo(
            f"{click.style(one['commit'][:10], fg='yellow')} {to_iso(one['time'])[:10]} "
            f"{click.style(one.get('author', ''), fg='green')}  {', '.join(one['kinds'])}"
            f"{click.style(was, fg='cyan')}  {click.style(one.get('subject', ''), dim=True)}"
        )
    for one in data.get("memories", ()) if not quiet else ():
        click.echo(
            f"{click.style(one['type'].lower(), fg='magenta')} {to_iso(one['time'])[:10]}  {line(one['content'])}"
        )


def _show_blame(envelope: dict[str, Any], quiet: bool) -> None:
    data = envelope["data"]
    if not quiet:
        click.echo(envelope["summary"])
    width = max((len(one["author"]) for one in data["lines"]), default=0)
    for one in data["lines"]:
        who = "" if quiet else f" {one['author']:<{width}} {to_iso(one['time'])[:10] if one['time'] else '':10}"
        click.echo(f"{click.style(one['commit'][:10], fg='yellow')}{who} {one['line']:5}  {one['text']}")


def _ask(state: State, tool: str, arguments: dict[str, Any], max_tokens: int | None) -> Reply:
    arguments |= {"profile": "debug"} if max_tokens is None else {"max_tokens": max_tokens}
    workspaces = Workspaces(state.start)
    try:
        return answer(caller_of(workspaces), tool, arguments)
    finally:
        workspaces.close()


def _show_diff(envelope: dict[str, Any], quiet: bool, only_breaking: bool) -> None:
    data = envelope["data"]
    if not quiet:
        click.echo(envelope["summary"])
    seen = set()
    for name, (sign, colour) in _SIGNS.items():
        rows = [one for one in data[name] if not only_breaking or one.get("breaking")]
        rows = [one for one in rows if (one["id"], one.get("from")) not in seen]  # renamed and moved: shown once
        seen |= {(one["id"], one.get("from")) for one in rows}
        if quiet:
            for one in rows:
                click.echo(f"{sign} {one['id']}")
            continue
        for one in rows[:MOST_SHOWN]:
            click.echo(_row(one, sign, colour))
        if (left := len(rows) - MOST_SHOWN) > 0:
            click.echo(click.style(f"  … {left} more {name}; --json lists them", dim=True))


def _row(one: dict[str, Any], sign: str, colour: str) -> str:
    was = f"{one['from']} {sign} " if one.get("from") and sign in "→⇒" else ""
    parts = [click.style(f"{sign} {was}{one['id']}", fg=colour)]
    if sign == "+" and one.get("from"):
        parts.append(click.style(f"extracted from {one['from']}", fg="cyan"))
    changes = [name for name in one.get("changes", ()) if name not in ("added", "removed", "extracted")]
    if changes and one["kind"] != "file":
        parts.append(click.style(", ".join(changes), dim=True))
    if one.get("confidence", 1.0) < 1:
        parts.append(click.style(f"{one['confidence']:.2f}", dim=True))
    if one.get("breaking"):
        parts.append(click.style(f"breaking: {one['breaking']}", fg="red", bold=True))
    return "  ".join(parts)
