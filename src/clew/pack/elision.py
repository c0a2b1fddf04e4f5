"""A unit in ever longer forms: folded to its opening, by its inner units, with some of its passages; at last whole.

Nothing is cut but between whole inner parts, and a mark counts the lines that are left out.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile

from msgspec import Struct

from clew.model.code import Chunk
from clew.retrieve import excerpt


class Unit(Struct, frozen=True):
    """A chunk of a file: `source` is the file's text as stored, at least as far as the chunk reaches.

    `best` is the number of the passage that is wanted first, from 1 on; 0 if none is.
    """

    source: bytes
    chunks: Sequence[Chunk]
    ordinal: int
    best: int = 0

    @property
    def chunk(self) -> Chunk:
        return self.chunks[self.ordinal]


def forms(unit: Unit) -> Iterator[str]:
    """Each longer than the one before; the last is the whole."""
    shown = ""
    for text in sorted(_forms(unit), key=len):  # an outline may be longer than the passage that is wanted
        if len(text) > len(shown):
            yield text
            shown = text


def outlines(unit: Unit) -> Iterator[str]:
    """Only those that show nothing of its inner units: for one whose parts stand on their own."""
    whole = excerpt.whole(unit.source, unit.chunk)
    yield from dict.fromkeys(text for make in (_opening, _outline) for text in make(unit) if len(text) < len(whole))


def longest(unit: Unit, fits: Callable[[str], bool]) -> str:
    """The longest form that fits; empty if not even the shortest does."""
    whole = excerpt.whole(unit.source, unit.chunk)
    if fits(whole):
        return whole
    return max(takewhile(fits, forms(unit)), key=len, default="")


def _forms(unit: Unit) -> Iterator[str]:
    whole = excerpt.whole(unit.source, unit.chunk)
    shorter = (
        text
        for make in (_opening, _outline, _with_passages)
        for text in make(unit)
        if len(text) < len(whole)
    )  # fmt: skip
    yield from shorter
    yield whole


def _opening(unit: Unit) -> Iterator[str]:
    yield excerpt.folded(unit.source, unit.chunk)


def _outline(unit: Unit) -> Iterator[str]:
    yield excerpt.outline(unit.source, unit.chunks, unit.ordinal)


def _with_passages(unit: Unit) -> Iterator[str]:
    """With the best passage, then with those nearest to it, too."""
    passages = unit.chunk.passages
    best = max(unit.best - 1, 0)
    order = sorted(range(len(passages)), key=lambda i: (abs(i - best), i))
    for count in range(1, len(passages)):
        chosen = [passages[i] for i in sorted(order[:count])]
        yield excerpt.with_passages(unit.source, unit.chunk, chosen)
