"""A search over all vectors of a corpus, used only once every chunk has one.

Each part of the corpus has its vectors in one array: for a snapshot in a file beside it, named by its content and the
model; for an overlay, in memory.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
from blake3 import blake3

from clew.model.errors import SnapshotDamaged
from clew.retrieve import nearest
from clew.retrieve.nearest import Matrix
from clew.store import heads
from clew.store.arrays import Array, map_arrays, write_arrays
from clew.store.corpus import SWEEP_AGE, Corpus, CorpusPart
from clew.store.database import Where
from clew.store.files import Files
from clew.store.quantised import unpack
from clew.store.snapshot import DIGEST_BYTES as TEXT_BYTES
from clew.store.snapshot import Postings
from clew.store.vectors import Vectors

SUFFIX = ".vectors"
FORMAT = "vectors-1"
WHILE_ASKED = 5_000  # chunks whose vectors are brought together while somebody waits; more only in advance
PARTS_KEPT = 4


class NearestChunk(NamedTuple):
    """A chunk of a part of the corpus, and its cosine to the question."""

    part: int
    chunk: int
    similarity: float


class Everything:
    def __init__(self, directory: Path, where: Where, files: Files, vectors: Vectors, model: str) -> None:
        """`directory` is where snapshots lie."""
        self._directory = heads.folder(directory, where)
        self._files = files
        self._vectors = vectors
        self._model = model
        self._kept: dict[str, Matrix] = {}

    def search(
        self, corpus: Corpus, question: Array, limit: int, allowed: Sequence[Array] | None = None
    ) -> list[NearestChunk] | None:
        """The nearest chunks of all, or None while some have no vector; `allowed` has a mask for each part."""
        matrices = self._whole(corpus, WHILE_ASKED)
        if matrices is None:
            return None
        found: list[NearestChunk] = []
        for i, matrix in matrices.items():
            live = corpus.parts[i].live
            mask = live if allowed is None else live & allowed[i]
            best = nearest.nearest(matrix, question, limit, mask)
            found += [NearestChunk(i, int(n), float(s)) for n, s in zip(best.numbers, best.scores, strict=True)]
        return sorted(found, key=lambda near: (-near.similarity, near.part, near.chunk))[:limit]

    def prepare(self, corpus: Corpus) -> bool:
        """Have everything at hand for questions; False while some chunks have no vector."""
        whole = self._whole(corpus, corpus.chunks) is not None
        if whole:
            self._sweep({self._name(part.postings) for part in corpus.parts})
        return whole

    def _whole(self, corpus: Corpus, most: int) -> dict[int, Matrix] | None:
        """The vectors of each part that holds any; those of more chunks than `most` only if they were prepared."""
        found: dict[int, Matrix] = {}
        for i, part in enumerate(corpus.parts):
            if not part.live.any():
                continue
            name = self._name(part.postings)
            matrix = self._kept.get(name) or self._load(name)
            if matrix is None or not _covers(matrix, part):
                matrix = self._make(name, part) if int(part.live.sum()) <= most else None
            if matrix is None:
                return None
            self._kept = {**dict([*self._kept.items()][1 - PARTS_KEPT :]), name: matrix}
            found[i] = matrix
        return found

    def _load(self, name: str) -> Matrix | None:
        arrays = map_arrays(self._directory / f"{name}{SUFFIX}")
        try:
            return nearest.from_arrays(arrays) if arrays else None
        except SnapshotDamaged:  # made anew of the store
            return None

    def _make(self, name: str, part: CorpusPart) -> Matrix | None:
        digests = [*self._digests(part)]
        packed = self._vectors.get([digest for digest in digests if digest])
        there = np.array([digest in packed for digest in digests], np.bool_)
        if not there[part.live].all():
            return None
        held = unpack([packed[digest] for digest in digests if digest in packed])
        rows = np.zeros((len(digests), held.rows.shape[1]), np.int8)
        rows[there] = held.rows
        made = nearest.matrix(rows)
        if len(digests) > WHILE_ASKED:
            with suppress(OSError):  # where it cannot be kept, it serves this process alone
                write_arrays(self._directory / f"{name}{SUFFIX}", nearest.to_arrays(made))
        return made

    def _digests(self, part: CorpusPart) -> Iterator[bytes]:
        """By chunk; empty for one that no longer holds, or of which none is known."""
        contents = {one.path: one for one in self._files.contents()}
        marked = self._vectors.embedded_files(self._model)
        counts = np.diff(part.postings.first_of).tolist()
        for i, path in enumerate(part.postings.paths):
            content = contents.get(path) if part.files[i] else None
            known = marked.get(content.file) if content else None
            own = [*known.each()] if known and content and known.version == content.version else []
            yield from own if len(own) == counts[i] else [b""] * counts[i]

    def _name(self, postings: Postings) -> str:
        """Named by everything that the rows of its chunks depend on."""
        held = blake3(f"{FORMAT} {self._model}".encode())
        held.update(np.ascontiguousarray(postings.digests[:, :TEXT_BYTES]).tobytes())
        held.update("\0".join(postings.paths).encode())
        return held.hexdigest()[:32]

    def _sweep(self, keep: set[str]) -> None:
        """Remove the files of older snapshots and of other models: those can be rebuilt from the store."""
        for file in self._directory.glob(f"*{SUFFIX}"):
            with suppress(OSError):  # another process swept it, or has it open where that forbids removing
                if file.stem not in keep and file.stat().st_mtime < time.time() - SWEEP_AGE:
                    file.unlink()


def _covers(matrix: Matrix, part: CorpusPart) -> bool:
    """Whether each chunk that holds now has its vector there; one that was gone when it was made may be back."""
    there = np.zeros(part.postings.chunks, np.bool_)
    there[matrix.order if len(matrix.order) else slice(None)] = matrix.lengths > 0
    return bool(there[part.live].all())
