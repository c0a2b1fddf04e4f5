"""BM25 over fields, on the corpus' own postings. Pure: the same corpus and terms give the same scores, to the bit.

The score is the share of the question's information that a chunk holds: each term weighs by its rarity and is
saturated by its frequency, so that the sum over the terms stays between 0 and 1, from question to question.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clew.store.corpus import Corpus, Part
from clew.store.postings import Field
from clew.store.snapshot import FIELD_BITS, Array

SATURATION = 0.6  # k1: one mention in the code says a little, one in the name nearly all

# By field: how much a mention counts, and how much a long field discounts it.
WEIGHTS = np.array([0.8, 3.0, 1.2, 1.2, 1.0])
LENGTH_DISCOUNT = np.array([0.2, 0.2, 0.3, 0.4, 0.4])

_FIELD_MASK = (1 << FIELD_BITS) - 1


@dataclass(frozen=True, slots=True)
class Ranked:
    """A chunk: its part of the corpus, its number there, and its score."""

    part: int
    chunk: int
    score: float


@dataclass(frozen=True, slots=True)
class Ranking:
    best: tuple[Ranked, ...]
    total: int
    below: int
    unknown: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Term:
    """One term's postings in one part, by chunk."""

    chunks: Array
    weights: Array


def rank(corpus: Corpus, terms: Sequence[str], allowed: Sequence[Array], limit: int, least: float) -> Ranking:
    """The best chunks, of those allowed, for terms in a fixed order; ties by path and place."""
    averages = _average_lengths(corpus)
    scores = [np.zeros(part.postings.chunks) for part in corpus.parts]
    chunks = sum(int(part.live.sum()) for part in corpus.parts)
    possible, unknown = 0.0, []
    for term in terms:
        found = [_find(part, term, averages) for part in corpus.parts]
        frequency = sum(len(one.chunks) for one in found)
        if not frequency:
            unknown.append(term)
            continue
        rarity = math.log(1 + (chunks - frequency + 0.5) / (frequency + 0.5))
        possible += rarity
        for score, one in zip(scores, found, strict=True):
            score[one.chunks] += rarity * one.weights / (one.weights + SATURATION)
    for score, mask in zip(scores, allowed, strict=True):
        score *= mask
        score /= possible or 1.0
    return _select(corpus, scores, limit, least, tuple(unknown))


def shares(corpus: Corpus, terms: Sequence[str], ranked: Ranked) -> list[tuple[str, tuple[Field, ...]]]:
    """Which terms a chunk holds, and in which fields."""
    part = corpus.parts[ranked.part]
    held = []
    for term in terms:
        places = _places(part, term)[0]
        low = np.searchsorted(places, ranked.chunk << FIELD_BITS)
        high = np.searchsorted(places, (ranked.chunk + 1) << FIELD_BITS)
        if high > low:
            held.append((term, tuple(Field(int(place) & _FIELD_MASK) for place in places[low:high])))
    return held


def _average_lengths(corpus: Corpus) -> Array:
    """Mean length by field over the chunks that hold now: exact sums, so that laying over changes nothing."""
    totals = np.zeros(len(Field))
    count = 0
    for part in corpus.parts:
        totals += part.postings.lengths[part.live].sum(axis=0, dtype=np.int64)
        count += int(part.live.sum())
    return np.maximum(totals / max(count, 1), 1e-9)


def _places(part: Part, term: str) -> tuple[Array, Array]:
    postings = part.postings
    number = postings.terms.find(term)
    if number < 0:
        return postings.places[:0], postings.frequencies[:0]
    start, end = int(postings.at[number]), int(postings.at[number + 1])
    return postings.places[start:end], postings.frequencies[start:end]


def _find(part: Part, term: str, averages: Array) -> _Term:
    places, frequencies = _places(part, term)
    chunks, fields = places >> FIELD_BITS, places & _FIELD_MASK
    live = part.live[chunks]
    chunks, fields, frequencies = chunks[live], fields[live], frequencies[live]
    if not len(chunks):
        return _Term(chunks, np.zeros(0))
    discount = LENGTH_DISCOUNT[fields]
    relative = part.postings.lengths[chunks, fields] / averages[fields]
    weights = WEIGHTS[fields] * frequencies / (1 - discount + discount * relative)
    starts = np.flatnonzero(np.concatenate(([True], chunks[1:] != chunks[:-1])))
    return _Term(chunks[starts], np.add.reduceat(weights, starts))


def _select(corpus: Corpus, scores: list[Array], limit: int, least: float, unknown: tuple[str, ...]) -> Ranking:
    matched = sum(int(np.count_nonzero(score)) for score in scores)
    candidates: list[Ranked] = []
    for number, score in enumerate(scores):
        good = np.flatnonzero(score >= max(least, np.nextafter(0, 1)))
        if len(good) > limit:
            edge = np.partition(score[good], -limit)[-limit]
            good = good[score[good] >= edge]
        candidates += [Ranked(number, int(chunk), float(score[chunk])) for chunk in good]
    above = sum(int(np.count_nonzero(score >= max(least, np.nextafter(0, 1)))) for score in scores)
    candidates.sort(key=lambda r: (-r.score, _address(corpus, r)))
    return Ranking(tuple(candidates[:limit]), above, matched - above, unknown)


def _address(corpus: Corpus, ranked: Ranked) -> tuple[str, int]:
    """A chunk's path and place, which are the same in whichever part it lies."""
    postings = corpus.parts[ranked.part].postings
    file = int(postings.file_of[ranked.chunk])
    return postings.paths[file], ranked.chunk - int(postings.first_of[file])
