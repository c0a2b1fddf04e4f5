"""Jupyter notebooks: cells in order, with the definitions of code cells and the headings of prose cells.

The file itself is stored and quoted, so that places and lines are exact. For ranking, the JSON around and inside the
cells' lines is blanked out, which moves nothing. Outputs are left out.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from msgspec import structs

from clew.index.splitters import definition, line_starts
from clew.index.syntax import parse
from clew.index.syntax.definition import Definition
from clew.index.syntax.parse import Outline
from clew.index.syntax.ranges import LineIndex, Range
from clew.languages import language_named
from clew.languages.profile import Language
from clew.model.words import Kind

if TYPE_CHECKING:
    from tree_sitter import Node

_NEWLINE = re.compile(rb"\n")
_ESCAPES = re.compile(rb"(?:\\(?:u[0-9a-fA-F]{4}|.))++")
_ESCAPE = re.compile(rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)")
_MAGIC = re.compile(rb"^[ \t]*(?:[%!?][^\n]*|[\w.]+\?+[ \t]*)$", re.MULTILINE)
_OTHER = re.compile(rb"\s*%%(?!time|capture|prun)")  # of a cell that is not in the notebook's language
_LANGUAGES = {"c#": "csharp", "c++": "cpp", "ipython": "python", "node": "javascript"}


@dataclass(slots=True)
class _Text:
    """The text of a cell, and the place of each of its bytes in the file."""

    where: Range  # of the `"source": …` in the file
    said: bytearray = field(default_factory=bytearray)
    runs: list[int] = field(default_factory=list)  # places in what is said …
    raws: list[int] = field(default_factory=list)  # … and in the file, that go on byte by byte
    strings: list[tuple[int, int, int]] = field(default_factory=list)  # where each begins, and its quotes in the file

    def add(self, source: bytes, quotes: Range, readable: bytearray) -> None:
        start, end = quotes[0] + 1, quotes[1] - 1
        self.strings.append((len(self.said), *quotes))
        for escapes in _ESCAPES.finditer(source, start, end):
            self._run(source, start, escapes.start(), readable)
            before = len(self.said)
            for escape in _ESCAPE.finditer(source, *escapes.span()):
                self._mark(escape.start())
                self.said += _unescape(escape[0])
            start = escapes.end()
            readable[escapes.start() : start] = _blank(self.said[before:]).ljust(start - escapes.start())
        self._run(source, start, end, readable)

    def start(self, at: int) -> int:
        """Where a thing that begins here begins in the file: with the quote, if with the line."""
        i = bisect_right(self.strings, (at, len(self.said) << 32)) - 1
        if i >= 0 and self.strings[i][0] == at:
            return self.strings[i][1]
        return self.place(at)

    def end(self, at: int) -> int:
        """Where a thing that ends here ends in the file: with the quote, if only the end of the line follows."""
        i = bisect_right(self.strings, (max(at - 1, 0), len(self.said) << 32)) - 1
        if i < 0:
            return self.where[1]
        following = self.strings[i + 1][0] if i + 1 < len(self.strings) else len(self.said)
        return self.place(at) if self.said[at:following].strip() else self.strings[i][2]

    def place(self, at: int) -> int:
        i = bisect_right(self.runs, at) - 1
        return self.where[0] if i < 0 else min(self.raws[i] + at - self.runs[i], self.where[1])

    def _run(self, source: bytes, start: int, end: int, readable: bytearray) -> None:
        if start < end:
            self._mark(start)
            self.said += source[start:end]
            readable[start:end] = source[start:end]

    def _mark(self, raw: int) -> None:
        self.runs.append(len(self.said))
        self.raws.append(raw)


def outline(language: Language, source: bytes) -> Outline:
    try:
        notebook = json.loads(source)
        cells = [(cell["cell_type"], cell.get("source", "")) for cell in notebook["cells"]]
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        return Outline(problems=[f"not a notebook: {type(error).__name__}"], unread=True)
    readable = bytearray(re.sub(rb"[^\n]", b" ", source))
    texts = [_text(node, source, readable) for node in _sources(source)]
    if len(texts) != len(cells):
        return Outline(problems=["not a notebook: a cell has no source, or two"], unread=True)
    result = Outline(readable=bytes(readable), cuts=line_starts(source))
    spoken = _of_cells(language_named(_kernel_language(notebook)))
    lines = LineIndex(source)
    for number, ((kind, _), text) in enumerate(zip(cells, texts, strict=True), 1):
        if text.said.strip():
            _Cell(number, text, lines).outline(result, kind, spoken)
    result.definitions.sort(key=lambda one: (one.start, -one.end))
    result.statements = [(cut, cut) for cut in result.cuts]
    return result


class _Cell:
    def __init__(self, number: int, text: _Text, lines: LineIndex) -> None:
        self._number = number
        self._text = text
        self._lines = lines
        self._starts = [0, *(match.end() for match in _NEWLINE.finditer(text.said))]  # of the cell's lines

    def outline(self, result: Outline, kind: str, spoken: Language | None) -> None:
        cell = definition(Kind.BLOCK, f"cell {self._number}", self._text.where, (self._text.where[0],) * 2, self._lines)
        cell.is_scope = False
        result.definitions.append(cell)
        said = bytes(self._text.said)
        if kind == "markdown":
            self._prose(result, cell, said)
        elif kind == "code" and spoken is not None and not _OTHER.match(said):
            self._code(result, spoken, said)

    def _prose(self, result: Outline, cell: Definition, said: bytes) -> None:
        """A section; its first heading names it."""
        markdown = language_named("markdown")
        assert markdown is not None
        sections = parse.outline(markdown, said).definitions
        cell.kind = Kind.SECTION
        if sections and not said[: sections[0].start].strip():
            cell.name, cell.is_scope = sections[0].name, True
            sections = sections[1:]
        result.definitions += [self._move_to_file(one) for one in sections]

    def _code(self, result: Outline, spoken: Language, said: bytes) -> None:
        seen = parse.outline(spoken, _MAGIC.sub(lambda line: b"#" * len(line[0]), said))
        result.definitions += [self._move_to_file(one) for one in seen.definitions]
        place = self._text.place
        result.imports += [(place(at), one._replace(line=self._line(one.line))) for at, one in seen.imports]
        result.calls += [one._replace(at=place(one.at), line=self._line(one.line)) for one in seen.calls]
        result.marks += [structs.replace(one, at=place(one.at)) for one in seen.marks]
        result.lambdas += [(place(start), place(end)) for start, end in seen.lambdas]
        result.problems += [f"cell {self._number}: {problem}" for problem in seen.problems]

    def _move_to_file(self, one: Definition) -> Definition:
        """A definition of the cell, in the file."""
        text = self._text
        one.signature = bytes(text.said[slice(*one.head)]).decode("utf-8", "replace")
        one.named = text.place(one.named)
        one.start, one.end = text.start(one.start), text.end(one.end)
        one.head = max(text.place(one.head[0]), one.start), min(text.place(one.head[1]), one.end)
        one.doc = (text.place(one.doc[0]), text.place(one.doc[1] - 1) + 1) if one.doc else None
        one.first, one.last = self._lines.at(one.start), self._lines.at(max(one.end - 1, one.start))
        return one

    def _line(self, line: int) -> int:
        """A line of the cell, in the file."""
        return self._lines.at(self._text.place(self._starts[line - 1]))


def _kernel_language(notebook: dict[str, object]) -> str:
    """The name of the language that the code cells are written in."""
    about = notebook.get("metadata")
    named = []
    for part, key in (("kernelspec", "language"), ("language_info", "name")):
        section = about.get(part) if isinstance(about, dict) else None
        named.append(section.get(key) if isinstance(section, dict) else None)
    name = next((one.lower() for one in named if isinstance(one, str)), "python")
    return _LANGUAGES.get(name, name)


def _of_cells(spoken: Language | None) -> Language | None:
    """A reader of its own may need a whole file; then queries read the cells."""
    if spoken is None or not spoken.part_queries:
        return spoken
    return replace(spoken, queries=(*spoken.queries, *spoken.part_queries), walker="")


def _sources(source: bytes) -> Iterator["Node"]:
    """The `"source": …` of each cell."""
    from tree_sitter import Parser

    from clew.languages.grammars import grammar

    written = language_named("json")
    assert written is not None
    root = Parser(grammar(written)).parse(source).root_node
    for cells in _values(root.named_children[0] if root.named_children else root, source, b'"cells"'):
        array = cells.child_by_field_name("value")
        for cell in array.named_children if array else []:
            yield from _values(cell, source, b'"source"')


def _values(node: "Node", source: bytes, key: bytes) -> Iterator["Node"]:
    for pair in node.named_children:
        name = pair.child_by_field_name("key")
        if name is not None and source[name.start_byte : name.end_byte] == key:
            yield pair


def _text(pair: "Node", source: bytes, readable: bytearray) -> _Text:
    text = _Text((pair.start_byte, pair.end_byte))
    value = pair.child_by_field_name("value")
    strings = [] if value is None else [value] if value.type == "string" else value.named_children
    for string in strings:
        if string.type == "string":
            text.add(source, (string.start_byte, string.end_byte), readable)
    return text


def _blank(said: bytearray) -> bytes:
    return re.sub(rb"[\x00-\x1f]", b" ", said)


def _unescape(escape: bytes) -> bytes:
    said: str = json.loads(b'"%b"' % escape)
    return said.encode("utf-8", "replace")
