"""Definitions of one name in one place: those that take as many arguments as a call passes."""

from collections import defaultdict
from collections.abc import Collection, Iterable

from clew.index.facts import MANY
from clew.index.resolve.families import OVERLOADING
from clew.index.resolve.things import Sort, Thing
from clew.index.resolve.tree import Tree
from clew.model.words import Kind

MOST_MERGED = 4  # declarations of one name among which a class is looked for


def fitting(tree: Tree, things: Collection[Thing], count: int) -> Collection[Thing]:
    """All that can be called, but of overloads only those that fit best; `count` is -1 where it is not known what is
    passed.
    """
    if any(_is_but_a_type(tree, thing) for thing in things):
        things = [thing for thing in things if not _is_but_a_type(tree, thing)]
    if count < 0 or len(things) < 2:
        return things
    groups: dict[tuple[str, str], list[Thing]] = defaultdict(list)
    for thing in things:
        is_one_of_many = thing.sort in (Sort.FUNCTION, Sort.METHOD) and tree.family(thing.path) in OVERLOADING
        groups[thing.path, thing.scope.partition("#")[0] if is_one_of_many else repr(thing)].append(thing)
    return [thing for group in groups.values() for thing in (_best(tree, group, count) if len(group) > 1 else group)]


def _is_but_a_type(tree: Tree, thing: Thing) -> bool:
    """Whether it is an interface of TypeScript, and no class of the same name is written besides."""
    if thing.sort is not Sort.CLASS or tree.family(thing.path) != "ecma":
        return False
    kinds = tree.facts(thing.path).kinds
    if kinds.get(thing.scope) != Kind.INTERFACE.value:
        return False
    return not any(kinds.get(f"{thing.scope}#{number}") == Kind.CLASS.value for number in range(2, MOST_MERGED + 1))


def constructing(tree: Tree, one: Thing, made: Collection[Thing], count: int) -> Collection[Thing]:
    """The constructors that a call of a class enters; none where what stands in the head of the class fits."""
    if count < 0 or tree.family(one.path) not in OVERLOADING:
        return made
    head = tree.facts(one.path).params.get(one.scope)
    if head is not None and _takes(head, count):
        return ()
    return fitting(tree, made, count)


def _best(tree: Tree, group: Iterable[Thing], count: int) -> list[Thing]:
    """As many parameters as are passed, or a last one that takes many; else more, of which some may have defaults."""
    taken = [(thing, tree.facts(thing.path).params.get(thing.scope, ())) for thing in group]
    for fits in (_takes, _may_take):
        if best := [thing for thing, params in taken if fits(params, count)]:
            return best
    return [thing for thing, _ in taken]


def _takes(params: tuple[str, ...], count: int) -> bool:
    return len(params) == count if params[-1:] != (MANY,) else len(params) - 2 <= count


def _may_take(params: tuple[str, ...], count: int) -> bool:
    return len(params) > count
