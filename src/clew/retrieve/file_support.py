"""The best chunk of a file gains by further hits in that file and in its submodules: several answers in one place are
seldom chance.

Only the best chunk gains, so that the further hits do not crowd out those of other files.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from clew.retrieve import fusion
from clew.retrieve.retriever import ChunkPlace, file_at
from clew.store.arrays import Array
from clew.store.corpus import Corpus
from clew.text.paths import module_of

LOOKED_AT = 200  # of the best chunks; what comes behind adds next to nothing
SUPPORTING = 5  # further hits of a file, at most; and submodules, each by its best hit
FLOOR = 0.5  # of the best score of all: only the part of a hit's score above it is evidence; docs/fitted.md
SHARE = 0.2  # of that part

P = TypeVar("P")


class Support(NamedTuple):
    """How much further hits add to the score of a chunk, and how many they are: in its file, and in submodules."""

    gain: float
    hits: int
    below: int

    def __str__(self) -> str:
        own = f"{self.hits} more hit{'s' if self.hits > 1 else ''} in its file" if self.hits else ""
        below = f"hits in {self.below} submodule{'s' if self.below > 1 else ''}" if self.below else ""
        return "; ".join(filter(None, (own, below)))


def with_support(corpus: Corpus, scores: list[Array]) -> tuple[list[Array], Mapping[ChunkPlace, Support]]:
    """Further hits combine with the best one of their file as retrievers do: as evidence"""
    best = fusion.best(corpus, scores, LOOKED_AT)
    found = _find_supported(best, lambda place: file_at(corpus, place)[1])
    supported = {place: one for place, one in found if one.gain > 0}
    if not supported:
        return scores, {}
    raised = [part.copy() for part in scores]
    for place, one in supported.items():
        raised[place.part][place.chunk] += one.gain
    return raised, supported


def with_support_by(paths: Sequence[str], scores: Array) -> Array:
    """The same for chunks in order of path and place, each with the path of its file."""
    chunks = np.argsort(-scores, kind="stable")[:LOOKED_AT].tolist()
    best = [(chunk, float(scores[chunk])) for chunk in chunks]
    raised = scores.copy()
    for chunk, one in _find_supported(best, paths.__getitem__):
        raised[chunk] += one.gain
    return raised


def _find_supported(best: Sequence[tuple[P, float]], path_of: Callable[[P], str]) -> Iterator[tuple[P, Support]]:
    """The best chunk of each file with several hits, or with hits in submodules; `best` come best first."""
    floor = FLOOR * best[0][1] if best else 0.0
    files = defaultdict[str, list[tuple[P, float]]](list)
    for place, score in best:
        if score <= floor:
            break
        files[path_of(place)].append((place, score))
    below = defaultdict[str, list[float]](list)  # by module, the best scores of its submodules
    for path, hits in files.items():
        below[module_of(path).rpartition("/")[0]].append(hits[0][1])
    for path, ((place, score), *others) in files.items():
        submodules = below.get(module_of(path), [])
        doubt = 1 - score
        for other in [one for _, one in others[:SUPPORTING]] + submodules[:SUPPORTING]:
            doubt *= 1 - SHARE * (other - floor)
        if others or submodules:
            yield place, Support(1 - doubt - score, len(others), len(submodules))
