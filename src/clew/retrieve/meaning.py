"""The configured embedder of a checkout: similarity to a question, search over all vectors, vectors in advance."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from clew.model.code import Chunk
from clew.model.errors import EmbedderFailed, Unavailable
from clew.model.run import Progress
from clew.retrieve import nearest
from clew.retrieve.nearest import Everything
from clew.retrieve.source_cache import Holder
from clew.runtime.settings import OWN, Embedding
from clew.store.arrays import Array
from clew.store.chunk_vectors import Bytes, Floats, quantise, unpack
from clew.store.corpus import Corpus
from clew.store.database import Database, Durability, Where
from clew.store.files import Content, Files, IndexedFile
from clew.store.leases import Lease, Leases
from clew.store.vectors import Embedded, Vectors, digest_of
from clew.text.embedders import Embedder, embedder, is_quick

WORDING = "text-1"  # of what is embedded of a chunk; a change embeds everything anew
LONGEST = 1200  # characters of code: a model reads some 256 tokens, and code has few letters to a token

QUESTIONS_KEPT = 256
FILES_KEPT = 4096
TEXTS_KEPT = 4096  # of other texts, as those of episodes, with a quick model

log = logging.getLogger(__name__)


class VectorKey(NamedTuple):
    """A chunk: the path of its file, the digest of that file's text, and its number there."""

    path: str
    digest: bytes
    ordinal: int


def text_of(path: str, label: str, code: str) -> str:
    """The text of a chunk that is embedded: its name, its path, and its beginning: signature and doc, then code."""
    return f"{label}\n{path}\n{code[:LONGEST]}"


def texts_of(held: IndexedFile) -> list[str]:
    """Texts of all chunks of a file."""
    text = held.first_bytes(max((chunk.span.end for chunk in held.chunks), default=0))
    return [_text_of(held.content.path, chunk, text) for chunk in held.chunks]


def _text_of(path: str, chunk: Chunk, text: bytes) -> str:
    return text_of(
        path, chunk.label or path.rpartition("/")[2], _first_characters(text, chunk.span.start, chunk.span.end)
    )


def _first_characters(text: bytes, start: int, end: int) -> str:
    """Enough bytes for the longest text, in any script."""
    return text[start : min(end, start + 4 * LONGEST)].decode("utf-8", "replace")


class SemanticIndex:
    """One embedder over the chunks of one checkout. Any thread may use it."""

    def __init__(self, embedder: Embedder, held: Holder, vectors: Vectors, *, keeps: bool) -> None:
        """`keeps`: whether new vectors are stored."""
        self.model = f"{embedder.name} {WORDING}"
        self._embedder = embedder
        self._held = held
        self._vectors = vectors
        self._keeps = keeps
        self.is_quick = is_quick(embedder)
        self._digests = lru_cache(FILES_KEPT)(self._read_digests)
        self._quick: dict[str, Bytes] = {}
        self.asked = lru_cache(QUESTIONS_KEPT)(self._embed_question)

    def similarities(self, question: str, places: Sequence[VectorKey]) -> Array:
        """The cosine of each chunk to the question, from -1 to 1."""
        return nearest.cosines(self._at(places), self.asked(question)) if places else np.zeros(0)

    def near(self, question: str, texts: Sequence[str]) -> Array:
        """The cosine of each text to the question."""
        if not texts:
            return np.zeros(0)
        if self.is_quick:
            return nearest.cosines(self._quick_rows(texts), self.asked(question))
        return nearest.cosines(self._rows(self.digests(texts), texts.__getitem__), self.asked(question))

    def _quick_rows(self, texts: Sequence[str]) -> Bytes:
        """Remembered, since the same texts are compared with one question after the other."""
        held = self._quick
        new = list(dict.fromkeys(text for text in texts if text not in held))
        made = dict(zip(new, quantise(self._embed(new)).rows, strict=True)) if new else {}
        rows = [held[text] if text in held else made[text] for text in texts]
        if new:
            kept = held if len(held) + len(made) <= TEXTS_KEPT else {}
            self._quick = {**kept, **made}
        return np.stack(rows)

    def alike(self, places: Sequence[VectorKey]) -> Array:
        """The cosine of each chunk to each other."""
        return nearest.alike(self._at(places))

    def _at(self, places: Sequence[VectorKey]) -> Bytes:
        digests = [self._digests(place.path, place.digest)[place.ordinal] for place in places]
        return self._rows(digests, lambda number: self._text(places[number]))

    def _rows(self, digests: Sequence[bytes], text: Callable[[int], str]) -> Bytes:
        """Vectors by key; missing ones are computed and stored."""
        packed = self._vectors.get(digests)
        lacking = {digest: number for number, digest in enumerate(digests) if digest not in packed}
        made = self.make({digest: text(number) for digest, number in lacking.items()})
        self._keep(made)
        found = {**packed, **made}
        return unpack([found[digest] for digest in digests]).rows

    def make(self, texts: Mapping[bytes, str]) -> dict[bytes, bytes]:
        """Vectors of texts by their digests, quantised."""
        if not texts:
            return {}
        return dict(zip(texts, quantise(self._embed(list(texts.values()))).pack(), strict=True))

    def _keep(self, made: Mapping[bytes, bytes]) -> None:
        if not (made and self._keeps):
            return
        try:
            self._vectors.put(self.model, made)
        except Unavailable as error:  # who may only read, or finds the disk full, computes again next time
            log.info("vectors are not kept: %s", error.message)

    def digests(self, texts: Iterable[str]) -> list[bytes]:
        return [digest_of(self.model, text) for text in texts]

    def _embed(self, texts: Sequence[str]) -> Floats:
        """Invalid vectors must neither be stored nor compared: no score would be valid."""
        vectors = self._embedder.embed(texts)
        if vectors.ndim != 2 or len(vectors) != len(texts) or not np.isfinite(vectors).all():
            raise EmbedderFailed(f"{self._embedder.name} gave something other than a vector for each text")
        return vectors

    def _embed_question(self, question: str) -> Array:
        return nearest.quantise_question(self._embed([question])[0])

    def _read_digests(self, path: str, digest: bytes) -> tuple[bytes, ...]:
        return tuple(self.digests(texts_of(self._held.get(path, digest))))

    def _text(self, place: VectorKey) -> str:
        opened = self._held.opened(place.path, place.digest)
        chunk = opened.held.chunks[place.ordinal]
        return _text_of(place.path, chunk, opened.text(chunk.span.end))


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
