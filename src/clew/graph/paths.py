"""Paths in the graph: the best way by which a walk came to a node, with evidence, and the shortest way along edges of
given kinds."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from clew.graph.algorithms.push import distinct
from clew.graph.edges import edges_between
from clew.graph.full_graph import FullGraph
from clew.graph.walk_graph import Web
from clew.model.code import Edge, split_id
from clew.model.words import EdgeKind, EvidenceKind
from clew.store.adjacency import Array
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
            return _back_along(graph, int(min(met)), came_by)
    return []


def _back_along(graph: FullGraph, node: int, came_by: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> list[Edge]:
    route: list[Edge] = []
    while (number := int(came_by[node])) >= 0:
        route.insert(0, _edge(graph, number))
        node = int(graph.edges.source[number])
    return route


def _edge(graph: FullGraph, number: int) -> Edge:
    source, target, kind, line, evidence, confidence = (int(column[number]) for column in graph.edges)
    begin, end = graph.ids[source], graph.ids[target]
    return Edge(begin, end, KINDS[kind], split_id(begin)[0], line, EVIDENCE[evidence], round(confidence / SURE, 3))


WIDEST = 200  # nodes that are gone on from, in one step
STEPS_ON = 2  # from the seeds; one more comes back from the node

_BY_ID = frozenset({EdgeKind.DEFINES, EdgeKind.CONTAINS})


class Path(Struct, frozen=True):
    """From a seed to a node; of no edges, the node is one. An edge may lead either way, as it was read."""

    seed: str
    id: str
    edges: tuple[Edge, ...]

    def __str__(self) -> str:
        return "; ".join(f"{e.source} {e.kind} {e.target} ({_place(e)})" for e in self.edges)


class _Level(NamedTuple):
    """Nodes that as many steps lead to, by number; from which node, by which kind, and how strongly."""

    nodes: Array
    before: Array
    kind: Array
    strength: Array

    def place(self, node: int) -> int:
        """-1 if it is not of this level."""
        at = int(np.searchsorted(self.nodes, node))
        return at if at < len(self.nodes) and self.nodes[at] == node else -1


class _Step(NamedTuple):
    source: int
    target: int
    kind: EdgeKind


class Ways:
    """From some seeds to any id that at most three steps lead to: the fewest, of these the strongest, ties by id.

    Of a step that leads to more than `WIDEST` nodes, the next goes on from the strongest.
    """

    def __init__(self, web: Web, seeds: Sequence[str]) -> None:
        self._web = web
        begun = distinct(np.array([number for one in seeds if (number := web.find(one)) >= 0], np.int64))
        nothing = np.full(len(begun), -1)
        self._levels = [_Level(begun, nothing, nothing, np.ones(len(begun)))]

    def to(self, id: str) -> Path | None:
        number = self._web.numbering.find(id)
        return self._path(number) if number >= 0 else None

    def _path(self, node: int) -> Path | None:
        steps: list[_Step] = []
        at, here = self._level_of(node), node
        if at < 0:
            back = _back(self._web, self._levels[-1], node)
            if back is None:
                return None
            steps, here, at = [back], back.source, STEPS_ON
        for level in reversed(self._levels[1 : at + 1]):
            place = level.place(here)
            steps.append(_Step(int(level.before[place]), here, KINDS[level.kind[place]]))
            here = steps[-1].source
        edges = tuple(_evidence(self._web, step) for step in reversed(steps))
        return Path(self._web.numbering.id(here), self._web.numbering.id(node), edges)

    def _level_of(self, node: int) -> int:
        """How many steps lead to a node, -1 if too many; no further on than to where it is found."""
        for number in range(STEPS_ON + 1):
            if number == len(self._levels):
                self._levels.append(_next(self._web, self._levels))
            if self._levels[number].place(node) >= 0:
                return number
        return -1


def _next(web: Web, levels: list[_Level]) -> _Level:
    front = _widest(web, levels[-1])
    level = levels[-1]
    nodes = level.nodes[front]
    steps = web.steps(nodes)
    strength = steps.strength * level.strength[front][steps.start]
    new = ~np.isin(steps.target, np.concatenate([one.nodes for one in levels]))
    order = np.flatnonzero(new)
    order = order[np.lexsort((steps.kind[order], steps.start[order], -strength[order], steps.target[order]))]
    targets, first = np.unique(steps.target[order], return_index=True)
    best = order[first]
    return _Level(targets, nodes[steps.start[best]], steps.kind[best], strength[best])


def _widest(web: Web, level: _Level) -> Array:
    """The places of the strongest, in id order: that makes the first of equals the same in any numbering."""
    least = np.partition(level.strength, -WIDEST)[-WIDEST] if len(level.nodes) > WIDEST else 0.0
    some = np.flatnonzero(level.strength >= least)
    ranks = web.numbering.ranks(level.nodes[some])
    best = np.lexsort((ranks, -level.strength[some]))[:WIDEST]
    return some[best[np.argsort(ranks[best])]]


def _back(web: Web, level: _Level, node: int) -> _Step | None:
    """The strongest of the steps to a node from a level."""
    steps = web.steps(np.array([node], np.int64))
    known = np.flatnonzero(np.isin(steps.target, level.nodes))
    if not len(known):
        return None
    strength = steps.strength[known] * level.strength[np.searchsorted(level.nodes, steps.target[known])]
    best = known[strength == strength.max()].tolist()
    chosen = min(best, key=lambda i: (web.numbering.id(int(steps.target[i])), int(steps.kind[i])))
    return _Step(int(steps.target[chosen]), node, KINDS[steps.kind[chosen]])


def _evidence(web: Web, step: _Step) -> Edge:
    """The edge behind a step, whichever way it leads: the surest, then the first."""
    source, target = web.numbering.id(step.source), web.numbering.id(step.target)
    if step.kind in _BY_ID:
        outer, inner = sorted((source, target))
        return Edge(outer, inner, step.kind, split_id(outer)[0], 0, EvidenceKind.SPAN, 1.0)
    if step.kind is EdgeKind.CO_CHANGES:
        return web.co_change(source, target)
    edges = [e for ends in ((source, target), (target, source)) for e in edges_between(web.corpus, *ends, step.kind)]
    return min(edges, key=lambda e: (-e.confidence, e.path, e.line))


def _place(edge: Edge) -> str:
    return f"{edge.path}:{edge.line}" if edge.line else edge.path
