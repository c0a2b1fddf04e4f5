"""The best chunk of a file gains by further hits in that file: several answers in one place are seldom chance.

Only the best chunk gains, so that the further hits do not crowd out those of other files.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from clew.retrieve import fusion
from clew.retrieve.retriever import ChunkPlace
from clew.store.arrays import Array
from clew.store.corpus import Corpus

LOOKED_AT = 200  # of the best chunks; what comes behind adds next to nothing
SUPPORTING = 5  # further hits of a file, at most
FLOOR = 0.5  # of the best score of all: only the part of a hit's score above it is evidence; docs/fitted.md
SHARE = 0.2  # of that part

P = TypeVar("P")


class Support(NamedTuple):
    """How much further hits in its file add to the score of a chunk, and how many they are."""

    gain: float
    hits: int


def with_support(corpus: Corpus, scores: list[Array]) -> tuple[list[Array], Mapping[ChunkPlace, Support]]:
    """Further hits combine with the best one of their file as retrievers do: as evidence"""
    best = fusion.best(corpus, scores, LOOKED_AT)
    file_of = [part.postings.file_of for part in corpus.parts]
    found = _find_supported(best, lambda place: (place.part, int(file_of[place.part][place.chunk])))
    supported = {place: one for place, one in found if one.gain > 0}
    if not supported:
        return scores, {}
    raised = [part.copy() for part in scores]
    for place, one in supported.items():
        raised[place.part][place.chunk] += one.gain
    return raised, supported


def with_support_by(files: Array, scores: Array) -> Array:
    """The same for chunks in order of path and place, each with the number of its file."""
    chunks = np.argsort(-scores, kind="stable")[:LOOKED_AT].tolist()
    best = [(chunk, float(scores[chunk])) for chunk in chunks]
    raised = scores.copy()
    for chunk, one in _find_supported(best, lambda chunk: int(files[chunk])):
        raised[chunk] += one.gain
    return raised


def _find_supported(best: Sequence[tuple[P, float]], file_of: Callable[[P], Hashable]) -> list[tuple[P, Support]]:
    """The best chunk of each file with several hits; `best` come best first."""
    floor = FLOOR * best[0][1] if best else 0.0
    files: dict[Hashable, list[tuple[P, float]]] = {}
    for place, score in best:
        if score <= floor:
            break
        files.setdefault(file_of(place), []).append((place, score))
    found = []
    for (place, score), *others in files.values():
        if others:
            doubt = 1 - score
            for _, other in others[:SUPPORTING]:
                doubt *= 1 - SHARE * (other - floor)
            found.append((place, Support(1 - doubt - score, len(others))))
    return found
