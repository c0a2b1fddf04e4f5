"""The configured embedder of a checkout: similarity to a question, search over all vectors, vectors in advance."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from clew.model.run import Progress
from clew.retrieve.nearest import Everything
from clew.retrieve.semantic import SemanticIndex, texts_of
from clew.retrieve.source_cache import Holder
from clew.runtime.settings import OWN, Embedding
from clew.store.corpus import Corpus
from clew.store.database import Database, Durability, Where
from clew.store.files import Content, Files
from clew.store.leases import Lease, Leases
from clew.store.vectors import Embedded, Vectors
from clew.text.embedders import embedder

# Vectors for all chunks of a checkout, made in advance: answers do not change by it, they come sooner.

EMBEDDING = "embed"  # the lease of who fills

Clock = Callable[[], int]
Report = Callable[[Progress], None]


class Filled(NamedTuple):
    """How many chunks of the current view have a vector, of all there are."""

    chunks: int
    total: int


class Filler:
    def __init__(self, db: Database, where: Where, batch: int, now: Clock) -> None:
        """`batch`: how many texts are embedded together."""
        self._db = db
        self._files = Files(db, where)
        self._vectors = Vectors(db, where)
        self._leases = Leases(db, where)
        self._batch = batch
        self._now = now

    def state(self, model: str) -> Filled:
        marked = self._vectors.embedded_files(model)
        done = [marked[one.file] for one in self._files.contents() if _is_marked(one, marked)]
        return Filled(sum(len(one.digests) for one in done) // 16, self._files.totals().chunks)

    def fill(self, semantic: SemanticIndex, holder: str, report: Report) -> bool:
        """Embed missing chunks; False if another process is doing it."""
        lease = self._leases.acquire(EMBEDDING, holder, self._now())
        if lease is None:
            return False
        try:
            self._work(semantic, lease, report)
        finally:
            self._leases.release(lease, self._now())
        return True

    def _work(self, semantic: SemanticIndex, lease: Lease, report: Report) -> None:
        done, total = self.state(semantic.model)
        for files, texts in self._batches(semantic):
            missing = self._vectors.find_missing(list(texts))
            for at in range(0, len(missing), self._batch):
                made = semantic.make({digest: texts[digest] for digest in missing[at : at + self._batch]})
                self._renew(lease)
                self._vectors.put(semantic.model, made)
            self._vectors.mark(semantic.model, files)
            done += sum(len(one.digests) for one in files) // 16
            report(Progress(done, total, ""))

    def _batches(self, semantic: SemanticIndex) -> Iterator[tuple[list[Embedded], dict[bytes, str]]]:
        """Files that are not marked, some at a time, with the texts of their chunks."""
        marked = self._vectors.embedded_files(semantic.model)
        files: list[Embedded] = []
        texts: dict[bytes, str] = {}
        for content in self._files.contents():
            if _is_marked(content, marked):
                continue
            own = texts_of(self._files.find_text(content.path, content.text))
            digests = semantic.digests(own)
            texts.update(zip(digests, own, strict=True))
            files.append(Embedded(content.file, content.version, b"".join(digests)))
            if len(texts) >= self._batch:
                yield files, texts
                files, texts = [], {}
        if files:
            yield files, texts

    def _renew(self, lease: Lease) -> None:
        with self._db.transaction(Durability.DERIVED):
            self._leases.renew(lease, self._now())


def _is_marked(content: Content, marked: dict[int, Embedded]) -> bool:
    known = marked.get(content.file)
    return known is not None and known.version == content.version


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
