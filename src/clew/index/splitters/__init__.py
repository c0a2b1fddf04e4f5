"""Formats without a fitting grammar: a module each, named in the table of languages, with `outline(language,
source)`.

It returns the same as clew.index.syntax.parse.outline, for any bytes, in linear time.
"""

import re
from bisect import bisect_right

from clew.index.syntax.definition import Definition
from clew.index.syntax.definitions import LONGEST_NAME
from clew.index.syntax.ranges import LineIndex, Range, begins_line
from clew.model.words import Kind

_LINE_START = re.compile(rb"^(?=[^\r\n])", re.MULTILINE)


def definition(kind: Kind, name: str, where: Range, head: Range, lines: LineIndex) -> Definition:
    start, end = where
    return Definition(
        kind=kind,
        name=" ".join(name.replace("\0", "").split())[:LONGEST_NAME] or "untitled",
        start=start,
        end=end,
        first=lines.at(start),
        last=lines.at(max(end - 1, start)),
        head=head,
        exported=True,
        bodied=True,
    )


def line_starts(source: bytes) -> list[int]:
    """Of the lines that have anything in them."""
    return [match.start() for match in _LINE_START.finditer(source)]


def line_end(source: bytes, start: int, end: int) -> int:
    """Where the line of a place ends, and no later than another place."""
    found = source.find(b"\n", start, end)
    return end if found < 0 else found


def trim(source: bytes, where: Range) -> Range:
    """Without the white space at its end."""
    start, end = where
    while end > start and source[end - 1 : end].isspace():
        end -= 1
    return start, end


def comment_above(source: bytes, comments: list[Range], place: int) -> Range | None:
    """The comments that stand right above a place, each on lines of its own; they are in order."""
    found: Range | None = None
    i = bisect_right(comments, (place, place)) - 1
    while i >= 0:
        start, end = comments[i]
        between = source[end:place]
        if between.strip() or between.count(b"\n") > 1 or not begins_line(source, start):
            break
        found = start, found[1] if found else end
        place, i = start, i - 1
    return found
