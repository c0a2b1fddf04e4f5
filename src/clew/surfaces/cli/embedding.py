"""Vectors, made in advance or forgotten."""

import os

import click

from clew.engine import Engine
from clew.model.errors import InvalidInput
from clew.runtime.settings import OWN
from clew.surfaces.cli.indexing import progress
from clew.surfaces.cli.output import print_json, warn
from clew.surfaces.cli.state import State, common

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
