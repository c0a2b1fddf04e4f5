"""Settings from the command line: shown with their sources, and those of a repository reviewed and accepted."""

import os
import sys
from pathlib import Path

import click
from blake3 import blake3
from msgspec import Struct

from clew.model.errors import Conflict, Denied, InvalidInput
from clew.projects import count_written
from clew.runtime import context_file, git_process, lent_objects, ownership, paths
from clew.runtime.config import describe
from clew.runtime.keys import Ignored
from clew.runtime.ownership import OwnFolder
from clew.runtime.place import DATABASE, find_place
from clew.runtime.trust import Acceptance, Acceptances, digest
from clew.runtime.values import to_literal
from clew.surfaces.cli.output import print_json, warn
from clew.surfaces.cli.state import State, common
from clew.text.escaping import line

SHORT = 12  # digits of a digest that a person copies


@click.command()
@click.option("--list", "listing", is_flag=True, help="List the directories whose settings you accepted.")
@click.option("--revoke", is_flag=True, help="Take back what you accepted for this project.")
@click.option("--accept", metavar="DIGEST", help="Accept what was shown with this digest.")
@common
@click.pass_obj
def trust(state: State, listing: bool, revoke: bool, accept: str | None, as_json: bool, quiet: bool) -> None:
    """Review what this project brings that is not trusted, and accept it: settings, an index that is not yours, and
    objects of other repositories.

    Settings of its context.toml that reach outside of the project (servers, variables, other files, plug-ins, the
    address that `clew serve` binds) are ignored until you accept them. What you accept holds for this directory and for
    exactly these values: if one changes, all of them are ignored until you accept again.

    A .clew that you did not make on this machine is not read. Accept one that an older Clew of yours made, or that you
    copied here; of one that somebody else wrote, take over what you have read: `clew import --review`.

    Git is not started on a repository that takes objects from another one (`git clone --shared`) until you accept this.
    """
    known = Acceptances(paths.user_data(os.environ))
    if listing:
        _list(known.all(), as_json=as_json)
        return
    if revoke:
        _revoke(state, known, as_json=as_json)
        return
    untrusted = _find_untrusted(paths.find_root(state.start), known)
    if as_json and not accept:
        _print(untrusted, accepted=untrusted.settings_accepted)
        return
    if not as_json:
        _show(untrusted)
    if untrusted.settings_accepted and not untrusted.index and not untrusted.lenders:
        click.echo("You have accepted these values.")
        return
    if not (untrusted.settings or untrusted.index or untrusted.lenders):
        return
    _ask(untrusted.digest, accept)
    _accept(untrusted, known)
    if as_json:
        _print(untrusted, accepted=True)
    elif not quiet:
        click.echo("Accepted. `clew trust --revoke` takes it back.")


class Untrusted(Struct, frozen=True):
    """The parts of the project at `root` that need the user's trust; `index` is its `.clew`, if that is not read.

    `lenders` are the folders of objects that its repositories name, unless they were accepted."""

    root: Path
    settings: tuple[Ignored, ...]
    settings_accepted: bool
    index: OwnFolder | None
    lenders: dict[Path, tuple[str, ...]] = {}

    @property
    def digest(self) -> str:
        """Of the values, of the lenders and, if there is an index, of the names, sizes and times of its files."""
        if self.index is None and not self.lenders:
            return digest(self.settings) if self.settings else ""
        index = _fingerprint(self.index.shipped) if self.index else ""
        lenders = "".join(f" {name!r}" for names in self.lenders.values() for name in names)
        return blake3(f"{digest(self.settings)} {index}{lenders}".encode()).hexdigest()


def _find_untrusted(root: Path, known: Acceptances) -> Untrusted:
    settings = context_file.reaching_outside(root, os.environ)
    folder = ownership.own_folder(paths.worktree_home(root)[0], paths.user_data(os.environ))
    accepted = bool(settings) and known.is_accepted([root], settings)
    return Untrusted(root, settings, accepted, folder if folder.refused else None, _find_lenders(root))


def _find_lenders(root: Path) -> dict[Path, tuple[str, ...]]:
    try:
        named = {one: lent_objects.lenders(one) for one in git_process.repositories_of(root)}
    except OSError:
        return {}
    return {one: names for one, names in named.items() if names and not lent_objects.is_permitted(one)}


def _fingerprint(folder: Path) -> str:
    files = sorted(path for path in folder.rglob("*") if not ownership.is_aside(path.relative_to(folder)))
    stats = ((path.relative_to(folder).as_posix(), path.lstat()) for path in files)
    return repr([(name, stat.st_size, stat.st_mtime_ns) for name, stat in stats])


def _accept(untrusted: Untrusted, known: Acceptances) -> None:
    if untrusted.settings:
        context_file.read(untrusted.root, os.environ, lambda settings: True)  # what could not apply is reported now
    if untrusted.index:
        _accept_index(untrusted.index)
    for repository in untrusted.lenders:
        lent_objects.permit(repository)
    if untrusted.settings:
        known.accept(untrusted.root, untrusted.settings)


def _accept_index(folder: OwnFolder) -> None:
    """Not, if agents have written into the index that was used instead: that would be out of sight then."""
    if folder.path.is_dir() and (written := count_written(folder.path / DATABASE)):
        raise Conflict(
            f"agents have written {written} entries into the fresh index in {folder.path}",
            "Keep that one, and take over what the other one remembers: clew import --review",
        )
    ownership.accept(folder.shipped, paths.user_data(os.environ))


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


def _show(untrusted: Untrusted) -> None:
    if untrusted.settings:
        click.echo(f"{context_file.FILE_NAME} of {untrusted.root} sets what reaches outside of the project:\n")
    else:
        click.echo(f"{context_file.FILE_NAME} of {untrusted.root} sets nothing that reaches outside of the project.")
    for one in untrusted.settings:
        click.echo(f"  {line(one.key.name)} = {line(one.display)}")
        click.echo(f"      {one.key.about}")
    if untrusted.index:
        click.echo(f"\n{untrusted.index.shipped} is not read, because {untrusted.index.refused}.")
        click.echo("If you accept it, agents see what is written in it.")
    if untrusted.lenders:
        click.echo("\nGit is not started, because the repository takes objects from:")
    for name in (one for names in untrusted.lenders.values() for one in names):
        click.echo(f"  {line(name)}")
    if untrusted.digest:
        click.echo(f"\nDigest of these values: {untrusted.digest[:SHORT]}")


def _print(untrusted: Untrusted, *, accepted: bool) -> None:
    rows = [{"key": one.key.name, "value": one.display, "about": one.key.about} for one in untrusted.settings]
    told: dict[str, object] = {
        "directory": str(untrusted.root), "settings": rows, "digest": untrusted.digest[:SHORT], "accepted": accepted
    }  # fmt: skip
    if untrusted.lenders:
        told["lenders"] = [one for names in untrusted.lenders.values() for one in names]
    if index := untrusted.index:
        told["index"] = {"folder": str(index.shipped), "refused": index.refused, "used": str(index.path)}
    print_json(told)


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
    folder = paths.worktree_home(root)[0] / paths.HOME
    revoked = known.revoke(root)
    if folder.is_dir() and not folder.is_symlink():
        revoked = ownership.revoke(folder, paths.user_data(os.environ)) or revoked
    withdrawn = [lent_objects.withdraw(one) for one in git_process.repositories_of(root)]
    revoked = any(withdrawn) or revoked
    if as_json:
        print_json({"directory": str(root), "revoked": revoked})
        return
    click.echo(f"Revoked for {root}." if revoked else f"Nothing was accepted for {root}.")


@click.command()
@click.argument("key", required=False)
@common
@click.pass_obj
def config(state: State, key: str | None, as_json: bool, quiet: bool) -> None:
    """Show every setting, or those below KEY: its value, and where it comes from."""
    place = find_place(state.start, os.environ, state.options)
    entries = [e for e in describe(place.settings) if not key or e.key == key or e.key.startswith(f"{key}.")]
    if key and not entries:
        raise InvalidInput(f"no setting {key!r}", "`clew config` lists them all.")
    if as_json:
        print_json(entries)
        return
    width = max(len(entry.key) for entry in entries)
    for entry in entries:
        is_default = entry.origin == "default"
        origin = click.style(f"  ({entry.origin})", fg=None if is_default else "cyan", dim=is_default)
        ignored = line(f"  {context_file.FILE_NAME} is not trusted, and its value is ignored: {entry.ignored}")
        ignored = click.style(ignored, fg="yellow") if entry.ignored else ""
        click.echo(f"{entry.key:{width}}  {line(to_literal(entry.value))}{origin}{ignored}")
    if not quiet:
        for warning in place.warnings:
            warn(warning)


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@common
def completion(shell: str, as_json: bool, quiet: bool) -> None:
    """Print the completion script of SHELL. For bash: eval "$(clew completion bash)"."""
    from click.shell_completion import get_completion_class

    from clew.surfaces.cli import cli

    made = get_completion_class(shell)
    assert made is not None
    click.echo(made(cli, {}, "clew", "_CLEW_COMPLETE").source())
