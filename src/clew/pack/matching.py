"""The start of a pack: the element that the caller names, then the matches of a query, best first.

Kinds of packs differ in the steps after that: `briefing.py` and `packer.py` show theirs. `fitting.py` cuts the plans of
both to their budget.
"""

from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum
from functools import cached_property

from msgspec import Struct, structs

from clew.graph.walk_graph import Web, Webs
from clew.model.errors import NotSupported
from clew.model.search import Query, Reason, RetrieverFailure
from clew.pack.reasons import FULL_TEXT
from clew.pack.request import SeedProvider
from clew.pack.shelf import Shelf, Standing
from clew.retrieve.file_role import FileRole, asked_for, standing_of
from clew.retrieve.hits import RankedChunk, with_lines
from clew.retrieve.question import understand
from clew.retrieve.retriever import ChunkPlace, RetrieverSources
from clew.retrieve.scope import masks
from clew.retrieve.search import FoundChunk, Searcher
from clew.runtime.settings import RETRIEVERS, Providers
from clew.store.corpus import Corpora, Corpus

NAMED = 1.0  # what the caller names needs no other evidence


class Role(StrEnum):
    """The part that a match may have in a task: code to read or change, a test of it, or documents and settings."""

    CODE = "code"
    TEST = "test"
    DOCUMENT = "document"


class Match(Struct, frozen=True, eq=False):
    """A chunk that matches, or the chunk of the element that the caller named.

    `evidence` explains a match of the query; it is None for a chunk that came into the pack another way.
    """

    quoted: Standing
    score: float
    evidence: FoundChunk | RankedChunk | None = None
    named: str = ""
    role: Role = Role.CODE

    @property
    def id(self) -> str:
        return self.named or self.quoted.id

    def reasons(self) -> tuple[Reason, ...]:
        """With the lines, where a part of it answers."""
        if self.evidence is None:
            return ()
        ranked = self.evidence.explain()
        return with_lines(ranked.reasons, self.quoted.chunk.passages[ranked.passage - 1] if ranked.passage else None)


def match_by_name(shown: Standing, id: str) -> Match:
    return Match(shown, NAMED, named=id)


def beginning_with(named: Match | None, matches: Iterable[Match]) -> list[Match]:
    """The named element first, without repeating it among the matches."""
    if named is None:
        return list(matches)
    return [named, *(one for one in matches if one.quoted.uid != named.quoted.uid)]


class MatchContext(Struct, frozen=True, eq=False):
    """The named element and the matches of one corpus, with the chunks and the graph to expand along."""

    web: Web
    shelf: Shelf
    named: Match | None
    matches: Sequence[Match] = ()
    unknown: tuple[str, ...] = ()
    failed: tuple[RetrieverFailure, ...] = ()

    @property
    def best(self) -> list[Match]:
        return beginning_with(self.named, self.matches)


class Matcher:
    def __init__(self, sources: RetrieverSources, corpora: Corpora, searcher: Searcher, webs: Webs) -> None:
        self.sources = sources
        self.corpora = corpora
        self._searcher = searcher
        self.webs = webs

    def open_shelf(self, corpus: Corpus) -> Shelf:
        return Shelf(self.sources.root, corpus, self.sources.held, self.sources.files)

    def match(
        self, query: Query, corpus: Corpus, shelf: Shelf, named: Match | None, provider: SeedProvider = "hybrid"
    ) -> MatchContext:
        """An empty query matches nothing."""
        web = self.webs.of(corpus)
        if not query.text:
            return MatchContext(web, shelf, named)
        if provider == "ann":
            return MatchContext(web, shelf, named, self._match_by_vectors(corpus, query, shelf))
        searcher = self._searcher if provider == "hybrid" else self._by_full_text
        ranking = searcher.rank(query, corpus)
        shown = shelf.all_at([one.place for one in ranking.best])
        asked = asked_for(understand(query.text))
        matches = [
            Match(it, one.score, one, role=_role(corpus, one.place, asked))
            for it, one in zip(shown, ranking.best, strict=True)
        ]
        return MatchContext(web, shelf, named, matches, ranking.unknown, ranking.failed)

    @cached_property
    def _by_full_text(self) -> Searcher:
        config = self.sources.config
        only = {
            name: structs.replace(getattr(config.providers, name), enabled=name == FULL_TEXT)
            for name in RETRIEVERS
        }  # fmt: skip
        providers: Providers = structs.replace(config.providers, **only, plugins=())
        alone = structs.replace(self.sources, config=structs.replace(config, providers=providers))
        return Searcher(alone, self.corpora)

    def _match_by_vectors(self, corpus: Corpus, query: Query, shelf: Shelf) -> list[Match]:
        """The nearest of all chunks, by vectors alone."""
        from clew.retrieve.retrievers.semantic import gist, nearest_of_all  # few ask for vectors alone

        meaning = self.sources.meaning()
        if meaning is None:
            hint = "Set embedding.model to clew, or use seed_provider=hybrid."
            raise NotSupported("seed_provider=ann needs an embedding model, and embedding.model is none", hint)
        near = nearest_of_all(corpus, meaning, gist(query.text), query.limit, masks(corpus, query.scope))
        ranked = [_rank_by_similarity(place, similarity) for place, similarity in near]
        shown = shelf.all_at([one.place for one in ranked])
        return [Match(it, one.score, one) for it, one in zip(shown, ranked, strict=True)]


def _role(corpus: Corpus, place: ChunkPlace, asked: Collection[FileRole]) -> Role:
    """A kind of text that the task asks for by name counts as code."""
    file_role = standing_of(corpus, place)
    return Role.CODE if file_role in asked else _ROLES.get(file_role, Role.CODE)


_ROLES = {
    FileRole.TESTS: Role.TEST,
    FileRole.SHOWN: Role.DOCUMENT,
    FileRole.PROSE: Role.DOCUMENT,
    FileRole.DATA: Role.DOCUMENT,
    FileRole.LOG: Role.DOCUMENT,
    FileRole.LOCKED: Role.DOCUMENT,
}


def _rank_by_similarity(place: ChunkPlace, similarity: float) -> RankedChunk:
    from clew.retrieve.retrievers.semantic import UNRELATED  # few ask for vectors alone

    score = min(max((similarity - UNRELATED) / (1 - UNRELATED), 0.0), 1.0)
    return RankedChunk(place, score, 0, (Reason("semantic", f"near in meaning ({similarity:.2f})", round(score, 4)),))
