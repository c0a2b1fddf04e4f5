"""Models from the command line: vectors made in advance or forgotten, summaries written by a language model."""

import os
import sys

import click

from clew.engine import Engine
from clew.model.errors import InvalidInput
from clew.runtime.settings import OWN
from clew.surfaces.cli.indexing import progress
from clew.surfaces.cli.output import print_json, warn
from clew.surfaces.cli.state import State, common


@click.command()
@click.option("--yes", is_flag=True, help="Do not ask before texts are sent.")
@click.option("--dry-run", is_flag=True, help="Only show what it would cost.")
@click.option("--limit", type=click.IntRange(0), default=0, help="At most this many summaries; 0: all.")
@common
@click.pass_obj
def summarize(state: State, /, yes: bool, dry_run: bool, limit: int, as_json: bool, quiet: bool) -> int:
    """Let the model under [summaries] write a sentence about each symbol, file and main part. The cost is shown first;
    what is done is kept, and only changed code is summarized again.

    \b
    clew summarize --dry-run
    clew summarize --yes --limit 500
    """
    from clew.text.summarizer import Summarizer
    from clew.tools.summarizing import find_missing
    from clew.tools.summarizing import summarize as write

    with Engine.open(state.start, create=False) as engine:
        summarizer = Summarizer(engine.config.summaries)
        engine.require_index()
        engine.refresh()
        lacking, wanted = find_missing(engine, limit)
        cost = summarizer.cost(lacking)
        price = f", about {cost.price:.2f} by the configured price" if cost.price else ""
        said = (
            f"{cost.pieces:,} summaries by {summarizer.model} at {engine.config.summaries.base_url}: "
            f"{cost.requests:,} requests, about {cost.tokens:,} tokens{price}."
        )
        if not (as_json or quiet):
            click.echo(said)
        written = 0
        if lacking and not dry_run:
            if not yes and not _confirm_sending():
                raise InvalidInput("nothing was sent", "Run it with --yes, or on a terminal.")
            written = write(engine, summarizer, lacking, wanted, lambda done: None)
    if as_json:
        print_json({**cost._asdict(), "written": written})
    elif not quiet and not dry_run:
        rest = cost.pieces - written
        click.echo(
            f"{written:,} written{f'; {rest:,} without a usable answer keep their derived ones' if rest else ''}."
        )
    return 0


def _confirm_sending() -> bool:
    return sys.stdin.isatty() and click.confirm("Send them?")


LAST = 19  # of those who want the processor


@click.command()
@click.option("--forget", default="", help="Drop the vectors of this model, as `clew status` names it, and stop.")
@click.option("--background", is_flag=True, hidden=True, help="Let everybody else go first.")
@common
@click.pass_obj
def embed(state: State, forget: str, background: bool, as_json: bool, quiet: bool) -> None:
    """Make the vectors that are missing, by the model that [embedding] names. It goes on where it was stopped."""
    if background and hasattr(os, "nice"):
        os.nice(LAST)
    with Engine.open(state.start) as engine:
        if forget:
            _forget(engine, forget)
        elif engine.config.embedding.model == OWN:
            warn("the vectors of the model in the package come with the index: there is nothing to make")
        elif engine.meaning is None:
            raise InvalidInput(
                "no embedding model is configured",
                "Set CLEW_EMBEDDING_MODEL, or model under [embedding] in your configuration.",
            )
        elif not engine.config.embedding.cache_enabled:
            raise InvalidInput("storing vectors is disabled", "Set cache_enabled under [embedding] to true.")
        else:
            with progress(engine.config.bootstrap, "embedding", "chunks", quiet=quiet or as_json) as report:
                if not engine.embed(report) and not quiet:
                    warn("another process is computing them, or files changed meanwhile; see `clew status`")
        counts = engine.vectors.counts()
    if as_json:
        print_json({"vectors": counts})
    elif not quiet:
        for model, count in counts.items():
            click.echo(f"{count:,} vectors by {model}")


def _forget(engine: Engine, model: str) -> None:
    known = engine.vectors.counts()
    if model not in known:
        raise InvalidInput(f"there are no vectors of {model!r}", f"Models with vectors: {', '.join(known) or 'none'}.")
    engine.vectors.forget(model)
