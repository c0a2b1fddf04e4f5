"""Definitions of one name in one place: those that take what a call passes, by number and types."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import NamedTuple

from clew.index.facts import MANY, Called, Typed
from clew.index.resolve import sorts
from clew.index.resolve.families import OVERLOADING
from clew.index.resolve.fits import may_be, type_of
from clew.index.resolve.things import Thing
from clew.index.resolve.tree import Tree
from clew.model.words import Kind

MOST_MERGED = 4  # declarations of one name among which a class is looked for


class Passed(NamedTuple):
    """How many arguments a call passes (-1 where it is not known), and of which types, seen from its file."""

    number: int
    path: str = ""
    types: tuple[Typed, ...] = ()


_NOT_KNOWN = Passed(-1)


def passed(path: str, call: Called) -> Passed:
    if call.types:
        return Passed(call.count, path, call.types)
    return Passed(call.count) if call.count >= 0 else _NOT_KNOWN


def fitting(tree: Tree, things: Collection[Thing], passed: Passed) -> Collection[Thing]:
    """All that can be called, but of overloads only those that fit best."""
    if any(_is_but_a_type(tree, thing) for thing in things):
        things = [thing for thing in things if not _is_but_a_type(tree, thing)]
    if passed.number < 0 or len(things) < 2:
        return things
    groups: dict[tuple[str, str], list[Thing]] = defaultdict(list)
    for thing in things:
        is_one_of_many = thing.sort in (sorts.FUNCTION, sorts.METHOD) and tree.family(thing.path) in OVERLOADING
        groups[thing.path, thing.scope.partition("#")[0] if is_one_of_many else repr(thing)].append(thing)
    return [thing for group in groups.values() for thing in (_best(tree, group, passed) if len(group) > 1 else group)]


def _is_but_a_type(tree: Tree, thing: Thing) -> bool:
    """Whether it is an interface of TypeScript, and no class of the same name is written besides."""
    if thing.sort != sorts.CLASS or tree.family(thing.path) != "ecma":
        return False
    kinds = tree.facts(thing.path).kinds
    if kinds.get(thing.scope) != Kind.INTERFACE.value:
        return False
    return not any(kinds.get(f"{thing.scope}#{number}") == Kind.CLASS.value for number in range(2, MOST_MERGED + 1))


def constructing(tree: Tree, one: Thing, made: Collection[Thing], passed: Passed) -> Collection[Thing]:
    """The constructors that a call of a class enters; none where what stands in the head of the class fits."""
    if passed.number < 0 or tree.family(one.path) not in OVERLOADING:
        return made
    head = tree.facts(one.path).params.get(one.scope)
    if head is not None and _takes(head, passed.number):
        return ()
    return fitting(tree, made, passed)


def _best(tree: Tree, group: Iterable[Thing], passed: Passed) -> list[Thing]:
    """As many parameters as are passed, or a last one that takes many; else more, of which some may have defaults."""
    taken = [(thing, tree.facts(thing.path).params.get(thing.scope, ())) for thing in group]
    for fits in (_takes, _may_take):
        if best := [thing for thing, params in taken if fits(params, passed.number)]:
            return _by_types(tree, best, passed) if passed.types and len(best) > 1 else best
    return [thing for thing, _ in taken]


def _by_types(tree: Tree, group: list[Thing], passed: Passed) -> list[Thing]:
    """Without those that take something else for sure; where all types are known, those that take just these."""
    given = [type_of(tree, passed.path, one) for one in passed.types]
    taken = []
    for thing in group:
        told = tree.facts(thing.path).takes.get(thing.scope, ())
        wanted = [type_of(tree, thing.path, one) for one in told]
        if all(may_be(tree, one, other) for one, other in zip(given, wanted, strict=False)):
            taken.append((thing, wanted))
    exact = [thing for thing, wanted in taken if wanted == given and None not in given]
    return exact or [thing for thing, _ in taken] or group


def _takes(params: tuple[str, ...], count: int) -> bool:
    return len(params) == count if params[-1:] != (MANY,) else len(params) - 2 <= count


def _may_take(params: tuple[str, ...], count: int) -> bool:
    return len(params) > count
