"""GraphQL: types, inputs, queries and fragments, by braces, with the descriptions and comments above them."""

import re

from clew.index.splitters import comment_above, definition, line_end, line_starts, trim
from clew.index.syntax.parse import Outline
from clew.index.syntax.ranges import LineIndex, Range
from clew.languages.profile import Language
from clew.model.words import Kind

_TOKEN = re.compile(
    rb'''\#[^\n]*|"""(?:[^"\\]|\\.?|"(?!""))*+(?:"""|\Z)|"(?:[^"\\\n]|\\.?)*+["\n]?|[{}()]'''
    rb"""|\b(?:extend\s+)?(?:type|interface|input|enum|union|scalar|directive|schema|query|mutation|subscription|fragment)\b""",
    re.DOTALL,
)
_HEAD = re.compile(r"(extend\s+)?(\w+)\s*(@?\w+)?")
_KINDS = {
    "type": Kind.CLASS,
    "input": Kind.CLASS,
    "enum": Kind.CLASS,
    "interface": Kind.INTERFACE,
    "union": Kind.INTERFACE,
    "scalar": Kind.INTERFACE,
    "query": Kind.FUNCTION,
    "mutation": Kind.FUNCTION,
    "subscription": Kind.FUNCTION,
    "fragment": Kind.FUNCTION,
    "schema": Kind.BLOCK,
    "directive": Kind.BLOCK,
}
_LONGEST_HEAD = 300


def outline(language: Language, source: bytes) -> Outline:
    lines = LineIndex(source)
    result = Outline(cuts=line_starts(source))
    docs: list[Range] = []  # descriptions and comments that stand outside of everything
    begin: int | None = None  # of the definition that is open
    body = depth = 0
    opening = 0  # the brace that opened the body
    for match in _TOKEN.finditer(source):
        token, at = match[0], match.start()
        if token in b"{(":
            if depth == 0 and token == b"{":
                body, opening = at, at
                begin = at if begin is None else begin
            depth += 1
        elif token in b"})":
            depth = max(depth - 1, 0)
            if depth == 0 and token == b"}" and begin is not None:
                _add(result, source, (begin, body, match.end()), docs, lines)
                begin, body = None, 0
        elif depth == 0 and token[:1] in b'#"':
            docs.append(match.span())
        elif depth == 0 and not _is_operand(source, at):
            if begin is not None:
                _add(result, source, (begin, 0, _before(source, docs, at)), docs, lines)
            begin, body = at, 0
    if depth:
        result.problems.append(f"the brace at line {lines.at(opening)} is never closed")
    elif begin is not None:
        _add(result, source, (begin, 0, len(source)), docs, lines)
    result.statements = [(cut, cut) for cut in result.cuts]
    result.unread = bool(result.problems) and not result.definitions
    return result


def _is_operand(source: bytes, at: int) -> bool:
    """Whether a word stands in the middle of a definition: `union A = type`, `on query`."""
    line = source.rfind(b"\n", 0, at) + 1
    before = source[max(line, at - _LONGEST_HEAD) : at].strip()
    return bool(before) and not before.endswith((b"}", b'"'))


def _before(source: bytes, docs: list[Range], at: int) -> int:
    doc = comment_above(source, docs, at)
    return doc[0] if doc else at


def _add(result: Outline, source: bytes, place: tuple[int, int, int], docs: list[Range], lines: LineIndex) -> None:
    """`place` is where the head begins, where the body does (0: there is none), and where all of it ends."""
    start, body, end = place
    start, end = trim(source, (start, end))
    head_end = body or line_end(source, start, end)
    text = source[start : min(head_end, start + _LONGEST_HEAD)].decode("utf-8", "replace")
    words = _HEAD.match(text)
    word = words[2] if words else "query"
    name = (words[3] if words and words[3] else "") or word
    doc = comment_above(source, docs, start)
    where = doc[0] if doc else start, end
    made = definition(_KINDS.get(word, Kind.FUNCTION), name, where, trim(source, (start, head_end)), lines)
    made.doc = doc
    result.definitions.append(made)
