"""Vectors for all chunks of a checkout, made in advance: answers do not change by it, they come sooner.

It may be stopped at any moment; the next one goes on where it stopped. One at a time works on a checkout.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from clew.model.run import Progress
from clew.retrieve.semantic import SemanticIndex, texts_of
from clew.store.database import Database, Durability, Where
from clew.store.files import Content, Files
from clew.store.leases import Lease, Leases
from clew.store.vectors import Embedded, Vectors

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
