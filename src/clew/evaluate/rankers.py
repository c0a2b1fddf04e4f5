"""Rankers under evaluation: they rank files and functions by a query; Clew's own search is one of them."""

from collections.abc import Callable, Container
from typing import NamedTuple, Protocol

from clew.evaluate.functions import KINDS
from clew.evaluate.metrics import DEPTH
from clew.evaluate.world import World
from clew.model.search import Hit, Results

Search = Callable[[str, int], Results]  # a query, and how many hits at most

USUAL = 10  # hits that a question asks for, to tell what it costs
FIRST, MOST, GROWTH = 400, 1600, 4  # hits that are looked through for enough files
MOST_FILES = 0.75  # of few files, so many are enough: what no hit is in by then is not found

CLEW, UNSKIPPED = "clew", "clew (all files)"


class RankedNames(NamedTuple):
    """Best first, each once."""

    files: list[str]
    functions: list[str]


class Ranker(Protocol):
    name: str

    def rank(self, query: str) -> RankedNames:
        """At least as deep as ranks are counted."""
        ...


class Clew:
    """Ranks files by their first hit; hits in files that are not ranked are skipped."""

    def __init__(self, search: Search, world: World, name: str = CLEW) -> None:
        self._search = search
        self._world = world
        self._last: tuple[str, tuple[Hit, ...]] = "", ()
        self.name = name

    def ask(self, query: str) -> None:
        self._search(query, USUAL)

    def rank(self, query: str) -> RankedNames:
        return ranking(self._deep(query), self._world, self._world.files)

    def rank_without_skips(self, query: str) -> RankedNames:
        return ranking(self._deep(query), self._world, None)

    def _deep(self, query: str) -> tuple[Hit, ...]:
        """Hits in enough files, or all that there are; of the query that was asked last, those found then."""
        if self._last[0] == query:
            return self._last[1]
        limit, enough = FIRST, min(DEPTH, MOST_FILES * len(self._world.files))
        while True:
            hits = self._search(query, limit).hits
            files = {hit.path for hit in hits if hit.path in self._world.files}
            if len(files) >= enough or len(hits) < limit or limit >= MOST:
                self._last = query, hits
                return hits
            limit *= GROWTH


class Unskipped:
    """Clew as its users see it."""

    def __init__(self, clew: Clew) -> None:
        self._clew = clew
        self.name = UNSKIPPED

    def rank(self, query: str) -> RankedNames:
        return self._clew.rank_without_skips(query)


def ranking(hits: tuple[Hit, ...], world: World, only: Container[str] | None) -> RankedNames:
    """Files and functions in the order of their first hit; a function inside of another is that."""
    counted = [hit for hit in hits if only is None or hit.path in only]
    named = [world.outer.get(hit.symbol, hit.symbol) for hit in counted if hit.kind in KINDS]
    functions = named if only is None else [one for one in named if one in world.functions]
    return RankedNames(list(dict.fromkeys(hit.path for hit in counted)), list(dict.fromkeys(functions)))
