"""By where a file lies: words of the question that its name has, and those that its folders have."""

import math
from collections.abc import Callable, Mapping
from functools import cache

import numpy as np

from clew.retrieve.question import Word
from clew.retrieve.retriever import Ask, Found, Sources, by_chunk, file_at
from clew.store.arrays import Array
from clew.store.whereabouts import Whereabouts

FILE_SHARE, FOLDER_SHARE = 0.8, 1.5  # of what it is worth that all of a name is named; docs/fitted.md


class Paths:
    name = "path"
    reranks = False

    def __init__(self, sources: Sources) -> None:
        pass

    def retrieve(self, ask: Ask) -> Found:
        parts = [part.postings.whereabouts for part in ask.corpus.parts]
        live = [part.files for part in ask.corpus.parts]
        names = _in_names(ask.question.terms, parts, live)
        folders = _in_folders(ask.question.terms, parts, live)
        both = [
            1 - (1 - FILE_SHARE * a) * (1 - np.minimum(FOLDER_SHARE * b, 1.0))
            for a, b in zip(names, folders, strict=True)
        ]
        looked_up = cache(lambda part: _look_up(ask.question.terms, parts[part]))
        return Found(
            by_chunk(ask.corpus, both), lambda place: _told(looked_up(place.part), file_at(ask.corpus, place)[0])
        )


def _in_names(terms: Mapping[str, Word], parts: list[Whereabouts], live: list[Array]) -> list[Array]:
    """A name that is named in full says more than one of its words."""
    scores = [np.zeros(len(one)) for one in live]
    hits = [np.zeros(len(one)) for one in live]
    for found, worth in _weighed(terms, [part.named for part in parts], live):
        for score, hit, files in zip(scores, hits, found, strict=True):
            score[files] += worth
            hit[files] += 1
    return [np.minimum(score * hit / part.lengths, 1.0) for score, hit, part in zip(scores, hits, parts, strict=True)]


def _in_folders(terms: Mapping[str, Word], parts: list[Whereabouts], live: list[Array]) -> list[Array]:
    scores = [np.zeros(len(one)) for one in live]
    for found, worth in _weighed(terms, [part.below for part in parts], live):
        for score, files in zip(scores, found, strict=True):
            score[files] += worth
    return scores


def _weighed(
    terms: Mapping[str, Word], parts: list[Callable[[str], Array]], live: list[Array]
) -> list[tuple[list[Array], float]]:
    """For each term the files that have it, and its share of all that the question says: rare words say more."""
    total = sum(int(one.sum()) for one in live)
    most = sum(word.weight for word in terms.values() if not word.is_other) * math.log(1 + total)
    weighed = []
    for term, word in terms.items():
        found = [files_of(term) for files_of in parts]
        count = sum(int(one[files].sum()) for one, files in zip(live, found, strict=True))
        if count:
            weighed.append((found, word.weight * math.log(1 + total / count) / most))
    return weighed


def _look_up(terms: Mapping[str, Word], part: Whereabouts) -> list[tuple[str, Array, Array]]:
    """Each word, with the files that have it in their names and in their folders."""
    return [(word.text, part.named(term), part.below(term)) for term, word in terms.items()]


def _told(looked_up: list[tuple[str, Array, Array]], number: int) -> str:
    named = [text for text, files, folders in looked_up if _has(files, number) or _has(folders, number)]
    return " ".join(dict.fromkeys(named))


def _has(files: Array, number: int) -> bool:
    """They are in order."""
    at = int(files.searchsorted(number)) if len(files) else 0
    return at < len(files) and int(files[at]) == number
