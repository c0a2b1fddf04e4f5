"""The stored data from the command line: exports, backups, moves to another database, erasure, old versions."""

import errno
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from clew import erasure, ground_state, projects
from clew.engine import Engine, now
from clew.history.compact import CompactionReport
from clew.history.moments import Moments
from clew.model.errors import ClewError, DiskFull, InvalidInput
from clew.model.time import to_iso
from clew.runtime.place import find_place
from clew.runtime.values import Url
from clew.store.export_file import OPENING
from clew.surfaces.cli.models import LAST
from clew.surfaces.cli.output import print_json, warn
from clew.surfaces.cli.state import State, common, readable
from clew.text.escaping import line

if TYPE_CHECKING:
    from clew.memory.preferences import Taken
    from clew.store.moving import Report


_SERVER = Url(schemes=("postgresql", "postgres"))


@click.command()
@click.option("--to", required=True, metavar="URL", help="postgresql://user@host/name, or sqlite for the file.")
@click.option("--preferences", is_flag=True, help="Move your preferences instead of the project; can be repeated.")
@common
@click.pass_obj
def migrate(state: State, to: str, preferences: bool, as_json: bool, quiet: bool) -> None:
    """Move the project to another database: its index, history and agents' records.

    The copy is verified (row counts, graph hash) before it is used. If the move fails, both databases remain
    unchanged. Stop all writers of the project first. Afterwards, set the new location in your configuration, or set
    it in context.toml and accept it with `clew trust`. Preferences belong to you, not to the project: move them
    separately with --preferences, which merges them with existing ones.
    """
    if to != projects.SQLITE and not _is_url(to):
        raise InvalidInput(f"{to!r} is not a database", "Give a URL such as postgresql://user@host/name, or sqlite.")
    if preferences:
        _show_taken(projects.move_preferences(state.start, to), as_json=as_json)
        return
    with _progress(quiet=quiet or as_json) as report:
        moved = projects.move(state.start, to, report)
    if as_json:
        print_json(moved)
        return
    rows = sum(moved.rows.values())
    click.echo(f"moved {moved.project}: {rows} rows in {len(moved.rows)} tables; counts and graph hashes agree")
    for name, sha in moved.graphs.items():
        click.echo(f"  {name}  {sha[:16]}")
    if not quiet:
        click.echo(_next_step(moved.project, to), err=True)
        if to == projects.SQLITE and find_place(state.start, os.environ).tree not in moved.graphs:
            click.echo("No index of this tree was among them: run `clew index` then.", err=True)


def _show_taken(taken: "Taken", *, as_json: bool) -> None:
    if as_json:
        print_json(taken)
        return
    ended = f"; {taken.ended} ended there too" if taken.ended else ""
    click.echo(f"preferences, with their past: {taken.added} came along, {taken.known} were there already{ended}")


def _next_step(project: str, to: str) -> str:
    if to == projects.SQLITE:
        return "Now take url out of [storage] in context.toml (and CLEW_STORAGE_URL out of the environment)."
    shown = _SERVER.mask(to)
    written = f'[project]\nid = "{project}"\n\n[storage]\nurl = "{shown}"'
    return f"Now write into context.toml, and accept it with `clew trust`:\n\n{written}"


def _is_url(text: str) -> bool:
    try:
        return bool(_SERVER.check(text))
    except ValueError:
        return False


@contextmanager
def _progress(*, quiet: bool) -> Iterator["Report"]:
    if quiet or not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console  # only where a person watches
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("moving"), BarColumn(), MofNCompleteColumn(), TextColumn("rows"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("moving", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


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
    """Permanently erase memory by ID (episodes, learnings, notes), or files by --path.

    The data is removed from the database and its free pages, from vectors, snapshots, past states, stored packs and
    backups. Learnings derived from an episode are erased with it. The receipt lists everything that Clew could not
    reach.

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
            raise InvalidInput("erasing cannot be undone", "Check with --dry-run, then confirm with --yes.")
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
@click.option("--dry-run", is_flag=True, help="Only list the working trees that no longer exist.")
@common
@click.pass_obj
def gc(state: State, dry_run: bool, as_json: bool, quiet: bool) -> None:
    """Remove the index of working trees that no longer exist, and texts and vectors that nothing uses.

    Agents' records and the list of runs are kept.
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


MOST_SHOWN = 20
_SPAN = re.compile(r"\d+\s*(?:s|sec|m|min|h|d|w|mo|y|second|minute|hour|day|week|month|year)s?", re.IGNORECASE)


@click.command()
@click.option(
    "--keep", required=True, help='What to keep: a span such as "90 days" or 1y, or everything since a time or commit.'
)
@click.option("--dry-run", is_flag=True, help="Only list what would be removed.")
@common
@click.pass_obj
def compact(state: State, keep: str, dry_run: bool, as_json: bool, quiet: bool) -> None:
    """Delete versions of files, symbols and edges that ended before a time.

    The current state and agents' records (episodes, learnings, claims, tasks, packs, transactions) are kept.
    Questions `as_of` a commit are still answered, from git.

    \b
    clew compact --keep "90 days" --dry-run
    clew compact --keep v1.0
    """
    with Engine.open(state.start, create=False) as engine:
        moment = Moments(engine.place.root, engine.transactions, now)
        wanted = readable(keep.strip())
        cutoff = moment.find(f"{wanted} ago" if _SPAN.fullmatch(wanted) else wanted).time
        if cutoff >= now():
            raise InvalidInput("--keep names no time in the past", 'Say "90 days", or name a commit or a time.')
        done = engine.compact(cutoff, dry_run=dry_run)
    if as_json:
        print_json(done)
    elif not quiet:
        _print(done)


def _print(done: CompactionReport) -> None:
    if not done.versions:
        click.echo(f"Nothing ended before {to_iso(done.cutoff)[:19]}Z: there is nothing to remove.")
        return
    before = f"{to_iso(done.cutoff)[:19]}Z"
    verb = "Would remove" if done.dry_run else "Removed"
    click.echo(
        f"{verb} {done.versions:,} versions of {len(done.files):,} files that ended before {before}, "
        f"and {done.texts:,} texts of {done.text_bytes / 1024 / 1024:.1f} MB that nothing else has."
    )
    if done.dry_run:
        for one in done.files[:MOST_SHOWN]:
            click.echo(f"    {one.versions:5}  {line(one.path)}")
        if (left := len(done.files) - MOST_SHOWN) > 0:
            click.echo(f"    … {left} more files; --json lists them")
    elif done.bytes_freed:
        click.echo(f"The database is {done.bytes_freed / 1024 / 1024:.1f} MB smaller.")


_ZSTD = b"\x28\xb5\x2f\xfd"


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False))
@click.option("--only-memory", is_flag=True, help="Only agents' records and the runs, without the versions of files.")
@click.option("--derived", is_flag=True, help="Also data that can be recomputed: words, vectors, history.")
@click.option("--preferences", is_flag=True, help="Also your own preferences, which apply to all of your projects.")
@common
@click.pass_obj
def export(
    state: State, file: Path | None, only_memory: bool, derived: bool, preferences: bool, as_json: bool, quiet: bool
) -> None:
    """Export everything that cannot be recomputed, as JSON lines: episodes, learnings, notes, claims, tasks, packs,
    runs, and the versions of files.

    Without FILE, writes to standard output. Other processes can keep writing: the export shows one moment. Read it
    back with `clew import FILE`, on SQLite or PostgreSQL. docs/data.md documents the format.
    """
    if only_memory and derived:
        raise InvalidInput("--only-memory excludes --derived", "Use only one of them.")
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
@click.option("--background", is_flag=True, hidden=True, help="Only if a backup is due; at low priority.")
@common
@click.pass_context
def backup(context: click.Context, background: bool, as_json: bool, quiet: bool) -> None:
    """Back up everything that cannot be recomputed, verify the backup by a trial restore, and keep the newest ones.

    Backups are compressed exports in .clew/backups; other processes can keep writing. With `backup_enabled` under
    [storage], a backup is made every `backup_interval_hours` while Clew runs, and the newest `backup_keep` are kept.
    Copy them to another disk: deleting the checkout deletes `.clew`.
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
    """List the backups, the newest first."""
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
    """Verify a backup (default: the newest) by a trial restore, and count its rows."""
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
    """Replace the current state by a backup (default: the newest). The current state is backed up first."""
    chosen = ground_state.find_backup(state.start, name)
    if not yes:
        if not sys.stdin.isatty():
            raise InvalidInput(
                "restoring replaces everything that agents recorded since the backup", "Confirm with --yes."
            )
        click.confirm(f"Replace the current state by {chosen.name}?", abort=True, err=True)
    restore(state, chosen.path, replace=True, as_json=as_json, quiet=quiet)
