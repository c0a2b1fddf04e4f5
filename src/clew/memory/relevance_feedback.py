"""Relevance feedback: terms of the first hits beside the question's own raise other episodes with these terms. Pure."""

from collections.abc import Mapping, Sequence
from heapq import nlargest
from typing import NamedTuple

import numpy as np

from clew.memory.archive import Archive
from clew.memory.ranking import MemoryQuestion, best, bm25, norms, rarity
from clew.store.arrays import Array

# Chosen on LoCoMo, where all in their neighbourhood find more too (docs/memory.md).
FROM = 10  # hits that have a say; of whom the question names, if one of the best FAR is
FAR = 40
TERMS = 10  # of theirs that are looked for
RARE = 2.0  # from this rarity on: terms of an eighth of all episodes at most
WORTH = 0.3  # of an episode that has all of them

Hit = tuple[int, Mapping[str, int]]  # a row, and how often it has each of its terms


class _Scale(NamedTuple):
    norm: Array
    seen: Array


def first_hits(archive: Archive, question: MemoryQuestion, evidence: Array) -> list[int]:
    """Rows, best first."""
    rows = best(evidence, evidence > 0, FAR)
    named = rows[archive.agent.all[rows] == question.agent]
    return [int(row) for row in (named if len(named) else rows)[:FROM]]


def farther(archive: Archive, question: MemoryQuestion, evidence: Array, hits: Sequence[Hit], seen: Array) -> Array:
    """The evidence with the second hop; rows without evidence stay without, and rows outside of `seen` have no
    influence."""
    norm = norms(archive, seen)
    terms = _frequent_terms(archive, question, evidence, hits, _Scale(norm, seen))
    if not terms:
        return evidence
    found, possible = np.zeros(len(archive)), 0.0
    for term, weight in terms.items():
        rows, frequency = archive.seen_in(term, seen)
        rare = rarity(int(seen.sum()), len(rows))
        found[rows] += weight * bm25(rare, frequency, norm[rows])
        possible += weight * rare
    further: Array = evidence + WORTH * found / possible * (evidence > 0)
    return further


def _frequent_terms(
    archive: Archive, question: MemoryQuestion, evidence: Array, hits: Sequence[Hit], scale: _Scale
) -> dict[str, float]:
    """The most frequent terms of the hits, weighted by their evidence; only terms that other episodes share."""
    weights: dict[str, float] = {}
    episodes = int(scale.seen.sum())
    known = {term: _count_seen(archive, term, scale.seen, episodes) for _, counts in hits for term in counts}
    for row, counts in hits:
        for term, frequency in counts.items():
            rare = rarity(episodes, known[term])
            if known[term] > 1 and rare >= RARE and term not in question.terms:
                share = float(evidence[row]) * rare * frequency / (frequency + float(scale.norm[row]))
                weights[term] = weights.get(term, 0.0) + share
    return {term: weights[term] for term in nlargest(TERMS, weights, key=lambda term: (weights[term], term))}


def _count_seen(archive: Archive, term: str, seen: Array, episodes: int) -> int:
    """The number of visible rows with a term; for terms that are common in any case, of all rows, which is cheap."""
    held = archive.count_rows(term)
    hidden = len(seen) - episodes
    if not hidden or (held > hidden and rarity(episodes, held - hidden) < RARE):
        return held
    return len(archive.seen_in(term, seen)[0])
