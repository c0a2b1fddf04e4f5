"""Where every pack begins: what a query matches, on the shelf that shows it, and what the caller names before that."""

from collections.abc import Callable, Iterable
from functools import partial

from msgspec import Struct

from clew.model.search import Reason
from clew.pack.shelf import Shelf, Standing
from clew.retrieve.hits import Ranked, with_lines
from clew.retrieve.search import Ranking

NAMED = 1.0  # what the caller names needs no other evidence


class Match(Struct, frozen=True, eq=False):
    """A chunk that answers, or that the caller names; what speaks for one that answers is told on demand."""

    quoted: Standing
    score: float
    told: Callable[[], Ranked] | None = None

    @property
    def id(self) -> str:
        return self.quoted.id

    def reasons(self) -> tuple[Reason, ...]:
        """With the lines, where a part of it answers."""
        if self.told is None:
            return ()
        ranked = self.told()
        return with_lines(ranked.reasons, self.quoted.chunk.passages[ranked.passage - 1] if ranked.passage else None)


def matched(ranking: Ranking, shelf: Shelf) -> list[Match]:
    """The best first."""
    return [Match(shelf.at(one.place), one.score, partial(ranking.told, one)) for one in ranking.best]


def beginning_with(named: Standing | None, matches: Iterable[Match]) -> list[Match]:
    """What the caller names comes first, and once."""
    if named is None:
        return list(matches)
    return [Match(named, NAMED), *(one for one in matches if one.quoted.uid != named.uid)]
