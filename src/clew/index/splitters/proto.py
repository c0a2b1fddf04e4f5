"""Protocol Buffers: messages, enums, services and their calls, by braces."""

import re

from clew.index.splitters import comment_above, definition, line_starts, trim
from clew.index.syntax.parse import CapturedMark, Outline
from clew.index.syntax.ranges import LineIndex, Range
from clew.languages.profile import Language
from clew.model.code import Import
from clew.model.words import Kind

_TOKEN = re.compile(
    rb"""//[^\n]*|/\*.*?(?:\*/|\Z)|"(?:[^"\\\n]|\\.?)*+["\n]?|'(?:[^'\\\n]|\\.?)*+['\n]?|[{};]""", re.DOTALL
)
_HEAD = re.compile(r"(message|enum|service|extend|group|rpc|oneof)\s+([\w.]+)")
_IMPORT = re.compile(r"import\s+(?:public\s+|weak\s+|option\s+)?[\"']([^\"']+)[\"']")
_PACKAGE = re.compile(r"package\s+([\w.]+)")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_KINDS = {
    "message": Kind.CLASS,
    "enum": Kind.CLASS,
    "extend": Kind.CLASS,
    "group": Kind.CLASS,
    "service": Kind.INTERFACE,
    "rpc": Kind.METHOD,
}
_LONGEST_HEAD = 2000


def outline(language: Language, source: bytes) -> Outline:
    lines = LineIndex(source)
    result = Outline(cuts=line_starts(source))
    comments: list[Range] = []
    opened: list[tuple[int, int]] = []  # where the head of what is open begins, and its brace
    begin = last = 0
    for match in _TOKEN.finditer(source):
        token, at = match[0], match.start()
        if token[:1] == b"/":
            comments.append(match.span())
            if begin == last and not source[last:at].strip():
                begin = match.end()
        elif token == b"{":
            opened.append((begin, at))
            begin = match.end()
        elif token == b"}":
            if opened:
                _close(result, source, (opened.pop(), match.end()), comments, lines)
            begin = match.end()
        elif token == b";":
            _simple(result, source, (begin, match.end()), comments, lines)
            begin = match.end()
        last = match.end()
    if opened:
        result.problems.append(f"the brace at line {lines.at(opened[0][1])} is never closed")
    result.definitions.sort(key=lambda one: (one.start, -one.end))
    result.statements = [(cut, cut) for cut in result.cuts]
    result.unread = bool(result.problems) and not result.definitions
    return result


def _close(
    result: Outline, source: bytes, block: tuple[tuple[int, int], int], comments: list[Range], lines: LineIndex
) -> None:
    (begin, brace), end = block
    _add(result, source, (_skip(source, begin, brace), brace, end), comments, lines)


def _simple(result: Outline, source: bytes, where: Range, comments: list[Range], lines: LineIndex) -> None:
    """Statements without braces: an import, the package, a call; a field is part of its message."""
    start, end = _skip(source, *where), where[1]
    text = _COMMENT.sub(" ", source[start : min(end, start + _LONGEST_HEAD)].decode("utf-8", "replace"))
    if found := _IMPORT.match(text):
        result.imports.append((start, Import(found[1], (), lines.at(start))))
    elif found := _PACKAGE.match(text):
        result.marks.append(CapturedMark("package", start, found[1]))
    elif text.startswith("rpc"):
        _add(result, source, (start, end - 1, end), comments, lines)


def _add(result: Outline, source: bytes, place: tuple[int, int, int], comments: list[Range], lines: LineIndex) -> None:
    """`place` is where the head begins, where it ends, and where all of it ends."""
    start, head_end, end = place
    head = _HEAD.search(source[start : min(head_end, start + _LONGEST_HEAD)].decode("utf-8", "replace"))
    if head is None or head[1] not in _KINDS:
        return
    doc = comment_above(source, comments, start)
    name = head[2] if head[1] != "extend" else f"extend {head[2]}"
    made = definition(_KINDS[head[1]], name, (doc[0] if doc else start, end), trim(source, (start, head_end)), lines)
    made.doc = doc
    result.definitions.append(made)


def _skip(source: bytes, start: int, end: int) -> int:
    """Where the text begins, behind white space."""
    text = source[start:end]
    return start + len(text) - len(text.lstrip())
