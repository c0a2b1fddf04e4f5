"""The vectors nearest to one: by looking at all of them, or, where they are many, at those in the nearest cells.

Pure. Scores are cosines of whole numbers, summed without rounding: neither order, company nor machine changes one.
"""

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
from blake3 import blake3

from clew.model.errors import SnapshotDamaged
from clew.store import heads
from clew.store.arrays import Array, map_arrays, write_arrays
from clew.store.chunk_vectors import HIGHEST, Bytes, Floats, unpack
from clew.store.corpus import SWEEP_AGE, Corpus, CorpusPart
from clew.store.database import Where
from clew.store.files import Files
from clew.store.snapshot import DIGEST_BYTES as TEXT_BYTES
from clew.store.snapshot import Postings
from clew.store.vectors import Vectors

EXACT_UP_TO = 100_000  # vectors; looking at all of so many takes 10 ms, of ten times as many 200 (`make bench-vectors`)
PROBES = 96  # cells that are looked into: 98 to 99 of 100 of the nearest are found, in 16 ms at a million vectors
BLOCK = 256  # rows that are made floats at a time: so many stay in the nearest cache
SPARE = 64  # candidates beyond those asked for, so that rounding decides nothing
ASKED_HIGHEST = 32767  # a question is compared in sixteen bits

_ROUNDS = 8  # of k-means
_SAMPLE = 48  # vectors per cell that cells are found by
_SEED = 42


class NearestVectors(NamedTuple):
    """Numbers of vectors, nearest first and then by number, and their cosines."""

    numbers: Array
    scores: Array


class Matrix(NamedTuple):
    """Rows, and their lengths; a length of 0 is of a vector that is not there.

    With cells, rows lie cell by cell: `order` says which vector each is, `starts` where each cell begins, and the end.
    """

    rows: Bytes
    lengths: Floats
    order: Array
    starts: Array
    centres: Floats


def quantise_question(question: Floats) -> Array:
    """A question's vector, ready to be compared."""
    return np.rint(question.astype(np.float64) * (ASKED_HIGHEST / max(float(np.abs(question).max()), 1e-30)))


def cosines(rows: Bytes, question: Array) -> Array:
    """Exact up to the last division: products and sums of whole numbers below 2**53."""
    length = math.sqrt(float(question @ question))
    found: Array = rows.astype(np.float64) @ question / (np.maximum(lengths(rows), 1e-30) * max(length, 1e-30))
    return found


def all_cosines(rows: Bytes, lengths: Floats, question: Array) -> Floats:
    """Cosines of many vectors with a question quantized to eight bits. Sums of integers below 2**24 are exact in
    single precision.
    """
    wanted = np.rint(question * (HIGHEST / ASKED_HIGHEST)).astype(np.float32)
    found = _products(rows, wanted)
    found /= np.maximum(lengths * np.sqrt(wanted @ wanted), np.float32(1e-30))
    return found


def alike(rows: Bytes) -> Array:
    """The cosine of each row to each other; as exact."""
    whole = rows.astype(np.float64)
    own = np.maximum(lengths(rows), 1e-30)
    found: Array = (whole @ whole.T) / np.outer(own, own)
    return found


def lengths(rows: Bytes) -> Array:
    squares: Array = np.einsum("ij,ij->i", rows, rows, dtype=np.int32)
    return np.sqrt(squares)


def matrix(rows: Bytes) -> Matrix:
    """With cells, if there are many."""
    found = lengths(rows)
    if len(rows) <= EXACT_UP_TO:
        none = np.zeros(0, np.uint32)
        return Matrix(rows, found.astype(np.float32), none, none, np.zeros((0, rows.shape[1]), np.float32))
    centres = _centres(rows)
    cell_of = _cells(rows, centres)
    order = np.argsort(cell_of, kind="stable").astype(np.uint32)
    starts = np.searchsorted(cell_of[order], np.arange(len(centres) + 1)).astype(np.uint32)
    return Matrix(rows[order], found[order].astype(np.float32), order, starts, centres)


def nearest(
    among: Matrix, question: Array, limit: int, allowed: Array | None = None, probes: int = PROBES
) -> NearestVectors:
    """The best `limit` vectors, of those allowed."""
    spans = _spans(among, question, probes)
    rows = np.concatenate([np.arange(start, end) for start, end in spans] or [np.zeros(0, np.int64)])
    rough = _rough(among, question, spans)
    numbers = among.order[rows] if len(among.order) else rows
    rough[among.lengths[rows] == 0] = -np.inf
    if allowed is not None:
        rough[~allowed[numbers]] = -np.inf
    best = _largest(rough, limit + SPARE)
    scores = cosines(among.rows[rows[best]], question)
    ranked = np.lexsort((numbers[best], -scores))[:limit]
    return NearestVectors(numbers[best][ranked].astype(np.int64), scores[ranked])


def to_arrays(found: Matrix) -> dict[str, Array]:
    return found._asdict()


def from_arrays(arrays: Mapping[str, Array]) -> Matrix:
    return Matrix(**{name: arrays[name] for name in Matrix._fields})


def _spans(among: Matrix, question: Array, probes: int) -> list[tuple[int, int]]:
    """Which rows to look at: all, or those of the nearest cells."""
    if not len(among.centres):
        return [(0, len(among.rows))]
    near = _largest(among.centres @ question.astype(np.float32), probes)
    return [(int(among.starts[cell]), int(among.starts[cell + 1])) for cell in np.sort(near)]


def _rough(among: Matrix, question: Array, spans: list[tuple[int, int]]) -> Floats:
    """Cosines, but for a factor, in single precision."""
    wanted = question.astype(np.float32)
    parts = [_products(among.rows[start:end], wanted) for start, end in spans]
    seen = np.concatenate([among.lengths[start:end] for start, end in spans] or [np.zeros(0, np.float32)])
    found: Floats = np.concatenate(parts or [np.zeros(0, np.float32)]) / np.maximum(seen, np.float32(1e-30))
    return found


def _products(rows: Bytes, wanted: Floats) -> Floats:
    block = np.empty((BLOCK, rows.shape[1]), np.float32)
    found = np.empty(len(rows), np.float32)
    for at in range(0, len(rows), BLOCK):
        some = block[: min(BLOCK, len(rows) - at)]
        some[:] = rows[at : at + len(some)]
        np.matmul(some, wanted, out=found[at : at + len(some)])
    return found


def _largest(values: Array, count: int) -> Array:
    """Where the largest are; those that are minus infinity are none."""
    found = np.argpartition(-values, count - 1)[:count] if count < len(values) else np.arange(len(values))
    return found[values[found] > -np.inf]


def _centres(rows: Bytes) -> Floats:
    """Cell centers by k-means on a sample, by angle; their number is the square root of the number of vectors."""
    count = int(math.sqrt(len(rows)))
    chosen = np.random.default_rng(_SEED).permutation(len(rows))[: count * _SAMPLE]
    sample = _unit(rows[np.sort(chosen)].astype(np.float32))
    centres = sample[:: len(sample) // count][:count].copy()
    for _ in range(_ROUNDS):
        cell_of = _cells(sample, centres)
        order = np.argsort(cell_of, kind="stable")
        filled, starts = np.unique(cell_of[order], return_index=True)
        centres[filled] = _unit(np.add.reduceat(sample[order], starts))  # an empty cell keeps its centre
    return centres


def _cells(rows: Array, centres: Floats) -> Array:
    """The nearest cell of each row."""
    size = BLOCK * 16
    parts = [(rows[at : at + size].astype(np.float32) @ centres.T).argmax(axis=1) for at in range(0, len(rows), size)]
    return np.concatenate(parts or [np.zeros(0, np.int64)])


def _unit(rows: Floats) -> Floats:
    lengths: Floats = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-30))
    found: Floats = rows / lengths
    return found


# A search over all vectors of a corpus, used only once every chunk has one.

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
            best = nearest(matrix, question, limit, mask)
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
            return from_arrays(arrays) if arrays else None
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
        made = matrix(rows)
        if len(digests) > WHILE_ASKED:
            with suppress(OSError):  # where it cannot be kept, it serves this process alone
                write_arrays(self._directory / f"{name}{SUFFIX}", to_arrays(made))
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
