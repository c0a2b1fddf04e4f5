"""Paths of files as arrays: the words of their names and of their folders, and the file role that follows from them.

Part of a snapshot: computing it at every cold start would take longer than the answer.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache

import numpy as np

from clew.store.arrays import Array, section
from clew.store.strings import SortedStrings, strings
from clew.text.paths import lies_among
from clew.text.terms import Lexicon


class Whereabouts:
    """By term, the files with it in their names, and those with it in their folders' names, in order. By file, the
    length of its name."""

    lengths = section("name_lengths")  # in terms; at least one
    among = section("among")  # `text.paths.Among`, by file
    _at = section("place_at")
    _files = section("place_files")

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self.arrays = arrays

    @cached_property
    def _terms(self) -> SortedStrings:
        return SortedStrings(self.arrays["place_words"], self.arrays["place_word_at"])

    def of(self, term: str) -> tuple[Array, Array]:
        """The files with the term in their names, and those with it in their folders' names."""
        number = self._terms.find(term)
        if number < 0:
            return self._files[:0], self._files[:0]
        start, middle, end = self._at[2 * number : 2 * number + 3].tolist()
        return self._files[start:middle], self._files[middle:end]


def whereabouts(paths: Sequence[str], made: Sequence[bool]) -> dict[str, Array]:
    """The arrays of `Whereabouts`, from paths in order; `made` says which files a program wrote."""
    terms_of = lru_cache(maxsize=None)(lambda part: frozenset(lexicon.terms(part)))
    lexicon = Lexicon()
    found: dict[str, tuple[list[int], list[int]]] = {}
    lengths = np.ones(len(paths), np.uint8)
    for number, path in enumerate(paths):
        *outer, name = path.split("/")
        own = terms_of(name.partition(".")[0] or name)
        lengths[number] = min(max(len(own), 1), 255)
        for term in own:
            found.setdefault(term, ([], []))[0].append(number)
        for term in frozenset().union(*map(terms_of, outer)):
            found.setdefault(term, ([], []))[1].append(number)
    terms = sorted(found, key=str.encode)
    lists = [files for term in terms for files in found[term]]
    return {
        **strings("place_words", "place_word_at", terms),
        "place_at": np.cumsum([0, *map(len, lists)], dtype=np.uint32),
        "place_files": np.array([number for files in lists for number in files], np.uint32),
        "name_lengths": lengths,
        "among": np.array([lies_among(*one) for one in zip(paths, made, strict=True)], np.uint8),
    }
