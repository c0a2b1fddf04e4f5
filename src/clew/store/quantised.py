"""Vectors in eight bits: whole numbers from -127 to 127, and a scale that approximately restores the original.

Stored and new vectors are compared in this form alike, so that no score depends on which vectors were stored.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

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
