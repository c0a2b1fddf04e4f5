"""From a place in a file to the scopes around it: which definition, which function, which class."""

from bisect import bisect_right
from collections.abc import Iterable

from clew.index.units import Unit
from clew.model.code import SCOPE
from clew.model.words import Kind

CLASSES = (Kind.CLASS, Kind.INTERFACE)
FUNCTIONS = (Kind.FUNCTION, Kind.METHOD)


class Places:
    def __init__(self, units: list[Unit]) -> None:
        self._units = [unit for unit in units if unit.definition.kind is not Kind.VARIABLE or unit.inner]
        self._starts = [unit.definition.start for unit in self._units]
        self.by_scope = {unit.scope: unit for unit in units if not unit.definition.into}
        self.namespaces = _with_outer(unit.within for unit in units if unit.definition.namespace)

    def unit(self, at: int) -> Unit | None:
        """The innermost definition around a place."""
        i = bisect_right(self._starts, at) - 1
        unit: Unit | None = self._units[i] if i >= 0 else None
        while unit is not None and unit.definition.end <= at:
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

    def function(self, at: int) -> str:
        unit = self.unit(at)
        while unit is not None and unit.definition.kind not in FUNCTIONS:
            unit = unit.parent
        return unit.scope if unit else ""

    def taker(self, at: int) -> str:
        """The function that takes a parameter; one in the head of a class is its constructor's."""
        unit = self.unit(at)
        return unit.scope if unit and unit.definition.kind in CLASSES else self.function(at)

    def class_at(self, at: int) -> str:
        return self.class_of(self.scope(at))

    def class_of(self, scope: str) -> str:
        """The nearest class around."""
        while scope:
            if self.is_class(scope):
                return scope
            if scope in self.namespaces:
                return ""
            scope = scope.rpartition(SCOPE)[0]
        return ""

    def is_class(self, scope: str) -> bool:
        """Without a definition, it is one of another file, whose methods stand in this one."""
        unit = self.by_scope.get(scope)
        return unit.definition.kind in CLASSES if unit else bool(scope) and scope not in self.namespaces

    def outer(self, scope: str) -> str:
        """The scope around, where names are looked up next: of an extension, that of where it stands."""
        unit = self.by_scope.get(scope)
        holder = extension_holder(unit) if unit else None
        return holder.within if holder else scope.rpartition(SCOPE)[0]


def extension_holder(unit: Unit) -> Unit | None:
    """The class that a definition stands in, if it belongs to another."""
    holder = unit.parent if unit.definition.receiver else None
    return holder if holder and not holder.definition.namespace else None


def _with_outer(scopes: Iterable[str]) -> set[str]:
    """The scopes with those that they stand in."""
    paths = [scope.split(SCOPE) for scope in scopes]
    return {SCOPE.join(path[:end]) for path in paths for end in range(1, len(path) + 1)}
