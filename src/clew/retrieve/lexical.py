"""BM25 over fields, on the corpus' own postings. Pure: the same corpus and terms give the same scores, to the bit.

The score comes of the share of the question's information that a chunk holds: each term weighs by its rarity and is
saturated by its frequency, so that the sum over the terms stays between 0 and 1, from question to question. Its square
root is the score: half of the information, which is a good answer to a long question, makes 0.7.

What is scored are documents; a chunk has the score of its best one: the whole, or one of its passages.
"""

import math
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from clew.store.corpus import Corpus, Part
from clew.store.postings import Field
from clew.store.snapshot import FIELD_BITS, Array, Postings

SATURATION = 2.0  # k1: one mention in the code says a little, one in the name most

# By field: how much a mention counts, and how much a long field discounts it. Set by hand, looking at the histories
# of flask, httpx and express (docs/fitted.md): no measure on those is a test of these.
WEIGHTS = np.array([0.8, 4.0, 1.2, 1.2, 1.0])
LENGTH_DISCOUNT = np.array([0.2, 0.8, 0.3, 0.4, 0.6])

TEST_SHARE = 0.85  # of its score that a test keeps: it shows how a thing is used, the thing itself comes first
_TEST = re.compile(r"(?:^|/)(?:tests?|testing|__tests__|specs?)/|(?:^|/)test_[^/]*$|[._-](?:test|spec)\.\w+$")
_TEST_WORDS = frozenset({"test", "tests", "testing", "tested", "spec", "specs"})

FEW = 0.1  # of the documents: for so many, a list is quicker than an array of all (measured on django)

_FIELD_MASK = (1 << FIELD_BITS) - 1


class Ranked(Struct, frozen=True):
    """A chunk: its part of the corpus, its number there, its score, and its passage that has it; 0 is the whole."""

    part: int
    chunk: int
    score: float
    passage: int = 0


class Ranking(Struct, frozen=True):
    best: tuple[Ranked, ...]
    total: int
    below: int
    unknown: tuple[str, ...]


class Term(Struct, frozen=True):
    """One term of a question: the word it comes from, and where it stands in each part of the corpus."""

    word: str
    places: tuple[Array, ...]
    frequencies: tuple[Array, ...]


def look_up(corpus: Corpus, question: Mapping[str, str]) -> list[Term]:
    """The terms of a question, which come with their words."""
    return [_look_up(corpus, text, word) for text, word in question.items()]


def rank(corpus: Corpus, terms: Sequence[Term], allowed: Sequence[Array], limit: int, least: float) -> Ranking:
    """The best chunks, of those allowed, for terms in a fixed order; ties by path and place."""
    scores = [np.zeros(part.postings.documents) for part in corpus.parts]
    grounds = _grounds(corpus)
    possible, unknown = 0.0, []
    for term in terms:
        found = [_weigh(ground, term, number) for number, ground in enumerate(grounds)]
        frequency = sum(_frequency(ground, *one) for ground, one in zip(grounds, found, strict=True))
        if not frequency:
            unknown.append(term.word)
            continue
        rarity = math.log(1 + (corpus.chunks - frequency + 0.5) / (frequency + 0.5))
        possible += rarity
        for score, (where, weights) in zip(scores, found, strict=True):
            score[where] += rarity * (weights / (weights + SATURATION))
    about_tests = any(term.word.lower() in _TEST_WORDS for term in terms)
    by_chunk = []
    for part, score, mask in zip(corpus.parts, scores, allowed, strict=True):
        best = np.sqrt(_best(part.postings, score) / (possible or 1.0))
        best *= mask if about_tests else mask * _shares(part.postings)
        by_chunk.append(best)
    ranking = _select(corpus, by_chunk, limit, least, tuple(dict.fromkeys(unknown)))
    return replace(ranking, best=tuple(_with_passage(corpus, ranked, scores) for ranked in ranking.best))


def held(corpus: Corpus, terms: Sequence[Term], ranked: Ranked) -> list[tuple[str, tuple[Field, ...]]]:
    """Which words of the question a chunk holds, or its passage that scored best, and in which fields."""
    found = []
    document = int(corpus.parts[ranked.part].postings.document_of[ranked.chunk]) + ranked.passage
    edges = np.array([document << FIELD_BITS, (document + 1) << FIELD_BITS], np.uint32)  # as places are: no copies
    for term in terms:
        places = term.places[ranked.part]
        low, high = np.searchsorted(places, edges)
        if high > low:
            found.append((term.word, tuple(Field(int(place) & _FIELD_MASK) for place in places[low:high])))
    return found


def _best(postings: Postings, scores: Array) -> Array:
    """The score of each chunk, from those of its documents."""
    if not postings.has_passages:
        return scores
    best: Array = scores[postings.document_of[:-1]]
    np.maximum.at(best, postings.chunk_of[postings.passages], scores[postings.passages])
    return best


def _with_passage(corpus: Corpus, ranked: Ranked, scores: list[Array]) -> Ranked:
    first, end = corpus.parts[ranked.part].postings.document_of[ranked.chunk : ranked.chunk + 2]
    return replace(ranked, passage=int(np.argmax(scores[ranked.part][first:end])))  # the whole, if none is better


@lru_cache(maxsize=4)
def _shares(postings: Postings) -> Array:
    """How much of its score each chunk keeps, by its path."""
    by_file = np.array([TEST_SHARE if _is_test(path) else 1.0 for path in postings.paths])
    shares: Array = by_file[postings.file_of] if postings.chunks else np.zeros(0)
    return shares


def _is_test(path: str) -> bool:
    return ("test" in path or "spec" in path) and _TEST.search(path) is not None  # most paths need no closer look


def _look_up(corpus: Corpus, text: str, word: str) -> Term:
    ranges = [_range(part, text) for part in corpus.parts]
    pairs = list(zip(corpus.parts, ranges, strict=True))
    return Term(
        word,
        tuple(part.postings.places[where] for part, where in pairs),
        tuple(part.postings.frequencies[where] for part, where in pairs),
    )


def _range(part: Part, text: str) -> slice:
    number = part.postings.terms.find(text)
    return slice(int(part.postings.at[number]), int(part.postings.at[number + 1])) if number >= 0 else slice(0, 0)


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


def _weigh(ground: _Ground, term: Term, number: int) -> tuple[Array | slice, Array]:
    """Documents of a part, and how much a term weighs in each: the mentions of all fields together, in their order.

    Of a term that few documents hold, those; else all of them, which is quicker then. The sums are the same.
    """
    places = term.places[number]
    documents = places >> FIELD_BITS
    weights = ground.weights[places] * term.frequencies[number]
    if len(places) > FEW * len(ground.counts):
        return slice(None), np.bincount(documents, weights, len(ground.counts))
    first = np.ones(len(documents), np.bool_)
    np.not_equal(documents[1:], documents[:-1], out=first[1:])
    return documents[first], np.bincount(np.cumsum(first), weights)[1:]


def _frequency(ground: _Ground, where: Array | slice, weights: Array) -> int:
    """How many chunks hold a term."""
    return int(np.count_nonzero((weights > 0) & ground.counts[where]))


def _select(corpus: Corpus, scores: list[Array], limit: int, least: float, unknown: tuple[str, ...]) -> Ranking:
    matched = above = 0
    candidates: list[Ranked] = []
    for number, score in enumerate(scores):
        good = np.flatnonzero(score >= max(least, np.nextafter(0, 1)))
        matched += int(np.count_nonzero(score))
        above += len(good)
        if len(good) > limit:
            edge = np.partition(score[good], -limit)[-limit]
            good = good[score[good] >= edge]
        order = np.argsort(-score[good], kind="stable")[:limit]  # of equals, the first by path and place
        candidates += [Ranked(number, int(chunk), float(score[chunk])) for chunk in good[order]]
    candidates.sort(key=lambda r: (-r.score, _address(corpus, r)))
    return Ranking(tuple(candidates[:limit]), above, matched - above, unknown)


def _address(corpus: Corpus, ranked: Ranked) -> tuple[str, int]:
    """A chunk's path and place, which are the same in whichever part it lies."""
    postings = corpus.parts[ranked.part].postings
    file = int(postings.file_of[ranked.chunk])
    return postings.paths[file], ranked.chunk - int(postings.first_of[file])
