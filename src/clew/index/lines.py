"""From bytes to lines. (The binding's own points crash the process once many have been looked at.)"""

from bisect import bisect_left

import numpy as np

FAR = 400  # bytes to look back for the beginning of a line

_NEWLINE = ord("\n")


class Lines:
    def __init__(self, source: bytes) -> None:
        self._ends: list[int] = np.flatnonzero(np.frombuffer(source, np.uint8) == _NEWLINE).tolist()

    def at(self, offset: int) -> int:
        """1-based."""
        return bisect_left(self._ends, offset) + 1


def begins_line(source: bytes, at: int) -> bool:
    """Whether only white space stands before a place in its line, as far as can be seen without looking far."""
    return not source[max(at - FAR, 0) : at].rpartition(b"\n")[2].strip()
