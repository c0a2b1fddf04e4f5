"""By chunk, a vector by the model in the package: the sum of its terms' vectors, in eight bits.

They are made of the words that a snapshot counts anyway, of every field: no text is read for them, neither when a
snapshot is made nor when a question comes.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from clew.store.arrays import Array
from clew.store.postings import HIGHEST_FREQUENCY
from clew.text.embedders import own

HIGHEST = 127
SCALE_BYTES = 4

Floats = npt.NDArray[np.float32]
Bytes = npt.NDArray[np.int8]


class Quantised(NamedTuple):
    """A row per vector, and its scale."""

    rows: Bytes
    scales: Floats

    def pack(self) -> list[bytes]:
        """As they lie in the store."""
        scales = self.scales.astype("<f4")
        return [scale.tobytes() + row.tobytes() for scale, row in zip(scales, self.rows, strict=True)]


def quantise(vectors: Floats) -> Quantised:
    scales = np.maximum(np.abs(vectors).max(axis=1, initial=0) / np.float32(HIGHEST), np.float32(1e-30))
    rows = np.rint(vectors / scales[:, None])
    return Quantised(rows.astype(np.int8), scales.astype(np.float32))


def unpack(packed: Sequence[bytes]) -> Quantised:
    """Vectors from the store, of one model: at least one, all of one length."""
    kind = np.dtype([("scale", "<f4"), ("row", np.int8, (len(packed[0]) - SCALE_BYTES,))])
    found = np.frombuffer(b"".join(packed), kind)
    return Quantised(found["row"], found["scale"].astype(np.float32))


STEPS = 4095  # to the largest number that a row of the table can have
ROOT_STEPS = 16  # to 1

ROOTS = np.rint(ROOT_STEPS * np.sqrt(np.arange(HIGHEST_FREQUENCY + 1))).astype(np.float32)


class ChunkVectors:
    """Vectors of the chunks of some files, which are `wholes` among `documents`; `terms` has the words of their
    numbers.

    Sums are of integers far below 2**24, which single precision adds exactly, so that a row depends on its chunk
    alone, to the bit.
    """

    def __init__(self, terms: Sequence[str], wholes: Array, documents: int) -> None:
        table = own.table()
        numbers = np.fromiter(map(table.number, terms), np.intp, len(terms))
        known, self._numbers = np.unique(numbers, return_inverse=True)
        steps = table.factors * (STEPS / (HIGHEST * table.factors.max()))
        self._vectors = np.rint(table.rows.take(known, axis=0) * steps.take(known)[:, None])
        self._chunk_of = np.full(documents, -1)
        self._chunk_of[wholes] = np.arange(len(wholes))
        self.rows = np.zeros((len(wholes), own.DIMENSIONS), np.int8)

    def add(self, terms: Array, documents: Array, frequencies: Array) -> None:
        """Add documents: their terms, and the frequency of each term."""
        numbers, often = self._numbers.take(terms), ROOTS.take(frequencies)
        edges = [0, *(np.flatnonzero(np.diff(documents)) + 1).tolist(), len(documents)]
        chunks, sums = [], []
        for chunk, (start, end) in zip(self._chunk_of[documents[edges[:-1]]].tolist(), pairwise(edges), strict=True):
            if chunk >= 0:
                chunks.append(chunk)
                sums.append(often[start:end] @ self._vectors.take(numbers[start:end], axis=0))
        if sums:
            self.rows[chunks] = quantise(np.stack(sums)).rows
