"""The graph of a corpus for random walks: from any nodes to their weighted neighbours, in both directions.

It works on the arrays of the corpus's parts in place and reads only the nodes it is asked about: nothing is built
beforehand, and an overlay gives the same bits as a new snapshot. Containment follows from the ids (`within`). Walks
never pass through external nodes or uncertain edges.
"""

import threading
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice, takewhile
from typing import NamedTuple

import numpy as np

from clew.graph.algorithms.push import DAMPING, EPSILON, Arcs, PushResult, push, ranges
from clew.graph.full_graph import parent
from clew.model.code import EXTERNAL, SCOPE, Edge, split_id
from clew.model.words import EdgeKind, EvidenceKind
from clew.store.adjacency import Adjacency, Array
from clew.store.corpus import Corpus, CorpusPart
from clew.store.histories import Histories, Together
from clew.store.links import KINDS, LIKELY, SURE, FileEdge

_AFTER_EXTERNAL = EXTERNAL[:-1] + chr(ord(EXTERNAL[-1]) + 1)  # sorts behind all that begins like this


class GraphLayer:
    """A part, with the numbers of its nodes; `live` is None where all of its files hold still."""

    def __init__(self, part: CorpusPart, numbers: Array | None, size: int) -> None:
        self.graph: Adjacency = part.postings.graph
        self.live: Array | None = None if bool(part.files.all()) else part.files
        self.out_at: Array = self.graph.out_at.astype(np.int64)  # signed: differences stay whole numbers
        self.in_at: Array = self.graph.in_at.astype(np.int64)
        self._numbers = numbers
        self._places = None if numbers is None else _inverse(numbers, size)
        self._count = len(self.graph.ids)
        self._is_all = numbers is None and size == self._count
        self.outside = bisect_left(self.graph.ids, EXTERNAL), bisect_left(self.graph.ids, _AFTER_EXTERNAL)
        self._degrees = self._count_edges()

    def numbers(self, places: Array) -> Array:
        return places.astype(np.int64) if self._numbers is None else self._numbers[places]

    def places(self, numbers: Array) -> Array:
        """Positions in this part; -1 for unknown nodes."""
        if self._is_all:
            return numbers
        if self._places is None:
            return np.where(numbers < self._count, numbers, -1)
        return self._places[numbers]

    def degrees(self, numbers: Array) -> Array:
        """How many edges that hold touch each node."""
        if self._is_all:
            return self._degrees[numbers]
        places = self.places(numbers)
        known = places >= 0
        found = np.zeros(len(numbers), np.int64)
        found[known] = self._degrees[places[known]]
        return found

    def _count_edges(self) -> Array:
        """By node, the edges that hold: asked for at every step of a walk."""
        found: Array = np.diff(self.out_at) + np.diff(self.in_at)
        if self.live is None:
            return found
        gone = np.flatnonzero(~self.live[self.graph.file])
        ends = np.concatenate([self.graph.source[gone], self.graph.target[gone]]).astype(np.int64)
        return found - np.bincount(ends, minlength=self._count)


class Numbering:
    """`layers` are the corpus's parts in order; `size` is how many numbers there are."""

    def __init__(self, corpus: Corpus) -> None:
        graphs = [part.postings.graph for part in corpus.parts]
        self._base = graphs[0].ids if graphs else None
        self._known = len(self._base) if self._base is not None else 0
        found = [[(one, self._base_place(one)) for one in graph.ids] for graph in graphs[1:]]
        self._extra = sorted({one for some in found for one, place in some if place < 0})
        behind = {one: self._known + i for i, one in enumerate(self._extra)}
        self.size = self._known + len(self._extra)
        numbers = [np.array([behind.get(one, place) for one, place in some], np.int64) for some in found]
        renumbered: list[Array | None] = [None, *numbers]
        self.layers = [GraphLayer(part, some, self.size) for part, some in zip(corpus.parts, renumbered, strict=False)]

    def find(self, id: str) -> int:
        """The number of a node of the tree; -1 if it is not there, or outside."""
        place = -1 if id.startswith(EXTERNAL) else self.place(id)
        return place if place >= 0 and self.is_there(np.array([place]))[0] else -1

    def place(self, id: str) -> int:
        """The number that an id has in any part, there or not; -1 if it has none."""
        if (known := self._base_place(id)) >= 0:
            return known
        at = bisect_left(self._extra, id)
        return self._known + at if at < len(self._extra) and self._extra[at] == id else -1

    def id(self, number: int) -> str:
        if self._base is not None and number < self._known:
            return str(self._base[number])
        return self._extra[number - self._known]

    def ranks(self, numbers: Array) -> Array:
        """Whole numbers that are in the order of the ids."""
        if not self._extra:
            return numbers
        between = self._between
        known = numbers < self._known
        ranks = numbers + np.searchsorted(between, numbers, "right")
        behind = numbers[~known] - self._known
        ranks[~known] = between[behind] + behind
        return ranks

    @cached_property
    def _between(self) -> Array:
        """For the additional nodes of later parts, the position at which each would stand in the first part."""
        return np.array([bisect_left(self._base or (), one) for one in self._extra], np.int64)

    def degrees(self, numbers: Array) -> Array:
        """How many edges that hold touch each node."""
        total: Array = np.zeros(len(numbers), np.int64)
        for layer in self.layers:
            total += layer.degrees(numbers)
        return total

    def is_there(self, numbers: Array) -> Array:
        there: Array = self.degrees(numbers) > 0
        return there

    def inside(self, path: str) -> Iterator[tuple[int, str]]:
        """The symbols of a file that any part knows, and their numbers; some may not be there any more."""
        low = path + SCOPE
        if self._base is not None:
            yield from self._base.all_beginning(low)
        start = bisect_left(self._extra, low)
        some = enumerate(islice(self._extra, start, None), self._known + start)
        yield from takewhile(lambda one: one[1].startswith(low), some)

    def _base_place(self, id: str) -> int:
        return self._base.find(id) if self._base is not None else -1


def _inverse(numbers: Array, size: int) -> Array:
    places = np.full(size, -1, np.int64)
    places[numbers] = np.arange(len(numbers))
    return places


# Containment as given by the ids: read file by file, when a walk first reaches a file, and kept.

NOWHERE = -1  # where a file stands


class Within:
    """Containment among existing nodes. A symbol in a class without edges belongs to its file."""

    def __init__(self, numbering: Numbering) -> None:
        self._numbering = numbering
        size = numbering.size
        self._read = np.zeros(size, np.bool_)
        self._outer = np.full(size, NOWHERE, np.int64)
        self._is_file = np.zeros(size, np.bool_)
        self._inner: Array = np.zeros(size, np.int64)  # nodes, those of one outer side by side
        self._first = np.zeros(size, np.int64)
        self._count = np.zeros(size, np.int64)
        self._used = 0
        self._lock = threading.Lock()

    def outer(self, nodes: Array) -> Array:
        """The container of each; `NOWHERE` for a file, or for a symbol in a file without edges."""
        self._see_to(nodes)
        return self._outer[nodes]

    def inner(self, nodes: Array) -> tuple[Array, Array]:
        """How many stand directly in each, and these, one after the other."""
        self._see_to(nodes)
        counts = self._count[nodes]
        return counts, self._inner[ranges(self._first[nodes], counts)]

    def are_files(self, nodes: Array) -> Array:
        self._see_to(nodes)
        return self._is_file[nodes]

    def _see_to(self, nodes: Array) -> None:
        if self._read[nodes].all():
            return
        with self._lock:
            unread = nodes[~self._read[nodes]].tolist()
            self._read_files({split_id(self._numbering.id(node))[0] for node in unread})

    def _read_files(self, paths: set[str]) -> None:
        """Many at once: the cost is per call, not per file."""
        numbering = self._numbering
        files = {path: place for path in paths if (place := numbering.place(path)) >= 0}
        held = files | {one: number for path in paths for number, one in numbering.inside(path)}
        every = np.array(list(held.values()), np.int64)
        there = zip(held.items(), numbering.is_there(every).tolist(), strict=True)
        numbers = {one: number for (one, number), is_there in there if is_there}
        outers = [numbers[outer] if (outer := parent(one, numbers)) else NOWHERE for one in numbers]
        self._keep(np.array(list(numbers.values()), np.int64), np.array(outers, np.int64))
        self._is_file[list(files.values())] = True
        self._read[every] = True

    def _keep(self, nodes: Array, outers: Array) -> None:
        self._outer[nodes] = outers
        order = np.argsort(outers, kind="stable")
        order = order[outers[order] != NOWHERE]
        owners, starts, counts = np.unique(outers[order], return_index=True, return_counts=True)
        self._first[owners] = self._used + starts
        self._inner[self._used : self._used + len(order)] = nodes[order]
        self._used += len(order)
        self._count[owners] = counts


# A §5.1's, and for the kinds that it does not name what their like have. None of them matters much: from one file that
# a commit changed to the others, all alike find nearly as much.
WEIGHTS: Mapping[EdgeKind, float] = {
    EdgeKind.CALLS: 0.9,
    EdgeKind.INHERITS: 0.8,
    EdgeKind.IMPLEMENTS: 0.8,
    EdgeKind.IMPORTS: 0.7,
    EdgeKind.DEFINES: 0.6,
    EdgeKind.USES: 0.6,
    EdgeKind.CONTAINS: 0.5,
    EdgeKind.EXPORTS: 0.5,
    EdgeKind.TESTS: 0.4,
    EdgeKind.DOCUMENTS: 0.4,
    EdgeKind.DATAFLOW: 0.3,  # beside a call, which counts already
    EdgeKind.MENTIONS: 0.2,
    EdgeKind.CO_CHANGES: 0.5,
}

# From one function that a commit changed to the others (660 cases, 13 repositories), a walk finds as much with this
# as without; so a logger that everything calls need not come first. From 1 on, it would find a sixth less.
CROWD = 30  # an end with more edges than this is worth less, by the square root
MEMBERS = 8  # what stands in a thing weighs no more than this many together: no large file keeps a walk

# What a node leads to, and what leads to it, weighs no more than so many together: from what all call, a walk comes by
# what that calls itself (`research.rulers.led`).
LED_TO, LED_FROM = 8, 4

_TABLE = np.array([WEIGHTS[kind] for kind in KINDS])  # by the place of a kind
_FINE = 1_000.0  # weights are rounded to whole numbers, and even the least of them to a few digits
_DEFINES, _CONTAINS, _CO_CHANGES = (
    KINDS.index(kind) for kind in (EdgeKind.DEFINES, EdgeKind.CONTAINS, EdgeKind.CO_CHANGES)
)


class Steps(NamedTuple):
    """From places among the nodes asked for, to nodes; `strength` is by kind and confidence alone."""

    start: Array
    target: Array
    kind: Array
    strength: Array


class Web:
    """Numbers stand for nodes. Any thread may ask."""

    def __init__(self, corpus: Corpus, together: Together | None = None) -> None:
        self.corpus = corpus
        self.numbering = Numbering(corpus)
        self._together = together or {}
        self._partners: dict[int, tuple[Array, Array]] = {}

    @property
    def size(self) -> int:
        return self.numbering.size

    @cached_property
    def within(self) -> Within:
        return Within(self.numbering)

    def find(self, id: str) -> int:
        """The number of a node, or of the innermost thing around it that is one; -1 if nothing is."""
        outer = id
        while (found := self.numbering.find(outer)) < 0 and SCOPE in outer:
            outer = outer.rpartition(SCOPE)[0]
        return found

    def degrees(self, nodes: Array) -> Array:
        return self.numbering.degrees(nodes)

    def arcs(self, nodes: Array) -> Arcs:
        """Weighted arcs: a hub at the other end makes an arc weaker."""
        steps = self.steps(nodes)
        crowd = np.maximum(self.degrees(steps.target) / CROWD, 1.0)
        weight = np.rint(_FINE * SURE * steps.strength / np.sqrt(crowd))
        kept = weight > 0
        return Arcs(steps.start[kept], steps.target[kept], weight[kept])

    def steps(self, nodes: Array) -> Steps:
        """All that leads on from some nodes, in no order. Edges of a kind between two count once a direction."""
        found = [self._read(nodes), self._outward(nodes), self._inward(nodes)]
        if self._together:
            changed = self.changed_with(nodes)
            found.append(changed._replace(strength=_TABLE[_CO_CHANGES] * changed.strength))
        return Steps(*(np.concatenate(columns) for columns in zip(*found, strict=True)))

    def partners_of(self, path: str) -> Sequence[FileEdge]:
        """The files that change with a file; an edge's line counts the commits."""
        return self._together.get(path, ())

    def co_change(self, one: str, other: str) -> Edge:
        """The co-change edge of two files, in whichever direction it is stored; its line counts commits."""
        told = [
            (path, e)
            for path, partner in ((one, other), (other, one))
            for e in self._together.get(path, ())
            if e.target == partner
        ]
        path, edge = told[0]
        evidence = EvidenceKind(edge.evidence)
        return Edge(path, edge.target, EdgeKind.CO_CHANGES, path, edge.line, evidence, edge.confidence)

    def _read(self, nodes: Array) -> Steps:
        """Edges of all layers: in each direction, many edges share the weight of a few."""
        ways, targets, kinds, strengths = map(
            np.concatenate, zip(*(self._edges(layer, nodes) for layer in self.numbering.layers), strict=True)
        )
        counts = np.bincount(ways, minlength=2 * len(nodes))
        most = np.repeat([LED_TO, LED_FROM], len(nodes))
        share = np.minimum(1.0, most / np.maximum(counts, 1))
        return Steps(ways % max(len(nodes), 1), targets, kinds, strengths * share[ways])

    def _edges(self, layer: GraphLayer, nodes: Array) -> Steps:
        """Both directions at once: the cost is per call, not per edge. Incoming edges start behind all nodes."""
        places = layer.places(nodes)
        start = (places >= 0).nonzero()[0]
        at, graph = places[start], layer.graph
        out, into = layer.out_at[at], layer.in_at[at]
        counts = layer.out_at[at + 1] - out, layer.in_at[at + 1] - into
        forward, backward = ranges(out, counts[0]), graph.in_order[ranges(into, counts[1])]
        other = np.concatenate([graph.target[forward], graph.source[backward]])
        way = np.arange(2 * len(start)).repeat(np.concatenate(counts))  # the places of starts, those of ways in behind
        edges, kept = self._likely_edges(
            layer, np.concatenate([forward, backward]), np.concatenate([at, at])[way], other
        )
        return self._told_once(layer, np.concatenate([start, start + len(nodes)]), way[kept], edges, other[kept])

    def _likely_edges(self, layer: GraphLayer, edges: Array, at: Array, other: Array) -> tuple[Array, Array]:
        """Current, likely edges to other nodes of the tree, with their positions."""
        low, high = layer.outside
        kept = (layer.graph.confidence[edges] >= LIKELY * SURE) & (other != at) & ((other < low) | (other >= high))
        if layer.live is not None:
            kept &= layer.live[layer.graph.file[edges]]
        return edges[kept], kept

    def _told_once(self, layer: GraphLayer, start: Array, way: Array, edges: Array, other: Array) -> Steps:
        """The surest of those alike, which lie side by side."""
        kind, confidence = layer.graph.kind[edges], layer.graph.confidence[edges]
        new = np.ones(len(way), np.bool_)
        new[1:] = (way[1:] != way[:-1]) | (kind[1:] != kind[:-1]) | (other[1:] != other[:-1])
        first = new.nonzero()[0]
        surest = np.maximum.reduceat(confidence, first) if len(first) else confidence
        kind = kind[first]
        return Steps(start[way[first]], layer.numbers(other[first]), kind, _TABLE[kind] * (surest / SURE))

    def _outward(self, nodes: Array) -> Steps:
        outer = self.within.outer(nodes)
        start = (outer != NOWHERE).nonzero()[0]
        return self._containment_steps(start, outer[start], outer[start])

    def _inward(self, nodes: Array) -> Steps:
        """Many members share the weight of a few: else no walk would ever leave a large file."""
        counts, inner = self.within.inner(nodes)
        start = np.arange(len(nodes)).repeat(counts)
        steps = self._containment_steps(start, inner, nodes[start])
        share = np.minimum(1.0, MEMBERS / np.maximum(counts, 1))
        return steps._replace(strength=steps.strength * share[start])

    def _containment_steps(self, start: Array, target: Array, outer: Array) -> Steps:
        kind = np.where(self.within.are_files(outer), _DEFINES, _CONTAINS)
        return Steps(start, target, kind, _TABLE[kind])

    def changed_with(self, nodes: Array) -> Steps:
        """Co-changed files, by the confidence of git history alone."""
        files = np.flatnonzero(self.within.are_files(nodes)).tolist()
        found = [self._changed_with(int(nodes[i])) for i in files]
        start = np.repeat(np.array(files, np.int64), [len(targets) for targets, _ in found])
        targets = np.concatenate([targets for targets, _ in found]) if found else np.zeros(0, np.int64)
        strength = np.concatenate([sure for _, sure in found]) if found else np.zeros(0)
        return Steps(start, targets, np.full(len(start), _CO_CHANGES), strength)

    def _changed_with(self, file: int) -> tuple[Array, Array]:
        if file not in self._partners:
            shown = self._together.get(self.numbering.id(file), ())
            rows = [(number, one.confidence) for one in shown if (number := self.numbering.find(one.target)) >= 0]
            self._partners[file] = np.array([n for n, _ in rows], np.int64), np.array([sure for _, sure in rows])
        return self._partners[file]


class Webs:
    """Keeps the walkable graph until the corpus or the history changes."""

    def __init__(self, histories: Histories) -> None:
        self._histories = histories
        self._kept: tuple[Corpus, str, Web] | None = None

    def of(self, corpus: Corpus) -> Web:
        tip, kept = self._histories.tip(), self._kept
        if kept is None or kept[0] is not corpus or kept[1] != tip:
            self._kept = kept = corpus, tip, Web(corpus, self._histories.together())
        return kept[2]


class NearNode(NamedTuple):
    id: str
    share: float


def walk(web: Web, seeds: Mapping[str, float], epsilon: float = EPSILON) -> PushResult:
    """From weighted ids. A symbol without edges is replaced by its container; unknown ids are left out."""
    found = [(number, weight) for one, weight in sorted(seeds.items()) if (number := web.find(one)) >= 0]
    nodes, weights = np.array([n for n, _ in found], np.int64), np.array([w for _, w in found], np.float64)
    return push(web, nodes, weights, DAMPING, epsilon)


def nearest(web: Web, reached: PushResult, most: int) -> Sequence[NearNode]:
    """The nodes with the largest shares, the largest first; ties by id."""
    if len(reached.nodes) > most > 0:
        least = np.partition(reached.shares, -most)[-most]
        some = np.flatnonzero(reached.shares >= least)
    else:
        some = np.arange(len(reached.nodes))
    found = [NearNode(web.numbering.id(int(reached.nodes[i])), float(reached.shares[i])) for i in some.tolist()]
    return sorted(found, key=lambda near: (-near.share, near.id))[:most]


def shares(web: Web, reached: PushResult, ids: Iterable[str]) -> dict[str, float]:
    """Shares of a walk for those ids that the graph contains."""
    numbers = {one: number for one in ids if (number := web.numbering.find(one)) >= 0}
    found = reached.of(np.array(list(numbers.values()), np.int64))
    return dict(zip(numbers, found.tolist(), strict=True))
