"""Where a context pack begins: what the retrieval finds by the provider that is asked for, and what is in focus."""

from collections.abc import Callable, Sequence
from functools import partial

from msgspec import Struct, structs

from clew.model.errors import NotFound, NotSupported, Unavailable
from clew.model.search import Failure, Query, Reason, Scope
from clew.model.words import Kind
from clew.pack.gather import Seed
from clew.pack.matching import Match, matched
from clew.pack.request import Focus, PackRequest
from clew.pack.scoring import DIGITS
from clew.pack.shelf import PROSE, Shelf, Standing, is_prose
from clew.retrieve.hits import Ranked
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
    """Seeds, the focus first; what else was found; and retrievers that could not answer."""

    seeds: tuple[Seed, ...]
    further: tuple[Match, ...]
    failed: tuple[Failure, ...]


class Seeder:
    def __init__(self, sources: Sources, corpora: Corpora, searcher: Searcher) -> None:
        self._sources = sources
        self._searcher = searcher
        self._plain = Searcher(_with_full_text_alone(sources), corpora)

    def begin(self, corpus: Corpus, request: PackRequest, shelf: Shelf) -> Beginning:
        focus = focused(request.focus, shelf)
        matches, failed = self._find(corpus, request, shelf) if request.query else ([], ())
        found = [structs.replace(one, score=round(one.score, DIGITS)) for one in matches]
        found = [one for one in found if one.score > 0]
        best = [one for one in found if one.score >= self._least(found)][:MOST_SEEDS]
        seeds = [_seed(one) for one in best if not focus or one.quoted.uid != focus.chunk]
        return Beginning((*([focus] if focus else []), *seeds), tuple(one for one in found if one not in best), failed)

    def _least(self, found: Sequence[Match]) -> float:
        """What a seed must score: as much as any answer, or half as much as the best, where all is found faintly."""
        return min(self._sources.config.query.min_score_threshold, found[0].score / 2)

    def _find(self, corpus: Corpus, request: PackRequest, shelf: Shelf) -> tuple[list[Match], tuple[Failure, ...]]:
        query = Query(request.query, FOUND, Scope(kinds=_KINDS[request.seed_mode]))
        if request.seed_provider == "ann":
            return self._by_meaning(corpus, query, shelf), ()
        if not self._sources.config.retrievers():
            raise Unavailable("searching is switched off", "Set enabled to true, and one of providers.*.enabled.")
        searcher = self._searcher if request.seed_provider == "hybrid" else self._plain
        ranking = searcher.rank(query, corpus)
        return matched(ranking, shelf), ranking.failed

    def _by_meaning(self, corpus: Corpus, query: Query, shelf: Shelf) -> list[Match]:
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
        return [Match(shelf.at(one.place), one.score, partial(_itself, one)) for one in best]


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


def _seed(match: Match) -> Seed:
    return Seed(match.id, match.quoted.uid, match.score, reasons=match.reasons())


def _ranked(place: Place, similarity: float) -> Ranked:
    score = min(max((similarity - UNRELATED) / (1 - UNRELATED), 0.0), 1.0)
    return Ranked(place, score, 0, (Reason("semantic", f"near in meaning ({similarity:.2f})", round(score, 4)),))


def _itself(ranked: Ranked) -> Ranked:
    return ranked


def _with_full_text_alone(sources: Sources) -> Sources:
    config = sources.config
    off = {
        name: structs.replace(getattr(config.providers, name), enabled=name == _FULL_TEXT)
        for name in RETRIEVERS
    }  # fmt: skip
    providers: Providers = structs.replace(config.providers, **off, plugins=())
    return structs.replace(sources, config=structs.replace(config, providers=providers))
