"""The best chunk of a file gains by further hits in that file: several answers in one place are seldom chance.

Only the best chunk gains, so that the further hits do not crowd out those of other files.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from clew.retrieve import fusion
from clew.retrieve.retriever import ChunkPlace
from clew.store.arrays import Array
from clew.store.corpus import Corpus

LOOKED_AT = 200  # of the best chunks; what comes behind adds next to nothing
SUPPORTING = 5  # further hits of a file, at most
FLOOR = 0.5  # of the best score of all: only the part of a hit's score above it is evidence; docs/fitted.md
SHARE = 0.2  # of that part


class Support(NamedTuple):
    """How much further hits in its file add to the score of a chunk, and how many they are."""

    gain: float
    hits: int


def with_support(corpus: Corpus, scores: list[Array]) -> tuple[list[Array], Mapping[ChunkPlace, Support]]:
    """Further hits combine with the best one of their file as retrievers do: as evidence"""
    best = fusion.best(corpus, scores, LOOKED_AT)
    supported = {place: one for place, one in _supported(corpus, best) if one.gain > 0}
    if not supported:
        return scores, {}
    raised = [part.copy() for part in scores]
    for place, one in supported.items():
        raised[place.part][place.chunk] += one.gain
    return raised, supported


def _supported(corpus: Corpus, best: Sequence[tuple[ChunkPlace, float]]) -> list[tuple[ChunkPlace, Support]]:
    """The best chunk of each file with several hits; `best` come best first."""
    floor = FLOOR * best[0][1] if best else 0.0
    file_of = [part.postings.file_of for part in corpus.parts]
    files: dict[tuple[int, int], list[tuple[ChunkPlace, float]]] = {}
    for place, score in best:
        if score <= floor:
            break
        files.setdefault((place.part, int(file_of[place.part][place.chunk])), []).append((place, score))
    found = []
    for (place, score), *others in files.values():
        if others:
            doubt = 1 - score
            for _, other in others[:SUPPORTING]:
                doubt *= 1 - SHARE * (other - floor)
            found.append((place, Support(1 - doubt - score, len(others))))
    return found
