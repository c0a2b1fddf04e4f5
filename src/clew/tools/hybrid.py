"""What `hybrid_search` answers, in the words of the document that asks for it: ids have their prefixes."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from clew.graph.elements import Elements
from clew.model.search import Failure, Hit, Query, Scope
from clew.model.words import Kind
from clew.tools.budget import Priority, Shape
from clew.tools.freshness import FreshnessState, counted
from clew.tools.neighborhood import prefixed, type_of
from clew.tools.retrieval import unanswered

if TYPE_CHECKING:
    from clew.graph.nearness import Measure, Nearness

DIGITS = 4  # of a score
_SHORT = ("node_id", "node_type", "score", "semantic_score", "graph_score", "distance")


OVER_FETCHED = 3  # times as many candidates as are asked for: what the graph may order anew
OF_ONE_FILE = 4  # times as many again, where files are asked for: of several hits comes one


class Weights(Struct, frozen=True):
    semantic: float
    graph: float


class Wanted(Struct, frozen=True):
    """What is searched for; no kinds are all, and no anchor is the whole graph."""

    text: str
    limit: int
    kinds: frozenset[str]
    anchor: str
    weights: Weights

    def to_query(self) -> Query:
        """Any part of a file speaks for it."""
        files = Kind.FILE in self.kinds
        kinds = () if files else tuple(Kind(kind) for kind in sorted(self.kinds))
        return Query(self.text, self.limit * OVER_FETCHED * (OF_ONE_FILE if files else 1), Scope(kinds=kinds))


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
    failed: tuple[Failure, ...] = ()
    freshness: FreshnessState = FreshnessState()

    def summary(self) -> str:
        near = f" near {self.anchor_node_id}" if self.anchor_node_id else ""
        best = "".join(f"; best: {one.node_id} ({one.score:.2f})" for one in self.results[:1])
        found = f"{counted(len(self.results), 'node', 'nodes')}{near}{best}." if self.results else "Nothing found."
        stale = self.freshness.stale
        old = f"{counted(stale, 'file has', 'files have')} changed since indexing." if stale else ""
        return " ".join(filter(None, [found, unanswered(self.failed), old, self.freshness.unseen()]))


def _steps(data: dict[str, Any]) -> list[dict[str, Any]]:
    """Ever longer answers: node by node, each by its id and its scores; then, again from the best on, in full."""
    if "results" not in data:
        return [data]
    whole = data["results"]
    short = [{name: row[name] for name in _SHORT} for row in whole]
    first = [_with(data, short[:n]) for n in range(len(whole) + 1)]
    return [*first, *(_with(data, [*whole[:n], *short[n:]]) for n in range(1, len(whole) + 1))]


def _with(data: dict[str, Any], rows: list[dict[str, Any]]) -> dict[str, Any]:
    left = len(data["results"]) - len(rows)
    return {**data, "results": rows, **({"results_left_out": left} if left else {})}


HYBRID_SHAPE = Shape(
    {"total_matches": Priority.MEDIUM, "failed": Priority.HIGH, "freshness": Priority.LOW, "query": Priority.MEDIUM},
    _steps,
)


def nodes_of(hits: tuple[Hit, ...], wanted: frozenset[str]) -> dict[str, float]:
    """The nodes that hits stand for, each with its best score; a file, where it is asked for, by its parts."""
    found: dict[str, float] = {}
    for hit in hits:
        for node in _nodes(hit, wanted):
            found[node] = max(found.get(node, 0.0), hit.score)
    return found


def _nodes(hit: Hit, wanted: frozenset[str]) -> Iterator[str]:
    if not wanted or hit.kind in wanted:
        yield hit.symbol
    if Kind.FILE in wanted:
        yield hit.path


def ranked(
    found: dict[str, float], measure: "Measure", weights: Weights, elements: Elements, limit: int
) -> tuple[Ranked, ...]:
    """The best by both scores; ties by id."""
    made = []
    for node, semantic in found.items():
        near = measure(node)
        made.append((-(weights.semantic * semantic + weights.graph * near.score), node, semantic, near))
    made.sort(key=lambda one: one[:2])
    return tuple(_ranked(elements, node, -score, semantic, near) for score, node, semantic, near in made[:limit])


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
