"""The neighbourhood of a node: everything within some steps, the nearest first, then the most central."""

import numpy as np
from msgspec import Struct

from clew.graph.edges import edge
from clew.graph.full_graph import FullGraph
from clew.graph.nearness import distances, history, likely, rank, start_nodes
from clew.graph.parts import LogicalSymbol
from clew.model.code import Edge
from clew.model.words import EdgeKind
from clew.store.adjacency import Array
from clew.store.links import KINDS


class Reach(Struct, frozen=True):
    """The distance and direction to go, and the kinds to keep; all kinds of nodes and edges if none is named."""

    radius: int
    undirected: bool
    most: int
    node_kinds: frozenset[str] = frozenset()
    edge_kinds: frozenset[EdgeKind] = frozenset()


class Neighbor(Struct, frozen=True):
    """`distance` counts the steps from the centre, along edges of every kind."""

    id: str
    kind: str
    distance: int
    pagerank: float


class Neighborhood(Struct, frozen=True):
    """`total` is how many nodes there are, `nodes` the first of them; the centre is first. One edge of a kind a pair.

    `candidates` counts the edges at these nodes that were too unsure to follow.
    """

    nodes: tuple[Neighbor, ...]
    edges: tuple[Edge, ...]
    total: int
    candidates: int


def neighborhood(whole: FullGraph, thing: LogicalSymbol, reach: Reach) -> Neighborhood:
    """Around a symbol of the graph: all its parts are the centre.

    Edges below `LIKELY` are not followed; nor is history, unless it is named. Nodes that the chosen kinds still
    connect with the centre come first, by their steps; then the rest.
    """
    centre, start, edges = whole.find(thing.element.id), start_nodes(whole, thing), whole.all_edges
    parts = [node for node, steps in start.items() if not steps]
    sure = likely(whole)
    followed = sure if EdgeKind.CO_CHANGES in reach.edge_kinds else sure & ~history(whole)
    distance = distances(whole, start, followed, reach.radius, undirected=reach.undirected)
    kept = (distance >= 0) & _kind_mask(whole, reach)
    kept[parts] = True
    of_kind = np.isin(edges.kind, [KINDS.index(kind) for kind in reach.edge_kinds or KINDS])
    inside = followed & of_kind & kept[edges.source] & kept[edges.target]
    connected = distances(whole, start, inside, reach.radius, undirected=reach.undirected)
    found = np.flatnonzero(kept).tolist()
    order = [(i != centre, _far(connected[i], distance[i]), -rank(whole, i), whole.ids[i], i) for i in found]
    chosen = [i for *_, i in sorted(order)[: reach.most]]
    shown = np.zeros(len(whole.ids), np.bool_)
    shown[chosen] = True
    between = of_kind & shown[edges.source] & shown[edges.target]
    return Neighborhood(
        nodes=tuple(Neighbor(whole.ids[i], whole.kinds[i], int(distance[i]), rank(whole, i)) for i in chosen),
        edges=_edges(whole, np.flatnonzero(between & sure)),
        total=len(order),
        candidates=int((of_kind & ~sure & (shown[edges.source] | shown[edges.target])).sum()),
    )


def _far(connected: int, distance: int) -> tuple[bool, int]:
    """Nodes are ordered by this first."""
    return (True, int(distance)) if connected < 0 else (False, int(connected))


def _kind_mask(whole: FullGraph, reach: Reach) -> Array:
    if not reach.node_kinds:
        return np.ones(len(whole.ids), np.bool_)
    return np.array([kind in reach.node_kinds for kind in whole.kinds], np.bool_)


def _edges(whole: FullGraph, numbers: Array) -> tuple[Edge, ...]:
    """One edge per kind and pair of nodes: the highest confidence, then the first."""
    edges = whole.all_edges
    best: dict[tuple[int, int, int], int] = {}
    for n in numbers.tolist():
        ends = int(edges.source[n]), int(edges.target[n]), int(edges.kind[n])
        if ends not in best or edges.confidence[n] > edges.confidence[best[ends]]:
            best[ends] = n
    return tuple(edge(whole.ids, edges, n) for n in best.values())
