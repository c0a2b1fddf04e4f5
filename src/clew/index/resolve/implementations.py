"""Implementations that may run when a declared method is called."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from clew.index.facts import Def
from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue
from clew.index.resolve.program import Program
from clew.model.code import SCOPE, split_id, symbol_id
from clew.model.words import Kind

MOST_IMPLEMENTING = 8  # of one method that are told; with more, it may be any


def structural_implementations(tree: Program, paths: Iterable[str]) -> dict[str, list[str]]:
    """Types that implement an interface by having all of its methods: by interface, their ids."""
    having: dict[str, set[AbstractValue]] = defaultdict(set)
    wanted: dict[AbstractValue, frozenset[str]] = {}
    for path in paths:
        if not tree.rules(path).structural_interfaces:
            continue
        for scope, kind in tree.facts(path).kinds.items():
            one = tree.things.thing(value_kinds.CLASS, path, scope)
            if kind == Kind.INTERFACE.value:
                wanted[one] = _methods(tree, one)
            elif kind == Kind.CLASS.value:
                for name in _methods(tree, one):
                    having[name].add(one)
    found = {one: set.intersection(*(having[name] for name in names)) for one, names in wanted.items() if names}
    return {one.id: sorted(below.id for below in types) for one, types in found.items() if types}


def _methods(tree: Program, one: AbstractValue) -> frozenset[str]:
    found: set[str] = set()
    for upper in tree.order(one):
        for path, scope in tree.parts(upper) if upper.kind == value_kinds.CLASS else ():
            for name, values in tree.scope_bindings(path, scope).items():
                if any(isinstance(value, Def) for value in values):
                    found.add(name)
    return frozenset(found)


def implementations(tree: Program, heirs: Mapping[str, tuple[str, ...]], method: AbstractValue) -> list[str]:
    """The ids of a declared method's implementations; none if there are too many."""
    facts = tree.facts(method.path)
    if method.scope not in facts.declared:
        return []
    holder, _, name = method.scope.partition("#")[0].rpartition(SCOPE)
    found: dict[str, None] = {}
    seen_by = method.provenance.interface
    for heir in heirs.get(seen_by or tree.home(method.path, holder).id, ()):
        one = tree.things.thing(value_kinds.CLASS, *split_id(heir))
        parts = [(path, scope) for path, scope, _ in tree.members(one, name)] if seen_by else tree.parts(one)
        for part in parts:
            values = tree.scope_bindings(*part).get(name, ())
            found |= {symbol_id(part[0], value.scope): None for value in values if isinstance(value, Def)}
    found |= dict.fromkeys(tree.rules(method.path).platform_implementations(tree, method))
    found.pop(method.id, None)
    return sorted(found) if len(found) <= MOST_IMPLEMENTING else []


def has_definition(tree: Program, path: str, scope: str) -> bool:
    facts = tree.facts(path)
    return scope in facts.kinds and scope not in facts.declared
