"""YAML: keys down to the third level, documents, and the named items of a list.

Line by line, by indent: the grammar gives up on templates (Helm, Jinja) and on files of more than 32,767 lines.
"""

import re
from dataclasses import dataclass
from itertools import pairwise

from clew.index.splitters import definition, line_starts, trim
from clew.index.syntax.definition import Definition
from clew.index.syntax.parse import Outline
from clew.index.syntax.ranges import LineIndex
from clew.languages.profile import Language
from clew.model.words import Kind

DEEPEST = 3  # levels of keys; the rest is part of them

_KEY = re.compile(
    rb"""( *)(?!-[ \t\r]|-$|\?[ \t])("(?:[^"\\\n]|\\.)*+"|'[^'\n]*+'|[^\s#{}\[\],&*!|>'"%@`][^\n]{0,200}?)"""
    rb"""[ \t]{0,20}:(?:[ \t]+([^\n]*)|[ \t\r]*$)"""
)
_NAMED_ITEM = re.compile(rb"- +(?:name|id|key|title): *([^\n#]+)")
_SCALAR = re.compile(rb"(?:^|[ \t])[|>][-+0-9]*[ \t]*(?:#.*)?$")
_DOCUMENT = re.compile(rb"^---(?=\s|$)", re.MULTILINE)
_KIND = re.compile(rb"^kind: *([^\s#]+)", re.MULTILINE)
_NAME = re.compile(rb"^metadata:[ \t\r]*\n(?:[ \t][^\n]*\n)*?[ \t]+name: *([^\s#]+)", re.MULTILINE)


@dataclass(slots=True)
class _Open:
    """A key with an end that is not known yet."""

    name: str
    indent: int
    level: int
    start: int
    head: int
    last: int  # where the last line that has anything in it ends
    nested: bool = False
    is_item: bool = False


def outline(language: Language, source: bytes) -> Outline:
    lines = LineIndex(source)
    starts = line_starts(source)
    result = Outline(cuts=starts, statements=[(s, s) for s in starts if source[s : s + 1] not in b" \t"])
    reader = _Reader(source, lines)
    for start in starts:
        reader.line(start)
    reader.close(0)
    documents = _documents(source, lines)
    result.definitions = sorted([*documents, *reader.found], key=lambda one: (one.start, -one.end))
    result.problems = reader.problems
    result.unread = bool(reader.problems) and not result.definitions
    return result


class _Reader:
    def __init__(self, source: bytes, lines: LineIndex) -> None:
        self.found: list[Definition] = []
        self.problems: list[str] = []
        self._source = source
        self._lines = lines
        self._open: list[_Open] = []
        self._opaque: int | None = None  # lines with more indent than this hold no keys: text, or a list
        self._comment: tuple[int, int] | None = None  # where the comments right above begin, and their indent
        self._end = 0

    def line(self, start: int) -> None:
        end = self._source.find(b"\n", start)
        end = len(self._source) if end < 0 else end
        text = self._source[start:end]
        bare = text.lstrip(b" ")
        indent = len(text) - len(bare)
        if not bare.strip():
            return
        gap = self._source.count(b"\n", self._end, start) > 1
        if gap:
            self._comment = None
        self._end = end
        if self._opaque is not None and indent > self._opaque:
            self._go_on(end, indent)
        elif bare.startswith(b"#"):
            if self._comment is None or self._comment[1] != indent:
                self._comment = start, indent
        else:
            self._opaque = None
            self._content(start, end, indent, text)
            self._comment = None

    def _content(self, start: int, end: int, indent: int, text: bytes) -> None:
        if text[indent : indent + 1] == b"\t" and not self.problems:
            self.problems.append(f"tab in the indent of line {self._lines.at(start)}")
        if text.startswith((b"---", b"...")):
            self.close(0)
        elif text[indent:].startswith(b"- ") or text[indent:].rstrip() == b"-":
            self._opaque = indent
            if indent or (self._open and not self._open[0].is_item):
                self.close(indent + 1)
                self._go_on(end, indent + 1)
            else:
                self.close(0)
                self._item(start, end, text)
        elif (match := _KEY.match(text)) and b" #" not in match[2]:
            self.close(indent)
            self._key(start, end, indent, match)
        elif text.startswith((b"? ", b": ")):
            self.close(0)
        else:
            closes = text[indent : indent + 1] in (b"]", b"}")
            self._go_on(end, len(text) if closes else indent)

    def _item(self, start: int, end: int, text: bytes) -> None:
        """A named item of a list that is the whole document."""
        if match := _NAMED_ITEM.match(text):
            name = match[1].decode("utf-8", "replace").strip().strip("\"'")
            self._open.append(_Open(name, 0, 1, self._above(start, 0), end, end, is_item=True))

    def _key(self, start: int, end: int, indent: int, match: re.Match[bytes]) -> None:
        value = match[3] or b""
        name = match[2].decode("utf-8", "replace").strip("\"'")
        level = self._open[-1].level + 1 if self._open else 1
        if level >= DEEPEST or _SCALAR.search(value.rstrip()):
            self._opaque = indent
        opened = self._above(start, indent)
        self._go_on(end, indent)
        self._open.append(_Open(name, indent, level, opened, start + match.end(2) + 1, end))

    def _above(self, start: int, indent: int) -> int:
        return self._comment[0] if self._comment and self._comment[1] == indent else start

    def _go_on(self, end: int, indent: int) -> None:
        """Let the keys around a line reach over it; a template's own line may stand further out, and is not theirs."""
        for one in self._open:
            if one.indent < indent:
                one.nested, one.last = True, end

    def close(self, indent: int) -> None:
        """End every key that has at least this indent."""
        while self._open and self._open[-1].indent >= indent:
            one = self._open.pop()
            if one.level == 1 or one.nested:
                where = trim(self._source, (one.start, one.last))
                head = min(max(one.head, where[0]), where[1])
                self.found.append(definition(Kind.BLOCK, one.name, where, (where[0], head), self._lines))


def _documents(source: bytes, lines: LineIndex) -> list[Definition]:
    """The documents of a file with several, named by their kind."""
    marks = [match.start() for match in _DOCUMENT.finditer(source)]
    edges = [0, *marks, len(source)]
    parts = [(a, b) for a, b in pairwise(edges) if _says_something(source[a:b])]
    if len(parts) < 2:
        return []
    found = []
    for number, part in enumerate(parts, 1):
        text = source[slice(*part)]
        kind, name = _KIND.search(text), _NAME.search(text)
        words = [match[1].decode("utf-8", "replace").strip("\"'") for match in (kind, name) if match]
        where = trim(source, part)
        head = where[0], where[0]
        found.append(definition(Kind.BLOCK, " ".join(words) or f"document {number}", where, head, lines))
    return found


def _says_something(text: bytes) -> bool:
    return any(line.strip() and not line.startswith((b"#", b"---", b"%")) for line in text.splitlines())
