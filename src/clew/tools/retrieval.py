"""Shared by tools that query the retrieval: maps hits to nodes, and reports active and failed retrievers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from clew.engine import Engine
from clew.model.errors import ClewError
from clew.model.search import MOST_READ, Hit, Query, Results, RetrieverFailure, Scope, SearchCounts
from clew.model.words import Kind
from clew.runtime.plugins import RETRIEVERS as GROUP
from clew.runtime.plugins import find_offers
from clew.runtime.settings import NO_MODEL, OWN, RETRIEVERS
from clew.tools.freshness import FreshnessState
from clew.tools.unindexed_files import ALL_READ, UnindexedFiles, find_unindexed_files
from clew.tools.unknown_terms import MOST_UNKNOWN, UnknownTerms, describe_unknown_terms, find_unknown_terms

OVER_FETCHED = 3  # times as many hits as nodes are asked for: what may be ordered anew, or left out
OF_ONE_FILE = 4  # times as many again, where files are asked for: of several hits comes one

_NAMES = {
    "full_text": "Full text",
    "symbol": "Symbols",
    "path": "Paths",
    "git_history": "Git history",
    "graph": "Graph",
    "semantic": "Meaning",
    "summary": "Summaries",
}


class ProviderState(Struct, frozen=True):
    """A retriever: whether it takes part, how much it counts, and whether it has what it needs to answer.

    `avg_latency_ms` is of the latest questions, null before the first.
    """

    id: str
    name: str
    enabled: bool
    weight: float
    available: bool
    stats: dict[str, int]
    avg_latency_ms: float | None = None


class Sought(Struct, frozen=True):
    """Nodes of the graph to find by words; no kinds are all of them."""

    text: str
    limit: int
    kinds: frozenset[str]

    def to_query(self) -> Query:
        """For more hits than nodes. Any part of a file speaks for it."""
        files = Kind.FILE in self.kinds
        kinds = () if files else tuple(Kind(kind) for kind in sorted(self.kinds))
        return Query(self.text, self.limit * OVER_FETCHED * (OF_ONE_FILE if files else 1), Scope(kinds=kinds))

    def nodes(self, hits: Iterable[Hit]) -> dict[str, Hit]:
        """What hits stand for, each by the best of them; a file, where it is asked for, by its parts."""
        found: dict[str, Hit] = {}
        for hit in hits:
            for node in self._nodes(hit):
                if node not in found or found[node].score < hit.score:
                    found[node] = hit
        return found

    def _nodes(self, hit: Hit) -> Iterator[str]:
        if not self.kinds or hit.kind in self.kinds:
            yield hit.symbol
        if Kind.FILE in self.kinds:
            yield hit.path


class Missed(Struct, frozen=True, omit_defaults=True):
    """What of a question stands nowhere, what was not read, and why nothing could be found, if nothing could.

    `understood` are the other words, where they are few; `near` is what is called almost like one that stands nowhere.
    """

    unknown_words: tuple[str, ...] = ()
    unread: UnindexedFiles = ALL_READ
    barred: str = ""
    understood: tuple[str, ...] = ()
    near: Mapping[str, tuple[str, ...]] = {}

    def sentences(self, fresh: FreshnessState, *, found: bool) -> str:
        """In sentences; that nothing was found is one of them."""
        nothing = "" if found else f"Nothing found{f': {self.barred}' if self.barred else ''}."
        in_all = not (fresh.seen or fresh.pending or fresh.unchecked)
        told = UnknownTerms(self.understood, self.near)
        strange = describe_unknown_terms(self.unknown_words, told, found=found, in_all=in_all, left=self.unread)
        left = "" if found or self.barred else str(self.unread)
        return " ".join(filter(None, [nothing, strange or left]))


NOTHING_MISSED = Missed()  # which answers leave out


def find_missed(engine: Engine, results: Results) -> Missed:
    """Of the present."""
    left = find_unindexed_files(engine) if results.unknown or not results.total else ALL_READ
    told = find_unknown_terms(engine, results.query, results.unknown)
    barred = "" if results.total else results.barred
    found = Missed(results.unknown[:MOST_UNKNOWN], left, barred, told.understood, told.near)
    return NOTHING_MISSED if found == NOTHING_MISSED else found


def passed_over(question: str) -> str:
    """How much of a very long question was not read; nothing, if all of it was."""
    left = len(question) - MOST_READ
    return f"Of the question, {left:,} characters in its middle were not read." if left > 0 else ""


def describe_failures(failed: Sequence[RetrieverFailure]) -> str:
    """Which retrievers an answer had to do without, in words; nothing, if none."""
    return " ".join(f"{one.retriever} could not answer: {one.reason.rstrip('.')}." for one in failed)


def providers(engine: Engine, counts: SearchCounts) -> tuple[ProviderState, ...]:
    """Every retriever there is, and those that are named and are not there."""
    weights = engine.config.providers.weights() if engine.config.enabled else {}
    brought = {offer.name for offer in find_offers(GROUP)}
    names = [*RETRIEVERS, *sorted((brought | weights.keys()) - {*RETRIEVERS})]
    return tuple(_state(engine, name, weights, counts, name in brought) for name in names)


def _state(
    engine: Engine, name: str, weights: dict[str, float], counts: SearchCounts, is_brought: bool
) -> ProviderState:
    own = getattr(engine.config.providers, name, None) if name in RETRIEVERS else None
    weight = own.weight if own else weights.get(name, 1.0)
    available, stats = _find_material(engine, name) if own else (is_brought, {})
    latency = counts.latency(name)
    return ProviderState(name, _NAMES.get(name, name), name in weights, weight, available, stats, latency)


def _find_material(engine: Engine, name: str) -> tuple[bool, dict[str, int]]:
    """Whether a retriever of our own has anything to answer from, and how much."""
    if name == "git_history":
        commits = _commits(engine)
        return commits > 0, {"commits": commits}
    if name == "semantic":
        return _has_model(engine), {"vectors": count_vectors(engine)}
    if name == "summary":
        written = len(engine.summary_cache.all()) if engine.config.summaries.base_url else 0
        return written > 0, {"summaries": written}
    totals = engine.files.totals()
    counts = {"path": {"files": totals.files}}
    return totals.files > 0, counts.get(name, {"chunks": totals.chunks})


def count_vectors(engine: Engine) -> int:
    """Those of the bundled model are in the snapshot, one for each chunk; those of others in the store."""
    own = engine.files.totals().chunks if engine.config.embedding.model == OWN else 0
    return own + sum(engine.vectors.counts().values())


def _commits(engine: Engine) -> int:
    data = engine.histories.commits()
    if not data:
        return 0
    from clew.store.commits import Commits  # numpy is heavy, and most tools do not need it

    return len(Commits(data))


def _has_model(engine: Engine) -> bool:
    if engine.config.embedding.model == NO_MODEL:
        return False
    try:
        return engine.meaning is not None
    except ClewError:
        return False
