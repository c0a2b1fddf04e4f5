"""Nodes within a few steps of some nodes, along chosen edges in either direction: hop by hop, each by its best path.

It works on the arrays of the corpus's parts as a walk does (`web`), all edges of a hop at once. A hop is bounded:
only the strongest nodes are expanded, and of nodes reached in the same way only the strongest are reported. Cut nodes
are counted. An overlay gives the same result as a new snapshot.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from clew.graph.algorithms.push import ranges
from clew.graph.walk_graph import CROWD, NOWHERE, GraphLayer, Web
from clew.model.words import EdgeKind, EvidenceKind
from clew.runtime.deadline import check
from clew.store.adjacency import Array
from clew.store.links import EVIDENCE, KINDS, LIKELY, SURE

_DEFINES, _CONTAINS, _CO_CHANGES = (
    KINDS.index(kind) for kind in (EdgeKind.DEFINES, EdgeKind.CONTAINS, EdgeKind.CO_CHANGES)
)
_SPAN, _TOOLING = EVIDENCE.index(EvidenceKind.SPAN), EVIDENCE.index(EvidenceKind.TOOLING)


class Direction(StrEnum):
    """Which way along an edge: as it leads, against it, or both."""

    OUT = "out"
    IN = "in"
    BOTH = "both"


class Bounds(Struct, frozen=True):
    """How much a hop may look at, and tell."""

    widest: int = 300  # nodes that are gone on from
    edges: int = 50_000  # that these may have together; a single node is always looked at
    alike: int = 120  # told of the nodes that the same kind of edge led to, in the same direction


class SpreadLimit(Struct, frozen=True):
    """The number of nodes that a hop skipped because of the named bound."""

    hop: int
    bound: str
    nodes: int


class Level(NamedTuple):
    """Nodes of one distance, in id order: the node before each, the edge, and the strength so far.

    `evidence` is the product of the confidences of all steps; `strength` lowers it for steps to hubs.
    """

    node: Array
    before: Array
    kind: Array
    forward: Array  # whether the edge leads the way that the step goes
    line: Array
    shown: Array  # the kind of evidence
    confidence: Array
    evidence: Array
    strength: Array


class Spread(Struct, frozen=True, eq=False):
    """`levels` begin with where it began."""

    levels: tuple[Level, ...]
    cuts: tuple[SpreadLimit, ...]


class _Edges(NamedTuple):
    """Edges of a front: the place in it, the node at the other end, and the edge."""

    start: Array
    target: Array
    kind: Array
    forward: Array
    line: Array
    shown: Array
    confidence: Array


def spread(
    web: Web,
    begin: Sequence[int],
    way: "Along",
    bounds: Bounds | None = None,
    favoured: Mapping[int, float] | None = None,
) -> Spread:
    """From nodes; of equally good ones, those that are `favoured` are kept first, by how much."""
    spreading = _Spreading(web, way, bounds or Bounds(), favoured or {})
    return spreading.run(sorted(set(begin), key=web.numbering.id))


class Along(Struct, frozen=True):
    """The edge kinds, direction and distance to go. Containment leads from the outer to the inner."""

    kinds: frozenset[EdgeKind]
    direction: Direction = Direction.BOTH
    hops: int = 2


class _Spreading:
    def __init__(self, web: Web, way: Along, bounds: Bounds, favoured: Mapping[int, float]) -> None:
        self._web = web
        self._way = way
        self._bounds = bounds
        self._favour = favoured
        self._wanted = np.array([kind in way.kinds for kind in KINDS], np.bool_)
        self._seen = np.zeros(web.size, np.bool_)
        self._cuts: list[SpreadLimit] = []

    def run(self, begin: list[int]) -> Spread:
        level = _first(np.array(begin, np.int64))
        levels = [level]
        self._seen[level.node] = True
        for hop in range(1, self._way.hops + 1):
            check()
            front = self._front(level, hop)
            if not len(front.node):
                break
            found = self._best(front, self._edges(front.node))
            self._seen[found.node] = True  # also of what is not told: no longer way leads there
            level = self._strongest_each(found, hop)
            levels.append(level)
        return Spread(tuple(levels), tuple(self._cuts))

    def _front(self, level: Level, hop: int) -> Level:
        """The strongest, as many as may be gone on from, in id order."""
        order = self._rank(level, self._bounds.widest)
        total = np.cumsum(self._web.degrees(level.node[order]))
        within = int(np.searchsorted(total, self._bounds.edges, side="right"))
        order = order[: max(within, 1)]
        self._count(hop, "front", len(level.node) - len(order))
        return _take(level, np.sort(order))

    def _strongest_each(self, level: Level, hop: int) -> Level:
        """The strongest of the nodes reached in the same way, so that a large group does not hide others."""
        groups = level.kind.astype(np.int64) * 2 + level.forward
        kept: list[Array] = []
        for group in np.flatnonzero(np.bincount(groups, minlength=1)).tolist():
            some = np.flatnonzero(groups == group)
            kept.append(some[self._rank(_take(level, some), self._bounds.alike)])
        chosen = np.concatenate(kept) if kept else np.zeros(0, np.int64)
        self._count(hop, "reached", len(level.node) - len(chosen))
        named = sorted(chosen.tolist(), key=lambda i: self._web.numbering.id(int(level.node[i])))
        return _take(level, np.array(named, np.int64))

    def _rank(self, level: Level, most: int) -> Array:
        """The places of the best, best first: by favour, by strength, ties by id."""
        favour = np.array([self._favour.get(node, 0.0) for node in level.node.tolist()] if self._favour else 0.0)
        favour = np.broadcast_to(favour, len(level.node))
        some = np.lexsort((-level.strength, -favour))
        if len(some) > most:  # all that are as good as the last: which of these it is, their ids say
            last = some[most - 1]
            as_good = (level.strength == level.strength[last]) & (favour == favour[last])
            some = np.concatenate([some[:most], np.setdiff1d(np.flatnonzero(as_good), some[:most])])
        id_of = self._web.numbering.id
        named = [(-float(favour[i]), -float(level.strength[i]), id_of(int(level.node[i])), i) for i in some.tolist()]
        return np.array([i for *_, i in sorted(named)[:most]], np.int64)

    def _count(self, hop: int, bound: str, nodes: int) -> None:
        if nodes > 0:
            self._cuts.append(SpreadLimit(hop, bound, nodes))

    def _best(self, front: Level, edges: _Edges) -> Level:
        """Each new node by the strongest edge that leads to it; ties by where from, kind, direction and line."""
        sure = edges.confidence / SURE
        evidence = front.evidence[edges.start] * sure
        crowd = np.maximum(self._web.degrees(edges.target) / CROWD, 1.0)
        strength = front.strength[edges.start] * sure / np.sqrt(crowd)
        order = np.lexsort(
            (edges.shown, edges.line, ~edges.forward, edges.kind, edges.start, -evidence, -strength, edges.target)
        )
        targets = edges.target[order]
        new = np.ones(len(order), np.bool_)
        new[1:] = targets[1:] != targets[:-1]
        best = order[new]
        e = _Edges(*(column[best] for column in edges))
        return Level(
            e.target,
            front.node[e.start],
            e.kind,
            e.forward,
            e.line,
            e.shown,
            sure[best],
            evidence[best],
            strength[best],
        )

    def _edges(self, nodes: Array) -> _Edges:
        """All edges from the front to unseen nodes."""
        found = [
            self._of_layer(layer, nodes, forward) for layer in self._web.numbering.layers for forward in self._ways
        ]
        if self._wanted[_DEFINES] or self._wanted[_CONTAINS]:
            found += [self._inward(nodes)] * (True in self._ways) + [self._outward(nodes)] * (False in self._ways)
        if self._wanted[_CO_CHANGES]:
            found.append(self._together(nodes))
        joined = _Edges(*(np.concatenate(columns) for columns in zip(*found, strict=True)))
        return _Edges(*(column[~self._seen[joined.target]] for column in joined))

    @property
    def _ways(self) -> tuple[bool, ...]:
        return {Direction.OUT: (True,), Direction.IN: (False,), Direction.BOTH: (True, False)}[self._way.direction]

    def _of_layer(self, layer: GraphLayer, nodes: Array, forward: bool) -> _Edges:
        """Current, likely edges of the chosen kinds that lead to nodes of the tree."""
        places = layer.places(nodes)
        start = np.flatnonzero(places >= 0)
        at, graph = places[start], layer.graph
        starts = layer.out_at if forward else layer.in_at
        counts = starts[at + 1] - starts[at]
        edges = ranges(starts[at], counts)
        edges = edges if forward else graph.in_order[edges].astype(np.int64)
        start = np.repeat(start, counts)
        other = (graph.target if forward else graph.source)[edges]
        low, high = layer.outside
        kept = self._wanted[graph.kind[edges]] & (graph.confidence[edges] >= LIKELY * SURE)
        kept &= (other < low) | (other >= high)
        if layer.live is not None:
            kept &= layer.live[graph.file[edges]]
        edges, start, other = edges[kept], start[kept], other[kept]
        columns = graph.line[edges], graph.evidence[edges], graph.confidence[edges]
        way = np.full(len(edges), forward, np.bool_)
        return _Edges(start, layer.numbers(other), graph.kind[edges], way, *columns)

    def _inward(self, nodes: Array) -> _Edges:
        counts, inner = self._web.within.inner(nodes)
        start = np.repeat(np.arange(len(nodes)), counts)
        return self._by_id(start, inner, nodes[start], forward=True)

    def _outward(self, nodes: Array) -> _Edges:
        outer = self._web.within.outer(nodes)
        start = np.flatnonzero(outer != NOWHERE)
        return self._by_id(start, outer[start], outer[start], forward=False)

    def _by_id(self, start: Array, target: Array, outer: Array, *, forward: bool) -> _Edges:
        kind = np.where(self._web.within.are_files(outer), _DEFINES, _CONTAINS)
        kept = self._wanted[kind]
        return _plain(start[kept], target[kept], kind[kept], forward, _SPAN, np.full(int(kept.sum()), SURE))

    def _together(self, nodes: Array) -> _Edges:
        """Files that changed together; how often says how sure that is."""
        steps = self._web.changed_with(nodes)
        confidence = np.rint(steps.strength * SURE)
        return _plain(steps.start, steps.target, steps.kind, True, _TOOLING, confidence)


def _plain(start: Array, target: Array, kind: Array, forward: bool, shown: int, confidence: Array) -> _Edges:
    """Edges that no line of a file shows."""
    n = len(start)
    return _Edges(
        start, target, kind, np.full(n, forward, np.bool_), np.zeros(n, np.int64), np.full(n, shown), confidence
    )


def _first(nodes: Array) -> Level:
    nothing, ones = np.full(len(nodes), -1), np.ones(len(nodes))
    return Level(nodes, nothing, nothing, nothing > 0, nothing, nothing, ones, ones, ones)


def _take(level: Level, places: Array) -> Level:
    return Level(*(column[places] for column in level))
