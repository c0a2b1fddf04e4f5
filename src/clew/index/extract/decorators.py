"""Decorators, annotations and attributes: which definition each is written on."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable

from clew.index.extract.scope_map import FUNCTIONS, ScopeMap
from clew.index.syntax.parse import CapturedMark
from clew.index.syntax.ranges import Range
from clew.index.syntax.units import OutlineUnit
from clew.model.code import SCOPE

LONGEST = 160
WORDS = ("property", "single", "case")  # marks that count as decorators
LOCAL = "local"
MOST = 16  # on one definition; more are data


def decorators_of(units: list[OutlineUnit], marks: Iterable[CapturedMark]) -> dict[str, tuple[str, ...]]:
    """By scope, as they are written, on one line each and without the `@`. Units come in order of their places."""
    written = sorted((mark for mark in marks if mark.kind == "decorator"), key=lambda mark: mark.at)
    places = [_place(unit) for unit in units] if written else []
    found: dict[str, list[str]] = defaultdict(list)
    for mark in written:
        for unit in _definitions_at(units, places, mark.at):
            found[unit.scope].append(_one_line(mark.text))
    return {scope: tuple(texts[:MOST]) for scope, texts in found.items()}


def decorators_and_markers(
    units: list[OutlineUnit], marks: list[CapturedMark], places: ScopeMap, statics: Iterable[str]
) -> dict[str, tuple[str, ...]]:
    """Additional markers: `property` for a function read like a field, `static` for a class's function, `single` for
    an object of Scala, `case` for a class with a generated `apply`, and `local` for a type extension inside a
    function."""
    found = decorators_of(units, marks)
    for mark in marks:
        if mark.kind in WORDS and (unit := places.unit(mark.at)):
            found[unit.scope] = (*found.get(unit.scope, ()), mark.kind)
    for unit in units:
        around = unit.parent if unit.definition.receiver else None
        if around and around.definition.kind in FUNCTIONS and around.within != unit.scope.rpartition(SCOPE)[0]:
            found[unit.scope] = (*found.get(unit.scope, ()), LOCAL)
    for scope in sorted(statics):
        found[scope] = (*found.get(scope, ()), "static")
    return found


def _definitions_at(units: list[OutlineUnit], places: list[Range], at: int) -> list[OutlineUnit]:
    """The innermost definition around a place in its head, and those of the same statement: `@Column int a, b;`."""
    last = bisect_right(places, (at, 0)) - 1
    unit = units[last] if last >= 0 else None
    while unit is not None and unit.definition.end <= at:
        unit = unit.parent
    if unit is None or at >= unit.definition.head[1]:
        return []
    place = _place(unit)
    return units[bisect_left(places, place) : bisect_right(places, place)]


def _place(unit: OutlineUnit) -> Range:
    """A sort key: outer units come first."""
    return unit.definition.start, -unit.definition.end


def _one_line(text: str) -> str:
    line = " ".join(text.lstrip("@").split())
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"
