"""Summaries of functions: returned parameters, which are resolved per call site, and all other results."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from clew.index.facts import CallFact, CallResult, Container, Param, ScopedName, Value, Values
from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue
from clew.index.resolve.evaluator_part import EvaluationContext, EvaluatorPart
from clew.index.resolve.recorded_facts import fixtures_of
from clew.index.resolve.solver import PointsToSet
from clew.index.resolve.source_index import CLASSES
from clew.index.resolve.value_sets import FUNCTIONS, Site, Slot
from clew.model.code import SCOPE

# Fixtures that pytest passes to a test by parameter name: the values that they return or yield.

_ABOVE = "conftest.py"  # what tests of a folder, and of those below it, share
_GIVEN = re.compile(r"(?:\w+\.)*parametrize\s*\(\s*((?:[\"'][^\"']*[\"']|[\[(][^\])]*))")


class Fixtures(EvaluatorPart):
    def __init__(self, context: EvaluationContext) -> None:
        super().__init__(context)
        self._handed_to: dict[Slot, PointsToSet] = {}
        self._fixtures: dict[str, Mapping[str, str]] = {}

    def parameter(self, path: str, value: Param) -> PointsToSet:
        found = self.sets.parameter(path, value)
        if value.name.startswith("*") or self.tree.is_declarative(path) or not self.tree.is_test(path):
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
        given = self.summaries.returns(fixture.path, fixture.scope)
        returned = self.tree.facts(fixture.path).returns.get(fixture.scope, ())
        is_yielded = any(
            isinstance(one, Container) and one.scope == f"{fixture.scope}{SCOPE}<yield>" for one in returned
        )
        return self.containers.element(given, "*") if is_yielded else given

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

    def _of(self, path: str) -> Mapping[str, str]:
        """The fixtures of a file, by the names that they go by: which function each is."""
        found = self._fixtures.get(path)
        if found is None:
            found = self._fixtures[path] = fixtures_of(self.tree.facts(path))
        return found


MOST_HANDS = 3  # that a parameter is handed back through, one function's to the next


class ParameterShape(NamedTuple):
    """The parameters of a function: all names, those by position, and the variadic ones."""

    names: tuple[str, ...]
    places: list[str]
    rest: str | None
    keyed: str | None


class ReturnSummary(NamedTuple):
    """The results of a function: parameters, own values, and results of calls with its parameters."""

    own: tuple[str, ...]
    others: tuple[Value, ...]
    through: tuple[tuple[AbstractValue, tuple[str, ...]], ...]


class ReturnSummaries(EvaluatorPart):
    def __init__(self, context: EvaluationContext) -> None:
        super().__init__(context)
        self._split: dict[tuple[str, str], tuple[tuple[str, ...], PointsToSet]] = {}
        self._handed: dict[tuple[str, str, int], ReturnSummary] = {}
        self._returns: dict[tuple[str, str], PointsToSet] = {}
        self._shapes: dict[AbstractValue, ParameterShape] = {}

    def shape_of(self, function: AbstractValue) -> ParameterShape:
        found = self._shapes.get(function)
        if found is None:
            names = self.tree.facts(function.path).params.get(function.scope, ())
            rest = next((name for name in names if name.startswith("*") and name[1:2] not in ("", "*")), None)
            keyed = next((name for name in names if name.startswith("**")), None)
            found = self._shapes[function] = ParameterShape(names, _places(names), rest, keyed)
        return found

    def returns(self, path: str, scope: str) -> PointsToSet:
        """All possible results of a function for any caller."""
        own, others = self.return_summary(path, scope)
        if not own:
            return others
        found = self._returns.get((path, scope))
        if found is None:
            found = self._returns[path, scope] = self.flow.new_set()
            for source in (others, *(self.fixtures.parameter(path, Param(scope, name)) for name in own)):
                self.flow.add_subset(source, found)
        return found

    def return_summary(self, path: str, scope: str) -> tuple[tuple[str, ...], PointsToSet]:
        """The parameters that a function hands back, which each caller knows by itself, and all else it returns."""
        found = self._split.get((path, scope))
        if found is None:
            handed = self._hands_back(path, scope, MOST_HANDS)
            union = self.flow.new_set()
            found = self._split[path, scope] = handed.own, union
            sources = [self.sets.value(path, value) for value in handed.others]
            if self.tree.makes_objects(path, scope):
                sources.append(self.flow.constant(self.thing(value_kinds.OBJECT, path, scope)))
            for function, own in handed.through:
                whole, others = self.return_summary(function.path, function.scope)
                sources += [
                    others,
                    *(self.sets.slot((function.path, function.scope, n)) for n in whole if n not in own),
                ]
            if len(sources) == 1 and sources[0].fixed is not None and not handed.own:
                found = self._split[path, scope] = (), sources[0]
            for source in sources:
                self.flow.add_subset(source, union)
        return found

    def _hands_back(self, path: str, scope: str, hands: int) -> ReturnSummary:
        """The parameters that a function returns itself or by calls, up to a depth."""
        found = self._handed.get((path, scope, hands))
        if found is None:
            facts = self.tree.facts(path)
            own: dict[str, None] = {}
            others: dict[Value, None] = {}
            through: dict[tuple[AbstractValue, tuple[str, ...]], None] = {}
            todo, seen = list(facts.returns.get(scope, ())), set[Value]()
            while todo:
                value = todo.pop()
                if value in seen:
                    continue
                seen.add(value)
                if isinstance(value, Param) and value.scope == scope and not value.name.startswith("*"):
                    own[value.name] = None
                elif isinstance(value, ScopedName) and value.scope == scope:
                    todo += facts.names.get(scope, {}).get(value.name, ())
                elif isinstance(value, CallResult) and hands and (by := self._forwarding_function(path, value, hands)):
                    through[by] = None
                    todo += self._passed_on(facts.calls[value.call], *by)
                else:
                    others[value] = None
            found = self._handed[path, scope, hands] = ReturnSummary(tuple(sorted(own)), tuple(others), tuple(through))
        return found

    def _passed_on(self, call: CallFact, function: AbstractValue, names: tuple[str, ...]) -> list[Value]:
        return [value for name in names for values in self._written_for(call, function, name) for value in values]

    def _forwarding_function(
        self, path: str, of: CallResult, hands: int
    ) -> tuple[AbstractValue, tuple[str, ...]] | None:
        """The single callee of a call by its name, if it returns parameters, and which ones."""
        call = self.tree.facts(path).calls[of.call]
        if not (call.args or call.keywords) or "*" in call.keywords or "**" in call.keywords:
            return None
        named = {thing for value in call.callee for thing in self.tree.static(path, value)}
        if len(named) != 1 or (function := named.pop()).kind not in FUNCTIONS:
            return None
        own = self._hands_back(function.path, function.scope, hands - 1).own
        return (function, own) if own else None

    def arguments_for(self, site: Site, function: AbstractValue, name: str) -> Iterator[PointsToSet]:
        """The argument of a call for one parameter."""
        path, call = site.path, site.call
        for values in self._written_for(call, function, name):
            yield self.sets.values(path, values)
        place = self._place(function, name)
        if place >= len(call.args) and "*" in call.keywords:
            yield self.containers.element(self.sets.values(path, call.keywords["*"]), str(place - len(call.args)))
        if "**" in call.keywords:
            yield self.containers.element(self.sets.values(path, call.keywords["**"]), name)

    def _written_for(self, call: CallFact, function: AbstractValue, name: str) -> Iterator[Values]:
        place = self._place(function, name)
        if 0 <= place < len(call.args):
            yield call.args[place]
        if name in call.keywords:
            yield call.keywords[name]

    def _place(self, function: AbstractValue, name: str) -> int:
        """Of a parameter among the arguments of a call; below zero if it has none."""
        places = self.shape_of(function).places
        return places.index(name) - (function.kind == value_kinds.METHOD) if name in places else -1


def _places(names: tuple[str, ...]) -> list[str]:
    """The parameters that are passed by place."""
    places: list[str] = []
    for name in names:
        if name.startswith("*"):
            break
        places.append(name)
    return places
