"""What `Card(1)` calls in Scala, and what a name without brackets does."""

from clew.index.resolve import sorts
from clew.index.resolve.calling import Calling
from clew.index.resolve.companions import is_case, is_single
from clew.index.resolve.names import CALL, FUNCTIONS
from clew.index.resolve.overloads import Passed, taking
from clew.index.resolve.things import Thing
from clew.index.resolve.tree import Tree

APPLY = f"apply{CALL}"


def applied(calling: Calling, called: frozenset[Thing], given: Passed) -> frozenset[Thing]:
    """Of a class and the object beside it, what is meant: `new` makes the class, a call is one of the object's `apply`,
    of which a case class brings its own.
    """
    singles = frozenset(one for one in called if is_single(calling.tree, one))
    if not singles:
        return called
    others = called - singles
    if given.makes:
        return others or called
    entered = {each for one in singles for each in calling.member_of(one, APPLY).things if each.sort in FUNCTIONS}
    if not entered:
        return others or called
    kept = {one for one in others if one.sort != sorts.CLASS or is_case(calling.tree, one)}
    return frozenset(taking(calling.tree, sorted(entered | kept, key=lambda one: one.id), given))


def without_brackets(tree: Tree, things: frozenset[Thing]) -> frozenset[Thing]:
    """Methods alone: to read a field calls nothing, and one that takes something is handed on."""
    return frozenset(one for one in things if one.sort in FUNCTIONS and not tree.facts(one.path).params.get(one.scope))
