"""Fuses the findings of all retrievers into one ranking. Pure: the same findings in the same order give the same
ranking.

There are four ways, all with scores from 0 to 1. *Evidence*, the default: each finding is independent evidence for a
chunk, and evidence adds up, 1 - (1-a)(1-b)…; so scores are comparable between questions. *RRF*: sums of 1/(k + rank).
*Weighted average*: the mean of the scores by weight. *Cascade*: the first retriever that finds enough decides, the
others only break its ties.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Protocol

import numpy as np
from msgspec import Struct

from clew.model.search import Fusion
from clew.retrieve.retriever import ByFile, ChunkPlace, ChunkScores, Retrieved
from clew.store.arrays import Array
from clew.store.corpus import Corpus

RANK_CONSTANT = 60  # A §8.3, C §9.5
MOST_RANKED = 1000  # of one retriever, for fusions by rank
AT_ONCE = 1 << 15  # chunks that are fused together: what lies between then fits the processor's cache
RUN = 256  # chunks of which the best is looked at, to tell what the best of all reach
ENOUGH = 0.5  # of a cascade: a score that needs no second opinion


class Shares(Protocol):
    """Factors that reduce the scores of chunks."""

    def __getitem__(self, chunks: "slice | Array", /) -> Array: ...


class Weighed(Struct, frozen=True, eq=False):
    """The findings of one retriever, and its weight."""

    name: str
    weight: float
    found: Retrieved


def fuse(how: Fusion, findings: Sequence[Weighed], allowed: Sequence[Array], shares: Sequence[Shares]) -> list[Array]:
    """By part, the score of each chunk that is allowed; `shares` is how much of its score each keeps."""
    fused = _WAYS[how](findings, allowed)
    for part, scores in enumerate(fused):
        doubts = [*_doubts(findings, part)] if how is Fusion.EVIDENCE else None
        for start in range(0, len(scores), AT_ONCE):
            block = slice(start, start + AT_ONCE)
            if doubts is not None:
                _evidence(scores[block], [doubt[block] for doubt in doubts])
            _keep(scores[block], allowed[part][block], shares[part][block])
    return fused


def fuse_again(
    how: Fusion,
    fused: list[Array],
    findings: Sequence[Weighed],
    later: Sequence[Weighed],
    allowed: Sequence[Array],
    shares: Sequence[Shares],
) -> list[Array]:
    """The same as `fuse` of all findings, by updating its result for the first ones: later ones concern few chunks,
    mostly."""
    both = [*findings, *later]
    if how is not Fusion.EVIDENCE:
        return fuse(how, both, allowed, shares)
    for part, scores in enumerate(fused):
        said = np.zeros(len(scores), np.bool_)
        for one in later:
            said |= one.found.scores[part][:] > 0
        some = said.nonzero()[0]
        again = np.ones(len(some))
        _evidence(again, [doubt[some] for doubt in _doubts(both, part)])
        _keep(again, allowed[part][some], shares[part][some])
        scores[some] = again
    return fused


def on_scale(
    how: Fusion,
    fused: list[Array],
    findings: Sequence[Weighed],
    allowed: Sequence[Array],
    shares: Sequence[Shares],
) -> list[Array]:
    """On the scale that thresholds are meant for: the best chunk is worth what the evidence for the best is."""
    if how not in _RELATIVE:
        return fused
    best, worth = (
        max((float(scores.max(initial=0.0)) for scores in some), default=0.0)
        for some in (fused, fuse(Fusion.EVIDENCE, findings, allowed, shares))
    )
    return [scores * (worth / best) for scores in fused] if best else fused


def _keep(scores: Array, allowed: Array, share: Array) -> None:
    scores *= share
    if not allowed.all():
        scores *= allowed


def best(corpus: Corpus, scores: Sequence[Array], limit: int, least: float = 0.0) -> list[tuple[ChunkPlace, float]]:
    """The best chunks; ties by path and place."""
    found: list[tuple[ChunkPlace, float]] = []
    for number, score in enumerate(scores):
        good = np.flatnonzero(score >= max(least, _lower_bound(score, limit), np.nextafter(0, 1)))
        if len(good) > limit:
            edge = np.partition(score[good], -limit)[-limit]
            good = good[score[good] >= edge]
        chosen = good[np.argsort(-score[good], kind="stable")[:limit]]  # of equals, the first by path and place
        places = [ChunkPlace(number, chunk) for chunk in chosen.tolist()]
        found += zip(places, score[chosen].tolist(), strict=True)
    if len({place.part for place, _ in found}) > 1:
        found.sort(key=lambda one: -one[1])
        found = [one for _, same in groupby(found, itemgetter(1)) for one in _in_place(corpus, [*same])]
    return found[:limit]


def _in_place(corpus: Corpus, equals: list[tuple[ChunkPlace, float]]) -> list[tuple[ChunkPlace, float]]:
    """Most scores are told apart by themselves: where all lie is only asked of the others."""
    return sorted(equals, key=lambda one: _address(corpus, one[0])) if len(equals) > 1 else equals


def _lower_bound(score: Array, many: int) -> float:
    """A score that at least so many chunks reach: the best chunk of as many runs of chunks does."""
    runs = len(score) // RUN
    if runs <= many:
        return 0.0
    return float(np.partition(score[: runs * RUN].reshape(runs, RUN).max(axis=1), -many)[-many])


def shares_of(findings: Sequence[Weighed], place: ChunkPlace, score: float) -> dict[str, float]:
    """How much of a chunk's score comes of each retriever; they sum to it."""
    worth = {one.name: _worth(one, place) for one in findings}
    total = sum(worth.values())
    return {name: score * value / total for name, value in worth.items() if value > 0} if total else {}


def _worth(one: Weighed, place: ChunkPlace) -> float:
    return float(-np.log1p(-min(one.weight * one.found.scores[place.part][place.chunk], 0.999)))


def _no_doubts(findings: Sequence[Weighed], allowed: Sequence[Array]) -> list[Array]:
    """Where nothing speaks against any chunk yet."""
    return [np.ones(len(mask)) for mask in allowed]


class _Doubt(Struct, frozen=True, eq=False):
    """How much a finding leaves against each chunk."""

    weight: float
    scores: ChunkScores

    def __getitem__(self, chunks: "slice | Array") -> Array:
        left: Array = self.weight * self.scores[chunks]
        np.minimum(left, 1.0, out=left)
        return np.subtract(1, left, out=left)


def _doubts(findings: Sequence[Weighed], part: int) -> Iterator[_Doubt | ByFile]:
    """The doubts of all findings; scores by file are not expanded to their chunks."""
    for one in findings:
        scores = one.found.scores[part]
        if isinstance(scores, ByFile):
            yield ByFile(_Doubt(one.weight, scores.scores)[:], scores.file_of)
        elif scores[:].any():
            yield _Doubt(one.weight, scores)


def _evidence(rest: Array, doubts: Sequence[Array]) -> None:
    """From products of doubts to evidence."""
    for left in doubts:
        rest *= left
    np.subtract(1, rest, out=rest)


def _by_rank(findings: Sequence[Weighed], allowed: Sequence[Array]) -> list[Array]:
    fused = [np.zeros(len(mask)) for mask in allowed]
    most = sum(one.weight for one in findings) / (RANK_CONSTANT + 1) or 1.0
    for one in findings:
        for rank, (part, chunk) in enumerate(_rank(one.found, allowed), 1):
            fused[part][chunk] += one.weight / (RANK_CONSTANT + rank) / most
    return fused


def _rank(found: Retrieved, allowed: Sequence[Array]) -> list[tuple[int, int]]:
    rows = []
    for part, (score, mask) in enumerate(zip((scores[:] for scores in found.scores), allowed, strict=True)):
        good = np.flatnonzero((score > 0) & mask)
        top = good[np.argsort(-score[good], kind="stable")[:MOST_RANKED]]
        rows += [(-float(score[chunk]), part, int(chunk)) for chunk in top]
    return [(part, chunk) for _, part, chunk in sorted(rows)[:MOST_RANKED]]


def _on_average(findings: Sequence[Weighed], allowed: Sequence[Array]) -> list[Array]:
    fused = [np.zeros(len(mask)) for mask in allowed]
    total = sum(one.weight for one in findings) or 1.0
    for one in findings:
        for mean, scores in zip(fused, (scores[:] for scores in one.found.scores), strict=True):
            mean += one.weight / total * scores
    return fused


def _cascade(findings: Sequence[Weighed], allowed: Sequence[Array]) -> list[Array]:
    """In the order of weights: findings of one retriever stand before all that only later ones find.

    Weak findings of the first one alone come last.
    """
    fused = [np.zeros(len(mask)) for mask in allowed]
    left = 1.0
    in_order = sorted(findings, key=lambda one: (-one.weight, one.name))
    for one in in_order:
        for total, scores in zip(fused, (scores[:] for scores in one.found.scores), strict=True):
            np.copyto(total, left * (0.5 + 0.5 * scores), where=(total == 0) & (scores >= ENOUGH))
            np.copyto(total, left * 0.5 * scores, where=(total == 0) & (scores > 0) & (left < 1.0))
        left *= 0.5
    for one in in_order[:1]:
        for total, scores in zip(fused, (scores[:] for scores in one.found.scores), strict=True):
            np.copyto(total, left * scores, where=(total == 0) & (scores > 0))
    return fused


_RELATIVE = (Fusion.RRF, Fusion.WEIGHTED)  # their sums compare chunks of one question, and not questions
_WAYS = {
    Fusion.EVIDENCE: _no_doubts,
    Fusion.RRF: _by_rank,
    Fusion.WEIGHTED: _on_average,
    Fusion.CASCADE: _cascade,
}


def _address(corpus: Corpus, place: ChunkPlace) -> tuple[str, int]:
    """A chunk's path and place, which are the same in whichever part it lies."""
    postings = corpus.parts[place.part].postings
    file = int(postings.file_of[place.chunk])
    return postings.paths[file], place.chunk - int(postings.first_of[file])
