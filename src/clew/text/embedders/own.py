"""The model in the package: a table of vectors for terms, learned from public code; numpy is all it needs.

A text's vector is the sum of its terms' vectors, each by its weight and the square root of how often it stands there.
How the table came to be, and how well it does: research/training/README.md.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from blake3 import blake3

from clew.model.errors import EmbedderFailed
from clew.runtime.settings import OWN_NAME, Embedding
from clew.text.embedders import Floats, unit
from clew.text.terms import Lexicon, count_words

NAME = OWN_NAME
DIMENSIONS = 128
MOST_TERMS = 160  # of one text, the first: more was never learned from
FOLDER = Path(__file__).with_name("table")
WORDS_KEPT = 200_000  # whose terms are remembered


class TermTable(NamedTuple):
    """A row per term, then those that all other terms share, by their hashes; `factors` are weights and scales."""

    numbers: dict[str, int]
    rows: npt.NDArray[np.int8]
    factors: Floats

    @classmethod
    def read(cls, folder: Path) -> "TermTable":
        terms = (folder / "terms.txt").read_text("utf-8").split("\n")
        rows = np.load(folder / "rows.npy", mmap_mode="r")  # few of them are ever looked at
        return cls({term: number for number, term in enumerate(terms)}, rows, np.load(folder / "factors.npy"))

    def number(self, term: str) -> int:
        found = self.numbers.get(term)
        if found is not None:
            return found
        shared = len(self.rows) - len(self.numbers)
        return len(self.numbers) + int.from_bytes(blake3(term.encode()).digest()[:4], "little") % shared


@lru_cache(maxsize=4)
def table(folder: Path = FOLDER) -> TermTable:
    return TermTable.read(folder)


def make(settings: Embedding) -> "Own":
    if settings.dimension not in (0, DIMENSIONS):
        raise EmbedderFailed(f"clew's vectors have {DIMENSIONS} numbers", "Set embedding.dimension to 0.")
    return Own(FOLDER)


class Own:
    name = NAME
    quick = True

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lexicon = Lexicon()
        self._known: dict[bytes, tuple[int, ...]] = {}

    def embed(self, texts: Sequence[str]) -> Floats:
        known = table(self.folder)
        summed = [self._sum(known, text) for text in texts]
        return unit(np.array(summed, np.float32).reshape(len(texts), DIMENSIONS))

    def _sum(self, table: TermTable, text: str) -> Floats:
        counts = self._counts(table, text)
        numbers = np.fromiter(counts, np.int64, len(counts))
        often = np.fromiter(counts.values(), np.float32, len(counts))
        weights = table.factors.take(numbers) * np.sqrt(often)
        summed: Floats = weights @ table.rows.take(numbers, axis=0).astype(np.float32)
        return summed

    def _counts(self, table: TermTable, text: str) -> dict[int, int]:
        """How often each term stands in a text."""
        found: dict[int, int] = {}
        known = self._known
        for word, count in count_words(text.encode("utf-8", "replace")).items():
            numbers = known.get(word)
            if numbers is None:
                numbers = self._learn(table, word)
            for number in numbers:
                found[number] = found.get(number, 0) + count
        return found if len(found) <= MOST_TERMS else dict(_first(found.items(), MOST_TERMS))

    def _learn(self, table: TermTable, word: bytes) -> tuple[int, ...]:
        if len(self._known) >= WORDS_KEPT:
            self._known.clear()
        terms = self._lexicon.terms(word.decode("utf-8", "replace"))
        found = self._known[word] = tuple(map(table.number, terms))
        return found


def _first(items: Iterable[tuple[int, int]], count: int) -> list[tuple[int, int]]:
    return [item for item, _ in zip(items, range(count), strict=False)]
