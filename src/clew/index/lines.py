"""From bytes to lines. (The binding's own points crash the process once many have been looked at.)"""

import re
from bisect import bisect_left

FAR = 400  # bytes to look back for the beginning of a line

_NEWLINE = re.compile(rb"\n")


class Lines:
    def __init__(self, source: bytes) -> None:
        self._ends = [match.start() for match in _NEWLINE.finditer(source)]

    def at(self, offset: int) -> int:
        """1-based."""
        return bisect_left(self._ends, offset) + 1


def begins_line(source: bytes, at: int) -> bool:
    """Whether only white space stands before a place in its line, as far as can be seen without looking far."""
    return not source[max(at - FAR, 0) : at].rpartition(b"\n")[2].strip()
