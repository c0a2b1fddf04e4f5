"""reStructuredText: sections by their titles, each with the targets above it, and code blocks.

Line by line: the grammar loses titles behind unknown syntax.
"""

import re

from clew.index.splitters import definition, trim
from clew.index.syntax.definition import Definition, extend_sections
from clew.index.syntax.parse import Outline
from clew.index.syntax.ranges import LineIndex, Range
from clew.languages.profile import Language
from clew.model.words import Kind

_ADORNMENT = re.compile(rb"([!-/:-@\[-`{-~])\1*[ \t]*$")
_TARGET = re.compile(rb"\.\. _[^:]*:[ \t]*$")
_CODE = re.compile(rb"[ \t]*\.\. (?:code-block|code|sourcecode|parsed-literal)::[ \t]*(\S*)")
_LITERAL = re.compile(rb"[ \t]*(?!\.\. |\.\.$)\S.*::$|[ \t]*::$")
_ITEM = re.compile(rb"[ \t]*(?:[*+-]|#?\w{0,3}[.)])[ \t]")
_SHORTEST = 4  # an underline may be shorter than its title, but no shorter than this


def outline(language: Language, source: bytes) -> Outline:
    lines = LineIndex(source)
    rows = source.splitlines(keepends=True) if source else []
    starts = [0]
    for row in rows:
        starts.append(starts[-1] + len(row))
    rows = [row.rstrip() for row in rows]
    sections = _sections(rows, starts, lines)
    extend_sections(sections, lines, len(source))
    blocks = [_block(source, (starts[first], starts[end]), name, lines) for first, end, name in _blocks(rows)]
    cuts = [starts[i] for i, row in enumerate(rows) if row and (i == 0 or not rows[i - 1] or _ITEM.match(row))]
    found = sorted([*sections, *blocks], key=lambda one: (one.start, -one.end))
    return Outline(definitions=found, statements=[(cut, cut) for cut in cuts], cuts=cuts)


def _sections(rows: list[bytes], starts: list[int], lines: LineIndex) -> list[Definition]:
    styles: dict[tuple[bytes, bool], int] = {}
    found = []
    taken = -1  # the last row of the title before
    for i in range(1, len(rows)):
        if i - 1 <= taken or not _is_title(rows, i):
            continue
        over = i >= 2 and i - 2 > taken and rows[i - 2] == rows[i] and bool(rows[i])
        if not over and (rows[i - 1][:1].isspace() or (i >= 2 and rows[i - 2] and not _TARGET.match(rows[i - 2]))):
            continue
        taken = i
        first = i - 2 if over else i - 1
        level = styles.setdefault((rows[i][:1], over), len(styles) + 1)
        head = starts[first], starts[i] + len(rows[i])
        name = rows[i - 1].decode("utf-8", "replace").strip()
        where = starts[_with_targets(rows, first)], head[1]
        section = definition(Kind.SECTION, name, where, head, lines)
        section.level, section.signature = level, section.name
        found.append(section)
    return found


def _is_title(rows: list[bytes], i: int) -> bool:
    """Whether a row underlines the one above it."""
    title = rows[i - 1]
    if not title or not rows[i] or not _ADORNMENT.match(rows[i]) or _ADORNMENT.match(title):
        return False
    return len(rows[i]) >= min(len(title.decode("utf-8", "replace").strip()), _SHORTEST)


def _with_targets(rows: list[bytes], first: int) -> int:
    """The row of the first of the targets that stand above a title."""
    i = first - 1
    while i >= 0 and (not rows[i] or _TARGET.match(rows[i])):
        if rows[i]:
            first = i
        i -= 1
    return first


def _blocks(rows: list[bytes]) -> list[tuple[int, int, str]]:
    """The first row of each, the one behind it, and its language."""
    found = []
    i = 0
    while i < len(rows):
        directive, literal = _CODE.match(rows[i]), _LITERAL.match(rows[i])
        if not directive and not literal:
            i += 1
            continue
        indent = len(rows[i]) - len(rows[i].lstrip())
        end = _indented_end(rows, i + 1, indent)
        body = next((row for row in range(i + 1, end) if rows[row]), end)
        if body < end:
            name = directive[1].decode("utf-8", "replace") if directive else ""
            found.append((i if directive else body, end, name))
        i = max(end, i + 1)
    return found


def _indented_end(rows: list[bytes], i: int, indent: int) -> int:
    """The row behind the last of those that are indented further."""
    end = i
    while i < len(rows) and (not rows[i] or len(rows[i]) - len(rows[i].lstrip()) > indent):
        i += 1
        end = i if rows[i - 1] else end
    return end


def _block(source: bytes, where: Range, name: str, lines: LineIndex) -> Definition:
    where = trim(source, where)
    made = definition(Kind.BLOCK, name or "code", where, (where[0], where[0]), lines)
    made.label = f"{made.name} code" if name else ""
    return made
