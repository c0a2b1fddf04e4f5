"""How near nodes are to one of them, in steps along edges; and how central they are, where none is named."""

from collections.abc import Callable, Mapping

import numpy as np
from msgspec import Struct

from clew.graph.full_graph import FullGraph
from clew.graph.parts import LogicalSymbol
from clew.model.code import SCOPE
from clew.model.words import EdgeKind, Kind
from clew.store.adjacency import Array
from clew.store.links import KINDS, LIKELY, SURE

MOST_STEPS = 20  # that are looked at; what is further away is as good as not connected
DIGITS = 12  # of PageRank that count: beyond, machines may round differently
NOWHERE = -1  # a distance, where there is nothing to be near to

_CO_CHANGES = KINDS.index(EdgeKind.CO_CHANGES)


class Nearness(Struct, frozen=True):
    """`score` is from 0 to 1. The `distance` of unreached nodes is one more than the furthest reached."""

    score: float
    distance: int
    pagerank: float


Measure = Callable[[str], Nearness]


def near_to(whole: FullGraph, anchor: LogicalSymbol) -> Measure:
    """Nearness by steps from a symbol, in both directions along likely edges of the code.

    External symbols that two symbols share bring them no nearer.
    """
    start, own = start_nodes(whole, anchor), _own(whole)
    own[list(start)] = True
    followed = likely(whole) & ~history(whole) & own[whole.all_edges.source] & own[whole.all_edges.target]
    distance = distances(whole, start, followed, MOST_STEPS, undirected=True)
    beyond = int(distance.max()) + 1

    def measure(id: str) -> Nearness:
        node = whole.find(id)
        steps = int(distance[node]) if node >= 0 and distance[node] >= 0 else beyond
        return Nearness(1 - steps / beyond, steps, rank(whole, node))

    return measure


def central(whole: FullGraph) -> Measure:
    """By PageRank, relative to the highest of the project's own nodes."""
    highest = float(whole.pagerank[_own(whole)].max(initial=0.0)) or 1.0

    def measure(id: str) -> Nearness:
        pagerank = rank(whole, whole.find(id))
        return Nearness(min(pagerank / highest, 1.0), NOWHERE, pagerank)

    return measure


def rank(whole: FullGraph, node: int) -> float:
    """The PageRank of a node; of one that is not there, none."""
    return round(float(whole.pagerank[node]), DIGITS) if node >= 0 else 0.0


def history(whole: FullGraph) -> Array:
    """Which edges git's history tells."""
    told: Array = whole.all_edges.kind == _CO_CHANGES
    return told


def likely(whole: FullGraph) -> Array:
    """Which edges are sure enough to follow; how often files changed together is no doubt about it."""
    followed: Array = history(whole) | (whole.all_edges.confidence >= LIKELY * SURE)
    return followed


def start_nodes(whole: FullGraph, thing: LogicalSymbol) -> dict[int, int]:
    """The nodes that steps are counted from: all parts of a thing, and at one step, members that stand elsewhere."""
    found = {whole.find(one): 1 for one in thing.added} | {whole.find(one): 0 for one in thing.ids}
    members = [(number, one) for added in thing.added for number, one in whole.inside(added)]
    found |= {number: 1 for number, one in members if one.rpartition(SCOPE)[0] in thing.added}
    return {number: steps for number, steps in found.items() if number >= 0}


def distances(whole: FullGraph, start: Mapping[int, int], followed: Array, most: int, *, undirected: bool) -> Array:
    """In steps from where they begin, up to the most; -1 where none lead."""
    source, target = whole.all_edges.source[followed], whole.all_edges.target[followed]
    distance = np.full(len(whole.ids), -1, np.int64)
    for node, steps in start.items():
        distance[node] = steps if steps <= most else -1
    for step in range(1, most + 1):
        last = distance == step - 1
        ends = [target[last[source]], *([source[last[target]]] if undirected else [])]
        new = np.unique(np.concatenate(ends))
        new = new[distance[new] < 0]
        distance[new] = step
        if not (distance == step).any():
            break
    return distance


def _own(whole: FullGraph) -> Array:
    """Which nodes are part of the project."""
    return np.array([kind != Kind.EXTERNAL for kind in whole.kinds], np.bool_)
