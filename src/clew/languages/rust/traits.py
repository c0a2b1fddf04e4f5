"""Rust traits that provide methods to external types or to all types: `impl<T> Ext for T`."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from clew.index.facts import Def
from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue
from clew.index.resolve.lent_methods import TO_ALL, TO_FEW
from clew.index.resolve.program import Program
from clew.languages.rust.profile import CONTAINERS, TRANSPARENT
from clew.model.code import SCOPE, symbol_id
from clew.model.words import Kind

FAMILY = "rust"
MOST_LENDING = 5  # traits that have a method of one name; with more, nothing is said
_ALIAS = "Result"  # what crates call so is Rust's own, with their error in it


class ForeignImpl(NamedTuple):
    """An `impl` of a trait for a type outside of the tree."""

    scope: str
    trait: AbstractValue
    is_handed_on: bool  # to what is inside, which has the trait itself: `impl<T: Gate> Gate for Box<T>`


def foreign_impls(tree: Program, path: str) -> Iterator[ForeignImpl]:
    facts = tree.facts(path)
    for scope, values in facts.implements.items():
        home = tree.home(path, scope) if scope not in facts.kinds else None
        is_elsewhere = home is None or (home.kind != value_kinds.OUTSIDE and (home.path, home.scope) != (path, scope))
        if is_elsewhere and (home is not None or scope.rpartition(SCOPE)[2] != _ALIAS):
            continue
        found = dict.fromkeys(thing for value in values for thing in tree.base_values(path, value))
        if traits := [one for one in found if one.kind == value_kinds.CLASS and _is_trait(tree, one)]:
            bounds = [
                one for names in tree.scope_bindings(path, scope).values() for one in names if type(one) is not Def
            ]
            bounding = {thing for bound in bounds for thing in tree.static(path, bound)}
            yield from (ForeignImpl(scope, trait, trait in bounding) for trait in traits)


def _is_trait(tree: Program, one: AbstractValue) -> bool:
    return tree.facts(one.path).kinds.get(one.scope) == Kind.INTERFACE.value


def blanket_traits(tree: Program, paths: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """By method and receiver, the ids of traits. A wrapper stands for its content, and so has the methods of
    wrappers."""
    traits: dict[AbstractValue, str] = {}
    for path in paths:
        for scope, trait, is_handed_on in foreign_impls(tree, path):
            name = scope.rpartition(SCOPE)[2]
            is_any = name in tree.scope_bindings(path, scope) or name in CONTAINERS or name in TRANSPARENT
            if not is_handed_on:
                traits[trait] = TO_ALL if is_any else traits.get(trait, TO_FEW)
    found: dict[str, set[str]] = defaultdict(set)
    for trait, whom in traits.items():
        for name, values in tree.scope_bindings(trait.path, trait.scope).items():
            if any(isinstance(value, Def) for value in values):
                found[f"{FAMILY} {name}{whom}"].add(trait.id)
    return {name: tuple(sorted(ids)) for name, ids in found.items() if len(ids) <= MOST_LENDING}


def borrowers(tree: Program, path: str) -> Iterator[tuple[str, str]]:
    """By the id of a trait, a file's implementations for external types."""
    for one in foreign_impls(tree, path):
        if not one.is_handed_on:
            yield one.trait.id, symbol_id(path, one.scope)
