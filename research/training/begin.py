"""Initial term vectors and the teacher's weights, from MiniLM: `python -m research.training.begin DATA`.

Fewer dimensions by principal components.
A term is a stem: it stands for the most frequent word of MiniLM's vocabulary that has it, or for itself.
"""

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from clew.runtime.paths import user_cache
from clew.store.chunk_vectors import quantise
from clew.text.embedders.bert import Weights, read_weights
from clew.text.embedders.minilm import WEIGHTS, MiniLM
from clew.text.terms import Lexicon

DIMENSIONS = 320
STEPS = 512  # to 1
LENGTH = 0.8  # of a vector, on average: 16 times 0.05, as vectors begin that are random


def main() -> None:
    folder = Path(sys.argv[1])
    terms = (folder / "terms.txt").read_text("utf-8").split("\n")
    words = _words()
    vectors = MiniLM(user_cache()).embed([words.get(term, term) for term in terms])
    vectors = vectors - vectors.mean(axis=0)
    _, _, axes = np.linalg.svd(vectors[:: max(1, len(vectors) // 8000)], full_matrices=False)
    found = vectors @ axes[:DIMENSIONS].T
    found *= LENGTH / np.linalg.norm(found, axis=1).mean()
    np.save(folder / "begin.npy", np.clip(np.rint(found * STEPS), -127, 127).astype(np.int8))
    np.savez(folder / "teacher.npz", **_packed(read_weights((published() / "model.safetensors").read_bytes())))


def _packed(weights: Weights) -> dict[str, Any]:
    """In eight bits, by rows: it has to travel to where the GPU is."""
    packed: dict[str, Any] = {}
    for name, array in weights.items():
        if array.ndim == 2 and array.dtype == np.float32 and "pooler" not in name:
            own = quantise(array)
            packed |= {name: own.rows, f"{name} scales": own.scales}
        elif array.ndim == 1 and "pooler" not in name:
            packed[name] = array
    return packed


def published() -> Path:
    """Where MiniLM lies, as it was published."""
    found = find_spec(WEIGHTS)
    assert found and found.submodule_search_locations
    return Path(found.submodule_search_locations[0]) / "model"


def vocabulary() -> list[str]:
    return (published() / "vocab.txt").read_text("utf-8").splitlines()


def _words() -> dict[str, str]:
    lexicon = Lexicon()
    words: dict[str, str] = {}
    for word in vocabulary():
        if word.isalpha():
            for term in lexicon.terms(word):
                words.setdefault(term, word)
    return words


if __name__ == "__main__":
    main()
