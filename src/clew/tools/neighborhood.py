"""The answer of `query_graph_neighborhood`, with the prefixed ids of its specification."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct

from clew.graph.elements import Element, Elements
from clew.graph.parts import LogicalSymbol, SymbolPart
from clew.model.code import EXTERNAL, Edge
from clew.model.errors import InvalidInput
from clew.model.words import EDGE_WORDS, KIND_WORDS, EdgeKind, Kind, edges_named, kinds_named
from clew.tools.budget import Priority, Row, Shape
from clew.tools.freshness import FreshnessState, paths_of
from clew.tools.metering import Rows

if TYPE_CHECKING:
    from clew.graph.neighborhood import Neighbor, Neighborhood

T = TypeVar("T", Kind, EdgeKind)

_BRIEF = ("id", "distance")
_EXPLAINED = ("name", "node_type", "file_path", "language", "pagerank")  # said by the id, or asked for by few
FIRST = 8  # nodes that come before any edge


class Node(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """`node_type` is file, symbol or external, `kind` the finer word; `distance` counts steps from the centre.

    Where there is little room, only what has no default is told.
    """

    id: str
    node_type: str = ""
    kind: str = ""
    name: str = ""
    distance: int
    pagerank: float = 0.0
    summary: str = ""
    file_path: str = ""
    first_line: int = 0
    last_line: int = 0
    language: str = ""
    signature: str = ""
    is_exported: bool | None = None


class Link(Struct, frozen=True, omit_defaults=True):
    """Shown at `path` and `line`, by `evidence`. Files that change together do so in `support` commits."""

    source: str
    target: str
    relation: str
    path: str = ""
    evidence: str = ""
    confidence: float = 1.0
    line: int = 0
    support: int = 0


class GraphNeighborhood(Struct, frozen=True, omit_defaults=True):
    """`candidate_edges` were too unsure to follow; `truncated` says that `max_nodes` left some nodes out.

    `parts` are the places of a centre that is written in several: all are the centre, or with `one_part` only one is.
    """

    center_node: Node
    nodes: tuple[Node, ...]
    edges: tuple[Link, ...]
    total_nodes_in_neighborhood: int
    truncated: bool
    candidate_edges: int = 0
    parts: tuple[SymbolPart, ...] = ()
    one_part: bool = False
    freshness: FreshnessState = FreshnessState()

    def summary(self) -> str:
        total, edges = self.total_nodes_in_neighborhood, len(self.edges)
        taken = f", of which the nearest {len(self.nodes)} are taken" if self.truncated else ""
        unsure = f" Not followed, since unsure: {self.candidate_edges}." if self.candidate_edges else ""
        parts = f" ({'one of' if self.one_part else 'all of its'} {len(self.parts)} parts)" if self.parts else ""
        said = f"Nodes around {self.center_node.id}{parts}: {total}{taken}; edges between them: {edges}.{unsure}"
        return f"{said} {self.freshness.unseen()}".rstrip()

    def quoted_files(self) -> Iterable[str]:
        """The files that it tells lines of."""
        return chain((one.file_path for one in self.nodes), paths_of(one.id for one in self.parts))


def _steps(data: Row) -> Iterator[Row]:
    """Ever longer answers: the first nodes in brief; the edges to them; the other nodes, each with its edges; other
    edges; then nodes in full.
    """
    if "nodes" not in data:
        yield data
        return
    whole = data["nodes"]
    here = {node["id"] for node in whole}
    edges = [one for one in data["edges"] if not here.isdisjoint((one["source"], one["target"]))]  # of this page
    data = {**data, "edges": edges}
    first = _leading_edges([data["center_node"], *whole], edges)
    others = [number for number in range(len(edges)) if number not in first]
    shown = Rows()
    few = {**data, "nodes": shown, "center_node": _brief(data["center_node"])}
    yield _cut(few, data, set())
    for place, node in enumerate(whole[:FIRST]):
        shown.put(place, _brief(node))
        yield _cut(few, data, set())
    near = sorted(first, key=lambda number: _last_end(edges[number], whole))
    for n in range(1, len(near) + 1):
        yield _cut(few, data, set(near[:n]))
    for place, node in enumerate(whole[FIRST:], FIRST):
        shown.put(place, _brief(node))
        yield _cut(few, data, first)
    for n in _ever_more(len(others)):
        yield _cut(few, data, {*first, *others[:n]})
    yield {**data, "nodes": shown}
    for place, node in enumerate(whole):
        shown.put(place, node)
        yield {**data, "nodes": shown}


def _last_end(edge: Row, nodes: list[Row]) -> int:
    """Where in the list the later one of its ends is."""
    return max((at for at, node in enumerate(nodes) if node["id"] in (edge["source"], edge["target"])), default=-1)


def _concise(data: Row) -> Row:
    """The center is shown once, and a path once: an id begins with it."""
    if "nodes" not in data:
        return data
    others = [one for one in data["nodes"] if one["id"] != data["center_node"]["id"]]
    kept = {name: value for name, value in data.items() if name not in ("candidate_edges", "truncated")}
    nodes = [{name: one[name] for name in one if name not in _EXPLAINED} for one in others]
    return {**kept, "nodes": nodes, "edges": [_concise_edge(one) for one in data["edges"]]}


def _concise_edge(edge: Row) -> Row:
    """Its evidence is in the file of its source, unless that is outside of the project."""
    is_own = edge["source"].partition("::")[2].startswith(edge.get("path", ""))
    is_sure = edge.get("confidence", 1) == 1
    dropped = {"evidence", *(("path",) if is_own else ()), *(("confidence",) if is_sure else ())}
    return {name: value for name, value in edge.items() if name not in dropped}


def _ever_more(most: int) -> Iterator[int]:
    n = 0
    while n < most:
        n = min(n + max(n // 4, 1), most)
        yield n


def _leading_edges(nodes: list[dict[str, Any]], edges: list[dict[str, Any]]) -> set[int]:
    """The numbers of edges between steps, the first of each pair of nodes: the others say less of where a node is."""
    steps = {node["id"]: node["distance"] for node in nodes}  # on a later page, not of nodes before it
    found: dict[frozenset[str], int] = {}
    for number, edge in enumerate(edges):
        ends = frozenset((edge["source"], edge["target"]))
        if len({steps.get(one, -1) for one in ends}) > 1:
            found.setdefault(ends, number)
    return {*found.values()}


def _brief(node: dict[str, Any]) -> dict[str, Any]:
    return {name: node[name] for name in _BRIEF}


def _cut(few: Row, data: Row, wanted: set[int]) -> Row:
    """With those edges of the wanted ones that are between nodes which are shown."""
    shown = {node["id"] for node in few["nodes"]}
    waiting = {node["id"] for node in data["nodes"]} - shown - {data["center_node"]["id"]}
    some = [edge for number, edge in enumerate(data["edges"]) if number in wanted]
    edges = [edge for edge in some if waiting.isdisjoint((edge["source"], edge["target"]))]
    left = {"nodes_left_out": len(data["nodes"]) - len(few["nodes"]), "edges_left_out": len(data["edges"]) - len(edges)}
    return {**few, "edges": edges, **{name: count for name, count in left.items() if count}}


NEIGHBORHOOD_SHAPE = Shape(
    {
        "candidate_edges": Priority.MEDIUM,
        "parts": Priority.MEDIUM,
        "one_part": Priority.MEDIUM,
        "freshness": Priority.LOW,
    },
    _steps,
    _concise,
    pages=("nodes",),
)


def kinds_in(words: str) -> frozenset[str]:
    """The kinds of nodes that a list separated by commas names."""
    return frozenset(
        kind.value for word in _split(words) for kind in _require_kinds(word, kinds_named(word), KIND_WORDS)
    )


def edges_in(words: str) -> frozenset[EdgeKind]:
    return frozenset(kind for word in _split(words) for kind in _require_kinds(word, edges_named(word), EDGE_WORDS))


def prefixed_id(id: str, kind: str) -> str:
    """An id as the document spells it."""
    return id if id.startswith(EXTERNAL) or kind == Kind.EXTERNAL else f"{type_of(kind)}::{id}"


def make_neighborhood(found: "Neighborhood", thing: LogicalSymbol, elements: Elements) -> GraphNeighborhood:
    described = {near.id: elements.describe(near.id) for near in found.nodes}
    kinds = {near.id: near.kind for near in found.nodes}
    nodes = tuple(_node(near, described[near.id]) for near in found.nodes)
    return GraphNeighborhood(
        center_node=nodes[0],
        nodes=nodes,
        edges=tuple(_link(edge, kinds, described[edge.target]) for edge in found.edges),
        total_nodes_in_neighborhood=found.total,
        truncated=found.total > len(nodes),
        candidate_edges=found.candidates,
        parts=thing.parts,
        one_part=thing.is_part,
    )


def _node(near: "Neighbor", element: Element) -> Node:
    return Node(
        id=prefixed_id(near.id, near.kind),
        node_type=type_of(near.kind),
        kind=near.kind,
        name=element.name,
        distance=near.distance,
        pagerank=near.pagerank,
        summary=element.summary,
        file_path=element.path,
        first_line=element.first_line,
        last_line=element.last_line,
        language=element.language,
        signature=element.signature,
        is_exported=element.exported,
    )


def _link(edge: Edge, kinds: dict[str, str], target: Element) -> Link:
    """Containment has its evidence at the start of the container; co-change edges have no line."""
    history = edge.kind is EdgeKind.CO_CHANGES
    return Link(
        source=prefixed_id(edge.source, kinds[edge.source]),
        target=prefixed_id(edge.target, kinds[edge.target]),
        relation=edge.kind,
        path=edge.path,
        evidence=edge.evidence,
        confidence=edge.confidence,
        line=0 if history else edge.line or target.first_line,
        support=edge.line if history else 0,
    )


def type_of(kind: str) -> str:
    """The document's coarser word for a kind."""
    return kind if kind in (Kind.FILE, Kind.EXTERNAL) else "symbol"


def _split(words: str) -> list[str]:
    return [word.strip() for word in words.split(",") if word.strip()]


def _require_kinds(word: str, found: tuple[T, ...], table: dict[str, tuple[T, ...]]) -> tuple[T, ...]:
    if not found:
        raise InvalidInput(f"unknown kind {word!r}", f"Kinds: {', '.join(sorted(table))}.")
    return found
