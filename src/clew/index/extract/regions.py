"""Parts of a scope that bind names of their own: functions without a name, and blocks.

Most names are bound in one part of a file only, and need no telling apart. Those that several parts bind are kept in
scopes like `run::<2>`, inside of that of the definition around: a file of tests has many a `server` or `MyComponent`.
"""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator

from clew.index.extract.scope_map import CLASSES, FUNCTIONS, ScopeMap, edges, holders, inside, is_member, object_of
from clew.index.syntax.chains import is_name
from clew.index.syntax.parse import Callsite, CapturedMark, Outline
from clew.index.syntax.ranges import Range
from clew.index.syntax.units import OutlineUnit
from clew.languages.profile import Language
from clew.model.code import SCOPE, without_numbers

# Names with a different meaning in a part of a function: `config := config.Load()`.

_FIRST = re.compile(r"[\s(*&<!-]*([^\W\d]\w*)")
_DECLARING = frozenset({"typed", "assigned", "each", "second", "third"})


class BlockScopes(ScopeMap):
    """The scopes of a file with divided functions."""

    def __init__(self, units: list[OutlineUnit], outline: Outline, *, anew: bool) -> None:
        super().__init__(units, outline.lambdas)
        self._anew = anew
        self._blocks = sorted(outline.blocks)  # no two begin at one place
        self._opens = [start for start, _ in self._blocks]
        self._holders = holders(self._blocks)
        self._parted: frozenset[str] = frozenset()
        self._homes: dict[tuple[int, int], str] = {}  # scopes of names that are bound in a part
        self._parts: dict[str, list[tuple[Range, str, int]]] = defaultdict(list)  # of scopes, each with that around it
        bound = [mark for mark in outline.marks if mark.kind in _DECLARING or (mark.kind == "local" and mark.end >= 0)]
        self._used = _used(bound, outline.calls)
        parts: dict[tuple[Range, str], list[CapturedMark]] = defaultdict(list)
        for (scope, name), found in self._blocks_by_name(bound).items():
            if self._means_more(scope, name, found):
                for (_, end), held in found.items():
                    parts[(min(mark.end for mark in held), end), scope] += held
        self._divide(self._number_scopes(parts))
        self._edges = edges((part for several in self._parts.values() for part, _, _ in several), also=self._edges)
        self._parted = frozenset(own for several in self._parts.values() for _, own, _ in several)
        self.bound_in_parts = {mark.at: mark.text for held in parts.values() for mark in held}

    def _region(self, at: int) -> str:
        scope = self.scope(at)
        part = self._part(at, scope) if scope in self._parts else -1
        return self._parts[scope][part][1] if part >= 0 else scope

    def holder(self, at: int, name: str, end: int = -1) -> str:
        return self._homes.get((at, end)) or super().holder(at, name)

    def definition_scope(self, scope: str) -> str:
        return scope.rpartition(SCOPE)[0] if scope in self._parted else scope

    def is_class(self, scope: str) -> bool:
        return scope not in self._parted and super().is_class(scope)

    def _divide(self, parts: Iterable[tuple[Range, str, str]]) -> None:
        """Divide functions into sorted parts: the range of each, its outer scope, and its own."""
        for part, scope, own in parts:
            around = self._part(part[0] - 1, scope)
            self._outers[own] = self._parts[scope][around][1] if around >= 0 else scope
            self._parts[scope].append((part, own, around))
        for unit in self._units if self._parts else ():
            holder = self._outer(unit.scope)
            if (around := self._part(unit.definition.start, holder)) >= 0:
                self._outers[unit.scope] = self._parts[holder][around][1]

    def _part(self, at: int, scope: str) -> int:
        """The innermost part of a scope that a place is in; -1 for none."""
        parts = self._parts.get(scope, ())
        i = bisect_right(parts, at, key=lambda part: part[0][0]) - 1
        while i >= 0 and parts[i][0][1] <= at:
            i = parts[i][2]
        return i

    def _blocks_by_name(self, marks: list[CapturedMark]) -> dict[tuple[str, str], dict[Range, list[CapturedMark]]]:
        """By function and name, the blocks with its bindings; where rebinding is possible, the remaining parts of
        them."""
        found: dict[tuple[str, str], dict[Range, list[CapturedMark]]] = defaultdict(lambda: defaultdict(list))
        for mark in marks:
            unit = self.unit(mark.at) if mark.text in self._used else None
            if unit and unit.definition.kind in FUNCTIONS and unit.definition.named != mark.at:
                head, end = unit.definition.head[1], unit.definition.end
                first, last = (self._block_around(mark.end, head) if mark.end >= head else None) or (head, end)
                found[unit.within, mark.text][max(first, mark.end) if self._anew else first, last].append(mark)
        return found

    def _block_around(self, at: int, first: int) -> Range | None:
        """The innermost block around a place that begins behind another."""
        i = bisect_right(self._opens, at) - 1
        while i >= 0 and self._opens[i] > first:
            if self._blocks[i][1] > at:
                return self._blocks[i]
            i = self._holders[i]
        return None

    def _means_more(self, scope: str, name: str, found: dict[Range, list[CapturedMark]]) -> bool:
        """Whether the name is used outside of its only block."""
        unit = self.by_scope.get(scope)
        if unit is None:
            return False
        every = self._used[name]
        used = every[bisect_left(every, unit.definition.start) : bisect_left(every, unit.definition.end)]
        if len(found) > 1:
            return bool(used)
        ((_, end), marks) = next(iter(found.items()))
        first = min(mark.end for mark in marks)
        is_param = marks[0].at < unit.definition.head[1]
        return not is_param and any(not first <= at < end for at in used)

    def _number_scopes(self, parts: dict[tuple[Range, str], list[CapturedMark]]) -> Iterator[tuple[Range, str, str]]:
        """Each with a scope of its own, in order; parameters are bound all over a function."""
        numbers: dict[str, int] = defaultdict(int)
        for (part, scope), marks in sorted(parts.items(), key=lambda found: found[0]):
            if part[0] >= self.by_scope[scope].definition.head[1]:
                numbers[scope] += 1
                own = inside(scope, f"<in{numbers[scope]}>")
                self._homes |= dict.fromkeys(((mark.at, mark.end) for mark in marks), own)
                yield part, scope, own


def _used(marks: Iterable[CapturedMark], calls: Iterable[Callsite]) -> dict[str, list[int]]:
    """The uses of names at the start of other expressions: callees, and bound values."""
    found: dict[str, list[int]] = defaultdict(list)
    for at, text in _texts(marks, calls):
        if first := _FIRST.match(text):
            found[first[1]].append(at)
    return {name: sorted(places) for name, places in found.items()}


def _texts(marks: Iterable[CapturedMark], calls: Iterable[Callsite]) -> Iterator[tuple[int, str]]:
    for mark in marks:
        if mark.kind != "typed":
            yield mark.at, mark.detail
    for call in calls:
        if not call.makes:
            yield call.at, call.callee


_BINDING = frozenset({"param", "taken", "assigned", "typed", "each"})
_NOWHERE = -1

Home = tuple[str, int]  # a scope, and the part of it that binds a name


class RegionScopes(ScopeMap):
    """The scopes of a file in which blocks bind names."""

    def __init__(self, units: list[OutlineUnit], outline: Outline) -> None:
        super().__init__(units, outline.lambdas)
        blocks = {*outline.blocks}
        self._ranges = sorted({*outline.lambdas, *blocks}, key=lambda found: (found[0], -found[1]))
        self._opens = [start for start, _ in self._ranges]
        self._is_block = [found in blocks for found in self._ranges]
        self._outside = holders(self._ranges)
        self._edges = edges(self._ranges, also=self._edges)
        self._hoisted = {mark.at for mark in outline.marks if mark.kind == "hoisted"}
        self._names: dict[int, set[str]] = defaultdict(set)  # those that a part binds, and others too
        self._named: dict[int, str] = {}
        self._plain: dict[str, str] = {}
        self._units_named = {unit.definition.named: unit for unit in self._units}
        self._find_regions(units, outline)

    def _find_regions(self, units: list[OutlineUnit], outline: Outline) -> None:
        homes: dict[str, set[Home]] = defaultdict(set)
        for unit in units:
            if not is_member(unit):
                homes[unit.definition.name].add(self._home_of_unit(unit))
        for at, one in outline.imports:
            for name in one.aliases or one.names:
                homes[name].add(self._home(at))
        for mark in outline.marks:
            if mark.kind in _BINDING and is_name(mark.text):
                homes[mark.text].add(self._home(mark.at))
        for name, found in homes.items():
            if len(found) > 1:
                for _, region in found:
                    self._names[region].add(name)
        self._names.pop(_NOWHERE, None)
        self.apart = frozenset(unit.scope for unit in units if self._is_another(unit))

    def _is_another(self, unit: OutlineUnit) -> bool:
        """Whether it is a class with the name of one in another part, and not the same one again."""
        if unit.definition.kind not in CLASSES or "#" not in unit.scope:
            return False
        first = self.by_scope.get(without_numbers(unit.scope))
        return first is not None and self._home_of_unit(first) != self._home_of_unit(unit)

    def _region(self, at: int) -> str:
        unit = self.unit(at)
        scope = unit.within if unit else ""
        return self._scope_of(self._up(self._last(at + 1), unit, at), scope) if self._names else scope

    def holder(self, at: int, name: str, end: int = -1) -> str:
        unit = self._units_named.get(at)
        return self._holder(self._home_of_unit(unit) if unit else self._home(at), name)

    def holder_of(self, unit: OutlineUnit, name: str) -> str:
        return self._holder(self._home_of_unit(unit), name)

    def object_around(self, unit: OutlineUnit) -> str:
        above = self._above(unit)
        return object_of(above.within if above else "")

    def _above(self, unit: OutlineUnit) -> OutlineUnit | None:
        """The innermost definition around another that is a scope: `const run = wrapped(() => {…})` is none."""
        above = unit.parent
        while above is not None and id(above) not in self._scopes:
            above = above.parent
        return above

    def _holder(self, home: Home, name: str) -> str:
        scope, region = home
        return self._scope_of(iter((region,)), scope) if name in self._names.get(region, ()) else scope

    def definition_scope(self, scope: str) -> str:
        return self._plain.get(scope, scope)

    def is_class(self, scope: str) -> bool:
        return scope not in self._plain and super().is_class(scope)

    def _outer(self, scope: str) -> str:
        unit = self.by_scope.get(scope)
        if unit is None:
            return super()._outer(scope)
        above, start = self._above(unit), unit.definition.start
        return self._scope_of(self._up(self._last(start), above, start), above.within if above else "")

    def _scope_of(self, regions: Iterator[int], scope: str) -> str:
        """The first of these parts that has names of its own; the scope, if none does."""
        for region in regions:
            if region in self._names:
                return self._named.get(region) or self._name(region, scope)
        return scope

    def _name(self, region: int, scope: str) -> str:
        start = self._ranges[region][0]
        around = self._scope_of(self._up(self._outside[region], self.unit(start), start), scope)
        found = self._named[region] = inside(around, f"<{region}>")
        self._plain[found] = scope
        return found

    def _home(self, at: int) -> Home:
        unit = self.unit(at)
        return unit.within if unit else "", self._nearest(self._up(self._last(at + 1), unit, at), at)

    def _home_of_unit(self, unit: OutlineUnit) -> Home:
        above, start = self._above(unit), unit.definition.start
        parts = self._up(self._last(start), above, start)
        return above.within if above else "", self._nearest(parts, unit.definition.named)

    def _nearest(self, regions: Iterator[int], named: int) -> int:
        """The innermost, but for `var`, which is seen in the whole function."""
        is_hoisted = named in self._hoisted
        return next((region for region in regions if not (is_hoisted and self._is_block[region])), _NOWHERE)

    def _last(self, before: int) -> int:
        return bisect_left(self._opens, before) - 1

    def _up(self, region: int, unit: OutlineUnit | None, at: int) -> Iterator[int]:
        """The parts of a definition that a place is in, from a part on that begins before it, the innermost first."""
        body = unit.definition.head[1] if unit else _NOWHERE
        while region >= 0:
            start, end = self._ranges[region]
            if start < body or (start == body and self._is_block[region]):
                return
            if end > at:
                yield region
            region = self._outside[region]


def places_of(language: Language, units: list[OutlineUnit], outline: Outline) -> ScopeMap:
    """Of a file, in the way that its language binds names."""
    if language.block_scoped and (outline.lambdas or outline.blocks):
        return RegionScopes(units, outline)
    if outline.blocks:
        return BlockScopes(units, outline, anew=language.rebinds)
    places = ScopeMap(units, outline.lambdas)
    if language.companions:
        places.apart = frozenset(unit.scope for unit in units if "#" in unit.scope)
    return places
