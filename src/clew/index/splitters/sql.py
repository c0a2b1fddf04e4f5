"""SQL: statements with the comments above them, named by the objects that they create or use.

For any dialect: strings, comments, dollar quotes and blocks are respected, and nothing else is parsed, so that
nothing is lost.
"""

import re

from clew.index.splitters import comment_above, definition, line_end, line_starts, trim
from clew.index.syntax.definition import Definition
from clew.index.syntax.definitions import NAMING_WORDS
from clew.index.syntax.parse import Outline
from clew.index.syntax.ranges import LineIndex, Range
from clew.languages.profile import Language
from clew.model.words import Kind

MOST_UNCLOSED = 20  # dollar quotes that are never closed; with more, they are none

_TOKEN = re.compile(
    rb"""--[^\n]*|/\*.*?(?:\*/|\Z)|'(?:[^'\\]|\\.?|'')*+(?:'|\Z)|"[^"]*+(?:"|\Z)|`[^`]*+(?:`|\Z)|\$\w*\$|;"""
    rb"""|^[ \t]*delimiter[ \t]+(?P<delimiter>\S+)[^\n]*|^[ \t]*(?:go|/)[ \t\r]*$"""
    rb"""|\b(?:begin|case|end\b(?:\s+(?:if|loop|while|repeat|for|case)\b)?)(?!\w)""",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)
_ROUTINE = re.compile(rb"create\b.{0,200}?\b(?:function|procedure|trigger|package|event)\b", re.I | re.S)
_COPY = re.compile(rb"copy\b[^;]{0,2000}\bfrom\s+stdin\b", re.I)
_COPY_END = re.compile(rb"^\\\.[ \t\r]*$", re.MULTILINE)
_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_OPENING = 2000  # characters of a statement, among which its name is looked for

_N = r"((?:[\w$#@.]|\"[^\"]*\"|`[^`]*`|\[[^\]]*\])+)"  # a name, with its schema
_IF = r"(?:IF\s+(?:NOT\s+)?EXISTS\s+)?"
_INDEX = re.compile(
    rf"CREATE\s+(?:\w+\s+)*?INDEX\s+(?:CONCURRENTLY\s+)?{_IF}{_N}\s+ON\s+(?:ONLY\s+)?{_N}[^(]*\(\s*{_N}?", re.I
)
_MADE = (
    "TABLE VIEW FUNCTION PROCEDURE TRIGGER TYPE SCHEMA SEQUENCE DATABASE DOMAIN ROLE USER EXTENSION POLICY RULE "
    "AGGREGATE EVENT INDEX SERVER COLLATION PACKAGE(?:\\s+BODY)?"
).split()
_CREATE = re.compile(rf"CREATE\s+(?:[\w=@`.]+\s+){{0,6}}?(?:{'|'.join(_MADE)})\s+{_IF}{_N}", re.I)
_ABOUT = re.compile(
    r"(INSERT|REPLACE|UPDATE|DELETE|SELECT|MERGE|ALTER|DROP|TRUNCATE|COPY|COMMENT|GRANT|REVOKE|WITH)\b", re.I
)
_TABLE = {
    "SELECT": rf"\bFROM\s+(?:ONLY\s+)?{_N}",
    "DELETE": rf"\bFROM\s+(?:ONLY\s+)?{_N}",
    "INSERT": rf"\bINTO\s+(?:TABLE\s+)?{_N}",
    "REPLACE": rf"\bINTO\s+{_N}",
    "MERGE": rf"\bINTO\s+{_N}",
    "GRANT": rf"\bON\s+(?:TABLE\s+)?{_N}",
    "REVOKE": rf"\bON\s+(?:TABLE\s+)?{_N}",
    "COMMENT": rf"\bON\s+(?:\w+\s+)?{_N}",
    "WITH": rf"WITH\s+(?:RECURSIVE\s+)?{_N}",
    "UPDATE": rf"UPDATE\s+(?:ONLY\s+|IGNORE\s+)?{_N}",
    "ALTER": rf"ALTER\s+\w+\s+{_IF}(?:ONLY\s+)?{_N}",
    "DROP": rf"DROP\s+(?:\w+\s+)??\w+\s+(?:CONCURRENTLY\s+)?{_IF}{_N}",
    "TRUNCATE": rf"TRUNCATE\s+(?:TABLE\s+)?{_N}",
    "COPY": rf"COPY\s+{_N}",
}


def outline(language: Language, source: bytes) -> Outline:
    lines = LineIndex(source)
    ends, comments = _Splitter(source).split()
    result = Outline(cuts=line_starts(source))
    for where in ends:
        made = _statement(source, where, comments, lines)
        if made:
            result.definitions.append(made)
    result.statements = [(cut, cut) for cut in result.cuts]
    return result


class _Splitter:
    """Finds where statements end."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._found: list[Range] = []
        self._comments: list[Range] = []
        self._start = 0
        self._depth = 0
        self._unclosed = 0

    def split(self) -> tuple[list[Range], list[Range]]:
        """Statements, without their terminators and with inner comments; and the comments."""
        at, source = 0, self._source
        while match := _TOKEN.search(source, at):
            at = match.end()
            token = match[0].strip()
            if token.startswith((b"--", b"/*")):
                self._comments.append((match.start(), match.end()))
            elif token.startswith(b"$"):
                at = self._skip_dollar_quote(token, match)
            elif token == b";":
                at = self._end_statement(at)
            elif match["delimiter"]:
                self._end(match.start())
                at = self._skip_delimited(match["delimiter"], match.end())
            elif token[:2].lower() in (b"go", b"/"):
                self._end(match.start())
                self._start = at
            elif token[:1] not in b"'\"`":
                self._block(token.lower())
        self._end(len(source))
        return self._found, self._comments

    def _skip_dollar_quote(self, mark: bytes, match: re.Match[bytes]) -> int:
        """Behind a dollar quote, or behind the mark if it is none."""
        if self._unclosed >= MOST_UNCLOSED:
            return match.end()
        end = self._source.find(mark, match.end())
        self._unclosed += end < 0
        return match.end() if end < 0 else end + len(mark)

    def _end_statement(self, at: int) -> int:
        """Behind a statement that ends here, or goes on: in a block, or with its data."""
        if self._depth > 0:
            return at
        data = _COPY_END.search(self._source, at) if _COPY.match(_bare(self._opening_words())) else None
        end = data.end() if data else at
        self._end(end)
        self._start = end
        return end

    def _end(self, end: int) -> None:
        if self._source[self._start : end].strip(b" \t\r\n;"):
            self._found.append((self._start, end))
        self._start, self._depth = end, 0

    def _block(self, word: bytes) -> None:
        """A routine goes on to the end of its outermost block."""
        if word.startswith(b"end"):
            self._depth -= self._depth > 0 and word.split() in ([b"end"], [b"end", b"case"])
        elif self._depth or (word == b"begin" and _ROUTINE.match(_bare(self._opening_words()))):
            self._depth += 1

    def _opening_words(self) -> bytes:
        return self._source[self._start : self._start + _OPENING]

    def _skip_delimited(self, mark: bytes, at: int) -> int:
        """Statements that end with another mark, up to the line that agrees upon the next."""
        self._start = at
        if mark == b";":
            return at
        again = re.compile(rb"^[ \t]*delimiter[ \t]", re.I | re.M).search(self._source, at)
        stop = again.start() if again else len(self._source)
        while (end := self._source.find(mark, self._start, stop)) >= 0:
            self._end(end)
            self._start = end + len(mark)
        self._end(stop)
        return stop


def _statement(source: bytes, where: Range, comments: list[Range], lines: LineIndex) -> Definition | None:
    start, end = trim(source, where)
    start = _begin(source, start, end)
    if start >= end:
        return None
    opening = _COMMENT.sub(" ", source[start : min(end, start + _OPENING)].decode("utf-8", "replace"))
    name, label = _name_and_label(" ".join(opening.split()))
    doc = comment_above(source, comments, start)
    head = start, line_end(source, start, end)
    made = definition(Kind.STATEMENT, name, (doc[0] if doc else start, end), head, lines)
    made.doc, made.label = doc, label
    return made


def _name_and_label(text: str) -> tuple[str, str]:
    """The name of the created object, or the statement's label; and the label."""
    if found := _INDEX.match(text):
        column = f".{_plain(found[3])}" if found[3] else ""
        return _plain(found[1]), f"INDEX {_plain(found[2])}{column}"
    if found := _CREATE.match(text):
        return _plain(found[1]), f"CREATE {_plain(found[1])}"
    if found := _ABOUT.match(text):
        word = found[1].upper()
        if word in _TABLE and (table := re.search(_TABLE[word], text, re.IGNORECASE)):
            label = f"{word} {_plain(table[1])}"
            return label, label
    label = " ".join(text.rstrip(";").split()[:NAMING_WORDS])
    return label, label


def _plain(name: str) -> str:
    return re.sub(r"[\"`\[\]]", "", name).rstrip(".")


def _begin(source: bytes, start: int, end: int) -> int:
    """Where a statement itself begins, behind white space and comments."""
    skipped = re.compile(rb"(?:\s++|--[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/)++").match(source, start, end)
    return skipped.end() if skipped else start


def _bare(text: bytes) -> bytes:
    return text[_begin(text, 0, len(text)) :]
