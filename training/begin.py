"""Vectors to begin with, each term's by MiniLM: `python -m training.begin DATA`.

Fewer dimensions by principal components.
A term is a stem: it stands for the most frequent word of MiniLM's vocabulary that has it, or for itself.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from clew.runtime.paths import user_cache
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


def _words() -> dict[str, str]:
    found = find_spec(WEIGHTS)
    assert found and found.submodule_search_locations
    text = (Path(found.submodule_search_locations[0]) / "model" / "vocab.txt").read_text("utf-8")
    lexicon = Lexicon()
    words: dict[str, str] = {}
    for word in text.splitlines():
        if word.isalpha():
            for term in lexicon.terms(word):
                words.setdefault(term, word)
    return words


if __name__ == "__main__":
    main()
