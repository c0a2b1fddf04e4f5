"""Parts of a scope that bind names of their own: functions without a name, and blocks.

Most names are bound in one part of a file only, and need no telling apart. Those that several parts bind are kept in
scopes like `run::<2>`, inside of that of the definition around: a file of tests has many a `server` or `MyComponent`.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator

from clew.index.extract.block_scopes import BlockScopes
from clew.index.extract.scope_map import CLASSES, ScopeMap, edges, holders, inside, is_member, object_of
from clew.index.languages.language import Language
from clew.index.syntax.chains import is_name
from clew.index.syntax.parse import Outline
from clew.index.syntax.units import OutlineUnit
from clew.model.code import without_numbers

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
