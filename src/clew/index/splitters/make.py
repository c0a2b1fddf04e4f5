"""Makefiles: targets with their recipes and the comments above them, definitions, and variables.

Line by line: in the grammar a recipe swallows the conditional behind it, with all the targets in there.
"""

import re
from dataclasses import dataclass

from clew.index.splitters import comment_above, definition, line_starts, trim
from clew.index.syntax.definition import Definition
from clew.index.syntax.parse import Outline
from clew.index.syntax.ranges import LineIndex, Range
from clew.languages.profile import Language
from clew.model.code import Import
from clew.model.words import Kind

_LINE = re.compile(rb"(?:[^\\\n]|\\(?:\r?\n|.)?)*+(?:\n|\Z)", re.DOTALL)  # with those that a backslash joins to it
_CONDITION = re.compile(rb"[ \t]*(?:ifn?eq|ifn?def|else|endif)\b")
_DEFINE = re.compile(rb"[ ]*(?:override[ ]+)?define[ \t]+([^\s=]+)")
_INCLUDE = re.compile(rb"[ ]*[-s]?include[ \t]+(.*)", re.DOTALL)
_VARIABLE = re.compile(
    rb"[ ]*(?:(?:export|override|private|unexport)[ \t]+)*([^\s:#=+?!]{1,500})[ \t]{0,50}(?::{0,3}|[+?!])="
)
_RULE = re.compile(rb"[ ]*((?:[^\s:#=]|\$[({][^\n]*?[)}]|[ \t](?![=:]))[^:#=\n]{0,2000}?)[ \t]{0,50}&?::?(?!=)")
_UNCERTAIN = re.compile(r"[$*?\\)}]")  # what make works out, and not a name


@dataclass(slots=True)
class _Rule:
    name: str
    start: int
    head: int
    end: int


def outline(language: Language, source: bytes) -> Outline:
    reader = _Reader(source)
    for match in _LINE.finditer(source):
        if match[0].strip():
            reader.line(match.start(), match.end())
    reader.close()
    result = reader.result
    result.definitions.sort(key=lambda one: (one.start, -one.end))
    result.cuts = line_starts(source)
    result.statements = [(cut, cut) for cut in result.cuts if source[cut : cut + 1] != b"\t"]
    return result


class _Reader:
    def __init__(self, source: bytes) -> None:
        self.result = Outline()
        self._source = source
        self._lines = LineIndex(source)
        self._comments: list[Range] = []
        self._rule: _Rule | None = None
        self._define: _Rule | None = None

    def line(self, start: int, end: int) -> None:
        text = self._source[start:end]
        if self._define:
            if text.strip() == b"endef":
                self._make(self._define, end)
                self._define = None
        elif text.startswith(b"\t") and self._rule:
            self._rule.end = end
        elif text.lstrip().startswith(b"#"):
            self._comments.append(trim(self._source, (start, end)))
        elif not _CONDITION.match(text):
            self.close()
            self._outer(start, end, text)

    def close(self) -> None:
        """End the rule that is open."""
        if self._rule:
            self._make(self._rule, self._rule.end)
        self._rule = None

    def _outer(self, start: int, end: int, text: bytes) -> None:
        head = trim(self._source, (start, end))[1]
        if found := _DEFINE.match(text):
            self._define = _Rule(_text(found[1]), start, head, end)
        elif found := _INCLUDE.match(text):
            names = map(_text, found[1].partition(b"#")[0].split())
            line = self._lines.at(start)
            self.result.imports += [(start, Import(name, (), line)) for name in names if not _UNCERTAIN.search(name)]
        elif found := _VARIABLE.match(text):
            self._add(Kind.VARIABLE, _text(found[1]), (start, head), head)
        elif found := _RULE.match(text):
            self._rule = _Rule(_text(found[1]), start, head, end)

    def _make(self, rule: _Rule, end: int) -> None:
        self._add(Kind.BLOCK, rule.name, (rule.start, trim(self._source, (rule.start, end))[1]), rule.head)

    def _add(self, kind: Kind, name: str, where: Range, head: int) -> None:
        start, end = where
        doc = comment_above(self._source, self._comments, start)
        made: Definition = definition(kind, name, (doc[0] if doc else start, end), (start, min(head, end)), self._lines)
        made.doc = doc
        self.result.definitions.append(made)


def _text(name: bytes) -> str:
    return name.decode("utf-8", "replace").replace("\\\n", " ")
