"""Texts as bags of terms, the very terms that ranking goes by, numbered within one source."""

from collections import Counter
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from clew.text.terms import Lexicon, count_words

MOST_TERMS = 160  # of one text: the first ones
MOST_COUNT = 255


class Pair(NamedTuple):
    """What somebody wrote, and the text it is about. Two pairs of one `group` are about the same thing.

    `hides`: the text holds the very words of the query, which would give it away.
    """

    kind: str
    group: str
    query: str
    text: str
    hides: bool = False


KINDS = ("commit", "doc", "name", "error", "comment", "prose")


class Terms:
    """Those of texts. What was looked up is remembered."""

    def __init__(self) -> None:
        self._lexicon = Lexicon()
        self._known: dict[bytes, tuple[str, ...]] = {}

    def counted(self, text: str) -> dict[str, int]:
        """The first ones, and how often each stands there."""
        found: Counter[str] = Counter()
        for word, count in count_words(text.encode("utf-8", "replace")).items():
            for term in self._of(word):
                found[term] += count
        return {term: min(count, MOST_COUNT) for term, count in islice(found.items(), MOST_TERMS)}

    def _of(self, word: bytes) -> tuple[str, ...]:
        if word not in self._known:
            self._known[word] = self._lexicon.terms(word.decode("utf-8", "replace"))
        return self._known[word]


class Bagger:
    """The bags of one source."""

    def __init__(self) -> None:
        self._terms = Terms()
        self._numbers: dict[str, int] = {}
        self._bags: dict[str, int] = {}
        self._rows: list[tuple[list[int], list[int]]] = []
        self._groups: dict[str, int] = {}
        self._pairs: dict[tuple[int, int, int, int, bool], None] = {}

    def add(self, pair: Pair) -> None:
        query, text = self._bag(pair.query), self._bag(pair.text)
        if len(self._rows[query][0]) < 2 or len(self._rows[text][0]) < 5:
            return
        group = self._groups.setdefault(pair.group, len(self._groups))
        self._pairs[KINDS.index(pair.kind), query, text, group, pair.hides] = None

    def save(self, file: Path) -> int:
        """How many pairs there are."""
        pairs = np.array([*self._pairs] or np.zeros((0, 5)), np.int32)
        starts = np.cumsum([0, *(len(ids) for ids, _ in self._rows)])
        ids = np.array([one for row, _ in self._rows for one in row], np.int32)
        counts = np.array([one for _, row in self._rows for one in row], np.uint8)
        terms = np.array("\n".join(self._numbers))
        np.savez_compressed(file, terms=terms, starts=starts, ids=ids, counts=counts, pairs=pairs)
        return len(pairs)

    def _bag(self, text: str) -> int:
        if text not in self._bags:
            self._bags[text] = len(self._rows)
            found = self._terms.counted(text)
            ids = [self._numbers.setdefault(term, len(self._numbers)) for term in found]
            self._rows.append((ids, [*found.values()]))
        return self._bags[text]
