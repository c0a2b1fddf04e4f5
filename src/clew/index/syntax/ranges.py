"""Half-open byte ranges of a text: subtraction, clipping, joining neighbours."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from itertools import accumulate, pairwise

from clew.text.tokens import CHARACTERS_PER_TOKEN

# From bytes to lines. (The binding's own points crash the process once many have been looked at.)

FAR = 400  # bytes to look back for the beginning of a line


class LineIndex:
    """`at` tells the line that a byte is in, from 1 on."""

    def __init__(self, source: bytes) -> None:
        self.at: Callable[[int], int] = partial(bisect_right, _starts(source))  # and no more: it is asked all the time


@lru_cache(maxsize=1)  # all that read a file ask for its lines, one after the other
def _starts(source: bytes) -> list[int]:
    """Where each line starts. Without numpy, which a reading process would load for this alone."""
    lines = source.splitlines(keepends=True) if b"\r" not in source else _split(source)
    starts = list(accumulate(map(len, lines), initial=0))
    if lines and not lines[-1].endswith(b"\n"):
        starts.pop()
    return starts


def _split(source: bytes) -> list[bytes]:
    """Only at line feeds: a carriage return ends no line here."""
    *lines, last = source.split(b"\n")
    return [*(line + b"\n" for line in lines), *([last] if last else [])]


def begins_line(source: bytes, at: int) -> bool:
    """Whether only white space stands before a place in its line, as far as can be seen without looking far."""
    return not source[max(at - FAR, 0) : at].rpartition(b"\n")[2].strip()


Range = tuple[int, int]

_VISIBLE = re.compile(rb"[^\r\n]")


def subtract(whole: Range, holes: list[Range]) -> list[Range]:
    """The parts of a range outside of the holes, which are in order."""
    left: list[Range] = []
    start, end = whole
    for hole_start, hole_end in holes:
        if hole_start > start:
            left.append((start, hole_start if hole_start < end else end))
        if hole_end > start:
            start = hole_end
    if start < end:
        left.append((start, end))
    return left


def clip_ranges(ranges: list[Range], where: Range) -> list[Range]:
    """The parts of some ranges inside another."""
    start, end = where
    clipped = ((max(a, start), min(b, end)) for a, b in ranges)
    return [(a, b) for a, b in clipped if a < b]


def cut(whole: Range, at: list[int]) -> list[Range]:
    """A range, cut at those of the sorted places that lie in it: every byte is in one of the parts."""
    start, end = whole
    cuts = at[bisect_right(at, start) : bisect_left(at, end)]
    return list(pairwise([start, *cuts, end]))


def group_ranges(ranges: list[Range], limit: int) -> list[Range]:
    """Neighbours together, as long as they stay within the limit in tokens; a longer one stands alone, whole."""
    groups: list[Range] = []
    for start, end in ranges:
        if groups and end - groups[-1][0] <= limit * CHARACTERS_PER_TOKEN:
            groups[-1] = (groups[-1][0], end)
        else:
            groups.append((start, end))
    return groups


def strip_range(source: bytes, where: Range) -> Range:
    """The range without the blank lines around it; the indent of its first line stays."""
    start, end = where
    text = source[start:end]
    opening = len(text) - len(text.lstrip())
    start += text.rfind(b"\n", 0, opening) + 1
    return start, end - (len(text) - len(text.rstrip()))


def blank_ranges(source: bytes, ranges: Iterable[Range]) -> bytes:
    """The same text, byte by byte, with these ranges blanked."""
    result = bytearray(source)
    for start, end in ranges:
        result[start:end] = _VISIBLE.sub(b" ", source[start:end])
    return bytes(result)


def length(ranges: Iterable[Range]) -> int:
    return sum([end - start for start, end in ranges])


def join(source: bytes, ranges: Iterable[Range]) -> bytes:
    return b"\n".join([source[start:end] for start, end in ranges])
