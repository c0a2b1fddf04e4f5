"""The functions of a file, as the index reads it. One inside of another is part of it: the outer one is the answer."""

from collections.abc import Iterable
from typing import NamedTuple

from clew.evaluate.history import Hunk
from clew.index.syntax import units
from clew.index.syntax.parse import outline
from clew.index.syntax.ranges import Range
from clew.languages import language_in
from clew.languages.detection import LanguageTable
from clew.model.code import symbol_id
from clew.model.words import Kind
from clew.text.test_names import is_test_scope

KINDS = (Kind.FUNCTION, Kind.METHOD)


class Function(NamedTuple):
    """`span` are its bytes, `doc` those of its documentation; lines are 1-based and inclusive."""

    id: str
    name: str
    first: int
    last: int
    span: Range
    doc: Range | None
    inner: tuple[str, ...]  # the ids of those inside of it


def read(path: str, source: bytes, known: LanguageTable) -> list[Function]:
    """The outermost functions, without tests; languages of plug-ins are not read."""
    language = known.by_name.get(language_in(path, source, known))
    if language is None or language.plugin:
        return []
    seen = outline(language, source)
    if seen.unread:
        return []
    arranged = [unit for unit in units.nest_definitions(seen) if _is_function(unit)]
    inner: dict[str, list[str]] = {}
    for unit in arranged:
        inner.setdefault(_outermost(unit).scope, []).append(symbol_id(path, unit.scope))
    outer = [unit for unit in arranged if _outermost(unit) is unit and not is_test_scope(unit.scope)]
    return [_function(path, unit, inner[unit.scope]) for unit in outer]


def changed_functions(functions: Iterable[Function], hunks: Iterable[Hunk]) -> list[str]:
    """The functions with changed lines, or with lines added between theirs."""
    places = list(hunks)
    return [one.id for one in functions if any(_touches(one, place) for place in places)]


def _touches(function: Function, hunk: Hunk) -> bool:
    first, last = hunk.first, hunk.first + hunk.lines - 1
    if not hunk.lines:
        first, last = hunk.first + 1, hunk.first  # both neighbours of what was added are inside
    return function.first <= last and first <= function.last


def _function(path: str, unit: units.OutlineUnit, inner: list[str]) -> Function:
    d = unit.definition
    return Function(symbol_id(path, unit.scope), d.name, d.first, d.last, (d.start, d.end), d.doc, tuple(inner))


def _is_function(unit: units.OutlineUnit) -> bool:
    return unit.definition.kind in KINDS


def _outermost(unit: units.OutlineUnit) -> units.OutlineUnit:
    top, parent = unit, unit.parent
    while parent is not None:
        top = parent if _is_function(parent) else top
        parent = parent.parent
    return top
