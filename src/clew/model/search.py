"""Queries and results of searches."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, field
from msgspec.structs import replace

from clew.model.words import Kind

MOST_READ = 20_000  # characters of a question


class Fusion(StrEnum):
    """How findings of several retrievers become one ranking."""

    EVIDENCE = "evidence"
    RRF = "rrf"
    WEIGHTED = "weighted_average"
    CASCADE = "cascade"


class Scope(Struct, frozen=True):
    """Where to look. Paths are files, folders or globs; an empty filter lets everything pass."""

    paths: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    kinds: tuple[Kind, ...] = ()
    exclude: tuple[str, ...] = ()


class Query(Struct, frozen=True):
    text: str
    limit: int
    scope: Scope = field(default_factory=Scope)
    min_score: float = 0.0


class Reason(Struct, frozen=True):
    """The contribution of a retriever to a hit: its finding, and its share of the score."""

    retriever: str
    detail: str
    share: float


class RetrieverFailure(Struct, frozen=True):
    """A retriever that could not answer, and why."""

    retriever: str
    reason: str


class Hit(Struct, frozen=True):
    """A chunk that answers. `text` is the whole unit as indexed, secrets replaced; offsets are the file's bytes."""

    chunk_id: str
    path: str
    symbol: str
    label: str
    kind: Kind
    language: str
    first_line: int
    last_line: int
    start: int
    end: int
    score: float
    text: str
    outline: str  # the same unit, shortened by whole inner parts
    passage: str  # the same unit, shortened to its opening and the passage that answers best; empty if the whole does
    reasons: tuple[Reason, ...]
    stale: bool  # the file has changed since, or is gone; text that no longer stands in it is left out
    redacted: bool  # a secret in it was replaced: the text is not the file's to the letter


class Coverage(Struct, frozen=True):
    """How much of the project the answer could see."""

    indexed: int
    seen: int
    indexing: bool

    @property
    def partial(self) -> bool:
        """A run is under way, and some files have not been read even once."""
        return self.indexing and (not self.indexed or self.indexed < self.seen)


class Freshness(Struct, frozen=True):
    """The refresh before an answer and its duration, which is no part of the question's own time."""

    refreshed: int = 0  # files that were indexed, or ended, for this answer
    pending: int = 0  # files that changed and are still to be indexed
    unchecked: int = 0  # files and folders that there was no time to look at
    linking: bool = False  # what changed may mean other edges for files that did not, and is still to be found out
    newer: bool = False  # a newer Clew, or newer parsers, took the index over: nothing is seen to here any more
    contested: bool = False  # another process has the index made by other rules, in turns with this one
    history: bool = False  # there are commits whose messages and files ranking does not know of yet
    sweep_ms: float = 0.0
    refresh_ms: float = 0.0

    def and_then(self, late: "Freshness") -> "Freshness":
        """Combined with a later refresh."""
        refreshed, took = self.refreshed + late.refreshed, self.refresh_ms + late.refresh_ms
        return replace(self, refreshed=refreshed, linking=self.linking or late.linking, refresh_ms=took)


class Results(Struct, frozen=True):
    """Hits, best first. `total` counts every match in scope, `below` those that scored too low."""

    query: str
    hits: tuple[Hit, ...]
    total: int
    below: int
    unknown: tuple[str, ...]  # words of the query that stand nowhere in the project
    coverage: Coverage
    failed: tuple[RetrieverFailure, ...] = ()  # retrievers that could not answer; the rest did
    collapsed: int = 0  # near-duplicates of hits, left out
    freshness: Freshness = Freshness()
    unmet: tuple[str, ...] = ()  # paths and languages of the scope that no indexed file fits
    barred: str = ""  # why nothing could have been found, whatever the project holds

    @property
    def stale(self) -> frozenset[str]:
        """The files of hits that have changed since."""
        return frozenset(hit.path for hit in self.hits if hit.stale)


class SearchCounts(Struct, frozen=True):
    """Rankings that were asked for, how many of them were cached; by retriever, how often it was asked, and the
    microseconds that it took."""

    rankings: int = 0
    cached: int = 0
    spent: Mapping[str, tuple[int, int]] = {}

    def plus(self, other: "SearchCounts") -> "SearchCounts":
        none = (0, 0)
        names = {**self.spent, **other.spent}
        pairs = {name: (self.spent.get(name, none), other.spent.get(name, none)) for name in names}
        spent = {name: (a[0] + b[0], a[1] + b[1]) for name, (a, b) in pairs.items()}
        return SearchCounts(self.rankings + other.rankings, self.cached + other.cached, spent)

    @property
    def cache_hit_rate(self) -> float | None:
        return round(self.cached / self.rankings, 3) if self.rankings else None

    def latency(self, retriever: str) -> float | None:
        """Milliseconds on average; None if it was not asked."""
        times, microseconds = self.spent.get(retriever, (0, 0))
        return round(microseconds / 1000 / times, 2) if times else None


NO_SEARCHES = SearchCounts()
