"""By where a file lies: words of the question that its name has, and those that its folders have."""

import math
from collections import Counter
from collections.abc import Mapping
from functools import cache, lru_cache

import numpy as np
from msgspec import Struct

from clew.retrieve.question import Word
from clew.retrieve.retriever import Ask, Found, Sources, by_chunk, file_at
from clew.store.snapshot import Array, Postings
from clew.text.terms import Lexicon

FILE_SHARE, FOLDER_SHARE = 0.8, 1.5  # of what it is worth that all of a name is named; docs/fitted.md


class _Named(Struct, frozen=True, eq=False):
    """By term, the files of which the name has it, and those whose folders do; and how many terms each name has."""

    names: dict[str, Array]
    folders: dict[str, Array]
    lengths: Array


class Paths:
    name = "path"
    reranks = False

    def __init__(self, sources: Sources) -> None:
        pass

    def retrieve(self, ask: Ask) -> Found:
        parts = [_named(part.postings) for part in ask.corpus.parts]
        live = [part.files for part in ask.corpus.parts]
        names = _in_names(ask.question.terms, parts, live)
        folders = _in_folders(ask.question.terms, parts, live)
        both = [
            1 - (1 - FILE_SHARE * a) * (1 - np.minimum(FOLDER_SHARE * b, 1.0))
            for a, b in zip(names, folders, strict=True)
        ]
        told = cache(lambda part, file: _told(ask.question.terms, parts[part], file))
        return Found(by_chunk(ask.corpus, both), lambda place: told(place.part, file_at(ask.corpus, place)[0]))


def _in_names(terms: Mapping[str, Word], parts: list[_Named], live: list[Array]) -> list[Array]:
    """A name that is named in full says more than one of its words."""
    scores = [np.zeros(len(one)) for one in live]
    hits = [np.zeros(len(one)) for one in live]
    for found, worth in _weighed(terms, [part.names for part in parts], live):
        for score, hit, files in zip(scores, hits, found, strict=True):
            score[files] += worth
            hit[files] += 1
    return [score * hit / part.lengths for score, hit, part in zip(scores, hits, parts, strict=True)]


def _in_folders(terms: Mapping[str, Word], parts: list[_Named], live: list[Array]) -> list[Array]:
    scores = [np.zeros(len(one)) for one in live]
    for found, worth in _weighed(terms, [part.folders for part in parts], live):
        for score, files in zip(scores, found, strict=True):
            score[files] += worth
    return scores


def _weighed(
    terms: Mapping[str, Word], parts: list[dict[str, Array]], live: list[Array]
) -> list[tuple[list[Array], float]]:
    """For each term the files that have it, and its share of all that the question says: rare words say more."""
    total = sum(int(one.sum()) for one in live)
    most = sum(word.weight for word in terms.values()) * math.log(1 + total)
    weighed = []
    for term, word in terms.items():
        found = [part.get(term, _NONE) for part in parts]
        count = sum(int(one[files].sum()) for one, files in zip(live, found, strict=True))
        if count:
            weighed.append((found, word.weight * math.log(1 + total / count) / most))
    return weighed


_NONE = np.zeros(0, np.int64)


@lru_cache(maxsize=4)
def _named(postings: Postings) -> _Named:
    lexicon = Lexicon()
    of = lru_cache(maxsize=None)(lambda part: frozenset(lexicon.terms(part)))
    names: dict[str, list[int]] = {}
    folders: dict[str, list[int]] = {}
    lengths = np.ones(len(postings.paths))
    for number, path in enumerate(postings.paths):
        *outer, name = path.split("/")
        own = of(name.partition(".")[0] or name)
        lengths[number] = len(own) or 1
        for term in own:
            names.setdefault(term, []).append(number)
        for term in frozenset().union(*map(of, outer)):
            folders.setdefault(term, []).append(number)
    return _Named(_arrays(names), _arrays(folders), lengths)


def _arrays(numbers: dict[str, list[int]]) -> dict[str, Array]:
    return {term: np.array(found, np.int64) for term, found in numbers.items()}


def _told(terms: Mapping[str, Word], part: _Named, number: int) -> str:
    named = Counter(
        word.text
        for term, word in terms.items()
        for files in (part.names.get(term, _NONE), part.folders.get(term, _NONE))
        if _has(files, number)
    )
    return " ".join(named)


def _has(files: Array, number: int) -> bool:
    """Whether a number is among sorted ones."""
    at = int(files.searchsorted(number))
    return at < len(files) and int(files[at]) == number
