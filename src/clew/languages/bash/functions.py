"""Functions of shell scripts by their lines, for files with a construct that the grammar rejects."""

import re
from collections.abc import Iterator

from clew.languages.profile import HeadedBlock

_NAME = rb"[^\s(){}<>|&;$\"'`=#]+"
_HEAD = re.compile(
    rb"^(?P<indent>[ \t]*)(?:function[ \t]+(?P<keyword>" + _NAME + rb")(?:[ \t]*\([ \t]*\))?"
    rb"|(?P<plain>" + _NAME + rb")[ \t]*\([ \t]*\))(?:[ \t]*\n)?[ \t]*\{[ \t]*(?:#[^\n]*)?$",
    re.MULTILINE,
)


def functions_in_lines(source: bytes) -> Iterator[HeadedBlock]:
    """Each ends at the first closing brace that stands alone, as far indented as its head."""
    at = 0
    while head := _HEAD.search(source, at):
        closing = re.compile(rb"^%b\}[ \t]*(?=[;)#&|<>\n]|\Z)" % head["indent"], re.MULTILINE)
        end = closing.search(source, head.end())
        at = head.end()
        if end is not None:
            name = "keyword" if head["keyword"] else "plain"
            start, doc = head.end("indent"), _comment_above(source, head.start())
            yield HeadedBlock(
                start, doc, head.start(name), head.end(name), head.end(), end.start() + len(end[0].rstrip())
            )


def _comment_above(source: bytes, start: int) -> tuple[int, int] | None:
    """The comment lines directly above a line."""
    first = start
    while first:
        above = source.rfind(b"\n", 0, first - 1) + 1
        if not source[above:first].lstrip().startswith(b"#"):
            break
        first = above
    return (first, start - 1) if first < start else None
