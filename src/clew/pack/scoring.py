"""Scores of a pack's candidates, and their one order (seed D §4.3, §4.4). Pure."""

import math

from msgspec import UNSET, Struct

from clew.model.code import split_id
from clew.pack.artifact import Scores
from clew.pack.gather import Candidate
from clew.pack.request import Intent, PackRequest, TieBreaker
from clew.pack.shelf import Standing

DIGITS = 4  # of a score
SEEDS = "seeds"  # the section of what was begun at
OF_SEED, OF_DISTANCE, OF_EVIDENCE = 0.70, 0.20, 0.10
STRONG = 0.5  # a seed that scores as much is not outranked by what the graph alone brings
GRAPH_FIRST: frozenset[Intent] = frozenset({"impact"})  # unless the graph is what is asked about

_Key = tuple[float | int | str, ...]


class Lead(Struct, frozen=True):
    """A candidate with its scores, its section, and the rule that selected it.

    It is `quoted` if it matches, else not opened yet; `candidate` is its path through the graph.
    """

    id: str
    scores: Scores
    section: str
    rule: str
    quoted: Standing | None = None
    candidate: Candidate | None = None

    @property
    def path(self) -> str:
        return split_id(self.id)[0]

    @property
    def chunk(self) -> str:
        return self.quoted.uid if self.quoted else ""

    @property
    def is_seed(self) -> bool:
        return self.section == SEEDS


def seed_scores(score: float) -> Scores:
    """A seed is its own evidence."""
    return _scores(score, 1.0, 0)


def graph_scores(candidate: Candidate, found: float) -> Scores:
    """Scores of a node that the graph led to; `found` is its retrieval score, 0 if it did not match."""
    return _scores(found, candidate.strength, candidate.distance)


def hit_scores(found: float) -> Scores:
    """Scores of a match that the graph does not connect with a seed."""
    return _scores(found, 0.0, None)


def hybrid_score(seed: float, distance: int | None, evidence: float) -> float:
    near = 0.0 if distance is None else 1 / (1 + distance)
    return min(max(OF_SEED * seed + OF_DISTANCE * near + OF_EVIDENCE * evidence, 0.0), 1.0)


def _scores(seed: float, evidence: float, distance: int | None) -> Scores:
    return Scores(
        seed_score=round(seed, DIGITS),
        evidence_score=round(evidence, DIGITS),
        hybrid_score=round(hybrid_score(seed, distance, evidence), DIGITS),
        graph_distance=UNSET if distance is None else distance,
    )


def rank(lead: Lead, request: PackRequest) -> _Key:
    """Strong seeds first, unless the graph is asked about; then as the request says. Ties are left, but for paths."""
    scores = lead.scores
    distance = math.inf if scores.graph_distance is UNSET else scores.graph_distance
    ahead = lead.is_seed and scores.seed_score >= STRONG and request.intent not in GRAPH_FIRST
    primary = {
        "seedScore": -scores.seed_score,
        "graphDistance": distance,
        "graphEvidence": -scores.evidence_score,
        "hybridScore": -scores.hybrid_score,
        "ppr": 0.0 if scores.ppr is UNSET else -scores.ppr,
    }[request.ordering.primary]
    by_path = [lead.path] if request.ordering.stable_tie_breakers[0] == "fileRelPath" else []
    return (not ahead, primary, -scores.hybrid_score, distance, *by_path)


def ties(standing: Standing, request: PackRequest) -> _Key:
    """Tie-breakers among candidates of equal rank, in order."""
    return tuple(_tie(standing, one) for one in request.ordering.stable_tie_breakers)


def _tie(standing: Standing, by: TieBreaker) -> str | int:
    if by == "startLine":
        return standing.chunk.span.first
    return {"fileRelPath": standing.path, "chunkUid": standing.uid, "symbolId": standing.symbol}[by]
