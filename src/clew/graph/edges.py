"""Edges of an id in both directions, and unresolved calls, read from the corpus."""

from collections import Counter
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from clew.graph.surroundings import Touching, Unresolved, by_its_own, spellings
from clew.model.code import Edge, split_id
from clew.model.words import EdgeKind, EvidenceKind
from clew.store.adjacency import Adjacency, Array, kinds_of
from clew.store.corpus import Corpus, CorpusPart
from clew.store.links import EVIDENCE, KINDS, SURE
from clew.store.strings import SortedStrings

if TYPE_CHECKING:
    from clew.graph.full_graph import Columns

FEW = 200  # ids whose edges are looked up one by one
MOST_BEGINNING = 100  # ids of one beginning: definitions of one name in one scope


def edges_of(corpus: Corpus, id: str, kinds: Collection[EdgeKind] = ()) -> list[Edge]:
    """Sorted outgoing edges of an id, of the given kinds or of all."""
    return _edges([(part, part.postings.graph.out(id)) for part in corpus.parts], kinds)


def edges_to(corpus: Corpus, id: str, kinds: Collection[EdgeKind] = ()) -> list[Edge]:
    """Sorted incoming edges of an id, of the given kinds or of all."""
    return _edges([(part, part.postings.graph.into(id)) for part in corpus.parts], kinds)


def has_any_to(corpus: Corpus, id: str, kinds: Collection[EdgeKind]) -> bool:
    """Whether any of these kinds leads to an id; there may be thousands, and none is made."""
    found = _of_kinds([(part, part.postings.graph.into(id)) for part in corpus.parts], kinds)
    return any(bool(part.files[part.postings.graph.file[some]].any()) for part, some in found)


def edges_between(corpus: Corpus, source: str, target: str, kind: EdgeKind) -> list[Edge]:
    """Edges of one kind between two nodes, sorted."""
    found = []
    for part in corpus.parts:
        graph = part.postings.graph
        numbers = graph.out(source)
        found.append((part, numbers[graph.target[numbers] == graph.ids.find(target)]))
    return _edges(found, (kind,))


def unresolved_calls(corpus: Corpus, name: str) -> list[Unresolved]:
    """Unresolved calls by a bare name."""
    return _read_unresolved([(part, part.postings.graph.loose_called(name)) for part in corpus.parts])


def unresolved_from(corpus: Corpus, ids: Sequence[str]) -> list[Unresolved]:
    """Unresolved calls made by some ids."""
    rows = []
    for part in corpus.parts:
        graph = part.postings.graph
        nodes = [graph.ids.find(one) for one in ids]
        rows.append((part, graph.loose[np.isin(graph.loose[:, 0], nodes)]))
    return _read_unresolved(rows)


def edges_around(corpus: Corpus, ids: Sequence[str], name: str) -> Touching:
    """All current edges of some ids, and the unresolved calls by a name (none without a name).

    For many ids, edges among them are left out: for a module that is most of a tree, these would be most of its
    edges.
    """
    if len(ids) > FEW:
        out, into = _crossing_edges(corpus, ids)
    else:
        out = [edge for one in ids for edge in edges_of(corpus, one)]
        into = [edge for one in ids for edge in edges_to(corpus, one)]
    return Touching(
        out,
        into,
        by_its_own(ids, (call for one in spellings(ids, name) for call in unresolved_calls(corpus, one))),
        unresolved_from(corpus, ids),
    )


def _crossing_edges(corpus: Corpus, ids: Sequence[str]) -> tuple[list[Edge], list[Edge]]:
    """The edges that lead out of some ids, and those that lead into them."""
    out, into = list[tuple[CorpusPart, Array]](), list[tuple[CorpusPart, Array]]()
    for part in corpus.parts:
        graph = part.postings.graph
        inside = np.zeros(len(graph.ids) + 1, np.bool_)
        inside[[graph.ids.find(one) for one in ids]] = True
        inside[-1] = False  # what the part does not know
        begins, ends = inside[graph.source], inside[graph.target]
        out.append((part, np.flatnonzero(begins & ~ends)))
        into.append((part, np.flatnonzero(ends & ~begins)))
    return _edges(out), _edges(into)


class Current:
    """The graph as it is now, for `otherwise`."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def out(self, id: str) -> list[Edge]:
        return edges_of(self._corpus, id)

    def into(self, id: str) -> list[Edge]:
        return edges_to(self._corpus, id)

    def with_prefix(self, start: str) -> list[str]:
        graphs = [part.postings.graph for part in self._corpus.parts]
        return sorted({one for graph in graphs for one in graph.ids.with_prefix(start, MOST_BEGINNING)})

    def with_suffix(self, end: str) -> list[str]:
        graphs = [part.postings.graph for part in self._corpus.parts]
        return sorted({graph.ids[number] for graph in graphs for number in graph.ids.with_suffix(end)})


def counts(corpus: Corpus) -> dict[str, int]:
    """Edges by kind."""
    total: Counter[str] = Counter()
    for part in corpus.parts:
        total.update(kinds_of(part.postings.graph, part.files))
    return dict(sorted(total.items()))


def _read_unresolved(rows: list[tuple[CorpusPart, Array]]) -> list[Unresolved]:
    """Unresolved calls of files that still contain them."""
    found = []
    for part, some in rows:
        graph = part.postings.graph
        for node, line, text, file in some.tolist():
            if part.files[file]:
                found.append(Unresolved(graph.ids[node], line, graph.loose_texts[text]))
    return sorted(found)


def _edges(numbers: list[tuple[CorpusPart, Array]], kinds: Collection[EdgeKind] = ()) -> list[Edge]:
    """Edges of files that still contain them."""
    some = _of_kinds(numbers, kinds) if kinds else numbers
    graphs = [(part.postings.graph, part.files, few) for part, few in some]
    found = [edge(graph.ids, graph, int(n)) for graph, live, few in graphs for n in few if live[graph.file[n]]]
    return sorted(found, key=_order)


def _of_kinds(numbers: list[tuple[CorpusPart, Array]], kinds: Collection[EdgeKind]) -> list[tuple[CorpusPart, Array]]:
    wanted = _kind_mask(tuple(kinds))
    return [(part, some[wanted[part.postings.graph.kind[some]]]) for part, some in numbers]


@lru_cache(maxsize=64)
def _kind_mask(kinds: tuple[EdgeKind, ...]) -> Array:
    """By the place of a kind, whether it is one of these."""
    return np.array([kind in kinds for kind in KINDS])


def edge(ids: SortedStrings | list[str], edges: "Adjacency | Columns", n: int) -> Edge:
    """One of the edges between these ids, by its number."""
    source = ids[edges.source[n]]
    return Edge(
        source=source,
        target=ids[edges.target[n]],
        kind=EdgeKind(KINDS[edges.kind[n]]),
        path=split_id(source)[0],
        line=int(edges.line[n]),
        evidence=EvidenceKind(EVIDENCE[edges.evidence[n]]),
        confidence=int(edges.confidence[n]) / SURE,
    )


def _order(edge: Edge) -> tuple[str, str, str, int]:
    return edge.kind, edge.source, edge.target, edge.line
