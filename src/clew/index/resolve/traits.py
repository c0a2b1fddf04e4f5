"""Traits of Rust that lend their methods to types outside of the tree, or to all types: `impl<T> Ext for T`. And
those that say what there is to wait for.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from clew.index.facts import AWAITED, Attr, Def, Free, Name, Value
from clew.index.languages.rust import CONTAINERS, TRANSPARENT
from clew.index.resolve import sorts
from clew.index.resolve.flow import Var
from clew.index.resolve.members import Members
from clew.index.resolve.names import CALL, FUNCTIONS
from clew.index.resolve.standard import is_standard
from clew.index.resolve.things import Thing
from clew.index.resolve.tree import Tree
from clew.model.code import SCOPE, split_id, symbol_id
from clew.model.words import Kind

MOST_LENDING = 5  # traits that have a method of one name; with more, nothing is said
TO_ALL, TO_FEW = ".", ".."  # behind a method's name: whom it is lent to
_UNNAMED = "_"  # what a trait is imported as whose methods alone are wanted
_ALIAS = "Result"  # what crates call so is Rust's own, with their error in it
_LAST = re.compile(r"\w+$")


class Foreign(NamedTuple):
    """What stands in a file for a type that is no class of the tree, and a trait that it is given."""

    scope: str
    trait: Thing
    is_handed_on: bool  # to what is inside, which has the trait itself: `impl<T: Gate> Gate for Box<T>`


def foreign(tree: Tree, path: str) -> Iterator[Foreign]:
    facts = tree.facts(path)
    for scope, values in facts.implements.items() if tree.family(path) == "rust" else ():
        home = tree.home(path, scope) if scope not in facts.kinds else None
        is_elsewhere = home is None or (home.sort != sorts.OUTSIDE and (home.path, home.scope) != (path, scope))
        if is_elsewhere and (home is not None or scope.rpartition(SCOPE)[2] != _ALIAS):
            continue
        found = dict.fromkeys(thing for value in values for thing in tree.extended(path, value))
        if traits := [one for one in found if one.sort == sorts.CLASS and _is_trait(tree, one)]:
            bounds = [one for names in tree.bound(path, scope).values() for one in names if type(one) is not Def]
            bounding = {thing for bound in bounds for thing in tree.static(path, bound)}
            yield from (Foreign(scope, trait, trait in bounding) for trait in traits)


def _is_trait(tree: Tree, one: Thing) -> bool:
    return tree.facts(one.path).kinds.get(one.scope) == Kind.INTERFACE.value


def lending(tree: Tree, paths: list[str]) -> dict[str, tuple[str, ...]]:
    """By method and whom it is lent to, the ids of traits. What is wrapped is taken for what is inside of it, and so
    is lent all that wrappers are.
    """
    traits: dict[Thing, str] = {}
    for path in paths:
        for scope, trait, is_handed_on in foreign(tree, path):
            name = scope.rpartition(SCOPE)[2]
            is_any = name in tree.bound(path, scope) or name in CONTAINERS or name in TRANSPARENT
            if not is_handed_on:
                traits[trait] = TO_ALL if is_any else traits.get(trait, TO_FEW)
    found: dict[str, set[str]] = defaultdict(set)
    for trait, whom in traits.items():
        for name, values in tree.bound(trait.path, trait.scope).items():
            if any(isinstance(value, Def) for value in values):
                found[f"rust {name}{whom}"].add(trait.id)
    return {name: tuple(sorted(ids)) for name, ids in found.items() if len(ids) <= MOST_LENDING}


def borrowers(tree: Tree, path: str) -> Iterator[tuple[str, str]]:
    """By the id of a trait, what a file has of it for types that are no classes of the tree."""
    for one in foreign(tree, path):
        if not one.is_handed_on:
            yield one.trait.id, symbol_id(path, one.scope)


def without_lent(tree: Tree, called: frozenset[Thing]) -> frozenset[Thing]:
    """Of several that may be called, what their own types have."""
    if len(called) < 2:
        return called
    lent = {one for one in called if one.view and one.sort in FUNCTIONS and tree.language(one.path) == "rust"}
    return called - lent if any(one.sort in FUNCTIONS for one in called - lent) else called


class Traits(Members):
    """A method that its object's type does not have is one of a trait that the file sees."""

    def __init__(self, tree: Tree, heirs: Mapping[str, tuple[str, ...]], stored: frozenset[str]) -> None:
        super().__init__(tree, heirs, stored)
        self._seen_traits: dict[tuple[str, str], tuple[Thing, ...]] = {}
        names = [name.partition(" ")[2] for name in tree.elsewhere.common if name.endswith(TO_ALL)]
        self._lent = frozenset(name.rstrip(TO_ALL) for name in names)

    def _find_member(self, thing: Thing, name: str) -> Var:
        return self._awaited(thing) if name == AWAITED else super()._find_member(thing, name)

    def _awaited(self, thing: Thing) -> Var:
        """What a future gives, if that is told; of all else, the thing itself stands for it."""
        if thing.sort == sorts.OUTSIDE and thing.path.endswith("Future"):
            return self.nothing
        tree = self.tree
        is_told = thing.sort == sorts.OBJECT and tree.members(tree.home(thing.path, thing.scope), AWAITED)
        return super()._find_member(thing, AWAITED) if is_told else self.flow.only(thing)

    def _called_value(self, path: str, value: Value) -> Var:
        if type(value) is Attr and value.name in self._lent and self.tree.language(path) == "rust":
            to_all, to_few = (self._traits(path, f"rust {value.name}{whom}") for whom in (TO_ALL, TO_FEW))
            if to_all or to_few:
                return self._lent_to(self.value(path, value.of), value.name, to_all, to_few)
        return super()._called_value(path, value)

    def _lent_to(self, of: Var, name: str, to_all: tuple[Thing, ...], to_few: tuple[Thing, ...]) -> Var:
        if of.inner is None:
            of.inner = {}
        key = f"{name}{CALL}{' '.join(trait.id for trait in (*to_all, *to_few))}"
        found = of.inner.get(key)
        if found is None:
            found = of.inner[key] = self.flow.var()
            self.flow.watch(of, self._lend, (name, to_all, to_few), found)
        return found

    def _lend(self, thing: Thing, lent: tuple[str, tuple[Thing, ...], tuple[Thing, ...]], target: Var) -> None:
        name, to_all, to_few = lent
        traits = () if self._has(thing, name) else (*to_all, *to_few) if _is_of_any_type(thing) else to_all
        for trait in traits:
            method = self.member_of(self.an_object(trait), f"{name}{CALL}").fixed
            if method is not None:
                self.flow.add(target, self.thing(method.sort, method.path, method.scope, trait.id).alone)
        if not traits:
            self.flow.lead(self.member_of(thing, f"{name}{CALL}"), target)

    def _has(self, thing: Thing, name: str) -> bool:
        """Whether a thing has a method itself, as far as files tell, or may as well have one of the language's own."""
        tree = self.tree
        if thing.sort == sorts.MODULE or is_standard("rust", name):
            return True
        if thing.sort in (sorts.OBJECT, sorts.CLASS, sorts.PARENT):
            one = tree.home(thing.path, thing.scope)
            if one.sort == sorts.CLASS:
                return bool(tree.members(one, name)) or self._of_target(one, name) is not None
            thing = one
        return thing.sort == sorts.OUTSIDE and self.extended(thing, name) is not None

    def _traits(self, path: str, lent: str) -> tuple[Thing, ...]:
        """The traits that lend a method, and that a file sees."""
        ids = self.tree.elsewhere.common.get(lent)
        if not ids:
            return ()
        found = self._seen_traits.get((path, lent))
        if found is None:
            traits = [self.thing(sorts.CLASS, *split_id(one)) for one in ids]
            found = self._seen_traits[path, lent] = tuple(one for one in traits if self._sees(path, one))
        return found

    def _sees(self, path: str, trait: Thing) -> bool:
        tree, name = self.tree, trait.scope.rpartition(SCOPE)[2]
        names = tree.facts(path).names
        if trait.path == path:
            return True
        bound = [Name(scope, one) for scope, own in names.items() for one in (name, _UNNAMED) if one in own]
        values: list[Value] = [*bound, Free(name)] if tree.facts(path).stars else [*bound]
        return any(trait in tree.static(path, value) for value in values)


def _is_of_any_type(thing: Thing) -> bool:
    """Whether it is what something outside gives, of a type that nobody here names."""
    last = _LAST.search(thing.path) if thing.sort == sorts.OUTSIDE else None
    return last is not None and last[0][:1].islower()
