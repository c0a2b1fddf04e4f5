"""One number for each node of a corpus, across its parts.

Nodes of the first part keep their positions in its sorted ids; additional nodes of the other parts are numbered
behind them, in id order. A node exists if a current edge touches it.
"""

from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property
from itertools import islice, takewhile

import numpy as np

from clew.model.code import EXTERNAL, SCOPE
from clew.store.adjacency import Adjacency, Array
from clew.store.corpus import Corpus, CorpusPart

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
