"""The configured embedder of a checkout: similarity to a question, search over all vectors, vectors in advance."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from clew.retrieve.filling import Clock, Filled, Filler, Report
from clew.retrieve.semantic import SemanticIndex
from clew.retrieve.source_cache import Holder
from clew.retrieve.vector_scan import Everything
from clew.runtime.settings import OWN, Embedding
from clew.store.corpus import Corpus
from clew.store.database import Database, Where
from clew.store.files import Files
from clew.store.vectors import Vectors
from clew.text.embedders import embedder


class Meaning(NamedTuple):
    semantic: SemanticIndex
    everything: Everything
    filler: Filler
    is_own: bool = False  # the bundled model, whose vectors are in snapshots

    @property
    def model(self) -> str:
        """The key under which its vectors are stored."""
        return self.semantic.model

    def fill(self, corpus: Callable[[], Corpus], holder: str, report: Report) -> bool:
        """Make all that is missing; whether all chunks have a vector now, which another process may have prevented."""
        return self.filler.fill(self.semantic, holder, report) and self.everything.prepare(corpus())

    def state(self) -> Filled:
        return self.filler.state(self.model)


def make_meaning(
    settings: Embedding, db: Database, where: Where, snapshots: Path, held: Holder, keeps: bool, now: Clock
) -> Meaning | None:
    """None if no model is configured; an embedder that lacks something says so. `keeps`: whether vectors are stored."""
    made = embedder(settings)
    if made is None:
        return None
    files, vectors = Files(db, where), Vectors(db, where)
    semantic = SemanticIndex(made, held, vectors, keeps=keeps)
    everything = Everything(snapshots, where, files, vectors, semantic.model)
    filler = Filler(db, where, settings.batch_size, now)
    return Meaning(semantic, everything, filler, is_own=settings.model == OWN)
