"""The part of a class, or of its next base class, that has a member: bound values, and bare symbols."""

from collections.abc import Iterable, Sequence

from clew.index.extract.scope_map import inside
from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue
from clew.index.resolve.part_index import Part
from clew.index.resolve.program import Program


def parts_with_member(tree: Program, order: Iterable[AbstractValue], name: str) -> Sequence[Part]:
    """The parts of the nearest of some classes that have it; a constant of PHP is bound to nothing."""
    for upper in order:
        if upper.kind == value_kinds.CLASS and (
            found := tree.binding_parts(upper, name) or _symbols(tree, upper, name)
        ):
            return found
    return ()


def _symbols(tree: Program, one: AbstractValue, name: str) -> list[Part]:
    if not tree.family(one.path):
        return []
    return [(path, scope) for path, scope in tree.parts(one) if inside(scope, name) in tree.facts(path).kinds]
