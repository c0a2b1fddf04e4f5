"""Summaries of functions: returned parameters, which are resolved per call site, and all other results."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from clew.index.facts import CallFact, CallResult, Param, ScopedName, Value, Values
from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue
from clew.index.resolve.fixtures import Fixtures
from clew.index.resolve.program import Program
from clew.index.resolve.solver import PointsToSet
from clew.index.resolve.value_sets import FUNCTIONS, Site

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


class ReturnSummaries(Fixtures):
    def __init__(self, tree: Program, heirs: Mapping[str, tuple[str, ...]], stored: frozenset[str]) -> None:
        super().__init__(tree, heirs, stored)
        self._split: dict[tuple[str, str], tuple[tuple[str, ...], PointsToSet]] = {}
        self._handed: dict[tuple[str, str, int], ReturnSummary] = {}
        self._returns: dict[tuple[str, str], PointsToSet] = {}
        self._shapes: dict[AbstractValue, ParameterShape] = {}

    def _shape(self, function: AbstractValue) -> ParameterShape:
        found = self._shapes.get(function)
        if found is None:
            names = self.tree.facts(function.path).params.get(function.scope, ())
            rest = next((name for name in names if name.startswith("*") and name[1:2] not in ("", "*")), None)
            keyed = next((name for name in names if name.startswith("**")), None)
            found = self._shapes[function] = ParameterShape(names, _places(names), rest, keyed)
        return found

    def returns(self, path: str, scope: str) -> PointsToSet:
        """All possible results of a function for any caller."""
        own, others = self._return_summary(path, scope)
        if not own:
            return others
        found = self._returns.get((path, scope))
        if found is None:
            found = self._returns[path, scope] = self.flow.new_set()
            for source in (others, *(self._param(path, Param(scope, name)) for name in own)):
                self.flow.add_subset(source, found)
        return found

    def _return_summary(self, path: str, scope: str) -> tuple[tuple[str, ...], PointsToSet]:
        """The parameters that a function hands back, which each caller knows by itself, and all else it returns."""
        found = self._split.get((path, scope))
        if found is None:
            handed = self._hands_back(path, scope, MOST_HANDS)
            union = self.flow.new_set()
            found = self._split[path, scope] = handed.own, union
            sources = [self.value(path, value) for value in handed.others]
            if self.tree.makes_objects(path, scope):
                sources.append(self.flow.constant(self.thing(value_kinds.OBJECT, path, scope)))
            for function, own in handed.through:
                whole, others = self._return_summary(function.path, function.scope)
                sources += [others, *(self.slot((function.path, function.scope, n)) for n in whole if n not in own)]
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

    def _argument_for(self, site: Site, function: AbstractValue, name: str) -> Iterator[PointsToSet]:
        """The argument of a call for one parameter."""
        path, call = site.path, site.call
        for values in self._written_for(call, function, name):
            yield self.values(path, values)
        place = self._place(function, name)
        if place >= len(call.args) and "*" in call.keywords:
            yield self.element(self.values(path, call.keywords["*"]), str(place - len(call.args)))
        if "**" in call.keywords:
            yield self.element(self.values(path, call.keywords["**"]), name)

    def _written_for(self, call: CallFact, function: AbstractValue, name: str) -> Iterator[Values]:
        place = self._place(function, name)
        if 0 <= place < len(call.args):
            yield call.args[place]
        if name in call.keywords:
            yield call.keywords[name]

    def _place(self, function: AbstractValue, name: str) -> int:
        """Of a parameter among the arguments of a call; below zero if it has none."""
        places = self._shape(function).places
        return places.index(name) - (function.kind == value_kinds.METHOD) if name in places else -1


def _places(names: tuple[str, ...]) -> list[str]:
    """The parameters that are passed by place."""
    places: list[str] = []
    for name in names:
        if name.startswith("*"):
            break
        places.append(name)
    return places
