"""Personalized PageRank by forward push: the share of a random walk from some nodes that ends at each node.

Mass is counted in grains, whole numbers that a float holds exactly. Sums are therefore the same in any order, and the
result is the same to the bit regardless of how nodes are numbered and in which order their arcs come.
"""

import math
from typing import NamedTuple, Protocol

import numpy as np

from clew.store.arrays import Array

GRAINS = 2.0**48  # of all mass; a float counts up to 2**53 without a gap, which leaves room for the products below

# By `make bench-pagerank`: of the exact first 50 nodes, push finds 0.97 and more on the graphs tried there, in 4 to 5
# milliseconds. 0.85 finds a little more of what commits change together, but to agree as much takes 3 times as long.
DAMPING = 0.7
EPSILON = 3e-5  # of all mass, for each edge of a node: where more than this waits, it goes on


class Arcs(NamedTuple):
    """Where some nodes lead: `start` is the place of a node among those asked for; weights are whole numbers over 0."""

    start: Array
    target: Array
    weight: Array


class Graph(Protocol):
    """Nodes are numbers below `size`."""

    @property
    def size(self) -> int: ...

    def arcs(self, nodes: Array) -> Arcs: ...

    def degrees(self, nodes: Array) -> Array:
        """About how many arcs each has, at little cost; at least 1."""
        ...


class PushResult(NamedTuple):
    """Nodes in the order of their numbers, and the share of each: a lower bound of the exact one.

    `under_way` is the mass that has not been assigned to a node: with it, the shares sum to one.
    """

    nodes: Array
    shares: Array
    under_way: float

    def of(self, nodes: Array) -> Array:
        """The shares of some nodes; nothing of those that were not reached."""
        if not len(self.nodes):
            return np.zeros(len(nodes))
        places = np.minimum(np.searchsorted(self.nodes, nodes), len(self.nodes) - 1)
        return np.where(self.nodes[places] == nodes, self.shares[places], 0.0)


class _Walk:
    """Mass at the nodes that were visited. A node is its place among those here, so that arrays stay small."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._place = np.zeros(graph.size, np.int32)  # and one; pages that nobody touches cost nothing
        self._nodes: Array = np.zeros(0, np.int64)
        self._degrees: Array = np.zeros(0, np.int64)
        self._settled: Array = np.zeros(0)
        self._waiting: Array = np.zeros(0)
        self._ways = _Ways()

    def begin(self, nodes: Array, grains: Array) -> None:
        places = self._visit(nodes)
        np.add.at(self._waiting, places, grains)

    def front(self, least: float) -> Array:
        """Where more waits than so much for each edge."""
        return (self._waiting > least * self._degrees).nonzero()[0]

    def advance(self, front: Array, damping: float) -> None:
        """Let the front push its waiting mass on. The remainders of rounding stay."""
        self._learn(front[~self._ways.known[front]])
        counts, target, part = self._ways.of(front)
        held = self._waiting[front]
        moving = np.where(counts > 0, np.floor(held * damping), 0.0)
        sent = np.floor(moving.repeat(counts) * part)
        start = np.arange(len(front)).repeat(counts)
        self._settled[front] += held - np.bincount(start, weights=sent, minlength=len(front))
        self._waiting[front] = 0.0
        self._waiting += np.bincount(target, weights=sent, minlength=len(self._waiting))

    def result(self, damping: float) -> PushResult:
        """Final mass per node: of waiting mass, at least the part that no arc would take stays."""
        moving = np.floor(self._waiting * damping)
        shares = (self._settled + self._waiting - moving) / GRAINS
        order = np.argsort(self._nodes)
        return PushResult(self._nodes[order], shares[order], float(moving.sum()) / GRAINS)

    def _visit(self, nodes: Array) -> Array:
        new = distinct(nodes[self._place[nodes] == 0])
        self._place[new] = np.arange(1, len(new) + 1) + len(self._nodes)
        self._nodes = np.concatenate([self._nodes, new])
        self._degrees = np.concatenate([self._degrees, self._graph.degrees(new)])
        self._settled, self._waiting = (
            np.concatenate([column, np.zeros(len(new))]) for column in (self._settled, self._waiting)
        )
        self._ways.widen(len(self._nodes))
        return self._place[nodes] - 1

    def _learn(self, places: Array) -> None:
        if len(places):
            arcs = self._graph.arcs(self._nodes[places])
            self._ways.add(places, arcs._replace(target=self._visit(arcs.target)))


class _Ways:
    """The arcs of all nodes that were ever gone on from, asked for once: a node has its turn many times."""

    def __init__(self) -> None:
        self.known: Array = np.zeros(0, np.bool_)
        self._first: Array = np.zeros(0, np.int64)
        self._count: Array = np.zeros(0, np.int64)
        self._target: Array = np.zeros(0, np.int64)
        self._part: Array = np.zeros(0)
        self._used = 0

    def of(self, nodes: Array) -> tuple[Array, Array, Array]:
        """The number of arcs from each node, the target of each arc, and its share of the pushed mass."""
        counts = self._count[nodes]
        places = ranges(self._first[nodes], counts)
        return counts, self._target[places], self._part[places]

    def widen(self, size: int) -> None:
        self.known, self._first, self._count = (_room(one, size) for one in (self.known, self._first, self._count))

    def add(self, nodes: Array, arcs: Arcs) -> None:
        order = np.argsort(arcs.start, kind="stable")
        start, weight = arcs.start[order], arcs.weight[order]
        counts = np.bincount(start, minlength=len(nodes))
        leaving = np.bincount(start, weights=weight, minlength=len(nodes))
        self.known[nodes] = True
        self._first[nodes] = self._used + np.cumsum(counts) - counts
        self._count[nodes] = counts
        end = self._used + len(start)
        if end > len(self._target):
            self._target, self._part = (_room(column, 2 * end) for column in (self._target, self._part))
        self._target[self._used : end] = arcs.target[order]
        self._part[self._used : end] = weight / leaving[start]
        self._used = end


def push(graph: Graph, seeds: Array, weights: Array, damping: float = DAMPING, epsilon: float = EPSILON) -> PushResult:
    """From seeds, by their weights. Where no arc leads on, the walk ends.

    Synchronous rounds: all nodes with enough to pass on do so at once. No more than about 1 / (epsilon * (1 -
    damping)) arcs are ever gone along, however large the graph is.
    """
    total = float(weights.sum())
    if not total > 0:
        return PushResult(np.zeros(0, np.int64), np.zeros(0), 0.0)
    walk = _Walk(graph)
    walk.begin(seeds, np.floor(GRAINS * (weights / total)))
    front = walk.front(0.0)
    while len(front):
        walk.advance(front, damping)
        front = walk.front(epsilon * GRAINS)
    return walk.result(damping)


def distinct(nodes: Array) -> Array:
    """Sorted. numpy's own brings a part of numpy along that takes longer to load than a walk takes."""
    some = np.sort(nodes)
    kept = np.ones(len(some), np.bool_)
    kept[1:] = some[1:] != some[:-1]
    return some[kept]


def ranges(starts: Array, counts: Array) -> Array:
    """The numbers from each start on, as many as are counted, one after the other."""
    ends = counts.cumsum()
    total = int(ends[-1]) if len(ends) else 0
    each: Array = np.arange(total) + (starts - (ends - counts)).repeat(counts)
    return each


def _room(column: Array, length: int) -> Array:
    wider = np.zeros(length, column.dtype)
    wider[: len(column)] = column
    return wider


# How much of a random walk along the edges comes by each node.

ALPHA = 0.85  # how often the walk goes on rather than begins anew somewhere
TOLERANCE = 1e-9  # of all shares together


def pagerank(count: int, source: Array, target: Array, weight: Array) -> Array:
    """The share of each node; they sum to one. From where no edge leads, the walk goes on anywhere."""
    if not count:
        return np.zeros(0)
    leaving = np.bincount(source, weights=weight, minlength=count)
    part = weight / np.where(leaving > 0, leaving, 1)[source]
    stuck = leaving == 0
    share: Array = np.full(count, 1 / count)
    rounds = math.ceil(math.log(TOLERANCE / 2) / math.log(ALPHA))  # each brings it nearer by ALPHA at least
    for _ in range(rounds):
        moved = np.bincount(target, weights=share[source] * part, minlength=count)
        after = ALPHA * (moved + share[stuck].sum() / count) + (1 - ALPHA) / count
        change = float(np.abs(after - share).sum())
        share = after / after.sum()
        if change <= TOLERANCE:
            break
    return share
