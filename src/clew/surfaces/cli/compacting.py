"""The record of time, shortened on request."""

import re

import click

from clew.engine import Engine, now
from clew.history.compact import CompactionReport
from clew.history.moments import Moments
from clew.model.errors import InvalidInput
from clew.model.time import to_iso
from clew.surfaces.cli.output import print_json
from clew.surfaces.cli.state import State, common, readable
from clew.text.escaping import line

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
    """Remove versions of files, symbols and edges that ended before the time to keep.

    The current state stays, and so does what agents wrote: episodes, learnings, claims, tasks, packs, transactions.
    `as_of` a commit is still answered, from git.

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
