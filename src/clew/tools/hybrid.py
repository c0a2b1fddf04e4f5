"""The answer of `hybrid_search`, with the prefixed ids of its specification."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from clew.graph.elements import Elements
from clew.model.search import Hit, RetrieverFailure
from clew.tools.budget import Priority, Row, Shape, grow_rows
from clew.tools.freshness import FreshnessState, count_of
from clew.tools.neighborhood import prefixed_id, type_of
from clew.tools.retrieval import NOTHING_MISSED, Missed, Sought, describe_failures

if TYPE_CHECKING:
    from clew.graph.nearness import Measure, Nearness

DIGITS = 4  # of a score
_SHORT = ("node_id", "score", "distance")
_EXPLAINED = ("node_type", "name", "pagerank", "semantic_score", "graph_score", "language")


class Weights(Struct, frozen=True):
    semantic: float
    graph: float


class HybridQuery(Struct, frozen=True):
    """No anchor is the whole graph."""

    sought: Sought
    anchor: str
    weights: Weights


class Ranked(Struct, frozen=True, omit_defaults=True):
    """`semantic_score` is what the retrieval gives the node, `graph_score` its nearness to the anchor or its PageRank.

    `distance` counts steps from the anchor, one more than the furthest if none lead there; without one it is -1.
    """

    node_id: str
    score: float
    distance: int
    node_type: str = ""
    semantic_score: float = 0.0
    graph_score: float = 0.0
    kind: str = ""
    name: str = ""
    pagerank: float = 0.0
    summary: str = ""
    file_path: str = ""
    first_line: int = 0
    last_line: int = 0
    language: str = ""
    signature: str = ""
    is_exported: bool | None = None


class HybridSearch(Struct, frozen=True, omit_defaults=True):
    results: tuple[Ranked, ...]
    query: str
    anchor_node_id: str
    total_matches: int
    missed: Missed = NOTHING_MISSED
    failed: tuple[RetrieverFailure, ...] = ()
    freshness: FreshnessState = FreshnessState()

    def summary(self) -> str:
        near = f" near {self.anchor_node_id}" if self.anchor_node_id else ""
        best = "".join(f"; best: {one.node_id} ({one.score:.2f})" for one in self.results[:1])
        found = f"{count_of(len(self.results), 'node', 'nodes')}{near}{best}." if self.results else ""
        missed = self.missed.sentences(self.freshness, found=bool(self.results))
        return " ".join(filter(None, [found, missed, describe_failures(self.failed), self.freshness.unseen()]))

    def quoted_files(self) -> Iterable[str]:
        """The files that it tells lines of."""
        return (one.file_path for one in self.results)


HYBRID_SHAPE = Shape(
    {
        "total_matches": Priority.MEDIUM,
        "missed": Priority.MEDIUM,
        "failed": Priority.HIGH,
        "freshness": Priority.LOW,
        "query": Priority.MEDIUM,
    },
    grow_rows(_SHORT),
    lambda data: {**_without_query(data), "results": [_concise(one) for one in data["results"]]},
    pages=("results",),
)


def _without_query(data: Row) -> Row:
    return {name: value for name, value in data.items() if value and name != "query"}


def _concise(hit: Row) -> Row:
    """Without the parts of the score; a distance only where there is an anchor."""
    dropped = {*_EXPLAINED, *(("distance",) if hit["distance"] < 0 else ())}
    return {name: value for name, value in hit.items() if name not in dropped}


def rank_hits(
    found: Mapping[str, Hit], measure: "Measure", wanted: HybridQuery, elements: Elements
) -> tuple[Ranked, ...]:
    """The best by both scores; ties by id."""
    weights, made = wanted.weights, []
    for node, hit in found.items():
        near = measure(node)
        made.append((-(weights.semantic * hit.score + weights.graph * near.score), node, hit.score, near))
    best = sorted(made, key=lambda one: one[:2])[: wanted.sought.limit]
    return tuple(_to_ranked(elements, node, -score, semantic, near) for score, node, semantic, near in best)


def _to_ranked(elements: Elements, node: str, score: float, semantic: float, near: "Nearness") -> Ranked:
    element = elements.describe(node)
    return Ranked(
        node_id=prefixed_id(node, element.kind),
        node_type=type_of(element.kind),
        score=round(score, DIGITS),
        semantic_score=semantic,
        graph_score=round(near.score, DIGITS),
        distance=near.distance,
        kind=element.kind,
        name=element.name,
        pagerank=near.pagerank,
        summary=element.summary,
        file_path=element.path,
        first_line=element.first_line,
        last_line=element.last_line,
        language=element.language,
        signature=element.signature,
        is_exported=element.exported,
    )
