"""Definitions in lines that a grammar could make nothing of, by the words that introduce them and by indentation."""

import re

from clew.index.languages.language import Language
from clew.index.syntax.definition import Definition, clip_overlaps
from clew.index.syntax.definitions import LONGEST_NAME, in_order
from clew.index.syntax.error_recovery import IndentedLine, lines_of
from clew.index.syntax.lines import LineIndex
from clew.index.syntax.ranges import Range
from clew.model.words import Kind

_KINDS = {
    **dict.fromkeys((b"class", b"struct", b"enum", b"union", b"record", b"object", b"actor", b"module"), Kind.CLASS),
    **dict.fromkeys((b"interface", b"trait", b"protocol", b"type"), Kind.INTERFACE),
    **dict.fromkeys((b"def", b"fn", b"func", b"fun", b"function", b"macro"), Kind.FUNCTION),
}
_HEAD = re.compile(
    rb"[ \t]*(?:(?:public|private|protected|internal|fileprivate|package|static|final|abstract|sealed|open|data|inline"
    rb"|export|default|declare|async|pub(?:\([^()\n]*\))?|unsafe|const|virtual|override|partial|readonly|case|implicit"
    rb"|inner|actual|expect|external|suspend|mutating|nonisolated|@\w+(?:\([^()\n]*\))?)[ \t]+)*"
    rb"(" + b"|".join(_KINDS) + rb")[ \t]+(?:<[^<>\n]*>[ \t]*)?([^\W\d][\w$]*[?!]?)(?=\s*(?:[<(\[{:=;]|\w+\b|$))"
)
_HIDES = re.compile(rb"\b(?:private|fileprivate|protected|internal)\b")
_SHOWS = re.compile(rb"\b(?:public|export|pub)\b")
_HIDDEN = frozenset("rust java csharp javascript typescript tsx".split())  # languages where nothing is seen by itself


def with_rescued(
    language: Language, definitions: list[Definition], source: bytes, lost: tuple[Range, ...]
) -> list[Definition]:
    """The definitions of a tree, and those rescued from its lost ranges; none crosses another."""
    both = in_order([*definitions, *rescue_definitions(language, source, lost)])
    clip_overlaps(both, LineIndex(source))
    return both


def with_functions(language: Language, definitions: list[Definition], source: bytes) -> list[Definition]:
    """Those of a tree with errors, and the functions that only the lines show."""
    if language.functions_in_lines is None:
        return definitions
    lines = LineIndex(source)
    known = {one.named: one for one in definitions if one.kind is Kind.FUNCTION}
    shown = list(language.functions_in_lines(source))
    cut = [one for one in shown if one.name_start in known and known[one.name_start].end != one.end]
    for one in cut:  # where a tree has errors, its function may end anywhere
        found = known[one.name_start]
        found.end, found.last = one.end, lines.at(one.end - 1)
    found_in_lines = [
        Definition(
            kind=Kind.FUNCTION,
            name=source[one.name_start : one.name_end].decode("utf-8", "replace")[:LONGEST_NAME],
            start=one.doc[0] if one.doc else one.start,
            end=one.end,
            first=lines.at(one.doc[0] if one.doc else one.start),
            last=lines.at(one.end - 1),
            head=(one.start, len(source[: one.head_end].rstrip(b"{ \t\n"))),
            exported=True,
            named=one.name_start,
            bodied=True,
            doc=one.doc,
        )
        for one in shown
        if one.name_start not in known
    ]
    both = in_order([*definitions, *found_in_lines])
    clip_overlaps(both, lines)
    return both


def rescue_definitions(language: Language, source: bytes, lost: tuple[Range, ...]) -> list[Definition]:
    """Each extends over all lines with deeper indentation, and its closing line."""
    starts = {start for start, _ in lost}
    lines = list(lines_of(source))
    found = []
    for at, line in enumerate(lines):
        if line.start in starts and (head := _HEAD.match(source, line.start, line.end)):
            found.append(_definition(language, head, source, lines[at : _last(lines, at) + 1], at + 1))
    return found


def _last(lines: list[IndentedLine], at: int) -> int:
    """The last line of the definition that begins here."""
    last = at
    for place in range(at + 1, len(lines)):
        line = lines[place]
        if line.indent >= 0:
            if line.indent < lines[at].indent or (line.indent == lines[at].indent and not line.goes_on):
                break
            last = place
    return last


def _definition(
    language: Language, head: re.Match[bytes], source: bytes, lines: list[IndentedLine], first: int
) -> Definition:
    start = lines[0].start + len(head[0]) - len(head[0].lstrip())
    name = head[2].decode("utf-8", "replace")[:LONGEST_NAME]
    return Definition(
        kind=_KINDS[head[1]],
        name=name,
        start=start,
        end=len(source[: lines[-1].end].rstrip()),
        first=first,
        last=first + len(lines) - 1,
        head=(start, len(source[: lines[0].end].rstrip(b"\r\n {"))),
        exported=_is_exported(language, head[0], name),
        named=head.start(2),
        bodied=len(lines) > 1,
    )


def _is_exported(language: Language, head: bytes, name: str) -> bool:
    if language.name == "go":
        return name[:1].isupper()
    if language.name in _HIDDEN:
        return _SHOWS.search(head) is not None
    return not _HIDES.search(head) and not name.startswith(language.private_prefix or "\0")
