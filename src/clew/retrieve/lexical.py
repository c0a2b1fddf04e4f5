"""BM25 over fields, on the corpus' own postings. Pure: the same corpus and terms give the same scores, to the bit.

The score is based on the share of the question's information that a chunk holds: each term weighs by its rarity and
is saturated by its frequency, so that the sum over the terms stays between 0 and 1 for every question. The score is
its square root: half of the information, which is a good answer to a long question, makes 0.7.

Documents are scored; a chunk has the score of its best one: the whole, or one of its passages.
"""

import math
import threading
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
from msgspec import Struct

from clew.retrieve.question import Word, lexicon
from clew.retrieve.retriever import ChunkPlace
from clew.store.arrays import Array
from clew.store.corpus import Corpus, CorpusPart
from clew.store.postings import Field
from clew.store.snapshot import FIELD_BITS, Postings

# How much a term says of each document that holds it. No question changes that: of words that many hold it is kept.

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


MOST = 0.95  # of a question's information: words alone leave some doubt, which what else is known decides

_FIELD_MASK = (1 << FIELD_BITS) - 1
_FIELDS = {field.value: field for field in Field}


class Term(Struct, frozen=True):
    """One term of a question: the word it comes from, and where it stands."""

    word: Word
    at: Places


class Scored(Struct, frozen=True, eq=False):
    """By part, the scores of chunks, and of the documents that they come from; and the words that stand nowhere."""

    corpus: Corpus
    chunks: tuple[Array, ...]
    documents: tuple[Array, ...]
    unknown: tuple[str, ...]

    def passage(self, place: ChunkPlace) -> int:
        """Which passage of a chunk scores best; 0 is the whole, if none is better."""
        first, end = self.corpus.parts[place.part].postings.document_of[place.chunk : place.chunk + 2]
        return int(np.argmax(self.documents[place.part][first:end]))


def look_up(corpus: Corpus, question: Mapping[str, Word]) -> list[Term]:
    """The terms of a question, which come with their words."""
    return [_look_up(corpus, text, word) for text, word in question.items()]


def score(corpus: Corpus, terms: Sequence[Term], delta: float = 0.0) -> Scored:
    """All chunks, for terms in a fixed order. `delta` is BM25+'s lower bound for any mention, however long the text."""
    scores = tuple(np.zeros(part.postings.documents) for part in corpus.parts)
    of_term = impacts(corpus, delta).of
    possible, unknown = 0.0, dict[str, None]()
    for term in terms:
        held = of_term(term.at)
        if not held.frequency:
            unknown.update({} if term.word.is_other else {term.word.text: None})
            continue
        rarity = term.word.weight * math.log(1 + (corpus.chunks - held.frequency + 0.5) / (held.frequency + 0.5))
        possible += 0.0 if term.word.is_other else rarity
        for by_document, documents, shares in zip(scores, held.documents, held.shares, strict=True):
            np.add.at(by_document, documents.astype(np.intp), rarity * shares)
    best = [_best(part.postings, one) / (possible or 1.0) for part, one in zip(corpus.parts, scores, strict=True)]
    for one in best:
        np.minimum(one, MOST, out=one)
        np.sqrt(one, out=one)
    return Scored(corpus, tuple(best), scores, tuple(unknown))


def matching_terms(
    corpus: Corpus, terms: Sequence[Term], place: ChunkPlace, passage: int
) -> list[tuple[str, tuple[Field, ...]]]:
    """Which words of the question a chunk holds, or one of its passages, and in which fields."""
    found = []
    document = int(corpus.parts[place.part].postings.document_of[place.chunk]) + passage
    edges = np.array([document << FIELD_BITS, (document + 1) << FIELD_BITS], np.uint32)  # as places are: no copies
    for term in terms:
        places = term.at.places[place.part]
        low, high = places.searchsorted(edges).tolist()
        if high > low:
            fields = tuple(_FIELDS[at & _FIELD_MASK] for at in places[low:high].tolist())
            found.append((lexicon().part(term.word.text, term.at.term), fields))
    return found


def range_of(part: CorpusPart, text: str) -> slice:
    """Where the places of a term lie."""
    number = part.postings.terms.find(text)
    return slice(int(part.postings.at[number]), int(part.postings.at[number + 1])) if number >= 0 else slice(0, 0)


def _best(postings: Postings, scores: Array) -> Array:
    """The score of each chunk, from those of its documents."""
    if not postings.has_passages:
        return scores
    best: Array = scores[postings.is_whole]
    np.maximum.at(best, postings.passages_in, scores.take(postings.passages))
    return best


def _look_up(corpus: Corpus, text: str, word: Word) -> Term:
    pairs = [(part.postings, range_of(part, text)) for part in corpus.parts]
    places = tuple(postings.places[where] for postings, where in pairs)
    return Term(word, Places(text, places, tuple(postings.frequencies[where] for postings, where in pairs)))
