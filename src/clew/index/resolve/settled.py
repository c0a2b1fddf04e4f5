"""What the files of a tree pass to each other, settled over all of them, and what else only all of them tell."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from clew.index.facts import Facts
from clew.index.modules import World
from clew.index.resolve.calling import Calling
from clew.index.resolve.things import Sort, Things
from clew.index.resolve.tree import Tree
from clew.index.resolve.values import Slot
from clew.model.code import SCOPE, symbol_id
from clew.model.words import Kind

MOST_PASSED = 32  # things in one parameter, member or element; one with more may be anything, and says nothing
MOST_NAMESAKES = 5  # methods of one name that a call with an unknown receiver may mean

Passed = tuple[int, str, str, str]  # a thing: sort, path, scope, view
_CLASSES = frozenset({Kind.CLASS.value, Kind.INTERFACE.value})


class Settled(Struct, frozen=True, array_like=True):
    """`passed` is by path, scope and name; heirs by the id of what they inherit from, all the way down."""

    passed: dict[str, dict[str, dict[str, tuple[Passed, ...]]]]
    heirs: dict[str, tuple[str, ...]]
    methods: dict[str, tuple[str, ...]]


def settle(world: World, facts: Callable[[str], Facts], languages: Mapping[str, str], paths: Iterable[str]) -> Settled:
    """The least that satisfies all calls at once. What grows too large is set aside, and all begins anew without it."""
    tree = Tree(world, facts, languages, Things())
    every = sorted(paths)
    heirs = _heirs(tree, every)
    unknown: frozenset[Slot] = frozenset()
    while True:
        calling = Calling(tree, heirs, unknown)
        for path in every:
            calling.connect(path)
        calling.flow.run()
        large = {slot for slot, var in calling.slots() if len(var.things) > MOST_PASSED}
        if not large:
            return Settled(_passed(calling), heirs, _methods(tree, every))
        unknown |= large


def _passed(calling: Calling) -> dict[str, dict[str, dict[str, tuple[Passed, ...]]]]:
    found: dict[str, dict[str, dict[str, tuple[Passed, ...]]]] = {}
    for (path, scope, name), var in calling.slots():
        if var.things:
            things = sorted((int(one.sort), one.path, one.scope, one.view) for one in var.things)
            found.setdefault(path, {}).setdefault(scope, {})[name] = tuple(things)
    return found


def _heirs(tree: Tree, paths: list[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        for scope, kind in tree.facts(path).kinds.items():
            if kind in _CLASSES:
                one = tree.things.thing(Sort.CLASS, path, scope)
                for upper in tree.order(one)[1:]:
                    if upper.sort is Sort.CLASS:
                        found[upper.id].append(one.id)
    return {upper: tuple(sorted(heirs)) for upper, heirs in found.items()}


def _methods(tree: Tree, paths: list[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        for scope, kind in tree.facts(path).kinds.items():
            if kind == Kind.METHOD.value and "#" not in scope:
                found[scope.rpartition(SCOPE)[2]].append(symbol_id(path, scope))
    return {name: tuple(sorted(ids)) for name, ids in found.items() if len(ids) <= MOST_NAMESAKES}
