"""Retrieves by the graph: a random walk from the best candidates along calls, imports, tests, documents and history."""

from collections.abc import Iterator, Mapping
from functools import cached_property

from clew.graph.elements import Elements
from clew.graph.expansion import expand
from clew.graph.paths import Ways
from clew.graph.walk_graph import Web, Webs, nearest, walk
from clew.model.code import split_id, symbol_id
from clew.retrieve.retriever import Ask, ChunkPlace, Retrieved, RetrieverSources, blank, chunks_of, file_at
from clew.store.corpus import Corpus

SEEDS = 8  # candidates that the walk begins at
NEAREST = 24  # nodes that it tells: what comes after has less than a thirtieth of the share of the first
COARSE = 3e-4  # where it stops: of the first 24 nodes of the finest walk it finds 22, in half the time of the usual one


class GraphRetriever:
    name = "graph"
    reranks = True

    def __init__(self, sources: RetrieverSources) -> None:
        self._sources = sources
        self._webs = Webs(sources.histories)

    def retrieve(self, ask: Ask) -> Retrieved:
        """How much of the walk ends at each, beside where most of it does; seeds weigh by their rank."""
        web = self._webs.of(ask.corpus)
        seeds = self._seeds(ask)
        near = nearest(web, walk(web, seeds, epsilon=COARSE), NEAREST)
        scores = blank(ask.corpus)
        ids: dict[ChunkPlace, str] = {}
        most = max((one.share for one in near), default=1.0)
        for one in near:
            for place in _places(ask.corpus, self._sources, one.id):
                scores[place.part][place.chunk] = one.share / most
                ids[place] = one.id
        return Retrieved(scores, _Told(web, seeds, ids).of)

    def _seeds(self, ask: Ask) -> dict[str, float]:
        """The best candidates, and implementations of those that are only declared."""
        best = [_id(ask.corpus, self._sources, place) for place in ask.candidates[:SEEDS]]
        seeds: dict[str, float] = {}
        for rank, one in enumerate(best, 1):
            seeds[one] = seeds.get(one, 0.0) + 1 / rank
        for added in expand(ask.corpus, Elements(self._sources.files), list(seeds)):
            seeds[added.id] = seeds[added.of] / 2
        return seeds


def _id(corpus: Corpus, sources: RetrieverSources, place: ChunkPlace) -> str:
    _, path = file_at(corpus, place)
    chunks, first = chunks_of(corpus, sources.held, place)
    return symbol_id(path, chunks[place.chunk - first].scope) or path


def _places(corpus: Corpus, sources: RetrieverSources, id: str) -> Iterator[ChunkPlace]:
    """The chunks that show a node; of a file, the first."""
    path, scope = split_id(id)
    for number, part in enumerate(corpus.parts):
        file = part.postings.paths.find(path)
        if file >= 0 and part.files[file]:
            first = int(part.postings.first_of[file])
            if first == int(part.postings.first_of[file + 1]):
                continue
            chunks, _ = chunks_of(corpus, sources.held, ChunkPlace(number, first))
            own = next((i for i, chunk in enumerate(chunks) if chunk.scope == scope), -1) if scope else 0
            if own >= 0:
                yield ChunkPlace(number, first + own)


class _Told:
    """Why the walk came by a place. Few are asked about, and many of these are where it begins."""

    def __init__(self, web: Web, seeds: Mapping[str, float], ids: Mapping[ChunkPlace, str]) -> None:
        self._web = web
        self._seeds = seeds
        self._ids = ids

    def of(self, place: ChunkPlace) -> str:
        node = self._ids.get(place, "")
        if not node or node in self._seeds:
            return "where the walk begins" if node else ""
        found = self._ways.to(node)
        return str(found) if found else "near the best"

    @cached_property
    def _ways(self) -> Ways:
        return Ways(self._web, list(self._seeds))
