"""TOML: tables, with the comments above them, and the keys before the first one.

By lines, strings and brackets: the grammar takes minutes for a megabyte of invalid TOML.
"""

import re
from itertools import pairwise

from clew.index.splitters import comment_above, definition, line_end, line_starts, trim
from clew.index.syntax.parse import Outline
from clew.index.syntax.ranges import LineIndex, Range
from clew.languages.profile import Language
from clew.model.words import Kind

_TOKEN = re.compile(
    rb'''"""(?:[^"\\]|\\.?|"(?!""))*+(?:"{3,5}|\Z)|\'\'\'(?:[^']|'(?!''))*+(?:'{3,5}|\Z)'''
    rb"""|"(?:[^"\\\n]|\\.?)*+"?|'[^'\n]*+'?|\#[^\n]*+|[\[\]{}]|\n[ \t]*+""",
    re.DOTALL,
)
_TABLE = re.compile(rb"\[{1,2}[ \t]*([^\n\]]{1,500}?)[ \t]*\]{1,2}[ \t\r]*(?=[\#\n]|\Z)")
_KEY = re.compile(rb"""((?:[\w.-]|"[^"\n]*"|'[^'\n]*'|[ \t]+(?=[.\w"'-])){1,200})[ \t]*=""")


def outline(language: Language, source: bytes) -> Outline:
    reader = _Reader(source)
    reader.outline()
    result = Outline(cuts=line_starts(source), problems=reader.problems)
    lines = LineIndex(source)
    above = [comment_above(source, reader.comments, start) for start, _, _ in reader.openings]
    begins = [doc[0] if doc else start for doc, (start, _, _) in zip(above, reader.openings, strict=True)]
    edges = pairwise([*begins, len(source)])
    for doc, (start, kind, name), (begin, end) in zip(above, reader.openings, edges, strict=True):
        where = trim(source, (begin, end))
        made = definition(kind, name, where, (start, line_end(source, start, where[1])), lines)
        made.doc = doc
        result.definitions.append(made)
    result.statements = [(one.start, one.end) for one in result.definitions]
    result.unread = not any(one.kind is Kind.BLOCK for one in result.definitions) and bool(result.problems)
    return result


class _Reader:
    """Finds where tables and the first keys begin, and the comments."""

    def __init__(self, source: bytes) -> None:
        self.openings: list[tuple[int, Kind, str]] = []
        self.comments: list[Range] = []
        self.problems: list[str] = []
        self._source = source
        self._in_table = False

    def outline(self) -> None:
        source, depth = self._source, 0
        at = self._line(len(source) - len(source.lstrip(b" \t")))
        while match := _TOKEN.search(source, at):
            at, token = match.end(), match[0]
            if token in (b"[", b"{"):
                depth += 1
            elif token in (b"]", b"}"):
                depth = max(depth - 1, 0)
            elif token.startswith(b"#"):
                self.comments.append(match.span())
            elif token.startswith(b"\n") and depth == 0:
                at = self._line(at)
        if depth:
            self.problems.append("a bracket is never closed")

    def _line(self, at: int) -> int:
        """Read a line outside of values; returns the place behind it."""
        if self._source[at : at + 1] == b"[":
            if found := _TABLE.match(self._source, at):
                self.openings.append((at, Kind.BLOCK, _text(found[1])))
                self._in_table = True
                return found.end()
        elif not self._in_table and (found := _KEY.match(self._source, at)):
            self.openings.append((at, Kind.VARIABLE, _text(found[1])))
            return found.end()
        return at


def _text(name: bytes) -> str:
    text = name.decode("utf-8", "replace").strip()
    return text[1:-1] if text[:1] == text[-1:] and text[:1] in ("'", '"') else text
