"""The start of a pack: the element that the caller names, then the matches of a query, on the shelf that shows them."""

from collections.abc import Callable, Iterable
from enum import StrEnum

from msgspec import Struct

from clew.model.search import Reason
from clew.pack.shelf import Standing
from clew.retrieve.hits import RankedChunk, with_lines

NAMED = 1.0  # what the caller names needs no other evidence


class Role(StrEnum):
    """The part that a match may have in a task: code to read or change, a test of it, or documents and settings."""

    CODE = "code"
    TEST = "test"
    DOCUMENT = "document"


class Match(Struct, frozen=True, eq=False):
    """A chunk that matches, or the chunk of the element that the caller named.

    The reasons of a match are computed on demand.
    """

    quoted: Standing
    score: float
    told: Callable[[], RankedChunk] | None = None
    named: str = ""
    role: Role = Role.CODE

    @property
    def id(self) -> str:
        return self.named or self.quoted.id

    def reasons(self) -> tuple[Reason, ...]:
        """With the lines, where a part of it answers."""
        if self.told is None:
            return ()
        ranked = self.told()
        return with_lines(ranked.reasons, self.quoted.chunk.passages[ranked.passage - 1] if ranked.passage else None)


def named(shown: Standing, id: str) -> Match:
    return Match(shown, NAMED, named=id)


def beginning_with(named: Match | None, matches: Iterable[Match]) -> list[Match]:
    """The named element first, without repeating it among the matches."""
    if named is None:
        return list(matches)
    return [named, *(one for one in matches if one.quoted.uid != named.quoted.uid)]
