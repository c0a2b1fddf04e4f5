"""From a place in a file to the enclosing scopes: the definition, the function, and the `this`."""

from bisect import bisect_right
from collections.abc import Container, Iterable
from itertools import chain

from clew.index.syntax.ranges import Range
from clew.index.syntax.units import OutlineUnit
from clew.model.code import SCOPE, without_numbers
from clew.model.words import Kind

OBJECT = "{}"  # the scope of what objects without a name hold, by the scope that they stand in

CLASSES = (Kind.CLASS, Kind.INTERFACE)
FUNCTIONS = (Kind.FUNCTION, Kind.METHOD)
_VARIABLE = Kind.VARIABLE  # looked up once: see `units`

_FAR = 1 << 62


class ScopeMap:
    def __init__(self, units: list[OutlineUnit], lambdas: list[Range]) -> None:
        self._units = [unit for unit in units if _is_scope(unit)]
        self._starts = [unit.definition.start for unit in self._units]
        self._scopes = set(map(id, self._units))
        self._edges = edges([unit.range for unit in self._units])  # between two of them, all is of one region
        self._regions: dict[int, str] = {}
        self._lambdas = sorted(lambdas, key=lambda found: (found[0], -found[1]))
        self._around = holders(self._lambdas)
        self._makers = {unit.definition.receiver for unit in units}  # a function among them is one that makes objects
        self.by_scope = {unit.scope: unit for unit in units if not unit.definition.into}
        self.namespaces = _with_outer(unit.within for unit in units if unit.definition.namespace)
        self._classes: dict[str, str] = {}  # these two are asked for of every name, and a file has few scopes
        self._outers: dict[str, str] = {}
        self._ways_out: dict[str, tuple[str, ...]] = {}
        self.bound_in_parts: dict[int, str] = {}  # names that are bound in a part of a scope, by where that is said
        self.apart: frozenset[str] = frozenset()  # classes that have the name of another, and are not the same one

    def unit(self, at: int) -> OutlineUnit | None:
        """The innermost definition around a place."""
        i = bisect_right(self._starts, at) - 1
        unit: OutlineUnit | None = self._units[i] if i >= 0 else None
        while unit is not None and (unit.definition.end <= at or id(unit) not in self._scopes):
            unit = unit.parent
        return unit

    def scope(self, at: int) -> str:
        unit = self.unit(at)
        return unit.within if unit else ""

    def scope_of_name(self, at: int) -> str:
        """Where a name is bound; that of a definition stands inside of it."""
        unit = self.unit(at)
        if unit and unit.definition.named == at:
            return unit.scope.rpartition(SCOPE)[0]
        return unit.within if unit else ""

    def region(self, at: int) -> str:
        """The scope that names are looked up in, which may be a part of that of a definition: see `regions`."""
        between = bisect_right(self._edges, at)
        found = self._regions.get(between)
        if found is None:
            found = self._regions[between] = self._region(at)
        return found

    def _region(self, at: int) -> str:
        return self.scope(at)

    def holder(self, at: int, name: str, end: int = -1) -> str:
        """The scope of a binding, if blocks have their own; its value may decide it."""
        return self.scope_of_name(at)

    def holder_of(self, unit: OutlineUnit, name: str) -> str:
        return unit.scope.rpartition(SCOPE)[0]

    def functions_at(self, places: Iterable[int]) -> frozenset[str]:
        units = filter(None, map(self.unit, places))
        return frozenset(unit.scope for unit in units if unit.definition.kind in FUNCTIONS)

    def bodiless_functions(self) -> tuple[str, ...]:
        """Functions that have no body here."""
        units = self.by_scope.items()
        return tuple(scope for scope, unit in units if unit.definition.kind in FUNCTIONS and not unit.definition.bodied)

    def object_around(self, unit: OutlineUnit) -> str:
        """The scope of the object without a name that a method stands in."""
        return object_of(unit.scope.rpartition(SCOPE)[0])

    def definition_scope(self, scope: str) -> str:
        """The scope of a definition that one is a part of."""
        return scope

    def function_of_head(self, at: int) -> str:
        """The function with a signature at this place."""
        unit = self._function(at)
        return unit.scope if unit and at < unit.definition.head[1] else ""

    def function_of_body(self, at: int) -> str:
        """The function that a place is part of, if there is none without a name in between."""
        unit = self._function(at)
        if unit is None:
            return ""
        i = bisect_right(self._lambdas, (at, _FAR)) - 1
        while i >= 0 and self._lambdas[i][1] <= at:
            i = self._around[i]
        return "" if i >= 0 and self._lambdas[i][0] >= unit.definition.head[1] else unit.scope

    def taker(self, at: int) -> str:
        """The function that has a parameter; one in the head of a class belongs to its constructor."""
        unit = self.unit(at)
        while unit is not None and unit.definition.kind not in (*CLASSES, *FUNCTIONS):
            unit = unit.parent
        return unit.scope if unit and at < unit.definition.head[1] else ""

    def _function(self, at: int) -> OutlineUnit | None:
        unit = self.unit(at)
        while unit is not None and unit.definition.kind not in FUNCTIONS:
            unit = unit.parent
        return unit

    def class_at(self, at: int) -> str:
        return self.class_of(self.scope(at))

    def class_of(self, scope: str) -> str:
        """The scope of `this`: a class, an object, or a function that objects are made by."""
        found = self._classes.get(scope)
        if found is None:
            found = self._classes[scope] = self._class_of(scope)
        return found

    def holders(self, scope: str, extending: Container[str]) -> list[str]:
        """The enclosing classes with members that may be elsewhere: the nearest, and those with base classes."""
        found: list[str] = []
        scope = self.definition_scope(scope)
        unit = self.by_scope.get(scope)
        while unit is not None:
            if unit.definition.kind in CLASSES and (not found or unit.scope in extending):
                found.append(self.first(unit.scope))
            unit = unit.parent
        return found or list(filter(None, [self.class_of(scope)]))

    def labelled_class(self, scope: str, label: str) -> str:
        """The class around that has a name: `this@Card`."""
        while label and scope:
            if scope.rpartition(SCOPE)[2] == label:
                return self.class_of(scope)
            scope = scope.rpartition(SCOPE)[0]
        return ""

    def _class_of(self, scope: str) -> str:
        while scope:
            unit = self.by_scope.get(scope)
            if unit and unit.definition.lexical:
                scope = _around_object(unit)
                continue
            if self.is_class(scope) or scope in self._makers:
                return self.first(scope)
            if unit is None:
                return ""  # a namespace
            if unit.definition.kind is Kind.METHOD and not unit.definition.receiver and is_loose(unit):
                return self.object_around(unit)
            scope = scope.rpartition(SCOPE)[0]
        return ""

    def is_class(self, scope: str) -> bool:
        """Without a definition, it is a class of another file with methods in this one."""
        unit = self.by_scope.get(scope)
        if unit is not None:
            return _holds_members(unit)
        return bool(scope) and scope not in self.namespaces

    def outer(self, scope: str) -> str:
        """The scope around, where names are looked up next: of an extension, that of where it stands."""
        found = self._outers.get(scope)
        if found is None:
            found = self._outers[scope] = self._outer(scope)
        return found

    def around(self, scope: str) -> tuple[str, ...]:
        """The scopes that a name is looked up in, from one on up to the file; asked for once all of them are known."""
        found = self._ways_out.get(scope)
        if found is None:
            way, outer = [scope], scope
            while outer:
                way.append(outer := self.outer(outer))
            found = self._ways_out[scope] = tuple(map(self.first, way))
        return found

    def _outer(self, scope: str) -> str:
        unit = self.by_scope.get(scope)
        holder = extension_holder(unit) if unit else None
        return holder.within if holder else scope.rpartition(SCOPE)[0]

    def first(self, scope: str) -> str:
        """A class that is opened again is the one that was opened first."""
        if "#" not in scope or scope in self.apart:
            return scope
        first = without_numbers(scope)
        unit = self.by_scope.get(first) if first != scope else None
        return first if unit and unit.definition.kind in CLASSES else scope


def is_member(unit: OutlineUnit) -> bool:
    """Whether it is named through its owner, without a bare name of its own."""
    definition = unit.definition
    return definition.kind is Kind.METHOD or definition.member or bool(definition.receiver or definition.into)


def is_loose(unit: OutlineUnit) -> bool:
    """Whether a method stands in no class: in an object that has no name."""
    return unit.parent is None or not (_holds_members(unit.parent) or unit.parent.definition.into)


def object_of(scope: str) -> str:
    return inside(scope, OBJECT)


def inside(scope: str, name: str) -> str:
    return f"{scope}{SCOPE}{name}" if scope else name


def extension_holder(unit: OutlineUnit) -> OutlineUnit | None:
    """The class that a definition stands in, if it belongs to another."""
    holder = unit.parent if unit.definition.receiver else None
    is_other = holder is not None and holder.within != unit.scope.rpartition(SCOPE)[0]
    return holder if holder and is_other and holder.definition.kind in CLASSES else None


def _holds_members(unit: OutlineUnit) -> bool:
    return unit.definition.kind in CLASSES or unit.definition.is_object


def _is_scope(unit: OutlineUnit) -> bool:
    """A variable is one, if it is an object or holds a class that has no name of its own."""
    if unit.definition.kind is not _VARIABLE or unit.definition.is_object:
        return True
    return any(inner.definition.kind in CLASSES for inner in unit.inner)


def _around_object(unit: OutlineUnit) -> str:
    """The scope that gives a function its `this`, if it has none: that of the object around it is not."""
    above = unit.parent
    while above is not None and above.definition.kind is _VARIABLE:
        above = above.parent
    return above.within if above else ""


def edges(ranges: Iterable[Range], *, also: Iterable[int] = ()) -> list[int]:
    """Where ranges begin and end, in order."""
    return sorted({*chain.from_iterable(ranges), *also})


def holders(ranges: list[Range]) -> list[int]:
    """For each range, in order of their starts, the one around it; -1 for none."""
    holders: list[int] = []
    stack: list[int] = []
    for i, (start, _) in enumerate(ranges):
        while stack and ranges[stack[-1]][1] <= start:
            stack.pop()
        holders.append(stack[-1] if stack else -1)
        stack.append(i)
    return holders


def _with_outer(scopes: Iterable[str]) -> set[str]:
    """The scopes with those that they stand in."""
    paths = [scope.split(SCOPE) for scope in scopes]
    return {SCOPE.join(path[:end]) for path in paths for end in range(1, len(path) + 1)}
