"""What `Card(1)` calls in Scala, and what a name without brackets does."""

from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue
from clew.index.resolve.evaluator import Evaluator
from clew.index.resolve.overloads import PassedArguments, select_accepting
from clew.index.resolve.program import Program
from clew.index.resolve.scala_objects import is_case, is_single
from clew.index.resolve.value_sets import CALL, FUNCTIONS

APPLY = f"apply{CALL}"


def select_class_or_apply(
    calling: Evaluator, called: frozenset[AbstractValue], given: PassedArguments
) -> frozenset[AbstractValue]:
    """Of a class and the object beside it, what is meant: `new` makes the class, a call is one of the object's `apply`,
    of which a case class brings its own.
    """
    singles = frozenset(one for one in called if is_single(calling.tree, one))
    if not singles:
        return called
    others = called - singles
    if given.makes:
        return others or called
    entered = {each for one in singles for each in calling.member_of(one, APPLY).things if each.kind in FUNCTIONS}
    if not entered:
        return others or called
    kept = {one for one in others if one.kind != value_kinds.CLASS or is_case(calling.tree, one)}
    return frozenset(select_accepting(calling.tree, sorted(entered | kept, key=lambda one: one.id), given))


def methods_only(tree: Program, things: frozenset[AbstractValue]) -> frozenset[AbstractValue]:
    """Methods alone: to read a field calls nothing, and one that takes something is handed on."""
    return frozenset(one for one in things if one.kind in FUNCTIONS and not tree.facts(one.path).params.get(one.scope))
