"""Fixtures that pytest passes to a test by parameter name: the values that they return or yield."""

import re
from collections.abc import Iterator, Mapping

from clew.index.facts import Container, Param, ScopedName
from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue
from clew.index.resolve.container_elements import ElementEvaluator
from clew.index.resolve.program import Program
from clew.index.resolve.solver import PointsToSet
from clew.index.resolve.source_index import CLASSES
from clew.index.resolve.value_sets import Slot
from clew.model.code import SCOPE

_ABOVE = "conftest.py"  # what tests of a folder, and of those below it, share
_FIXTURE = re.compile(r"(?:\w+\.)*fixture\b\s*\(?")
_NAME = re.compile(r"""\bname\s*=\s*["'](\w+)["']""")
_INNER = re.compile(r"[\[({][^\[\](){}]*(?:[\])}]|\Z)")
_GIVEN = re.compile(r"(?:\w+\.)*parametrize\s*\(\s*((?:[\"'][^\"']*[\"']|[\[(][^\])]*))")


class Fixtures(ElementEvaluator):
    def __init__(self, tree: Program, heirs: Mapping[str, tuple[str, ...]], stored: frozenset[str]) -> None:
        super().__init__(tree, heirs, stored)
        self._handed_to: dict[Slot, PointsToSet] = {}
        self._fixtures: dict[str, dict[str, str]] = {}

    def _param(self, path: str, value: Param) -> PointsToSet:
        found = super()._param(path, value)
        if value.name.startswith("*") or self.tree.family(path) or not self.tree.is_test(path):
            return found
        key = path, value.scope, value.name
        known = self._handed_to.get(key)
        if known is None:
            fixture = self.fixture(*key)
            known = self._handed_to[key] = self.flow.new_set() if fixture is not None else found
            if fixture is not None:  # what it gives may depend on what it is handed itself
                self.flow.add_subset(found, known)
                self.flow.add_subset(self._fixture_result(fixture), known)
        return known

    def _fixture_result(self, fixture: AbstractValue) -> PointsToSet:
        given = self.returns(fixture.path, fixture.scope)
        returned = self.tree.facts(fixture.path).returns.get(fixture.scope, ())
        is_yielded = any(
            isinstance(one, Container) and one.scope == f"{fixture.scope}{SCOPE}<yield>" for one in returned
        )
        return self.element(given, "*") if is_yielded else given

    def fixture(self, path: str, scope: str, name: str) -> AbstractValue | None:
        """The nearest of a name: of the classes around, the file, the folders above; but not the one that asks."""
        if self.tree.facts(path).kinds.get(scope) in CLASSES:
            scope = f"{scope}{SCOPE}test"  # what a class asks for is for each of its tests
        holder, _, own = scope.rpartition(SCOPE)
        if (not own.startswith("test") and scope not in self._of(path).values()) or self._is_given(path, scope, name):
            return None
        if holder and self.tree.facts(path).kinds.get(holder) not in CLASSES:
            return None  # a function inside of another is called by that
        for at, holder in self._around(path, scope):
            found = self._of(at).get(f"{holder}{SCOPE}{name}" if holder else name)
            if found is not None and (at, found) != (path, scope):
                return self.thing(value_kinds.FUNCTION, at, found)
            if not holder and (imported := self._imported_fixture(at, name)):
                return imported
        return None

    def _is_given(self, path: str, scope: str, name: str) -> bool:
        """Whether `parametrize` provides a parameter instead of a fixture."""
        marks = self.tree.facts(path).decorators
        told = [_GIVEN.match(mark) for of in (scope, scope.rpartition(SCOPE)[0]) for mark in marks.get(of, ())]
        return any(one is not None and name in re.findall(r"\w+", one[1]) for one in told)

    def _around(self, path: str, scope: str) -> Iterator[tuple[str, str]]:
        """Where fixtures are looked for: files, and classes of them."""
        holder = scope.rpartition(SCOPE)[0]
        if holder:
            for upper in self.tree.order(self.thing(value_kinds.CLASS, path, holder)):
                if upper.kind == value_kinds.CLASS:
                    yield upper.path, upper.scope
        yield path, ""
        while path := self.tree.world.above(path, _ABOVE):
            yield path, ""
            path = path.rpartition("/")[0]

    def _imported_fixture(self, path: str, name: str) -> AbstractValue | None:
        if name not in self.tree.scope_bindings(path, ""):
            return None
        named = [one for one in self.tree.static(path, ScopedName("", name)) if one.kind == value_kinds.FUNCTION]
        is_one = len(named) == 1 and named[0].path != path and named[0].scope in self._of(named[0].path).values()
        return named[0] if is_one else None

    def _of(self, path: str) -> dict[str, str]:
        """The fixtures of a file, by the names that they go by: which function each is."""
        found = self._fixtures.get(path)
        if found is None:
            found = self._fixtures[path] = {}
            for scope, marks in self.tree.facts(path).decorators.items():
                for mark in marks:
                    if is_one := _FIXTURE.match(mark):
                        holder, _, own = scope.rpartition(SCOPE)
                        name = _name_of(mark[is_one.end() :]) or own
                        found[f"{holder}{SCOPE}{name}" if holder else name] = scope
        return found


def _name_of(given: str) -> str:
    """The name of a fixture from the arguments of its mark."""
    while (less := _INNER.sub("", given)) != given:
        given = less
    named = _NAME.search(given)
    return named[1] if named else ""
