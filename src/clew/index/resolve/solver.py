"""Sets of things that grow until nothing is new: the least that satisfies all demands at once.

Steps are taken together: all that a step adds is seen by the next one only, so that what happens when does not depend
on the order of the demands. That matters for one thing: a slot that grows over its bound is set aside, says nothing
from then on, and everything begins anew without it, until none grows over. (One that has told nobody anything yet is
as if it had been aside from the start: nothing begins anew for it.) What is left is a fixed point, and every way to it
is the same way.
"""

from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeAlias

from clew.index.resolve.abstract_values import AbstractValue

MOST_TARGETS = 12  # of one call; with more, it may be anything
MOST_PASSED = 32  # things in one slot; one with more may be anything
FEW_PASSED = 4  # where more comes to too much
MOST_HELD = 4_000_000  # by all sets together, some 300 MB; those of django hold a tenth of it


# What to do with a thing, and what it is to be done with: a closure would take three times the room.
Hook: TypeAlias = tuple[Callable[[AbstractValue, Any, Any], None], Any, Any]
_NONE: frozenset[AbstractValue] = frozenset()


class AnalysisLimit(Exception):
    """More is passed around than there is room for."""


# The key of a set that is made of another one: its elements by a key, its results, its bound functions.
Derived: TypeAlias = tuple[str, Hashable]


class PointsToSet:
    """A points-to set, and its subscribers."""

    __slots__ = ("fixed", "follows", "given", "hooks", "inner", "is_aside", "is_slot", "leads", "links", "things")

    def __init__(self) -> None:
        self.things: frozenset[AbstractValue] = _NONE
        self.given: tuple[AbstractValue, ...] = ()  # from the start
        self.links: list[PointsToSet] | None = None  # those that hold all that this one holds, by what is written
        self.leads: list[PointsToSet] | None = None  # the same, by what was found
        self.hooks: list[Hook] | None = None  # called with each thing, by what is written
        self.follows: list[Hook] | None = None  # the same, by what was found
        self.inner: dict[Hashable, PointsToSet] | None = None  # members by name, the rest by `Derived`
        self.fixed: AbstractValue | None = None  # all that it ever holds
        self.is_slot = False
        self.is_aside = False

    @property
    def is_new(self) -> bool:
        """Whether nobody has asked for anything of it yet."""
        return not (self.links or self.leads or self.hooks or self.follows or self.inner)


class ConstraintSolver:
    """`give`, `link` and `watch` state constraints; `add`, `lead` and `follow` derive new ones during solving."""

    def __init__(self) -> None:
        self.most_passed = MOST_PASSED
        self._vars: list[PointsToSet] = []
        self._next: dict[PointsToSet, frozenset[AbstractValue]] = {}
        self._alone: dict[AbstractValue, PointsToSet] = {}
        self._crowds: dict[PointsToSet, list[tuple[PointsToSet, PointsToSet]]] = {}
        self._is_over = False
        self.dropped: set[AbstractValue] = set()  # by slots that were set aside
        self.nothing = PointsToSet()
        self.held = 0  # by sets that grew, since everything began anew

    def new_set(self) -> PointsToSet:
        made = PointsToSet()
        self._vars.append(made)
        return made

    def new_slot(self) -> PointsToSet:
        made = self.new_set()
        made.is_slot = True
        return made

    def constant(self, thing: AbstractValue) -> PointsToSet:
        """The set of this one thing, for good."""
        found = self._alone.get(thing)
        if found is None:
            found = self._alone[thing] = self.new_set()
            found.fixed = thing
            self.add_initial(found, thing)
        return found

    def add_initial(self, var: PointsToSet, thing: AbstractValue) -> None:
        """Slots take nothing before the first step: of all that they are given at once."""
        var.given = (*var.given, thing)
        if var.is_slot or var.links or var.leads or var.hooks or var.follows:
            self.add(var, thing.alone)
        else:
            var.things = var.things | thing.alone if var.things else thing.alone

    def fill(self, slot: PointsToSet, things: Iterable[AbstractValue]) -> None:
        """A new slot holds what was found to flow into it before."""
        slot.given = tuple(things)
        slot.things = frozenset(slot.given)

    def add(self, var: PointsToSet, things: frozenset[AbstractValue]) -> None:
        if var.things:
            if things <= var.things:
                return
            things -= var.things
        if things and not var.is_aside:
            coming = self._next.get(var)
            self._next[var] = things if coming is None else coming | things

    def add_subset(self, source: PointsToSet, target: PointsToSet) -> None:
        """From now on, the target holds all that the source holds."""
        if source.fixed is not None:
            self.add_initial(target, source.fixed)
            return
        if source is self.nothing:
            return
        if source.links is None:
            source.links = [target]
        else:
            source.links.append(target)
        if source.things:
            self.add(target, source.things)

    def add_subset_now(self, source: PointsToSet, target: PointsToSet) -> None:
        if source.fixed is not None:
            if source.fixed not in target.things:
                self.add(target, source.fixed.alone)
            return
        if source is self.nothing:
            return
        if source.leads is None:
            source.leads = [target]
        else:
            source.leads.append(target)
        if source.things:
            self.add(target, source.things)

    def when_crowded(self, slot: PointsToSet, source: PointsToSet, target: PointsToSet) -> None:
        """Once a slot holds more than a call is told to lead to, the target holds all that the source holds."""
        self._crowds.setdefault(slot, []).append((source, target))
        if is_crowded(slot):
            self.add_subset_now(source, target)

    def on_each(
        self, var: PointsToSet, do: Callable[[AbstractValue, Any, Any], None], one: object, other: object = None
    ) -> None:
        """Do something with each thing of a set, now and later; with some of them twice."""
        if var.hooks is None:
            var.hooks = [(do, one, other)]
        else:
            var.hooks.append((do, one, other))
        for thing in tuple(var.things):
            do(thing, one, other)

    def on_each_now(
        self, var: PointsToSet, do: Callable[[AbstractValue, Any, Any], None], one: object, other: object = None
    ) -> None:
        if var.follows is None:
            var.follows = [(do, one, other)]
        else:
            var.follows.append((do, one, other))
        for thing in tuple(var.things):
            do(thing, one, other)

    def solve(self) -> bool:
        """Take steps until nothing is new; whether to begin anew would change nothing."""
        self._is_over = False
        while self._next:
            step, self._next = self._next, {}
            grown = self._grow_sets(step)
            if self.held > MOST_HELD:  # after a whole step: so it is the same step in any order
                self._next = {}
                raise AnalysisLimit
            for var, new in grown:
                if var.links:
                    self._add_to_all(var.links, new)
                if var.leads:
                    self._add_to_all(var.leads, new)
                if var.hooks or var.follows:
                    for do, one, other in (*(var.hooks or ()), *(var.follows or ())):
                        for thing in new:
                            do(thing, one, other)
        return not self._is_over

    def _add_to_all(self, targets: list[PointsToSet], things: frozenset[AbstractValue]) -> None:
        """Like `add` to each: most additions come from here, and most are known already."""
        coming = self._next
        for target in targets:
            new = things
            if target.things:
                if things <= target.things:
                    continue
                new = things - target.things
            if not target.is_aside:
                known = coming.get(target)
                coming[target] = new if known is None else known | new

    def _grow_sets(
        self, step: dict[PointsToSet, frozenset[AbstractValue]]
    ) -> list[tuple[PointsToSet, frozenset[AbstractValue]]]:
        """Apply all additions of a step; returns the sets with dependents, each with its new values."""
        found: list[tuple[PointsToSet, frozenset[AbstractValue]]] = []
        for var, coming in step.items():
            new = self._accept_into_slot(var, coming) if var.is_slot else coming
            if not new:
                continue
            self.held += len(new)
            if var.things:
                var.things = var.things | new
            elif len(new) == 1:
                (thing,) = new
                var.things = new = thing.alone
            else:
                var.things = new
            if var.links or var.leads or var.hooks or var.follows:
                found.append((var, new))
            if var.is_slot and is_crowded(var):
                self._lead_from(var)
        return found

    def _lead_from(self, crowded: PointsToSet) -> None:
        for source, target in self._crowds.get(crowded, ()):
            self.add_subset_now(source, target)

    def _accept_into_slot(self, slot: PointsToSet, new: frozenset[AbstractValue]) -> frozenset[AbstractValue]:
        """The accepted part of passed values; a slot that exceeds its limit is set aside."""
        new = frozenset([thing for thing in new if not thing.is_data])
        if len(slot.things) + len(new) <= self.most_passed:
            return new
        if slot.things and (slot.links or slot.leads or slot.hooks or slot.follows):
            self._is_over = True
        slot.is_aside = True
        self.dropped.update(slot.things, new)
        slot.things = _NONE
        self._lead_from(slot)
        return _NONE

    def release(self) -> None:
        """The existing sets are final: free their constraints, which take most of the memory."""
        for var in self._vars:
            var.links = var.leads = var.hooks = var.follows = None
        self._vars.clear()
        self._crowds.clear()
        self.held = 0

    def begin_anew(self) -> None:
        """Clear the solution; constraints and slots set aside stay."""
        self._next = {}
        self.held = 0
        for var in self._vars:
            var.leads = var.follows = None
            var.things = _NONE
        for var in self._vars:
            if var.given:
                self.add(var, frozenset(var.given))
        for slot in self._crowds:
            if slot.is_aside:
                self._lead_from(slot)


def constants_given(slot: PointsToSet) -> int:
    """How many values are passed to a slot by what is written alone."""
    return len({thing for thing in slot.given if not thing.is_data})


def is_crowded(slot: PointsToSet) -> bool:
    return slot.is_aside or len(slot.things) > MOST_TARGETS
