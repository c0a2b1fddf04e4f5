"""Vectors of chunks: of their words alone, and near to what means the same."""

import numpy as np

from clew.store import snapshot
from clew.store.arrays import Array
from clew.store.snapshot import Postings, Source
from clew.text.embedders.own import DIMENSIONS, FOLDER, Own
from tests.store.readings import a_reading

TEXTS = {
    "auth.py": b"def login(user, password):\n    check_credentials(user)\n",
    "draw.py": b"def paint(canvas, colour):\n    canvas.fill(colour)\n",
    "empty.py": b"",
    "long.py": b"".join(b"word_%d = frobnicate_%d(%d)\n" % (i, i, i) for i in range(3000)),
}


def a_source(path: str) -> Source:
    reading = a_reading(path, TEXTS[path])
    return Source(path, reading.text_digest, "python", reading.words)


def rows(*paths: str) -> Array:
    postings = Postings(snapshot.invert([a_source(path) for path in paths]))
    assert postings.vectors.shape == (postings.chunks, DIMENSIONS)
    assert postings.vectors.dtype == np.int8
    return postings.vectors


def test_a_row_depends_on_its_chunk_alone() -> None:
    together = rows(*TEXTS)

    assert np.array_equal(np.concatenate([rows(path) for path in TEXTS]), together)
    assert np.array_equal(rows("draw.py", "long.py"), np.concatenate([rows("draw.py"), rows("long.py")]))


def test_it_is_near_to_what_means_the_same() -> None:
    login, paint = rows("auth.py", "draw.py")
    asked = Own(FOLDER).embed(["authentication"])[0]

    assert login @ asked / np.linalg.norm(login) > paint @ asked / np.linalg.norm(paint) + 0.1


def test_a_snapshot_without_files_has_none() -> None:
    assert rows().shape == (0, DIMENSIONS)
