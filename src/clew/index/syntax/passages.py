"""Passages of chunks that are too long to be ranked or shown as one: cut where statements start, never inside one.

Only a statement that is itself too long is cut at its parts, such as the entries of a long literal.
"""

from functools import cached_property
from typing import TYPE_CHECKING

from clew.index.syntax.lines import LineIndex
from clew.index.syntax.parse import Outline
from clew.index.syntax.ranges import Range, cut, group_ranges, length, strip_range
from clew.model.code import Span
from clew.text.tokens import CHARACTERS_PER_TOKEN

if TYPE_CHECKING:
    from tree_sitter import Node


class Cutter:
    """Cuts the pieces of one file, by a limit in tokens. Its tree is walked once, and only if a piece is too long."""

    def __init__(self, outline: Outline, source: bytes, limit: int) -> None:
        self.source = source
        self.limit = limit
        self._outline = outline

    def passages(self, own: list[Range]) -> tuple[Span, ...]:
        """The passages of a piece with this own text, in order; none if one would be enough.

        Neighbours are joined across short gaps.
        """
        if length(own) <= self.limit * CHARACTERS_PER_TOKEN:
            return ()
        parts = [part for whole in own for part in cut(whole, self._starts) if self.source[slice(*part)].strip()]
        groups = group_ranges(parts, self.limit)
        return tuple(map(self._span, groups)) if len(groups) > 1 else ()

    def _span(self, where: Range) -> Span:
        start, end = strip_range(self.source, where)
        return Span(start, end, self._lines.at(start), self._lines.at(end - 1))

    @cached_property
    def _lines(self) -> LineIndex:
        return LineIndex(self.source)

    @cached_property
    def _starts(self) -> list[int]:
        root = self._outline.root
        return line_starts(root, self.source, self.limit * CHARACTERS_PER_TOKEN) if root else self._outline.cuts


def line_starts(root: "Node", source: bytes, size: int) -> list[int]:
    """The lines that begin with a node of at most this size in bytes, or with one that cannot be opened.

    A longer node is opened if it has several lines. By a cursor: generated code nests deeper than calls may, and a
    literal may have a million entries.
    """
    found: list[int] = []
    cursor = root.walk()
    seen, line_end = 0, -1
    while (node := cursor.node) is not None:
        start, end = node.start_byte, node.end_byte
        newline = source.rfind(b"\n", seen, start)  # only the first node of a line can begin it
        if newline >= 0 and not source[newline:start].strip():
            found.append(newline + 1)
        seen = max(seen, start)
        if line_end < start:
            line_end = source.find(b"\n", start) % (len(source) + 1)  # the last line ends with the text
        if end - start > size and line_end < end and cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return found
    return found
