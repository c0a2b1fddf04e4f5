"""From bytes to lines. (The binding's own points crash the process once many have been looked at.)"""

import re
from bisect import bisect_left

_NEWLINE = re.compile(rb"\n")


class Lines:
    def __init__(self, source: bytes) -> None:
        self._ends = [match.start() for match in _NEWLINE.finditer(source)]

    def at(self, offset: int) -> int:
        """1-based."""
        return bisect_left(self._ends, offset) + 1
