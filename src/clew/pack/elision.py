"""A unit in ever longer forms: folded to its opening, by its inner units, with some of its passages; at last whole.

Nothing is cut but between whole inner parts, and a mark counts the lines that are left out.
"""

from collections.abc import Callable, Iterator, Sequence
from heapq import merge
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

    @property
    def has_units(self) -> bool:
        """Whether others lie in it; they follow it."""
        return self.ordinal + 1 < len(self.chunks) and self.chunks[self.ordinal + 1].span.start < self.chunk.span.end


def forms(unit: Unit) -> Iterator[str]:
    """Each longer than the one before; the last is the whole."""
    whole = excerpt.whole(unit.source, unit.chunk)
    folded = sorted((text for make in (_opening, _outline) for text in make(unit)), key=len)
    shown = 0
    for text in merge(folded, _with_passages(unit), key=len):  # an outline may be longer than a passage
        if shown < len(text) < len(whole):
            yield text
            shown = len(text)
    yield whole


def outlines(unit: Unit) -> Iterator[str]:
    """Outlines without the bodies of inner units, for units with parts that are shown separately."""
    whole = excerpt.whole(unit.source, unit.chunk)
    yield from dict.fromkeys(text for make in (_opening, _outline) for text in make(unit) if len(text) < len(whole))


def beginnings(unit: Unit, most: int) -> Iterator[str]:
    """Its first lines, ever more of them, at most so many bytes."""
    lines = excerpt.whole(unit.source, unit.chunk).splitlines()
    for count in range(1, len(lines) - 1):
        text = "\n".join([*lines[:count], excerpt.mark("", len(lines) - count)])
        if len(text.encode()) > most:
            return
        if lines[count - 1].strip():
            yield text


def longest(unit: Unit, fits: Callable[[str], bool]) -> str:
    """The longest form that fits; empty if not even the shortest does."""
    whole = excerpt.whole(unit.source, unit.chunk)
    if fits(whole):
        return whole
    return max(takewhile(fits, forms(unit)), key=len, default="")


def _opening(unit: Unit) -> Iterator[str]:
    yield excerpt.fold(unit.source, unit.chunk)


def _outline(unit: Unit) -> Iterator[str]:
    yield excerpt.outline(unit.source, unit.chunks, unit.ordinal)


def _with_passages(unit: Unit) -> Iterator[str]:
    """With the best passage, then with those nearest to it, too: of very many, ever more at once."""
    passages = unit.chunk.passages
    best = max(unit.best - 1, 0)
    order = sorted(range(len(passages)), key=lambda i: (abs(i - best), i))
    count = 1
    while count < len(passages):
        chosen = [passages[i] for i in sorted(order[:count])]
        yield excerpt.with_passages(unit.source, unit.chunk, chosen)
        count += max(count // 4, 1)
