"""What `hybrid_search` answers, in the words of the document that asks for it: ids have their prefixes."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from clew.graph.elements import Elements
from clew.model.search import Failure, Hit
from clew.tools.budget import Priority, Shape, growing
from clew.tools.freshness import FreshnessState, counted
from clew.tools.neighborhood import prefixed, type_of
from clew.tools.retrieval import NOTHING_MISSED, Missed, Sought, unanswered

if TYPE_CHECKING:
    from clew.graph.nearness import Measure, Nearness

DIGITS = 4  # of a score
_SHORT = ("node_id", "node_type", "score", "semantic_score", "graph_score", "distance")


class Weights(Struct, frozen=True):
    semantic: float
    graph: float


class Wanted(Struct, frozen=True):
    """No anchor is the whole graph."""

    sought: Sought
    anchor: str
    weights: Weights


class Ranked(Struct, frozen=True, omit_defaults=True):
    """`semantic_score` is what the retrieval gives the node, `graph_score` its nearness to the anchor or its PageRank.

    `distance` counts steps from the anchor, one more than the furthest if none lead there; without one it is -1.
    """

    node_id: str
    node_type: str
    score: float
    semantic_score: float
    graph_score: float
    distance: int
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
    failed: tuple[Failure, ...] = ()
    freshness: FreshnessState = FreshnessState()

    def summary(self) -> str:
        near = f" near {self.anchor_node_id}" if self.anchor_node_id else ""
        best = "".join(f"; best: {one.node_id} ({one.score:.2f})" for one in self.results[:1])
        found = f"{counted(len(self.results), 'node', 'nodes')}{near}{best}." if self.results else ""
        missed = self.missed.said(self.freshness, found=bool(self.results))
        return " ".join(filter(None, [found, missed, unanswered(self.failed), self.freshness.unseen()]))

    def quoted(self) -> Iterable[str]:
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
    growing(_SHORT),
)


def ranked(found: Mapping[str, Hit], measure: "Measure", wanted: Wanted, elements: Elements) -> tuple[Ranked, ...]:
    """The best by both scores; ties by id."""
    weights, made = wanted.weights, []
    for node, hit in found.items():
        near = measure(node)
        made.append((-(weights.semantic * hit.score + weights.graph * near.score), node, hit.score, near))
    best = sorted(made, key=lambda one: one[:2])[: wanted.sought.limit]
    return tuple(_ranked(elements, node, -score, semantic, near) for score, node, semantic, near in best)


def _ranked(elements: Elements, node: str, score: float, semantic: float, near: "Nearness") -> Ranked:
    element = elements.described(node)
    return Ranked(
        node_id=prefixed(node, element.kind),
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
