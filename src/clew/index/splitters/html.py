"""HTML: sections by headings and landmarks, scripts and styles as blocks. Templates inside of it do no harm.

By its tags alone, since few documents nest as they should.
"""

import re
from collections import Counter
from dataclasses import dataclass

from clew.index.splitters import definition, line_starts, trim
from clew.index.syntax.definition import Definition, clip_overlaps, extend_sections
from clew.index.syntax.parse import Outline
from clew.index.syntax.ranges import LineIndex
from clew.languages.profile import Language
from clew.model.words import Kind

_TAG = re.compile(
    rb"<!--.*?(?:-->|\Z)|<(/?)(script|style|section|article|nav|header|footer|main|aside|form|dialog|template|h[1-6])"
    rb"(?=[\s/>])([^<>]*)>",
    re.IGNORECASE | re.DOTALL,
)
_ATTRIBUTE = re.compile(
    rb"""(?:^|\s)(aria-label|id|name|src)\s*=\s*(?:"([^"{]*)"|'([^'{]*)'|([^\s"'>{]+))""", re.IGNORECASE
)
_MARKUP = re.compile(rb"<[^<>]*>|\{[{%#].*?[}%#]\}", re.DOTALL)
_RAW = (b"script", b"style")
_LONGEST_HEADING = 2000  # bytes


@dataclass(frozen=True, slots=True)
class _Open:
    tag: bytes
    start: int
    head: int
    name: str


def outline(language: Language, source: bytes) -> Outline:
    reader = _Reader(source)
    reader.outline()
    lines = LineIndex(source)
    sections = sorted(reader.sections, key=lambda one: (one.start, -one.end, one.level))
    extend_sections(sections, lines, len(source))
    for section in sections:
        section.end = trim(source, (section.head[1], section.end))[1]
        section.last = lines.at(max(section.end - 1, section.start))
    found = sorted([*sections, *reader.blocks], key=lambda one: (one.start, -one.end))
    clip_overlaps(found, lines)
    cuts = line_starts(source)
    return Outline(definitions=found, statements=[(cut, cut) for cut in cuts], cuts=cuts)


class _Reader:
    def __init__(self, source: bytes) -> None:
        self.sections: list[Definition] = []
        self.blocks: list[Definition] = []
        self._source = source
        self._lines = LineIndex(source)
        self._open: list[_Open] = []
        self._count: Counter[bytes] = Counter()
        self._endless: set[bytes] = set()  # raw elements that are never closed: looked for once

    def outline(self) -> None:
        at = 0
        while match := _TAG.search(self._source, at):
            at = match.end()
            if match[2] is None:
                continue
            tag = match[2].lower()
            if tag in _RAW:
                at = at if match[1] else self._raw(tag, match)
            elif tag[:1] == b"h" and tag[1:].isdigit():
                if not match[1]:
                    self._heading(tag, match)
            elif match[1]:
                self._close(tag, match.end())
            else:
                self._count[tag] += 1
                name = _name(match[3]) or tag.decode()
                self._open.append(_Open(tag, match.start(), match.end(), name))

    def _raw(self, tag: bytes, match: re.Match[bytes]) -> int:
        """Behind a script or a style."""
        if tag in self._endless:
            return match.end()
        end = re.compile(rb"</%b\s*>" % tag, re.IGNORECASE).search(self._source, match.end())
        if end is None:
            self._endless.add(tag)
            return match.end()
        where = match.start(), end.end()
        name = _name(match[3]).rpartition("/")[2] or tag.decode()
        self.blocks.append(definition(Kind.BLOCK, name, where, match.span(), self._lines))
        return end.end()

    def _heading(self, tag: bytes, match: re.Match[bytes]) -> None:
        closing = re.compile(rb"</%b\s*>" % tag, re.IGNORECASE)
        end = closing.search(self._source, match.end(), match.end() + _LONGEST_HEADING)
        if end is None:
            return
        text = _MARKUP.sub(b" ", self._source[match.end() : end.start()]).decode("utf-8", "replace")
        name = text if text.strip() else _name(match[3]) or tag.decode()
        made = definition(Kind.SECTION, name, (match.start(), end.end()), (match.start(), end.end()), self._lines)
        made.level = int(tag[1:])
        self.sections.append(made)

    def _close(self, tag: bytes, end: int) -> None:
        """End an element; those inside of it that are still open are none."""
        while self._count[tag]:
            one = self._open.pop()
            self._count[one.tag] -= 1
            if one.tag == tag:
                head = one.start, one.head
                self.sections.append(definition(Kind.SECTION, one.name, (one.start, end), head, self._lines))
                return


def _name(attributes: bytes) -> str:
    """The name of an element by its attributes."""
    given = {match[1].lower(): match[2] or match[3] or match[4] or b"" for match in _ATTRIBUTE.finditer(attributes)}
    found = next((given[key] for key in (b"aria-label", b"id", b"name", b"src") if given.get(key)), b"")
    return found.decode("utf-8", "replace").strip()
