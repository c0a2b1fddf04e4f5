"""Erasure for good, and removal of what belongs to working trees that are gone."""

import sys

import click

from clew import erasure
from clew.model.errors import InvalidInput
from clew.surfaces.cli.output import print_json, warn
from clew.surfaces.cli.state import State, common, readable
from clew.text.escaping import line


@click.command()
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--path", "paths", multiple=True, metavar="PATTERN", help="A file, a folder or a pattern; repeatable.")
@click.option("--dry-run", is_flag=True, help="Only show what would be erased.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@common
@click.pass_obj
def forget(
    state: State, ids: tuple[str, ...], paths: tuple[str, ...], dry_run: bool, yes: bool, as_json: bool, quiet: bool
) -> None:
    """Erase memory by ID (episodes, learnings, notes) or files by --path, for good.

    They are removed from the database and its free pages, from vectors, snapshots, past states, written packs and the
    kept backups. An episode takes along the learnings that rest on it. The receipt names what could not be reached.

    \b
    clew forget 0b7c1f6e-…
    clew forget --path secrets/prod.yaml --dry-run
    """
    ids, paths = tuple(map(readable, ids)), tuple(map(readable, paths))
    if dry_run:
        _show(erasure.preview(state.start, ids, paths), as_json=as_json, quiet=quiet)
        return
    if not yes:
        if not sys.stdin.isatty():
            raise InvalidInput("erasing cannot be undone", "Look at --dry-run, then say that it is meant: --yes")
        _show(erasure.preview(state.start, ids, paths), as_json=False, quiet=False)
        click.confirm("Erase this for good?", abort=True, err=True)
    _show(erasure.forget(state.start, ids, paths), as_json=as_json, quiet=quiet)


def _show(receipt: erasure.Receipt, *, as_json: bool, quiet: bool) -> None:
    if as_json:
        print_json(receipt)
        return
    verb = "Would erase" if receipt.dry_run else "Erased"
    kinds = [f"{count} {table}{'s' * (count != 1)}" for table, count in receipt.memory.items()]
    kinds += [f"{len(receipt.files)} files"] if receipt.files else []
    click.echo(f"{verb} {', '.join(kinds)}.")
    for path in receipt.files:
        click.echo(f"    {line(path)}")
    if not receipt.dry_run:
        click.echo(f"Packs removed: {receipt.packs}; backups replaced: {receipt.backups}; snapshots are made again.")
    for one in receipt.related_episodes:
        click.echo(f"Not erased: episode {line(one)} is about these files.")
    for one in () if quiet else receipt.remaining:
        warn(f"may still be in {one}")


@click.command()
@click.option("--dry-run", is_flag=True, help="Only list the working trees that are gone.")
@common
@click.pass_obj
def gc(state: State, dry_run: bool, as_json: bool, quiet: bool) -> None:
    """Remove the derived state of working trees that are gone, and texts and vectors that nothing uses.

    What agents wrote stays, and so do the records of runs.
    """
    done = erasure.collect(state.start, dry_run=dry_run)
    if as_json:
        print_json(done)
        return
    verb = "Would remove" if done.dry_run else "Removed"
    for name in done.checkouts:
        click.echo(f"{verb} {line(name)}")
    if not quiet and not done.dry_run:
        freed = f"{done.bytes_freed / 1024 / 1024:.1f} MB"
        click.echo(f"{len(done.checkouts)} working trees and {done.vectors} unused vectors removed; {freed} freed.")
