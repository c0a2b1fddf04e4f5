"""Member references without a call: their definitions, by the values of their owners."""

from collections.abc import Iterable, Iterator, Sequence

from clew.index.extract.scope_map import inside
from clew.index.facts import METHOD, Def, MemberReference
from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue
from clew.index.resolve.evaluator import Evaluator
from clew.index.resolve.global_summary import GlobalSummary, namesake
from clew.index.resolve.program import Program
from clew.index.resolve.recorded_inputs import as_set
from clew.index.resolve.solver import MOST_TARGETS, PointsToSet
from clew.index.resolve.source_index import Part
from clew.model.code import SCOPE, symbol_id
from clew.model.words import Kind

# The part of a class, or of its next base class, that has a member: bound values, and bare symbols.


def parts_with_member(tree: Program, order: Iterable[AbstractValue], name: str) -> Sequence[Part]:
    """The parts of the nearest of some classes that have it; a constant of PHP is bound to nothing."""
    for upper in order:
        if upper.kind == value_kinds.CLASS and (
            found := tree.binding_parts(upper, name) or _symbols(tree, upper, name)
        ):
            return found
    return ()


def _symbols(tree: Program, one: AbstractValue, name: str) -> list[Part]:
    if not tree.is_declarative(one.path):
        return []
    return [(path, scope) for path, scope in tree.parts(one) if inside(scope, name) in tree.facts(path).kinds]


_HAVING = frozenset({value_kinds.OBJECT, value_kinds.CLASS, value_kinds.PARENT})
_METHODS = frozenset({Kind.FUNCTION.value, Kind.METHOD.value})


Reference = tuple[str, str, int, float]  # scope, target, line, confidence


class MemberReferenceResolver:
    def __init__(self, calling: Evaluator, settled: GlobalSummary) -> None:
        self._calling = calling
        self._methods = settled.methods
        self._members = as_set(settled.members)
        self._known: dict[tuple[AbstractValue, str, bool], tuple[str, ...]] = {}

    def end(self) -> None:
        vars(self).clear()

    def ask(self, path: str) -> list[tuple[str, MemberReference, PointsToSet]]:
        """Request the owners of a file's member references, if any class has such a member."""
        tree, values, members, methods = self._calling.tree, self._calling.sets.values, self._members, self._methods
        asked = []
        family = tree.family(path)
        for scope, some in tree.facts(path).refers.items():
            for one in some:
                name = one.name.removesuffix(METHOD)
                if name in members or namesake(family, name) in methods or not one.of:
                    asked.append((scope, one, values(path, one.of)))
        return asked

    def tell(self, path: str, asked: list[tuple[str, MemberReference, PointsToSet]]) -> Iterator[Reference]:
        """The definitions, each with its share; none for unknown or too many owners."""
        is_apart = self._calling.tree.rules(path).reads_are_fields
        for scope, one, of in asked:
            if not one.of and (fixture := self._calling.fixtures.fixture(path, scope, one.name)):
                yield scope, fixture.id, one.line, 1.0
            elif of.things and len(of.things) <= MOST_TARGETS:
                for target, sure in self._shares(of, one.name, is_apart):
                    yield scope, target, one.line, sure

    def _shares(self, of: PointsToSet, name: str, is_apart: bool) -> Iterator[tuple[str, float]]:
        groups = {group for thing in of.things if (group := self._defining_members(thing, name, is_apart))}
        ways = len(groups) + any(thing.kind == value_kinds.OUTSIDE for thing in of.things)
        for group in sorted(groups):
            yield from ((target, 1 / (ways * len(group))) for target in group)

    def _defining_members(self, thing: AbstractValue, name: str, is_apart: bool) -> tuple[str, ...]:
        key = thing, name, is_apart
        found = self._known.get(key)
        if found is None:
            places = self._find(thing, name.removesuffix(METHOD)) if thing.kind in _HAVING else []
            fitting = [one for one in places if not is_apart or self._is_method(*one) == name.endswith(METHOD)]
            found = self._known[key] = tuple(symbol_id(*one) for one in fitting)
        return found

    def _is_method(self, path: str, scope: str) -> bool:
        return self._calling.tree.facts(path).kinds[scope] in _METHODS

    def _find(self, thing: AbstractValue, name: str) -> list[Part]:
        """In the nearest class that has it; bindings without a definition have no symbol."""
        tree = self._calling.tree
        order = tree.order(tree.home(thing.path, thing.scope))[thing.kind == value_kinds.PARENT :]
        return [one for part in parts_with_member(tree, order, name) for one in self._at(*part, name)]

    def _at(self, path: str, scope: str, name: str) -> list[Part]:
        facts, whole = self._calling.tree.facts(path), inside(scope, name)
        values = facts.names.get(scope, {}).get(name, ())
        scopes = [one.scope for one in values if isinstance(one, Def) and _is_of(one.scope, scope)]
        return [(path, one) for one in scopes or [whole] if one in facts.kinds]


def _is_of(own: str, holder: str) -> bool:
    return own.rpartition(SCOPE)[0] == holder
