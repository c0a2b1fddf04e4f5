"""Where a context pack begins: what the retrieval finds by the provider that is asked for, and what is in focus."""

from collections.abc import Callable

from msgspec import Struct, structs

from clew.model.errors import NotFound, NotSupported, Unavailable
from clew.model.search import Coverage, Failure, Hit, Query, Reason, Results, Scope
from clew.model.words import Kind
from clew.pack.gather import Seed
from clew.pack.request import Focus, PackRequest
from clew.pack.shelf import PROSE, Shelf, Standing, is_prose
from clew.retrieve.hits import Quoter, Ranked
from clew.retrieve.retriever import Place, Sources, file_at
from clew.retrieve.retrievers.semantic import UNRELATED
from clew.retrieve.scope import allowed
from clew.retrieve.search import Searcher
from clew.runtime.settings import RETRIEVERS, Providers
from clew.store.corpus import Corpora, Corpus

MOST_SEEDS = 10  # hits that are begun at
FOUND = 50  # hits whose scores are known: what the graph leads to may be one of them

_CODE = tuple(kind for kind in Kind if not is_prose(kind))
_KINDS: dict[str, tuple[Kind, ...]] = {"code": _CODE, "prose": PROSE, "mixed": ()}
_FULL_TEXT = "full_text"


class Beginning(Struct, frozen=True):
    """Seeds, the focus first; what else was found, with scores; and retrievers that could not answer."""

    seeds: tuple[Seed, ...]
    further: tuple[Hit, ...]
    failed: tuple[Failure, ...]


class Seeder:
    def __init__(self, sources: Sources, corpora: Corpora, searcher: Searcher) -> None:
        self._sources = sources
        self._searcher = searcher
        self._plain = Searcher(_with_full_text_alone(sources), corpora)
        self._quoter = Quoter(sources.root, sources.held)

    def begin(self, corpus: Corpus, request: PackRequest, coverage: Coverage, shelf: Shelf) -> Beginning:
        focus = focused(request.focus, shelf)
        results = self._search(corpus, request, coverage) if request.query else None
        hits = [hit for hit in results.hits if hit.score > 0] if results else []
        found = [hit for hit in hits if hit.score >= self._least(hits)][:MOST_SEEDS]
        seeds = [Seed(hit.symbol, hit.chunk_id, hit.score, reasons=hit.reasons) for hit in found]
        seeds = [seed for seed in seeds if not focus or seed.chunk != focus.chunk]
        return Beginning(
            (*([focus] if focus else []), *seeds),
            tuple(hit for hit in hits if hit not in found),
            results.failed if results else (),
        )

    def _least(self, hits: list[Hit]) -> float:
        """What a seed must score: as much as any answer, or half as much as the best, where all is found faintly."""
        return min(self._sources.config.query.min_score_threshold, hits[0].score / 2)

    def _search(self, corpus: Corpus, request: PackRequest, coverage: Coverage) -> Results:
        query = Query(request.query, FOUND, Scope(kinds=_KINDS[request.seed_mode]))
        if request.seed_provider == "ann":
            return self._by_meaning(corpus, query, coverage)
        if not self._sources.config.retrievers():
            raise Unavailable("searching is switched off", "Set enabled to true, and one of providers.*.enabled.")
        searcher = self._searcher if request.seed_provider == "hybrid" else self._plain
        return searcher.search(query, coverage)

    def _by_meaning(self, corpus: Corpus, query: Query, coverage: Coverage) -> Results:
        """The nearest of all chunks, by vectors alone."""
        meaning = self._sources.meaning()
        if meaning is None:
            hint = "Set a model under [embedding], or ask for seed_provider hybrid."
            raise NotSupported("seedProvider ann needs an embedding model, and none is configured", hint)
        asked = meaning.semantic.asked(query.text)
        near = meaning.everything.search(corpus, asked, query.limit, allowed(corpus, query.scope))
        if near is None:
            raise Unavailable("not every chunk has its vector yet", "Run `clew embed`, then try again.")
        ranked = [_ranked(Place(one.part, one.chunk), one.similarity) for one in near]
        best = sorted(ranked, key=lambda one: (-one.score, file_at(corpus, one.place)[1], one.place.chunk))
        return Results(query.text, self._quoter.hits(corpus, best), len(best), 0, (), coverage)


def focused(focus: Focus, shelf: Shelf) -> Seed | None:
    """What is in focus, as the first seed; NotFound names the field if nothing is."""
    given = structs.asdict(focus)
    looks: dict[str, Callable[[str], Standing | None]] = {
        "symbol_id": shelf.showing,
        "chunk_uid": shelf.chunk,
        "file_rel_path": shelf.showing,
    }
    for name, look in looks.items():
        if isinstance(wanted := given[name], str):
            found = look(wanted)
            if found is None:
                raise NotFound(f"focus.{name}: there is no {wanted!r}", "Find it with query_context or code_explain.")
            return Seed(wanted if name == "file_rel_path" else found.id, found.uid, 1.0, focus=True)
    return None


def _ranked(place: Place, similarity: float) -> Ranked:
    score = min(max((similarity - UNRELATED) / (1 - UNRELATED), 0.0), 1.0)
    return Ranked(place, score, 0, (Reason("semantic", f"near in meaning ({similarity:.2f})", round(score, 4)),))


def _with_full_text_alone(sources: Sources) -> Sources:
    config = sources.config
    off = {
        name: structs.replace(getattr(config.providers, name), enabled=name == _FULL_TEXT)
        for name in RETRIEVERS
    }  # fmt: skip
    providers: Providers = structs.replace(config.providers, **off, plugins=())
    return structs.replace(sources, config=structs.replace(config, providers=providers))
