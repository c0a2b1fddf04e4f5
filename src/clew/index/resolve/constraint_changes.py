"""Whether changed calls and stores can change the points-to solution of the whole program, without solving it again.

Only a change that provably adds and removes nothing is accepted: each constraint that was added or removed must pass
nothing to any slot, and must read no slot whose content was larger in an earlier round of the solver. What is passed to
an *overfull* slot does not count: one that is set aside before the first step, for the many constants that it is given,
and would be without the change as well.
"""

from collections.abc import Mapping, Set
from functools import partial
from typing import NamedTuple

from clew.index.facts import Facts, StoreFact
from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue
from clew.index.resolve.call_evaluator import CallEvaluator, Join, slot_of
from clew.index.resolve.container_elements import ContainerElements
from clew.index.resolve.evaluator import Evaluator, PartFactories
from clew.index.resolve.evaluator_part import EvaluationContext
from clew.index.resolve.global_summary import GlobalSummary, Overfull
from clew.index.resolve.interface import constraint_digests
from clew.index.resolve.program import Program
from clew.index.resolve.recorded_inputs import as_set, as_slots
from clew.index.resolve.solver import MOST_HELD, MOST_PASSED, AnalysisLimit, PointsToSet
from clew.index.resolve.value_sets import FUNCTIONS, Site, Slot, ValueSets

MOST_HELD_SAFELY = MOST_HELD // 2  # beyond that, a small change might exceed the solver's limit
MOST_CONSTRAINTS = 2_000  # that are examined; with more, solving again takes no longer


class ConstraintChange(NamedTuple):
    """The calls (by number) and stores of one content of a file that the other content does not have."""

    calls: tuple[int, ...]
    stores: tuple[StoreFact, ...]


def compare_constraints(old: Facts, new: Facts) -> tuple[ConstraintChange, ConstraintChange]:
    """The constraints that only the old, and that only the new content has."""
    before, after = constraint_digests(old), constraint_digests(new)
    return _without(before, after, old), _without(after, before, new)


def _without(own: Mapping[bytes, list[int]], other: Mapping[bytes, list[int]], facts: Facts) -> ConstraintChange:
    numbers = sorted(n for digest, some in own.items() for n in some[: max(0, len(some) - len(other.get(digest, ())))])
    calls = tuple(n for n in numbers if n >= 0)
    return ConstraintChange(calls, tuple(facts.stores[-n - 1] for n in numbers if n < 0))


class ConstraintEffect(NamedTuple):
    """The values that constraints pass to overfull slots, and the decorators that receive a function by such a slot."""

    passed: Mapping[Slot, Set[AbstractValue]]
    decorated: Mapping[Slot, Set[Site]]


def effect_of(
    tree: Program, settled: GlobalSummary, changes: Mapping[str, ConstraintChange]
) -> ConstraintEffect | None:
    """The effect of constraints on overfull slots; None if they may contribute anything else to the solution."""
    if not 0 <= settled.held <= MOST_HELD_SAFELY:
        return None
    if sum(len(one.calls) + len(one.stores) for one in changes.values()) > MOST_CONSTRAINTS:
        return None
    probe = _ConstraintProbe(tree, settled)
    try:
        return probe.effect() if all(probe.is_harmless(path, change) for path, change in changes.items()) else None
    except AnalysisLimit:
        return None


def overfull_after(
    settled: GlobalSummary, gone: ConstraintEffect, came: ConstraintEffect
) -> tuple[Overfull, ...] | None:
    """The overfull slots after a change; None if one of them would not be overfull without what is gone."""
    found = tuple(
        Overfull(
            one.slot,
            one.constants - len(gone.passed.get(one.slot, ())),
            one.decorations - len(gone.decorated.get(one.slot, ())) + len(came.decorated.get(one.slot, ())),
        )
        for one in settled.overfull
    )
    taken = zip(settled.overfull, found, strict=True)
    if any(new.constants <= MOST_PASSED or bool(old.decorations) != bool(new.decorations) for old, new in taken):
        return None
    return found


class _ProbeLog:
    """The slots that are read, and the values that would be passed to slots."""

    def __init__(self) -> None:
        self.read: set[Slot] = set()
        self.read_scopes: set[tuple[str, str]] = set()
        self.latest: Slot | None = None  # the latest request, if that slot was not read before
        self.asked: Slot | None = None  # the latest request
        self.contributions: list[tuple[Slot, PointsToSet]] = []

    def collect(self, source: PointsToSet, _: PointsToSet) -> None:
        """The slot that would be filled was the latest request: it is not read."""
        assert self.asked is not None
        self.contributions.append((self.asked, source))
        if self.latest is not None:
            self.read.discard(self.latest)
            self.latest = None


class _WatchedSets(ValueSets):
    def __init__(self, log: _ProbeLog, context: EvaluationContext) -> None:
        super().__init__(context)
        self._log = log

    def slot(self, slot: Slot) -> PointsToSet:
        self._log.asked = slot
        self._log.latest = None if slot in self._log.read else slot
        self._log.read.add(slot)
        return super().slot(slot)

    def wait_for(self, slot: Slot, target: PointsToSet) -> None:
        self._log.read.add(slot)
        super().wait_for(slot, target)


class _WatchedContainers(ContainerElements):
    def __init__(self, log: _ProbeLog, context: EvaluationContext) -> None:
        super().__init__(context)
        self._log = log

    def every(self, path: str, scope: str) -> PointsToSet:
        self._log.read_scopes.add((path, scope))
        return super().every(path, scope)


class _CollectedCalls(CallEvaluator):
    """Collects what would be passed to slots, instead of passing it."""

    def __init__(self, log: _ProbeLog, context: EvaluationContext) -> None:
        super().__init__(context)
        self._log = log

    def examine(self, path: str, change: ConstraintChange) -> None:
        calls = self.tree.facts(path).calls
        for number in change.calls:
            call = calls[number]
            callee = self.sets.callee(path, number, call)
            if callee.fixed is None or self._takes(callee.fixed, self.tree.is_test(path)):
                self._connect_call(callee, Site(path, call))
        for store in change.stores:
            self._connect_store(path, store)

    def _pass(self, site: Site, function: AbstractValue, join: Join) -> None:
        super()._pass(site, function, self._log.collect)

    def _store_value(self, thing: AbstractValue, path: str, store: StoreFact) -> None:
        slot = slot_of(thing, store)
        if slot is not None:
            self._log.contributions.append((slot, self.sets.values(path, store.values)))

    def _keep_passed(self, thing: AbstractValue, slot: Slot, _: None) -> None:
        if thing.kind in FUNCTIONS or thing.kind == value_kinds.CLASS:
            self._log.contributions.append((slot, self.flow.constant(thing)))


class _ConstraintProbe:
    def __init__(self, tree: Program, settled: GlobalSummary) -> None:
        self._log = log = _ProbeLog()
        self._calls: _CollectedCalls | None = None
        self._evaluator = Evaluator(
            tree,
            settled.heirs,
            as_set(settled.stored),
            PartFactories(partial(_WatchedSets, log), partial(_WatchedContainers, log), self._make_calls),
        )
        self._evaluator.sets.before = as_slots(settled.passed)
        self._evaluator.calls.crowded = as_set(settled.crowded)
        self._overfull = frozenset(one.slot for one in settled.overfull)
        self._unsteady = frozenset(settled.unsteady) - self._overfull  # which never held anything
        self._unsteady_scopes = frozenset((path, scope) for path, scope, _ in self._unsteady)

    def _make_calls(self, context: EvaluationContext) -> CallEvaluator:
        self._calls = _CollectedCalls(self._log, context)
        return self._calls

    def is_harmless(self, path: str, change: ConstraintChange) -> bool:
        assert self._calls is not None
        self._calls.examine(path, change)
        return (
            self._evaluator.flow.solve()
            and self._calls.decorated.keys() <= self._overfull  # another may change what stands for many functions
            and all(
                thing.is_data or slot in self._overfull for slot, one in self._log.contributions for thing in one.things
            )
            and self._unsteady.isdisjoint(self._log.read)
            and self._unsteady_scopes.isdisjoint(self._log.read_scopes)
        )

    def effect(self) -> ConstraintEffect:
        assert self._calls is not None
        passed: dict[Slot, set[AbstractValue]] = {}
        for slot, one in self._log.contributions:
            passed.setdefault(slot, set()).update(thing for thing in one.things if not thing.is_data)
        return ConstraintEffect(passed, self._calls.decorated)


def _is_data(values: PointsToSet) -> bool:
    return all(thing.is_data for thing in values.things)
