"""Methods that traits lend to types of other files or to all types, where a file sees the trait; awaited values."""

import re

from clew.index.facts import AWAITED, Attr, ScopedName, UnboundName, Value
from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue
from clew.index.resolve.evaluator_part import EvaluationContext, EvaluatorPart
from clew.index.resolve.provenance import lent_by
from clew.index.resolve.solver import PointsToSet
from clew.index.resolve.value_sets import CalledMember
from clew.model.code import SCOPE, split_id

TO_ALL, TO_FEW = ".", ".."  # behind a method's name: whom it is lent to
_UNNAMED = "_"  # what a trait is imported as whose methods alone are wanted
_LAST = re.compile(r"\w+$")


class LentMethods(EvaluatorPart):
    """A method that its object's type does not have is one of a trait that the file sees."""

    def __init__(self, context: EvaluationContext) -> None:
        super().__init__(context)
        self._seen_traits: dict[tuple[str, str], tuple[AbstractValue, ...]] = {}

    def awaited_value(self, thing: AbstractValue) -> PointsToSet:
        """The declared output of a future; any other value stands for itself."""
        if thing.kind == value_kinds.OUTSIDE and thing.path.endswith("Future"):
            return self.nothing
        tree = self.tree
        is_told = thing.kind == value_kinds.OBJECT and tree.members(tree.home(thing.path, thing.scope), AWAITED)
        return self.members.find_plain_member(thing, AWAITED) if is_told else self.flow.constant(thing)

    def lent_method(self, path: str, value: Attr) -> PointsToSet | None:
        """The methods of a called name, if traits lend one."""
        if not (rules := self.tree.rules(path)).lends_methods or not isinstance(value.name, str):
            return None
        to_all, to_few = (self._traits(path, f"{rules.family} {value.name}{whom}") for whom in (TO_ALL, TO_FEW))
        return self._lent_to(self.sets.value(path, value.of), value.name, to_all, to_few) if to_all or to_few else None

    def _lent_to(
        self, of: PointsToSet, name: str, to_all: tuple[AbstractValue, ...], to_few: tuple[AbstractValue, ...]
    ) -> PointsToSet:
        if of.inner is None:
            of.inner = {}
        key = name, (*to_all, *to_few)
        found = of.inner.get(key)
        if found is None:
            found = of.inner[key] = self.flow.new_set()
            self.flow.on_each(of, self._blanket_method, (name, to_all, to_few), found)
        return found

    def _blanket_method(
        self,
        thing: AbstractValue,
        lent: tuple[str, tuple[AbstractValue, ...], tuple[AbstractValue, ...]],
        target: PointsToSet,
    ) -> None:
        name, to_all, to_few = lent
        is_standard = self.tree.rules((*to_all, *to_few)[0].path).library.has_method(name)
        is_own = is_standard or self._has(thing, name)
        traits = () if is_own else (*to_all, *to_few) if _is_of_any_type(thing) else to_all
        for trait in traits:
            method = self.members.member_of(self.sets.an_object(trait), CalledMember(name)).fixed
            if method is not None:
                self.flow.add(target, self.thing(method.kind, method.path, method.scope, lent_by(trait.id)).alone)
        if not traits:
            self.flow.add_subset_now(self.members.member_of(thing, CalledMember(name)), target)

    def _has(self, thing: AbstractValue, name: str) -> bool:
        """Whether a thing has a method itself, as far as files tell, or may as well have one of the language's own."""
        tree = self.tree
        if thing.kind == value_kinds.MODULE:
            return True
        if thing.kind in (value_kinds.OBJECT, value_kinds.CLASS, value_kinds.PARENT):
            one = tree.home(thing.path, thing.scope)
            if one.kind == value_kinds.CLASS:
                return bool(tree.members(one, name)) or self.declared.of_target(one, name) is not None
            thing = one
        return thing.kind == value_kinds.OUTSIDE and self.declared.extension_members(thing, name) is not None

    def _traits(self, path: str, lent: str) -> tuple[AbstractValue, ...]:
        """The traits that lend a method, and that a file sees."""
        ids = self.tree.elsewhere.common.get(lent)
        if not ids:
            return ()
        found = self._seen_traits.get((path, lent))
        if found is None:
            traits = [self.thing(value_kinds.CLASS, *split_id(one)) for one in ids]
            found = self._seen_traits[path, lent] = tuple(one for one in traits if self._sees(path, one))
        return found

    def _sees(self, path: str, trait: AbstractValue) -> bool:
        tree, name = self.tree, trait.scope.rpartition(SCOPE)[2]
        names = tree.facts(path).names
        if trait.path == path:
            return True
        bound = [ScopedName(scope, one) for scope, own in names.items() for one in (name, _UNNAMED) if one in own]
        values: list[Value] = [*bound, UnboundName(name)] if tree.facts(path).stars else [*bound]
        return any(trait in tree.static(path, value) for value in values)


def _is_of_any_type(thing: AbstractValue) -> bool:
    """Whether it is an external call's result of an unnamed type."""
    last = _LAST.search(thing.path) if thing.kind == value_kinds.OUTSIDE else None
    return last is not None and last[0][:1].islower()
