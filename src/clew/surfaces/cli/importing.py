"""The past of a project, imported from git."""

import os

import click

from clew.engine import Engine, now
from clew.history.git_import import ImportReport, ImportRequest
from clew.history.moments import Moments
from clew.model.errors import InvalidInput
from clew.model.time import to_iso
from clew.surfaces.cli.embedding import LAST
from clew.surfaces.cli.indexing import progress
from clew.surfaces.cli.output import print_json, warn
from clew.surfaces.cli.state import State, common

COMMITS = 1000  # that are imported by default


@click.group(name="history")
def history() -> None:
    """Import the past of files and symbols from git's commits."""


@history.command(name="import")
@click.option("--commits", type=click.IntRange(1), help=f"At most this many of the newest commits (default {COMMITS}).")
@click.option("--since", default="", help='None before this time, commit or tag: "2024-01-01", "1 year ago", v1.0.')
@click.option("--all", "everything", is_flag=True, help="All commits of the branch.")
@click.option("--max-seconds", type=click.FloatRange(0, min_open=True), help="Stop after so many seconds.")
@click.option(
    "--max-megabytes", type=click.FloatRange(0, min_open=True), help="Stop once the database grew by so much."
)
@click.option("--background", is_flag=True, hidden=True, help="Let everybody else go first.")
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

    Follows the first parents of merges. Nothing is checked out, and each content is parsed once. The import may be
    interrupted; run it again to go on. The current state does not change.

    \b
    clew history import --commits 500
    clew history import --since "1 year ago"
    """
    if everything and (commits or since):
        raise InvalidInput("--all excludes --commits and --since", "Name one of them.")
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
    """Link the rest of a past state, which answers did not wait for."""
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
