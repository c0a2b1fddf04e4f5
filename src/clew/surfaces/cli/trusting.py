"""Trust: the settings of a repository that reach outside of it, reviewed and accepted by a person."""

import os
import sys
from pathlib import Path

import click

from clew.model.errors import Conflict, Denied, InvalidInput
from clew.runtime import context_file, paths
from clew.runtime.keys import Ignored
from clew.runtime.trust import Acceptance, Acceptances, digest
from clew.surfaces.cli.output import print_json
from clew.surfaces.cli.state import State, common
from clew.text.escaping import line

SHORT = 12  # digits of a digest that a person copies


@click.command()
@click.option("--list", "listing", is_flag=True, help="List the directories whose settings you accepted.")
@click.option("--revoke", is_flag=True, help="Take back what you accepted for this project.")
@click.option("--accept", metavar="DIGEST", help="Accept the values that were shown with this digest.")
@common
@click.pass_obj
def trust(state: State, listing: bool, revoke: bool, accept: str | None, as_json: bool, quiet: bool) -> None:
    """Review the settings of this project's context.toml that reach outside of the project, and accept them.

    Such settings (servers, variables, other files, plug-ins, the address that `clew serve` binds) are ignored until you
    accept them. What you accept holds for this directory and for exactly these values: if one changes, all of them are
    ignored until you accept again. Nothing is written into the repository.
    """
    known = Acceptances(paths.user_data(os.environ))
    if listing:
        _list(known.all(), as_json=as_json)
        return
    if revoke:
        _revoke(state, known, as_json=as_json)
        return
    root = paths.find_root(state.start)
    settings = context_file.reaching_outside(root, os.environ)
    accepted = bool(settings) and known.is_accepted([root], settings)
    if as_json and not accept:
        _print(root, settings, accepted=accepted)
        return
    if not settings:
        click.echo(f"{context_file.FILE_NAME} of {root} sets nothing that reaches outside of the project.")
        return
    if not as_json:
        _show(root, settings)
    if accepted:
        click.echo("You have accepted these values.")
        return
    _ask(digest(settings), accept)
    context_file.read(root, os.environ, lambda settings: True)  # what could not apply is reported now
    known.accept(root, settings)
    if as_json:
        _print(root, settings, accepted=True)
    elif not quiet:
        click.echo("Accepted. `clew trust --revoke` takes it back.")


def _ask(wanted: str, accept: str | None) -> None:
    """Returns once the person has agreed to exactly these values."""
    if accept is not None:
        if len(accept) < SHORT or not wanted.startswith(accept.lower()):
            raise Conflict(f"the values now have the digest {wanted[:SHORT]}", "Review them: `clew trust` shows them.")
        return
    if not sys.stdin.isatty():
        hint = f"Review the values above, then: clew trust --accept {wanted[:SHORT]}"
        raise InvalidInput("accepting needs a terminal to ask in", hint)
    if not click.confirm("Accept these values for this directory?", default=False, err=True):
        raise Denied("nothing was accepted; the values stay ignored", "`clew trust` shows them again.")


def _show(root: Path, settings: tuple[Ignored, ...]) -> None:
    click.echo(f"{context_file.FILE_NAME} of {root} sets what reaches outside of the project:\n")
    for one in settings:
        click.echo(f"  {line(one.key.name)} = {line(one.shown)}")
        click.echo(f"      {one.key.about}")
    click.echo(f"\nDigest of these values: {digest(settings)[:SHORT]}")


def _print(root: Path, settings: tuple[Ignored, ...], *, accepted: bool) -> None:
    rows = [{"key": one.key.name, "value": one.shown, "about": one.key.about} for one in settings]
    known_by = digest(settings)[:SHORT] if settings else ""
    print_json({"directory": str(root), "settings": rows, "digest": known_by, "accepted": accepted})


def _list(known: list[Acceptance], *, as_json: bool) -> None:
    if as_json:
        print_json(known)
        return
    if not known:
        click.echo("No settings of any repository are accepted.")
    for one in known:
        gone = "" if Path(one.directory).is_dir() else "  (the directory is gone)"
        click.echo(f"{one.directory}  {one.settings[:SHORT]}  {one.accepted_at}{gone}")
        click.echo(f"    {line(', '.join(one.keys))}")


def _revoke(state: State, known: Acceptances, *, as_json: bool) -> None:
    """For a directory that is gone, as it was named; else for its project."""
    root = paths.find_root(state.start) if state.start.exists() else state.start
    revoked = known.revoke(root)
    if as_json:
        print_json({"directory": str(root), "revoked": revoked})
        return
    click.echo(f"Revoked for {root}." if revoked else f"Nothing was accepted for {root}.")
