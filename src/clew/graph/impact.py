"""Impact of a change: the probability that each node of the graph is affected, and the path that shows why.

A change spreads against the edges: from a callee to its callers, from a base class to its subclasses, from a fixture
to the tests that use it. The probability of a path is the product of its edges' weights; a node takes its most
probable path, and further paths raise it a little. Pure: the same graph and seeds give the same result, to the bit.
"""

import heapq
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from clew.graph.full_graph import Columns, FullGraph
from clew.model.code import split_id
from clew.model.words import CLASSES, EdgeKind, Kind
from clew.store.adjacency import Array
from clew.store.links import KINDS, SURE

# How probably a change of an edge's target affects its source, if the edge itself is certain.
WEIGHTS: dict[EdgeKind, float] = {
    EdgeKind.CALLS: 0.9,
    EdgeKind.USES: 0.7,
    EdgeKind.INHERITS: 0.8,
    EdgeKind.IMPLEMENTS: 0.8,
    EdgeKind.TESTS: 0.95,
    EdgeKind.IMPORTS: 0.25,
    EdgeKind.EXPORTS: 0.2,
    EdgeKind.DEFINES: 0.15,  # a file, by a change of something in it
    EdgeKind.CONTAINS: 0.3,  # a class, by a change of a member
    EdgeKind.DOCUMENTS: 0.3,
    EdgeKind.MENTIONS: 0.1,
}
MEMBER = 0.6  # a member, by a change of the class or file around it
FURTHER = 0.2  # share of its probability that another path adds
LEAST = 0.002  # less probable nodes are not reported, and nothing is reached through them
MOST_REACHED = 50_000  # nodes; a larger impact is cut off, and reported as such


POSSIBLE = -2  # in place of an edge: a call by the name of changed code that could not be resolved


_USES = frozenset(
    {EdgeKind.CALLS, EdgeKind.USES, EdgeKind.INHERITS, EdgeKind.IMPLEMENTS, EdgeKind.TESTS, EdgeKind.IMPORTS}
)
_DEFINITIONS = (*CLASSES, Kind.FUNCTION, Kind.METHOD)


class AffectedNode(NamedTuple):
    """An affected node. `via` is the node before it on its most probable path, -1 for a seed; `edge` is the index of
    that edge in `FullGraph.edges`, -1 where a member is affected by its container, `POSSIBLE` where it may call it."""

    probability: float
    distance: int
    via: int
    edge: int


class Impact(NamedTuple):
    """Affected nodes by their places in the graph, the seeds among them; `cut` if there were more than are followed."""

    reached: Mapping[int, AffectedNode]
    cut: bool


class Incoming:
    """The edges of a graph by their targets, with the weight of each."""

    def __init__(self, edges: Columns) -> None:
        weight = np.array([WEIGHTS.get(kind, 0.0) for kind in KINDS])[edges.kind] * (edges.confidence / SURE)
        kept = np.flatnonzero(weight >= LEAST)
        order = kept[np.lexsort((kept, edges.target[kept]))]
        self.edge: Array = order
        self.source: Array = edges.source[order]
        self.weight: Array = weight[order]
        self._targets: Array = edges.target[order]

    def of(self, node: int) -> slice:
        """The places of a node's incoming edges in the arrays."""
        first, last = np.searchsorted(self._targets, (node, node + 1))
        return slice(int(first), int(last))


_INCOMING: WeakKeyDictionary[FullGraph, Incoming] = WeakKeyDictionary()


def incoming_of(graph: FullGraph) -> Incoming:
    """Made once for each graph, and dropped with it."""
    found = _INCOMING.get(graph)
    if found is None:
        found = _INCOMING[graph] = Incoming(graph.edges)
    return found


def spread(
    graph: FullGraph, seeds: Mapping[int, float], possible: Mapping[int, Mapping[int, float]] = MappingProxyType({})
) -> Impact:
    """From nodes that changed, each with the probability that it really did. `possible` are, by node, others that may
    use it, each with its probability."""
    incoming = incoming_of(graph)
    best: dict[int, AffectedNode] = {node: AffectedNode(seeds[node], 0, -1, -1) for node in sorted(seeds)}
    for node in list(best):
        _include_members(graph, node, best[node].probability, best)
    total = {node: reached.probability for node, reached in best.items()}
    queue = [(-total[node], node) for node in total]
    heapq.heapify(queue)
    done: dict[int, AffectedNode] = {}
    while queue:
        negative, node = heapq.heappop(queue)
        if node in done or -negative < total[node]:
            continue
        if len(done) >= MOST_REACHED:
            return Impact(done, cut=True)
        found = done[node] = best[node]._replace(probability=total[node])
        places = incoming.of(node)
        sources, weights, edges = (a[places].tolist() for a in (incoming.source, incoming.weight, incoming.edge))
        strongest = _strongest(sources, weights, edges)
        for source, weight in possible.get(node, {}).items():
            if source not in strongest or strongest[source][0] < weight:
                strongest[source] = weight, POSSIBLE
        for source, (weight, edge) in strongest.items():
            p = found.probability * weight
            if source in done or p < LEAST:
                continue
            known = best.get(source)
            if known is None or p > known.probability:
                best[source] = AffectedNode(p, found.distance + 1, node, edge)
            before = total.get(source, 0.0)
            total[source] = max(p, before) + FURTHER * min(p, before) * (1 - max(p, before))
            heapq.heappush(queue, (-total[source], source))
    return Impact(done, cut=False)


def unused_definitions(graph: FullGraph, seeds: Mapping[int, float]) -> Iterator[tuple[int, int]]:
    """Definitions in changed files that nothing is known to use, each with its file: frameworks and plug-ins call
    such."""
    incoming, edges = incoming_of(graph), graph.edges
    for path in sorted({split_id(graph.ids[node])[0] for node in seeds}):
        holder = graph.find(path)
        for node, _ in graph.inside(path) if holder >= 0 else ():
            if graph.kinds[node] in _DEFINITIONS:
                kinds = {KINDS[kind] for kind in edges.kind[incoming.edge[incoming.of(node)]].tolist()}
                if kinds.isdisjoint(_USES):
                    yield node, holder


def path_of(impact: Impact, node: int) -> list[int]:
    """The nodes of the most probable path, from the changed one to this one."""
    found = [node]
    while (via := impact.reached[found[-1]].via) >= 0:
        found.append(via)
    return found[::-1]


def _strongest(sources: Iterable[int], weights: Iterable[float], edges: Iterable[int]) -> dict[int, tuple[float, int]]:
    """The strongest edge of each source: calls of one symbol at several lines count once."""
    best: dict[int, tuple[float, int]] = {}
    for source, weight, edge in zip(sources, weights, edges, strict=True):
        if source not in best or weight > best[source][0]:
            best[source] = weight, edge
    return best


def _include_members(graph: FullGraph, node: int, probability: float, best: dict[int, AffectedNode]) -> None:
    """A change of a class or a file as a whole may affect everything in it."""
    if graph.kinds[node] not in (Kind.FILE, *CLASSES):
        return
    for member, _ in graph.inside(graph.ids[node]):
        if member not in best:
            best[member] = AffectedNode(probability * MEMBER, 1, node, -1)
