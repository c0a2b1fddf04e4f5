"""The summary of the whole tree: passed values, and other facts that need all files together."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from msgspec import Struct, structs

from clew.index.facts import Facts
from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue
from clew.index.resolve.evaluator import Evaluator
from clew.index.resolve.implementations import structural_implementations
from clew.index.resolve.members import is_property
from clew.index.resolve.program import Program
from clew.index.resolve.solver import MOST_PASSED, constants_given, is_crowded
from clew.index.resolve.value_sets import AllPassed, Slot
from clew.model.code import SCOPE, split_id, symbol_id, without_numbers
from clew.model.words import Kind

MOST_HEIRS = 40  # of a class that are looked at for what it does not have itself
MOST_NAMESAKES = 5  # methods of one name that a call with an unknown receiver may mean

_CLASSES = frozenset({Kind.CLASS.value, Kind.INTERFACE.value})
_METHOD = Kind.METHOD.value


class Overfull(NamedTuple):
    """A slot that is set aside for the constants alone that it is given: how many, and how many by decorators."""

    slot: Slot
    constants: int
    decorations: int


class GlobalSummary(Struct, frozen=True, array_like=True):
    """`heirs` maps the id of a base class to all of its direct and indirect subclasses, if they are few."""

    passed: AllPassed
    stored: tuple[str, ...]  # the names of members that are put into things from elsewhere
    heirs: dict[str, tuple[str, ...]]
    methods: dict[str, tuple[str, ...]]
    parts: dict[str, tuple[tuple[str, str], ...]]  # of classes, in other files
    common: dict[str, tuple[str, ...]]  # what a whole tree shares by name, where a language does
    members: tuple[str, ...] = ()  # what else goes by its name in classes: properties, fields
    crowded: tuple[Slot, ...] = ()  # parameters of decorators that stand for more than can be told apart
    is_cut: bool = False  # more was passed than there is room for, and none of it is here
    implicit: dict[str, tuple[str, ...]] = {}  # by type, the interfaces of the tree that it implements unsaid
    unsteady: tuple[Slot, ...] = ()  # slots that are set aside, or held more while the solver sought its result
    held: int = -1  # by all sets of the solution together; below zero: not known
    many_heirs: dict[str, int] = {}  # of classes with too many subclasses to list them, how many
    escaped: tuple[str, ...] = ()  # files with values that slots of other files held at any time
    overfull: tuple[Overfull, ...] = ()

    def is_like(self, other: "GlobalSummary") -> bool:
        """Whether files link the same by both: how the solution was found does not matter."""
        return self._without_search() == other._without_search()

    def _without_search(self) -> "GlobalSummary":
        return structs.replace(self, unsteady=(), held=0, many_heirs={}, escaped=(), overfull=())


def passed_values(calling: Evaluator) -> AllPassed:
    found: AllPassed = {}
    for (path, scope, name), var in calling.sets.slots():
        if var.things:
            things = sorted((int(one.kind), one.path, one.scope, one.provenance) for one in var.things)
            found.setdefault(path, {}).setdefault(scope, {})[name] = tuple(things)
    return found


def crowded_slots(calling: Evaluator) -> tuple[Slot, ...]:
    return tuple(sorted(slot for slot in calling.calls.decorated if is_crowded(calling.sets.slot(slot))))


def overfull_slots(calling: Evaluator) -> tuple[Overfull, ...]:
    decorated = calling.calls.decorated
    counted = ((slot, constants_given(var)) for slot, var in calling.sets.slots() if var.is_aside)
    return tuple(
        Overfull(slot, given, len(decorated.get(slot, ()))) for slot, given in sorted(counted) if given > MOST_PASSED
    )


def stored_members(tree: Program, paths: list[str]) -> tuple[str, ...]:
    return tuple(sorted({store.name for path in paths for store in tree.facts(path).stores if not store.item}))


def subclasses(tree: Program, paths: list[str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    below: dict[AbstractValue, set[str]] = defaultdict(set)
    for path in paths:
        for scope, kind in tree.facts(path).kinds.items():
            if kind in _CLASSES and len(order := tree.order(one := tree.home(path, scope))) > 1:
                own = one.id
                for upper in order[1:]:
                    if upper.kind == value_kinds.CLASS:
                        below[upper].add(own)
    for upper, ids in below.items():
        found[upper.id] |= ids
    for path in paths:
        for trait, scope in tree.rules(path).borrowed_interfaces(tree, path):
            found[trait].add(scope)
    for wanted, types in structural_implementations(tree, paths).items():
        found[wanted].update(types)
    return found


def implicit_interfaces(tree: Program, paths: list[str]) -> dict[str, tuple[str, ...]]:
    """By the id of a type, the ids of interfaces that it implements without saying so."""
    found: dict[str, tuple[str, ...]] = {}
    for rules, own in tree.by_language(paths):
        found |= rules.implicit_interfaces(tree, own)
    return found


def with_few_subclasses(heirs: Mapping[str, Collection[str]]) -> dict[str, tuple[str, ...]]:
    return {upper: tuple(sorted(below)) for upper, below in heirs.items() if len(below) <= MOST_HEIRS}


def methods_by_name(
    tree: Program, paths: list[str], heirs: Mapping[str, Collection[str]]
) -> dict[str, tuple[str, ...]]:
    """By name; of an interface method and its implementations, the interface method; of too many, a mark that there
    are some."""
    found: dict[str, list[str]] = defaultdict(list)
    declaring: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        facts, family = tree.facts(path), tree.family(path)
        declared = frozenset(facts.declared)
        for scope, kind in facts.kinds.items():
            if kind == _METHOD and "#" not in scope and not is_property(facts.decorators.get(scope, ())):
                name = namesake(family, scope.rpartition(SCOPE)[2])
                found[name].append(symbol_id(path, scope))
                if scope in declared:
                    declaring[name].append(found[name][-1])
    for name, few_of_them in declaring.items():
        if len(found[name]) > 1 and len(few_of_them) <= MOST_NAMESAKES:
            found[name] = [one for one in few_of_them if _is_of_all(tree, one, found[name], heirs)][:1] or found[name]
    return {name: tuple(sorted(ids)) if len(ids) <= MOST_NAMESAKES else () for name, ids in found.items()}


def _is_of_all(tree: Program, method: str, ids: list[str], heirs: Mapping[str, Collection[str]]) -> bool:
    """Whether all others of its name implement a method, whichever of them is called."""
    path, scope = split_id(method)
    holder = tree.home(path, scope.rpartition(SCOPE)[0]).id
    below = {holder, *heirs.get(holder, ())}
    return all(_is_of(tree, below, *split_id(one)) for one in ids)


def _is_of(tree: Program, classes: Collection[str], path: str, scope: str) -> bool:
    holder = scope.rpartition(SCOPE)[0]
    if symbol_id(path, holder) in classes or tree.home(path, holder).id in classes:
        return True
    above = tree.facts(path).implements.get(holder, ())  # of something outside, too
    return any(one.id in classes for value in above for one in tree.base_values(path, value))


def data_members(tree: Program, paths: list[str]) -> tuple[str, ...]:
    """The names of class members that are no methods."""
    return tuple(sorted({name for path in paths for name in member_names(tree.facts(path))}))


def member_names(facts: Facts) -> Iterator[str]:
    """The names of what is inside of something and is no method."""
    for scope, kind in facts.kinds.items():
        if SCOPE in scope and (kind != _METHOD or "#" in scope or is_property(facts.decorators.get(scope, ()))):
            yield without_numbers(scope).rpartition(SCOPE)[2].lstrip("#")  # `#pay` of JavaScript


def namesake(family: str, name: str) -> str:
    """The key of methods of one name, for callers of one language family."""
    return f"{family} {name}"
