"""Objects that are written as such: alone, or beside a class of their name."""

from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue
from clew.index.resolve.program import Program
from clew.index.resolve.source_index import CLASSES
from clew.languages.libraries import UNIVERSAL
from clew.model.code import SCOPE

SINGLE, CASE = "single", "case"
MOST_BESIDE = 4  # definitions of one name among which a companion is looked for


def is_single(tree: Program, one: AbstractValue) -> bool:
    """Whether it is written as `object`: the one of its class, which nobody makes."""
    return one.kind == value_kinds.CLASS and SINGLE in tree.facts(one.path).decorators.get(one.scope, ())


def is_case(tree: Program, one: AbstractValue) -> bool:
    """Whether a class comes with an `apply` that makes it."""
    return one.kind == value_kinds.CLASS and CASE in tree.facts(one.path).decorators.get(one.scope, ())


def is_but_handed_on(tree: Program, one: AbstractValue) -> bool:
    """Whether an object is not callable: `make(1)(2)` passes two lists to one function, and has its result."""
    if not tree.rules(one.path).passes_results_on or (home := tree.home(one.path, one.scope)).kind != value_kinds.CLASS:
        return False
    above = [upper for upper in tree.order(home) if upper.kind == value_kinds.OUTSIDE and upper.path not in UNIVERSAL]
    return not above and not tree.members(home, "apply")


def is_alone(tree: Program, single: AbstractValue) -> bool:
    """Whether no class stands beside an object, by the same name."""
    marks = tree.facts(single.path).decorators
    return all(SINGLE in marks.get(one, ()) for one in _beside(tree, single))


def has_object(tree: Program, one: AbstractValue) -> bool:
    """Whether a class has an object beside it, which has all that goes by their name."""
    if not tree.rules(one.path).companions:
        return False
    marks = tree.facts(one.path).decorators
    return SINGLE not in marks.get(one.scope, ()) and any(SINGLE in marks.get(o, ()) for o in _beside(tree, one))


def _beside(tree: Program, one: AbstractValue) -> list[str]:
    holder, joint, name = one.scope.rpartition(SCOPE)
    plain = f"{holder}{joint}{name.partition('#')[0]}"
    scopes = [plain, *(f"{plain}#{number}" for number in range(2, MOST_BESIDE + 1))]
    return [scope for scope in scopes if tree.facts(one.path).kinds.get(scope) in CLASSES]
