"""Setting up coding clients: `clew init` and `clew uninstall`."""

import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click

from clew.model.errors import InvalidInput, Unavailable
from clew.runtime import paths
from clew.surfaces.cli.output import print_json, warn
from clew.surfaces.cli.state import State, common
from clew.text.escaping import line

_NAMES = "claude-code, codex, cursor, vscode, copilot, gemini, opencode, zed, windsurf, kiro, git"

_target = click.option(
    "--target",
    "targets",
    metavar="CLIENT[,CLIENT]",
    help=f"Clients to set up: {_NAMES}; `auto` (the default) selects those in use, `all` selects every one.",
)
_scope = click.option(
    "--scope",
    type=click.Choice(["project", "user"]),
    default="project",
    show_default=True,
    help="Write to the project's files, which a team shares, or to your own, for all projects.",
)
_dry_run = click.option("--dry-run", is_flag=True, help="Show what would be written, and write nothing.")
_yes = click.option("-y", "--yes", is_flag=True, help="Do not ask.")


@click.command()
@_target
@_scope
@_dry_run
@_yes
@click.option(
    "--print-config", "shown", metavar="CLIENT", help="Print the configuration of a client, and write nothing."
)
@common
@click.pass_obj
def init(
    state: State,
    targets: str | None,
    scope: str,
    dry_run: bool,
    yes: bool,
    shown: str | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Set up coding clients: the MCP server, hooks, and four lines of agent instructions.

    Other entries, comments and the order of each file are preserved, and a backup is kept. Parts that you changed by
    hand are not touched. `clew uninstall` removes everything again. The target `git` is a pre-commit hook that warns
    about staged files claimed by other agents; it is set up only if named.

    \b
    clew init                                     the clients in use, in this project
    clew init --target claude-code,codex --yes
    clew init --scope user --dry-run
    clew init --print-config cursor
    """
    from clew.surfaces.clients import installation

    if shown:
        _print_config(shown, _site(state, scope), as_json=as_json)
        return 0
    site = _site(state, scope)
    clients = installation.choose(_split_names(targets), site)
    if not clients:
        raise InvalidInput("no client was found here", f"Name one with --target: {_NAMES}.")
    journal = installation.InstallJournal(paths.user_data(os.environ))
    plan = installation.plan_install(clients, site)
    if not _confirm(plan, site.root, dry_run=dry_run, yes=yes, as_json=as_json, quiet=quiet, verb="write"):
        return 0
    installation.install(plan, site, journal)
    return _report(plan, site.root, as_json=as_json, quiet=quiet, advice=_advise(clients, scope))


@click.command()
@_target
@_scope
@_dry_run
@_yes
@common
@click.pass_obj
def uninstall(
    state: State, targets: str | None, scope: str, dry_run: bool, yes: bool, as_json: bool, quiet: bool
) -> int:
    """Remove everything that `clew init` wrote from the clients' files. The index and its memory are kept.

    A file that has not changed since is restored byte for byte. From other files, only Clew's parts are removed.

    \b
    clew uninstall --dry-run
    clew uninstall --scope user --target codex --yes
    """
    from clew.surfaces.clients import installation

    site = _site(state, scope)
    named = _split_names(targets)
    partly = bool(named) and "all" not in named
    clients = installation.choose(named if partly else ["all"], site)
    journal = installation.InstallJournal(paths.user_data(os.environ))
    plan = installation.plan_removal(clients, site, journal, partly=partly)
    plan = [change for change in plan if change.is_change or change.refused]
    if not _confirm(plan, site.root, dry_run=dry_run, yes=yes, as_json=as_json, quiet=quiet, verb="change"):
        return 0
    installation.undo(plan, journal)
    return _report(plan, site.root, as_json=as_json, quiet=quiet, advice=())


def _site(state: State, scope: str) -> Any:
    from clew.surfaces.clients.catalog import InstallScope, InstallSite, own_command

    chosen = InstallScope(scope)
    command = own_command() if chosen is InstallScope.USER else ("clew",)
    return InstallSite(paths.find_root(state.start), Path.home(), chosen, command, sys.platform, dict(os.environ))


def _split_names(targets: str | None) -> list[str]:
    return [one.strip() for one in (targets or "").split(",") if one.strip()]


def _advise(clients: Iterable[Any], scope: str) -> tuple[str, ...]:
    names = {one.name for one in clients}
    advice = []
    if "windsurf" in names and scope == "project":
        advice.append("Windsurf reads MCP servers from your home only: clew init --target windsurf --scope user")
    if "codex" in names and scope == "project":
        advice.append("Codex reads a project's configuration once you trust the project in Codex.")
    return tuple(advice)


def _confirm(
    plan: Sequence[Any], root: Path, *, dry_run: bool, yes: bool, as_json: bool, quiet: bool, verb: str
) -> bool:
    """Show the plan and ask, unless told otherwise; whether to go on."""
    changes = [change for change in plan if change.is_change]
    if dry_run or (changes and not yes and not as_json):
        _show(plan, root, as_json=as_json, quiet=quiet, dry_run=True)
    if dry_run:
        return False
    if not changes or yes:
        return True
    if as_json or not sys.stdin.isatty():
        raise InvalidInput(f"{len(changes)} files are to be changed", "Confirm with --yes, or look with --dry-run.")
    return click.confirm(f"{verb.capitalize()} {len(changes)} files?", default=True)


def _report(plan: Sequence[Any], root: Path, *, as_json: bool, quiet: bool, advice: Sequence[str]) -> int:
    _show(plan, root, as_json=as_json, quiet=quiet, dry_run=False)
    for one in () if as_json or quiet else advice:
        click.echo(one)
    from clew.surfaces.clients.edits import EditState

    failed = [change for change in plan if change.refused and change.state is not EditState.UNCHANGED]
    return Unavailable.exit_code if failed else 0


def _show(plan: Sequence[Any], root: Path, *, as_json: bool, quiet: bool, dry_run: bool) -> None:
    rows = [
        {
            "path": str(change.path),
            "clients": list(change.clients),
            "state": _state(change),
            **({"why": change.refused} if change.refused else {}),
        }
        for change in plan
    ]
    if as_json:
        print_json({"ok": True, "dry_run": dry_run, "files": rows})
        return
    for change, row in zip(plan, rows, strict=True):
        shown = change.path.relative_to(root) if change.path.is_relative_to(root) else change.path
        text = f"{row['state']:9} {line(str(shown))}  ({', '.join(change.clients)})"
        if change.refused:
            warn(f"{line(str(shown))} stays as it is: {line(change.refused)}")
        elif not quiet:
            click.echo(text)
    if not rows and not quiet:
        click.echo("Nothing of Clew is in the clients' files.")


def _state(change: Any) -> str:
    if change.refused:
        return "kept"
    return "unchanged" if change.before == change.after else str(change.state)


def _print_config(name: str, site: Any, *, as_json: bool) -> None:
    """Each file that the client reads, with what a fresh installation would hold."""
    from clew.surfaces.clients import installation

    (client,) = installation.choose([name], site) if name not in ("all", "auto") else [None]
    if client is None:
        raise InvalidInput("--print-config takes one client", f"Clients: {_NAMES}.")
    texts: dict[str, str] = {}
    for path, part in client.parts(site):
        texts[str(path)] = part.install(texts.get(str(path))).text or ""
    if as_json:
        print_json({"client": client.name, "files": texts})
        return
    for file, text in texts.items():
        click.echo(click.style(f"# {line(file)}", fg="green"))
        click.echo(text.rstrip("\n"))
        click.echo()
