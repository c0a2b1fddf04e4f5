"""The one builder of packs: it matches, expands along the graph, and orders the candidates.

Kinds of packs differ in expansion and order, which `briefing.py` and `packer.py` pass in. `fitting.py` cuts the plans
of both to their budget.
"""

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import TypeVar

from msgspec import Struct, structs

from clew.graph.walk_graph import Web, Webs
from clew.model.errors import NotSupported
from clew.model.search import Query, Reason, RetrieverFailure
from clew.pack.matching import Match, Role, beginning_with
from clew.pack.reasons import FULL_TEXT
from clew.pack.request import SeedProvider
from clew.pack.shelf import Shelf
from clew.retrieve.file_role import FileRole, asked_for, standing_of
from clew.retrieve.hits import RankedChunk
from clew.retrieve.question import understand
from clew.retrieve.retriever import ChunkPlace, RetrieverSources
from clew.retrieve.scope import masks
from clew.retrieve.search import Searcher
from clew.runtime.settings import RETRIEVERS, Providers
from clew.store.corpus import Corpora, Corpus

Found = TypeVar("Found")
Planned = TypeVar("Planned")


class Asked(Struct, frozen=True, eq=False):
    """The query to match, the element that the caller names, and the seed provider; an empty query matches nothing."""

    query: Query
    naming: Callable[[Shelf], Match | None]
    provider: SeedProvider = "hybrid"


class Begun(Struct, frozen=True, eq=False):
    """The matches, best first, and the named element; of one corpus, with the shelf and the graph to expand along."""

    web: Web
    shelf: Shelf
    named: Match | None
    matches: Sequence[Match] = ()
    unknown: tuple[str, ...] = ()
    failed: tuple[RetrieverFailure, ...] = ()

    @property
    def best(self) -> list[Match]:
        return beginning_with(self.named, self.matches)


class Builder:
    def __init__(self, sources: RetrieverSources, corpora: Corpora, searcher: Searcher, webs: Webs) -> None:
        self.sources = sources
        self.corpora = corpora
        self._searcher = searcher
        self.webs = webs

    def build(
        self,
        asked: Asked,
        expand: Callable[[Begun], Found],
        order: Callable[[Begun, Found], Planned],
        corpus: Corpus | None = None,
    ) -> Planned:
        """Of the current corpus, unless another is given."""
        begun = self._begin(asked, corpus or self.corpora.current())
        return order(begun, expand(begun))

    def _begin(self, asked: Asked, corpus: Corpus) -> Begun:
        sources = self.sources
        shelf = Shelf(sources.root, corpus, sources.held, sources.files)
        begun = Begun(self.webs.of(corpus), shelf, asked.naming(shelf))
        if not asked.query.text:
            return begun
        if asked.provider == "ann":
            return structs.replace(begun, matches=self._by_meaning(corpus, asked.query, shelf))
        searcher = self._searcher if asked.provider == "hybrid" else self._plain
        ranking = searcher.rank(asked.query, corpus)
        shown = shelf.all_at([one.place for one in ranking.best])
        roles = _roles(corpus, asked.query.text)
        matches = [
            Match(it, one.score, partial(ranking.told, one), role=roles(one.place))
            for it, one in zip(shown, ranking.best, strict=True)
        ]
        return structs.replace(begun, matches=matches, unknown=ranking.unknown, failed=ranking.failed)

    @cached_property
    def _plain(self) -> Searcher:
        """By full text alone."""
        config = self.sources.config
        only = {
            name: structs.replace(getattr(config.providers, name), enabled=name == FULL_TEXT)
            for name in RETRIEVERS
        }  # fmt: skip
        providers: Providers = structs.replace(config.providers, **only, plugins=())
        alone = structs.replace(self.sources, config=structs.replace(config, providers=providers))
        return Searcher(alone, self.corpora)

    def _by_meaning(self, corpus: Corpus, query: Query, shelf: Shelf) -> list[Match]:
        """The nearest of all chunks, by vectors alone."""
        from clew.retrieve.retrievers.semantic import gist, nearest_of_all  # few ask for vectors alone

        meaning = self.sources.meaning()
        if meaning is None:
            hint = "Set embedding.model to clew, or use seed_provider=hybrid."
            raise NotSupported("seed_provider=ann needs an embedding model, and embedding.model is none", hint)
        near = nearest_of_all(corpus, meaning, gist(query.text), query.limit, masks(corpus, query.scope))
        ranked = [_ranked(place, similarity) for place, similarity in near]
        shown = shelf.all_at([one.place for one in ranked])
        return [Match(it, one.score, partial(_itself, one)) for it, one in zip(shown, ranked, strict=True)]


def _roles(corpus: Corpus, text: str) -> Callable[[ChunkPlace], Role]:
    """Roles of chunks; a kind of text that the task asks for by name counts as code."""
    asked = asked_for(understand(text))

    def role(place: ChunkPlace) -> Role:
        standing = standing_of(corpus, place)
        return Role.CODE if standing in asked else _ROLES.get(standing, Role.CODE)

    return role


_ROLES = {
    FileRole.TESTS: Role.TEST,
    FileRole.SHOWN: Role.DOCUMENT,
    FileRole.PROSE: Role.DOCUMENT,
    FileRole.DATA: Role.DOCUMENT,
    FileRole.LOG: Role.DOCUMENT,
    FileRole.LOCKED: Role.DOCUMENT,
}


def _ranked(place: ChunkPlace, similarity: float) -> RankedChunk:
    from clew.retrieve.retrievers.semantic import UNRELATED  # few ask for vectors alone

    score = min(max((similarity - UNRELATED) / (1 - UNRELATED), 0.0), 1.0)
    return RankedChunk(place, score, 0, (Reason("semantic", f"near in meaning ({similarity:.2f})", round(score, 4)),))


def _itself(ranked: RankedChunk) -> RankedChunk:
    return ranked
