"""Calls in code with syntax errors: an unfinished edit loses no caller.

Their targets are unknown, so they are unresolved calls. In C and C++, where macros replace syntax, they are left out:
most unparsable code there is correct.
"""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from clew.index.facts import CallFact
from clew.index.syntax.lines import LineIndex
from clew.index.syntax.parse import Outline
from clew.index.syntax.units import OutlineUnit
from clew.store.links import bare_name

if TYPE_CHECKING:
    from tree_sitter import Node

MOST = 200  # calls of a file
_CALL = re.compile(rb"(?<![\w$])([^\W\d][\w$]*)[!?]?\s?\(")
_DEFINES = re.compile(rb"\b(?:def|function|fn|func|fun|class|sub|macro|interface|struct|enum|record)\s+\Z")
_WORDS = frozenset(
    "if elif else for foreach while until unless switch match case catch except return yield await assert del not "
    "and or in is with when print lambda using lock fixed sizeof typeof super this self "
    "function fn func new throw do try".split()
)


def calls_in(
    outline: Outline, arranged: Sequence[OutlineUnit], known: Sequence[CallFact], source: bytes
) -> list[CallFact]:
    """The calls that are not known already."""
    assert outline.root is not None
    lines = LineIndex(source)
    seen = {(call.line, bare_name(call.written)) for call in known}
    found: dict[tuple[int, str], CallFact] = {}
    for start, end in (*_ranges(outline.root), *outline.lost):
        for one in _CALL.finditer(source, start, end):
            name, line = one[1].decode("utf-8", "replace"), lines.at(one.start())
            defines = _DEFINES.search(source, max(start, one.start() - 20), one.start())
            if name not in _WORDS and (line, name) not in seen and not defines:
                found.setdefault((line, name), CallFact(_scope(arranged, one.start()), line, name, ()))
    return list(found.values())[:MOST]


def _ranges(root: "Node") -> Iterator[tuple[int, int]]:
    """Of the outermost nodes that are errors."""
    todo = [root]
    while todo:
        node = todo.pop()
        if node.is_error:
            yield node.start_byte, node.end_byte
        elif node.has_error:
            todo += reversed(node.children)


def _scope(arranged: Sequence[OutlineUnit], at: int) -> str:
    """The innermost unit that a place lies in."""
    around = [unit for unit in arranged if unit.definition.start <= at < unit.definition.end]
    return min(around, key=lambda unit: unit.definition.end - unit.definition.start).scope if around else ""
