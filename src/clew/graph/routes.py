"""The shortest way from some nodes to others along edges of given kinds. Pure."""

from collections.abc import Collection

import numpy as np

from clew.graph.full_graph import FullGraph
from clew.model.code import Edge, split_id
from clew.model.words import EdgeKind
from clew.store.links import EVIDENCE, KINDS, LIKELY, SURE

MOST_STEPS = 12


def shortest_route(
    graph: FullGraph, sources: Collection[str], targets: Collection[str], kinds: Collection[EdgeKind]
) -> list[Edge]:
    """The edges of one of the shortest ways; empty if there is none. Ties are broken by the order of edges."""
    edges = graph.edges
    wanted = np.isin(edges.kind, [KINDS.index(kind) for kind in kinds]) & (edges.confidence >= LIKELY * SURE)
    chosen = np.flatnonzero(wanted)
    begin = [place for one in sources if (place := graph.find(one)) >= 0]
    ends = np.array([place for one in targets if (place := graph.find(one)) >= 0], np.int64)
    came_by = np.full(len(graph.ids), -1)  # by node, the edge that led there
    seen = np.zeros(len(graph.ids), np.bool_)
    seen[begin] = True
    front = seen.copy()
    for _ in range(MOST_STEPS):
        steps = chosen[front[edges.source[chosen]] & ~seen[edges.target[chosen]]]
        if not len(steps):
            return []
        reached, first = np.unique(edges.target[steps], return_index=True)
        came_by[reached] = steps[first]
        seen[reached] = True
        front = np.zeros(len(seen), np.bool_)
        front[reached] = True
        if len(met := ends[front[ends]]):
            return _back(graph, int(min(met)), came_by)
    return []


def _back(graph: FullGraph, node: int, came_by: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> list[Edge]:
    route: list[Edge] = []
    while (number := int(came_by[node])) >= 0:
        route.insert(0, _edge(graph, number))
        node = int(graph.edges.source[number])
    return route


def _edge(graph: FullGraph, number: int) -> Edge:
    source, target, kind, line, evidence, confidence = (int(column[number]) for column in graph.edges)
    begin, end = graph.ids[source], graph.ids[target]
    return Edge(begin, end, KINDS[kind], split_id(begin)[0], line, EVIDENCE[evidence], round(confidence / SURE, 3))
