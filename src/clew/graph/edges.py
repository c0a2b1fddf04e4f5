"""What leads where, asked of the corpus: the edges of an id either way, and the calls that lead nowhere known."""

from collections import Counter

from msgspec import Struct

from clew.model.code import Edge, split_id
from clew.model.words import EdgeKind, EvidenceKind
from clew.store.adjacency import Array, kinds_of
from clew.store.corpus import Corpus, Part
from clew.store.links import EVIDENCE, KINDS, SURE


class Unresolved(Struct, frozen=True, order=True):
    """A call by some name that could not be resolved: who calls, where, and as written."""

    source: str
    line: int
    written: str


def edges_of(corpus: Corpus, id: str) -> list[Edge]:
    """That lead from an id, sorted."""
    return _edges([(part, part.postings.graph.out(id)) for part in corpus.parts])


def edges_to(corpus: Corpus, id: str) -> list[Edge]:
    """That lead to an id, sorted."""
    return _edges([(part, part.postings.graph.into(id)) for part in corpus.parts])


def unresolved(corpus: Corpus, name: str) -> list[Unresolved]:
    """Calls by a bare name of which nobody knows where they lead."""
    found = []
    for part in corpus.parts:
        graph = part.postings.graph
        for node, line, text, file in graph.loose_called(name).tolist():
            if part.files[file]:
                found.append(Unresolved(graph.ids[node], line, graph.loose_texts[text]))
    return sorted(found)


def counts(corpus: Corpus) -> dict[str, int]:
    """Edges by kind."""
    total: Counter[str] = Counter()
    for part in corpus.parts:
        total.update(kinds_of(part.postings.graph, part.files))
    return dict(sorted(total.items()))


def _edges(numbers: list[tuple[Part, Array]]) -> list[Edge]:
    """Those of files that still show them."""
    found = [_edge(part, int(n)) for part, some in numbers for n in some if part.files[part.postings.graph.file[n]]]
    return sorted(found, key=_order)


def _edge(part: Part, edge: int) -> Edge:
    graph = part.postings.graph
    source = graph.ids[graph.source[edge]]
    return Edge(
        source=source,
        target=graph.ids[graph.target[edge]],
        kind=EdgeKind(KINDS[graph.kind[edge]]),
        path=split_id(source)[0],
        line=int(graph.line[edge]),
        evidence=EvidenceKind(EVIDENCE[graph.evidence[edge]]),
        confidence=int(graph.confidence[edge]) / SURE,
    )


def _order(edge: Edge) -> tuple[str, str, str, int]:
    return edge.kind, edge.source, edge.target, edge.line
