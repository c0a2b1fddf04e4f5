"""How much a term says of each document that holds it. No question changes that: of words that many hold it is kept."""

import threading
from functools import lru_cache

import numpy as np
from msgspec import Struct

from clew.store.corpus import Corpus, CorpusPart
from clew.store.postings import Field
from clew.store.snapshot import FIELD_BITS, Array

SATURATION = 2.0  # k1: one mention in the code says a little, one in the name most

# By field: how much a mention counts, and how much a long field discounts it. Set by hand, looking at the histories
# of flask, httpx and express (docs/fitted.md): no measure on those is a test of these.
WEIGHTS = np.array([0.8, 4.0, 1.2, 1.2, 1.0])
LENGTH_DISCOUNT = np.array([0.2, 0.8, 0.3, 0.4, 0.6])

# Few words make most of the places that questions come by: terms with more places than this for each document are kept,
# those asked for last, up to so many documents for each that there is. On django, some 7 MB.
OFTEN = 0.02
KEPT = 12


class Places(Struct, frozen=True, eq=False):
    """Where a term stands, by part of the corpus; and how often it stands there."""

    term: str
    places: tuple[Array, ...]
    frequencies: tuple[Array, ...]


class TermImpact(Struct, frozen=True, eq=False):
    """By part, the documents that hold a term, and how much of it each has, from 0 to 1; and how many chunks do."""

    documents: tuple[Array, ...]
    shares: tuple[Array, ...]
    frequency: int

    @property
    def documents_in_all(self) -> int:
        return sum(map(len, self.documents))


class Impacts:
    """The impacts of one corpus; `delta` is BM25+'s lower bound for any mention, however long the text. Thread-safe."""

    def __init__(self, corpus: Corpus, delta: float) -> None:
        documents = sum(part.postings.documents for part in corpus.parts)
        self._grounds = _grounds(corpus)
        self._delta = delta
        self._often = OFTEN * documents
        self._room = KEPT * documents
        self._lock = threading.Lock()
        self._kept: dict[str, TermImpact] = {}  # the last asked for is the last

    def of(self, term: Places) -> TermImpact:
        if sum(map(len, term.places)) <= self._often:
            return self._compute(term)
        with self._lock:
            impact = self._kept.pop(term.term, None)
            if impact is not None:
                self._kept[term.term] = impact
                return impact
        impact = self._compute(term)
        with self._lock:
            self._keep(term.term, impact)
        return impact

    def _keep(self, term: str, impact: TermImpact) -> None:
        if term not in self._kept:  # another thread may have been as quick
            self._kept[term] = impact
            self._room -= impact.documents_in_all
        while self._room < 0 and self._kept:
            self._room += self._kept.pop(next(iter(self._kept))).documents_in_all

    def _compute(self, term: Places) -> TermImpact:
        found = [_weigh(*one) for one in zip(self._grounds, term.places, term.frequencies, strict=True)]
        return TermImpact(
            tuple(documents for documents, _ in found),
            tuple(_saturate(weights, self._delta) for _, weights in found),
            sum(_frequency(ground, documents) for ground, (documents, _) in zip(self._grounds, found, strict=True)),
        )


@lru_cache(maxsize=1)  # what is kept of a corpus that has moved on would never be asked for again
def impacts(corpus: Corpus, delta: float) -> Impacts:
    return Impacts(corpus, delta)


class _Ground(Struct, frozen=True, eq=False):
    """By place, the number of its weight; the weights; by document, if it counts as a chunk."""

    numbers: Array
    weights: Array
    counts: Array


@lru_cache(maxsize=4)
def _grounds(corpus: Corpus) -> list[_Ground]:
    return [_ground(part, corpus.averages) for part in corpus.parts]


def _ground(part: CorpusPart, averages: Array) -> _Ground:
    """Few lengths are different, so few weights are. Where a chunk no longer holds, a mention weighs nothing."""
    lengths = part.postings.lengths
    weights = [np.zeros(1), *(_weights(field, int(lengths[:, field].max(initial=0)), averages) for field in Field)]
    starts = np.cumsum([len(one) for one in weights])
    numbers = np.zeros((len(lengths), 1 << FIELD_BITS), np.min_scalar_type(int(starts[-1])))
    for field in Field:  # a cold start pays for this: by columns, which are long, it takes a third of the time
        np.add(lengths[:, field], starts[field], out=numbers[:, field], casting="unsafe")
    counts = part.postings.is_whole
    if not part.live.all():
        live = part.live[part.postings.chunk_of]
        numbers[~live] = 0
        counts = counts & live
    return _Ground(numbers.ravel(), np.concatenate(weights), counts)


def _weights(field: Field, longest: int, averages: Array) -> Array:
    """The weight of a mention, by the length of its field."""
    discount = LENGTH_DISCOUNT[field]
    relative = np.arange(longest + 1) / averages[field]
    weights: Array = WEIGHTS[field] / (1 - discount + discount * relative)
    return weights


def _weigh(ground: _Ground, places: Array, frequencies: Array) -> tuple[Array, Array]:
    """The documents of a part that hold a term, and how much it weighs in each: all fields together, in their order.

    A long question comes by millions of places: each step here costs a large corpus milliseconds. Most documents have
    one place; the weights of the others' further places are added to those of their first.
    """
    at = places.astype(np.intp)  # once: whatever is indexed by others would do so again
    weights = ground.weights.take(ground.numbers.take(at))
    weights *= frequencies
    documents = places >> FIELD_BITS
    is_first = np.ones(len(places), np.bool_)
    np.not_equal(documents[1:], documents[:-1], out=is_first[1:])
    firsts, further = np.flatnonzero(is_first), np.flatnonzero(~is_first)
    sums = weights.take(firsts)
    np.add.at(sums, further - np.arange(1, len(further) + 1), weights.take(further))
    return documents.take(firsts), sums


def _saturate(weights: Array, delta: float) -> Array:
    """From 0 to 1."""
    saturated: Array = weights / (weights + SATURATION)
    return np.where(weights > 0, (saturated + delta) / (1 + delta), 0.0) if delta else saturated


def _frequency(ground: _Ground, documents: Array) -> int:
    """How many chunks hold a term, of the documents that do."""
    return int(np.count_nonzero(ground.counts.take(documents)))
