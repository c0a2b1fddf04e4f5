"""A table of vectors that can be had offline: `python -m bench.static_table FOLDER`.

What model2vec does with any sentence model, done with MiniLM: each piece of its vocabulary is embedded alone, the
vectors are brought to fewer dimensions by their principal components, and frequent pieces weigh less. It stands in for
a published table, which is larger, and trained on code: figures made with it are a lower bound.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from clew.runtime.paths import user_cache
from clew.text.embedders.minilm import WEIGHTS, MiniLM

DIMENSIONS = 256
SMOOTHING = 1e-4  # of weights by frequency, which is told by rank (Zipf)
FIRST_WORD = 1996  # before it: special pieces, and single characters


def main() -> None:
    into = Path(sys.argv[1])
    into.mkdir(parents=True, exist_ok=True)
    model = MiniLM(user_cache())
    vocabulary = _vocabulary()
    pieces = vocabulary.splitlines()
    vectors = model.embed([piece.removeprefix("##") for piece in pieces])
    vectors = vectors - vectors.mean(axis=0)
    _, _, axes = np.linalg.svd(vectors, full_matrices=False)
    rank = np.maximum(np.arange(len(pieces)) - FIRST_WORD, 0) + 1
    frequency = 1 / rank / (1 / rank).sum()
    table = (vectors @ axes[:DIMENSIONS].T) * (SMOOTHING / (SMOOTHING + frequency))[:, None]
    np.save(into / "table.npy", table.astype(np.float32))
    (into / "vocab.txt").write_text(vocabulary, "utf-8")
    print(f"{len(pieces)} pieces, {DIMENSIONS} dimensions")


def _vocabulary() -> str:
    found = find_spec(WEIGHTS)
    assert found and found.submodule_search_locations
    return (Path(found.submodule_search_locations[0]) / "model" / "vocab.txt").read_text("utf-8")


if __name__ == "__main__":
    main()
