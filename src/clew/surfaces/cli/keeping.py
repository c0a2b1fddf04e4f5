"""Exports and backups: made, listed, checked and restored."""

import errno
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import click

from clew import ground_state
from clew.model.errors import ClewError, DiskFull, InvalidInput
from clew.store.export_file import OPENING
from clew.surfaces.cli.embedding import LAST
from clew.surfaces.cli.output import print_json
from clew.surfaces.cli.state import State, common

_ZSTD = b"\x28\xb5\x2f\xfd"


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False))
@click.option("--only-memory", is_flag=True, help="Only what agents wrote and the runs; without the versions of files.")
@click.option("--derived", is_flag=True, help="Also what can be derived again: words, vectors, history.")
@click.option("--preferences", is_flag=True, help="Also your own preferences, which hold in all of your projects.")
@common
@click.pass_obj
def export(
    state: State, file: Path | None, only_memory: bool, derived: bool, preferences: bool, as_json: bool, quiet: bool
) -> None:
    """Write everything that cannot be derived again as JSON lines: episodes, learnings, notes, claims, tasks, packs,
    runs, and the versions of files.

    Without FILE, to standard output. Others may go on writing meanwhile: the export is as of one moment. Read it back
    with `clew import FILE`, on SQLite or PostgreSQL. The format is documented in docs/data.md.
    """
    if only_memory and derived:
        raise InvalidInput("--only-memory excludes --derived", "Name one of them.")
    scope = "agents" if only_memory else "all" if derived else "ground"
    if file is None:
        if sys.stdout.isatty():
            raise InvalidInput("the export would fill this terminal", "Name a file: clew export FILE")
        ground_state.export(state.start, sys.stdout.buffer, scope, preferences=preferences)
        sys.stdout.flush()
        return
    done = _export(state, file, scope, preferences=preferences)
    if as_json:
        print_json(done)
    elif not quiet:
        click.echo(f"exported {sum(done.rows.values()):,} rows of {len(done.rows)} kinds to {file}")


def _export(state: State, file: Path, scope: str, *, preferences: bool) -> ground_state.Export:
    """Beside its name at first: an export is there as a whole or not at all."""
    part = file.with_name(f"{file.name}.{os.getpid()}.part")
    try:
        with part.open("xb") as out:
            part.chmod(0o600)  # it holds what agents wrote
            done = ground_state.export(state.start, out, scope, preferences=preferences)
            out.flush()
            os.fsync(out.fileno())
        part.replace(file)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise DiskFull(f"the disk that holds {file} is full") from error
        raise InvalidInput(f"{file} cannot be written: {error.strerror}", "Name another file.") from error
    finally:
        part.unlink(missing_ok=True)
    return done


def is_export(file: Path) -> bool:
    """Whether a file looks like an export or a backup."""
    try:
        with file.open("rb") as opened:
            return _begins(opened)
    except OSError:
        return False


def _begins(opened: BinaryIO) -> bool:
    opening = opened.read(len(OPENING))
    return opening == OPENING or opening.startswith(_ZSTD)


def restore(state: State, file: Path, *, replace: bool, as_json: bool, quiet: bool) -> None:
    done = ground_state.import_file(state.start, file, replace=replace)
    if as_json:
        print_json(done)
        return
    click.echo(f"restored {sum(done.rows.values()):,} rows of {len(done.rows)} kinds")
    if not quiet and done.scope != "all":
        click.echo("Run `clew index` now: what is derived from the files is made again.", err=True)


@click.group(invoke_without_command=True)
@click.option("--background", is_flag=True, hidden=True, help="Only if one is due, after everybody else.")
@common
@click.pass_context
def backup(context: click.Context, background: bool, as_json: bool, quiet: bool) -> None:
    """Make a backup of everything that cannot be derived again, restore it on trial, and keep the newest ones.

    Backups are compressed exports in .clew/backups; others may go on writing meanwhile. With `backup_enabled` under
    [storage] they are made every `backup_interval_hours` while Clew runs, and the newest `backup_keep` are kept.
    Copy them to another disk: `.clew` is lost with the checkout.
    """
    if context.invoked_subcommand:
        return
    state: State = context.obj
    if background:
        if hasattr(os, "nice"):
            os.nice(LAST)
        with suppress(ClewError):  # the next one is due soon
            ground_state.back_up_if_due(state.start)
        return
    made = ground_state.back_up(state.start)
    if as_json:
        print_json(made)
    elif not quiet:
        click.echo(f"backup {made.name}, {made.bytes / 1024 / 1024:.1f} MB, verified; in {made.path.parent}")


@backup.command(name="list")
@common
@click.pass_obj
def list_(state: State, as_json: bool, quiet: bool) -> None:
    """List the backups that are kept, the newest first."""
    kept = ground_state.backups(state.start)
    if as_json:
        print_json(kept)
        return
    for one in kept:
        click.echo(f"{one.name}  {one.made_at}  {one.bytes / 1024 / 1024:.1f} MB")
    if not kept and not quiet:
        click.echo("There is no backup. Make one: clew backup", err=True)


@backup.command()
@click.argument("name", default="")
@common
@click.pass_obj
def verify(state: State, name: str, as_json: bool, quiet: bool) -> None:
    """Restore a backup on trial, by default the newest, and count its rows."""
    done = ground_state.verify(ground_state.find_backup(state.start, name).path)
    if as_json:
        print_json(done)
    elif not quiet:
        click.echo(f"whole: {sum(done.rows.values()):,} rows of {len(done.rows)} kinds")


@backup.command(name="restore")
@click.argument("name", default="")
@click.option("--yes", is_flag=True, help="Do not ask.")
@common
@click.pass_obj
def restore_(state: State, name: str, yes: bool, as_json: bool, quiet: bool) -> None:
    """Put a backup, by default the newest, in place of the current state; of that, a backup is made before."""
    chosen = ground_state.find_backup(state.start, name)
    if not yes:
        if not sys.stdin.isatty():
            raise InvalidInput("restoring replaces what agents wrote since", "Say that it is meant: --yes")
        click.confirm(f"Replace the current state by {chosen.name}?", abort=True, err=True)
    restore(state, chosen.path, replace=True, as_json=as_json, quiet=quiet)
