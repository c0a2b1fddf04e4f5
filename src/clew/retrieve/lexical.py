"""BM25 over fields, on the corpus' own postings. Pure: the same corpus and terms give the same scores, to the bit.

The score comes of the share of the question's information that a chunk holds: each term weighs by its rarity and is
saturated by its frequency, so that the sum over the terms stays between 0 and 1, from question to question. Its square
root is the score: half of the information, which is a good answer to a long question, makes 0.7.

What is scored are documents; a chunk has the score of its best one: the whole, or one of its passages.
"""

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
from msgspec import Struct

from clew.retrieve.question import Word
from clew.retrieve.retriever import Place
from clew.store.corpus import Corpus, Part
from clew.store.postings import Field
from clew.store.snapshot import FIELD_BITS, Array, Postings

SATURATION = 2.0  # k1: one mention in the code says a little, one in the name most

# By field: how much a mention counts, and how much a long field discounts it. Set by hand, looking at the histories
# of flask, httpx and express (docs/fitted.md): no measure on those is a test of these.
WEIGHTS = np.array([0.8, 4.0, 1.2, 1.2, 1.0])
LENGTH_DISCOUNT = np.array([0.2, 0.8, 0.3, 0.4, 0.6])

_FIELD_MASK = (1 << FIELD_BITS) - 1


class Term(Struct, frozen=True):
    """One term of a question: the word it comes from, and where it stands in each part of the corpus."""

    word: Word
    places: tuple[Array, ...]
    frequencies: tuple[Array, ...]


class Scored(Struct, frozen=True, eq=False):
    """By part, the scores of chunks, and of the documents that they come from; and the words that stand nowhere."""

    corpus: Corpus
    chunks: tuple[Array, ...]
    documents: tuple[Array, ...]
    unknown: tuple[str, ...]

    def passage(self, place: Place) -> int:
        """Which passage of a chunk scores best; 0 is the whole, if none is better."""
        first, end = self.corpus.parts[place.part].postings.document_of[place.chunk : place.chunk + 2]
        return int(np.argmax(self.documents[place.part][first:end]))


def look_up(corpus: Corpus, question: Mapping[str, Word]) -> list[Term]:
    """The terms of a question, which come with their words."""
    return [_look_up(corpus, text, word) for text, word in question.items()]


def score(corpus: Corpus, terms: Sequence[Term], delta: float = 0.0) -> Scored:
    """All chunks, for terms in a fixed order. `delta` is BM25+'s: what any mention is worth, however long the text."""
    scores = tuple(np.zeros(part.postings.documents) for part in corpus.parts)
    grounds = _grounds(corpus)
    possible, unknown = 0.0, dict[str, None]()
    for term in terms:
        found = [_weigh(ground, term, number) for number, ground in enumerate(grounds)]
        frequency = sum(_frequency(ground, one) for ground, (one, _) in zip(grounds, found, strict=True))
        if not frequency:
            unknown.update({} if term.word.is_other else {term.word.text: None})
            continue
        rarity = term.word.weight * math.log(1 + (corpus.chunks - frequency + 0.5) / (frequency + 0.5))
        possible += 0.0 if term.word.is_other else rarity
        for by_document, (documents, weights) in zip(scores, found, strict=True):
            np.add.at(by_document, documents, rarity * _saturated(weights, delta))
    best = [_best(part.postings, one) / (possible or 1.0) for part, one in zip(corpus.parts, scores, strict=True)]
    for one in best:
        np.minimum(one, 1.0, out=one)
        np.sqrt(one, out=one)
    return Scored(corpus, tuple(best), scores, tuple(unknown))


def held(corpus: Corpus, terms: Sequence[Term], place: Place, passage: int) -> list[tuple[str, tuple[Field, ...]]]:
    """Which words of the question a chunk holds, or one of its passages, and in which fields."""
    found = []
    document = int(corpus.parts[place.part].postings.document_of[place.chunk]) + passage
    edges = np.array([document << FIELD_BITS, (document + 1) << FIELD_BITS], np.uint32)  # as places are: no copies
    for term in terms:
        places = term.places[place.part]
        low, high = np.searchsorted(places, edges)
        if high > low:
            found.append((term.word.text, tuple(Field(int(at) & _FIELD_MASK) for at in places[low:high])))
    return found


def range_of(part: Part, text: str) -> slice:
    """Where the places of a term lie."""
    number = part.postings.terms.find(text)
    return slice(int(part.postings.at[number]), int(part.postings.at[number + 1])) if number >= 0 else slice(0, 0)


def _best(postings: Postings, scores: Array) -> Array:
    """The score of each chunk, from those of its documents."""
    if not postings.has_passages:
        return scores
    best: Array = scores.take(postings.document_of[:-1])
    np.maximum.at(best, postings.passages_in, scores.take(postings.passages))
    return best


def _look_up(corpus: Corpus, text: str, word: Word) -> Term:
    ranges = [range_of(part, text) for part in corpus.parts]
    pairs = list(zip(corpus.parts, ranges, strict=True))
    return Term(
        word,
        tuple(part.postings.places[where] for part, where in pairs),
        tuple(part.postings.frequencies[where] for part, where in pairs),
    )


class _Ground(Struct, frozen=True):
    """What no question changes: by place, how much one mention weighs; by document, if it counts as a chunk."""

    weights: Array
    counts: Array


@lru_cache(maxsize=4)
def _grounds(corpus: Corpus) -> list[_Ground]:
    return [_ground(part, corpus.averages) for part in corpus.parts]


def _ground(part: Part, averages: Array) -> _Ground:
    """Where a chunk no longer holds, a mention weighs nothing."""
    postings = part.postings
    weights = np.zeros((postings.documents, 1 << FIELD_BITS))
    for field in Field:  # a cold start pays for this: by columns, which are long, it takes a third of the time
        discount = LENGTH_DISCOUNT[field]
        relative = postings.lengths[:, field] / averages[field]
        np.divide(WEIGHTS[field], 1 - discount + discount * relative, out=weights[:, field])
    counts = postings.is_whole
    if not part.live.all():
        live = part.live[postings.chunk_of]
        weights[~live] = 0
        counts = counts & live
    return _Ground(weights.ravel(), counts)


def _weigh(ground: _Ground, term: Term, number: int) -> tuple[Array, Array]:
    """The documents of a part that hold a term, and how much it weighs in each: all fields together, in their order.

    A long question comes by millions of places: each step here costs a large corpus milliseconds. Most documents have
    one place; the weights of the others' further places are added to those of their first.
    """
    places = term.places[number].astype(np.intp)  # once: whatever is indexed by others would do so again
    weights = ground.weights.take(places)
    weights *= term.frequencies[number]
    documents = places >> FIELD_BITS
    is_first = np.ones(len(places), np.bool_)
    np.not_equal(documents[1:], documents[:-1], out=is_first[1:])
    firsts = np.flatnonzero(is_first)
    further = np.flatnonzero(~is_first)
    sums = weights.take(firsts)
    np.add.at(sums, further - np.arange(1, len(further) + 1), weights.take(further))
    return documents.take(firsts), sums


def _saturated(weights: Array, delta: float) -> Array:
    """From 0 to 1."""
    saturated: Array = weights / (weights + SATURATION)
    return np.where(weights > 0, (saturated + delta) / (1 + delta), 0.0) if delta else saturated


def _frequency(ground: _Ground, documents: Array) -> int:
    """How many chunks hold a term, of the documents that do."""
    return int(np.count_nonzero(ground.counts.take(documents)))
