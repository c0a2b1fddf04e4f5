"""From bytes to lines. (The binding's own points crash the process once many have been looked at.)"""

from bisect import bisect_right
from collections.abc import Callable
from functools import lru_cache, partial
from itertools import accumulate

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
