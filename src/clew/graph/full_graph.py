"""The full graph of the current view as arrays in id order, independent of how it was assembled.

An overlay is merged with the current part of the snapshot, so that an algorithm sees the same arrays, and gives the
same bits, as on a new snapshot. Containment follows from the ids, and is added here.
"""

import threading
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np

from clew.graph.algorithms.push import pagerank
from clew.model.code import SCOPE, symbol_id
from clew.model.words import EdgeKind, EvidenceKind, Kind
from clew.store.adjacency import Array
from clew.store.corpus import Corpora, Corpus, CorpusPart
from clew.store.files import Files
from clew.store.graph import Nodes
from clew.store.histories import Histories, Together
from clew.store.links import EVIDENCE, KINDS, SURE

_COLUMNS = ("source", "target", "kind", "line", "evidence", "confidence")


class Columns(NamedTuple):
    """Edges; ends are places in the list of ids, kinds and evidence those of their tables, confidences thousandths."""

    source: Array
    target: Array
    kind: Array
    line: Array
    evidence: Array
    confidence: Array


NO_EDGES = Columns(*(np.zeros(0, np.int64) for _ in _COLUMNS))


class FullGraph:
    """`ids` are sorted, `kinds` go with them; `edges` are sorted by their ends, kind and line.

    `history` holds the edges from git history apart: they are no content, so no ranking may depend on them. Their
    lines count commits.
    """

    def __init__(self, ids: list[str], kinds: list[str], edges: Columns, history: Columns = NO_EDGES) -> None:
        self.ids = ids
        self.kinds = kinds
        self.edges = edges
        self.history = history
        self._places = {one: i for i, one in enumerate(ids)}

    def find(self, id: str) -> int:
        """The node's place, or -1."""
        return self._places.get(id, -1)

    def inside(self, id: str) -> list[tuple[int, str]]:
        """The nodes that stand in one, or in a scope that is none, with their places."""
        start = f"{id}{SCOPE}"
        first, last = (bisect_left(self.ids, one) for one in (start, f"{start}\U0010ffff"))
        return list(enumerate(self.ids[first:last], first))

    @cached_property
    def all_edges(self) -> Columns:
        """The edges, including those of git history."""
        return Columns(*(np.concatenate(both) for both in zip(self.edges, self.history, strict=True)))

    @cached_property
    def pagerank(self) -> Array:
        """By node. Edges of one kind between two nodes count once, by the highest of their confidences."""
        e = self.edges
        order = np.lexsort((-e.confidence.astype(np.int64), e.kind, e.target, e.source))
        ends = np.stack([e.source[order], e.target[order], e.kind[order]])
        first = np.ones(len(order), np.bool_)
        first[1:] = (ends[:, 1:] != ends[:, :-1]).any(axis=0)
        chosen = order[first]
        weight = e.confidence[chosen].astype(np.float64) / SURE
        return pagerank(len(self.ids), e.source[chosen], e.target[chosen], weight)


class Wholes:
    """Keeps the whole graph of a checkout until the store has moved on."""

    def __init__(self, corpora: Corpora, files: Files, nodes: Nodes, histories: Histories) -> None:
        self._corpora = corpora
        self._files = files
        self._nodes = nodes
        self._histories = histories
        self._lock = threading.Lock()
        self._kept: tuple[Corpus, str, FullGraph] | None = None

    def current(self) -> FullGraph:
        corpus, tip = self._corpora.current(), self._histories.tip()
        with self._lock:
            if self._kept is None or self._kept[0] is not corpus or self._kept[1] != tip:
                self._kept = corpus, tip, whole(corpus, self._kinds(), self._histories.together())
            return self._kept[2]

    def _kinds(self) -> dict[str, str]:
        contents = self._files.contents()
        paths = {one.file: one.path for one in contents}
        symbols = {symbol_id(paths[one.file], one.scope): one.kind for one in self._nodes.all() if one.file in paths}
        return {**{one.path: str(Kind.FILE) for one in contents}, **symbols}


def whole(corpus: Corpus, kinds: Mapping[str, str], together: Together) -> FullGraph:
    """All nodes, given by id and kind, and all other ends of edges in the corpus."""
    live = [_live(part) for part in corpus.parts]
    named = [_ids(part, columns) for part, columns in zip(corpus.parts, live, strict=True)]
    ids = sorted({*kinds, *(one for some in named for one in some.values())})
    places = {one: i for i, one in enumerate(ids)}
    parts = [_renumber(columns, some, places) for columns, some in zip(live, named, strict=True)]
    parts.append(_containment_edges(kinds, places))
    joined = [np.concatenate([part[i] for part in parts]) for i in range(len(_COLUMNS))]
    outside = str(Kind.EXTERNAL)
    order = np.lexsort([joined[i] for i in (5, 4, 3, 1, 2, 0)])
    edges = Columns(*(column[order] for column in joined))
    return FullGraph(ids, [kinds.get(one, outside) for one in ids], edges, _history(together, places))


class ImportEdge(NamedTuple):
    """One end uses the other's code, by an import at a line; both are ids."""

    source: str
    target: str
    line: int


def import_edges(corpus: Corpus) -> list[ImportEdge]:
    """The edges of imports alone, which costs a small part of the whole graph."""
    imports = KINDS.index(EdgeKind.IMPORTS)
    found = []
    for part in corpus.parts:
        graph = part.postings.graph
        if len(graph.file):
            chosen = np.flatnonzero(part.files[graph.file] & (graph.kind == imports))
            ids = graph.ids
            ends = (graph.source[chosen].tolist(), graph.target[chosen].tolist(), graph.line[chosen].tolist())
            found += [ImportEdge(ids[source], ids[target], line) for source, target, line in zip(*ends, strict=True)]
    return found


def parent(id: str, known: Mapping[str, object]) -> str:
    """The container of a symbol: the innermost of its outer scopes that is a symbol, or its file."""
    outer = id
    while SCOPE in outer:
        outer = outer.rpartition(SCOPE)[0]
        if outer in known:
            return outer
    return ""


def _history(together: Together, places: Mapping[str, int]) -> Columns:
    """Edges from history, between files that still exist."""
    rows = [
        (places[path], places[e.target], KINDS.index(e.kind), e.line, EVIDENCE.index(e.evidence), e.confidence * SURE)
        for path, edges in together.items()
        for e in edges
        if path in places and e.target in places
    ]
    found = np.array(sorted(rows), np.float64).reshape(-1, len(_COLUMNS))
    return Columns(*np.rint(found).astype(np.int64).T)


def _live(part: CorpusPart) -> Columns:
    graph = part.postings.graph
    some = np.flatnonzero(part.files[graph.file]) if len(graph.file) else np.zeros(0, np.int64)
    return Columns(*(getattr(graph, name)[some].astype(np.int64) for name in _COLUMNS))


def _ids(part: CorpusPart, edges: Columns) -> dict[int, str]:
    """The ids at the ends of some edges, by their places in the part."""
    ids = part.postings.graph.ids
    return {i: ids[i] for i in np.unique(np.concatenate([edges.source, edges.target])).tolist()}


def _renumber(edges: Columns, ids: Mapping[int, str], places: Mapping[str, int]) -> Columns:
    renamed = np.zeros(max(ids, default=-1) + 1, np.int64)
    for old, one in ids.items():
        renamed[old] = places[one]
    return edges._replace(source=renamed[edges.source], target=renamed[edges.target])


def _containment_edges(kinds: Mapping[str, str], places: Mapping[str, int]) -> Columns:
    """A file defines its outermost symbols, and a symbol contains those inside of it."""
    rows = list(_containment_rows(kinds, places))
    found = np.array(rows, np.int64).reshape(-1, len(_COLUMNS))
    return Columns(*found.T)


def _containment_rows(kinds: Mapping[str, str], places: Mapping[str, int]) -> Iterator[tuple[int, ...]]:
    defines, contains = KINDS.index(EdgeKind.DEFINES), KINDS.index(EdgeKind.CONTAINS)
    span = EVIDENCE.index(EvidenceKind.SPAN)
    for one in kinds:
        if outer := parent(one, kinds):
            kind = defines if kinds[outer] == Kind.FILE else contains
            yield places[outer], places[one], kind, 0, span, SURE
