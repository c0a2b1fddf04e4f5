"""The graph of files: which file uses which others, how strongly, and the references that show it. Pure."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from clew.graph.full_graph import FullGraph
from clew.model.code import EXTERNAL, SCOPE, split_id
from clew.model.words import EdgeKind, Kind
from clew.store.adjacency import Array
from clew.store.links import KINDS, SURE

# How much a certain reference of each kind ties two files together; other kinds do not.
TIES: dict[EdgeKind, float] = {
    EdgeKind.IMPORTS: 1.0,
    EdgeKind.CALLS: 1.0,
    EdgeKind.INHERITS: 1.5,
    EdgeKind.IMPLEMENTS: 1.5,
    EdgeKind.USES: 0.7,
    EdgeKind.EXPORTS: 0.5,
    EdgeKind.TESTS: 0.3,
    EdgeKind.DOCUMENTS: 0.2,
    EdgeKind.MENTIONS: 0.1,
}
# Kinds that make one file depend on another.
DEPENDENCIES = (
    EdgeKind.IMPORTS,
    EdgeKind.CALLS,
    EdgeKind.INHERITS,
    EdgeKind.IMPLEMENTS,
    EdgeKind.USES,
    EdgeKind.EXPORTS,
)
LIKELY = SURE // 2  # less certain edges are candidates


class Reference(NamedTuple):
    """One reference between two files: the ids at its ends, its kind, and its line in the first file (0: unknown)."""

    source: str
    target: str
    kind: EdgeKind
    line: int


class FileGraph:
    """Files of the project by their places in `paths`; edges lead from a file to one that it uses."""

    def __init__(self, whole: FullGraph) -> None:
        self.ids, self.edges = whole.ids, whole.edges  # not the graph itself: this is dropped with it
        self.paths = [one for one, kind in zip(whole.ids, whole.kinds, strict=True) if kind == Kind.FILE]
        self.places = {path: place for place, path in enumerate(self.paths)}
        owner = np.array([self.places.get(split_id(one)[0], -1) for one in whole.ids], np.int64)
        edges = whole.edges
        ties = np.array([TIES.get(kind, 0.0) for kind in KINDS])[edges.kind] * (edges.confidence / SURE)
        source = owner[edges.source] if len(owner) else edges.source
        target = owner[edges.target] if len(owner) else edges.target
        kept = np.flatnonzero((source >= 0) & (target >= 0) & (source != target) & (ties > 0))
        kept = kept[edges.confidence[kept] >= LIKELY]
        self._edge: Array = kept
        self._source: Array = source[kept]
        self._target: Array = target[kept]
        self._ties: Array = ties[kept]

    @cached_property
    def weights(self) -> dict[tuple[int, int], float]:
        """By pair of files, without direction, how strongly they are tied; many references add little."""
        count = max(1, len(self.paths))
        low, high = np.minimum(self._source, self._target), np.maximum(self._source, self._target)
        keys, inverse = np.unique(low * count + high, return_inverse=True)
        sums = np.bincount(inverse, weights=self._ties, minlength=len(keys))
        return {
            (int(key) // count, int(key) % count): round(float(weight), 6)
            for key, weight in zip(keys, np.log1p(sums), strict=True)
        }

    @cached_property
    def neighbors(self) -> dict[int, dict[int, float]]:
        found: dict[int, dict[int, float]] = {}
        for (one, other), weight in self.weights.items():
            found.setdefault(one, {})[other] = weight
            found.setdefault(other, {})[one] = weight
        return found

    @cached_property
    def counts(self) -> dict[tuple[int, int], int]:
        """By ordered pair of files, how many references make the first depend on the second."""
        count = max(1, len(self.paths))
        chosen = np.isin(self.edges.kind[self._edge], [KINDS.index(kind) for kind in DEPENDENCIES])
        keys, sums = np.unique(self._source[chosen] * count + self._target[chosen], return_counts=True)
        return {(int(key) // count, int(key) % count): int(n) for key, n in zip(keys, sums, strict=True)}

    def pairs(self, kinds: Iterable[EdgeKind]) -> list[tuple[int, int]]:
        """Ordered pairs of files that references of some kinds connect."""
        count = max(1, len(self.paths))
        chosen = np.isin(self.edges.kind[self._edge], [KINDS.index(kind) for kind in kinds])
        keys = np.unique(self._source[chosen] * count + self._target[chosen])
        return [(int(key) // count, int(key) % count) for key in keys]

    @cached_property
    def dependencies(self) -> dict[int, tuple[int, ...]]:
        """The files that each one depends on."""
        found: dict[int, list[int]] = {}
        for source, target in self.counts:
            found.setdefault(source, []).append(target)
        return {source: tuple(sorted(targets)) for source, targets in found.items()}

    @cached_property
    def modules(self) -> frozenset[int]:
        """Files that define, use or import anything."""
        found = {self.places.get(split_id(one)[0], -1) for one in self.ids if SCOPE in one}
        outer = {self.places.get(self.ids[one], -1) for one in np.unique(self.edges.source).tolist()}
        return frozenset((found | outer) - {-1})

    @cached_property
    def _rows(self) -> dict[tuple[int, int], list[int]]:
        found: dict[tuple[int, int], list[int]] = {}
        ends = zip(self._source.tolist(), self._target.tolist(), self._edge.tolist(), strict=True)
        for source, target, edge in ends:
            found.setdefault((source, target), []).append(edge)
        return found

    def references(self, source: int, target: int) -> Iterator[Reference]:
        """The references that make one file depend on another, imports first, then by line."""
        rows = self._rows.get((source, target), ())
        edges, ids = self.edges, self.ids
        found = [
            Reference(ids[edges.source[edge]], ids[edges.target[edge]], KINDS[edges.kind[edge]], int(edges.line[edge]))
            for edge in rows
            if KINDS[edges.kind[edge]] in DEPENDENCIES
        ]
        yield from sorted(found, key=lambda one: (one.kind is not EdgeKind.IMPORTS, one.line, one.source, one.target))

    @cached_property
    def externals(self) -> dict[int, tuple[tuple[str, int], ...]]:
        """By file, the modules and symbols outside of the project that it refers to, each with the first line."""
        edges, ids = self.edges, self.ids
        outside = np.array([one.startswith(EXTERNAL) for one in ids], np.bool_)
        if not len(outside):
            return {}
        found: dict[int, dict[str, int]] = {}
        for edge in np.flatnonzero(outside[edges.target] & (edges.confidence >= LIKELY)).tolist():
            if KINDS[edges.kind[edge]] not in DEPENDENCIES:
                continue
            file = self.places.get(split_id(ids[edges.source[edge]])[0], -1)
            name, line = ids[edges.target[edge]].removeprefix(EXTERNAL), int(edges.line[edge])
            known = found.setdefault(file, {})
            known[name] = min(known.get(name, line), line)
        return {file: tuple(sorted(names.items())) for file, names in found.items() if file >= 0}


_FILE_GRAPHS: WeakKeyDictionary[FullGraph, FileGraph] = WeakKeyDictionary()


def file_graph_of(whole: FullGraph) -> FileGraph:
    """Made once for each graph, and dropped with it."""
    found = _FILE_GRAPHS.get(whole)
    if found is None:
        found = _FILE_GRAPHS[whole] = FileGraph(whole)
    return found
