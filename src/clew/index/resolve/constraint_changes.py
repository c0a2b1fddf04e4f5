"""Whether changed calls and stores can change the points-to solution of the whole program, without solving it again.

Only a change that provably adds and removes nothing is accepted: each constraint that was added or removed must pass
nothing to any slot, and must read no slot whose content was larger in an earlier round of the solver.
"""

from collections.abc import Mapping
from typing import NamedTuple

from clew.index.facts import Facts, StoreFact
from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue
from clew.index.resolve.evaluator import Evaluator, Join, slot_of
from clew.index.resolve.global_summary import GlobalSummary
from clew.index.resolve.interface import constraint_digests
from clew.index.resolve.program import Program
from clew.index.resolve.solver import MOST_HELD, AnalysisLimit, PointsToSet
from clew.index.resolve.value_sets import FUNCTIONS, Site, Slot

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


def have_effect(tree: Program, settled: GlobalSummary, changes: Mapping[str, ConstraintChange]) -> bool:
    """Whether constraints may contribute to the solution; False only if that is certain."""
    if not 0 <= settled.held <= MOST_HELD_SAFELY:
        return True
    if sum(len(one.calls) + len(one.stores) for one in changes.values()) > MOST_CONSTRAINTS:
        return True
    probe = _ConstraintProbe(tree, settled)
    try:
        return any(probe.has_effect(path, change) for path, change in changes.items())
    except AnalysisLimit:
        return True


class _ConstraintProbe(Evaluator):
    """Collects what would be passed to slots, instead of passing it."""

    def __init__(self, tree: Program, settled: GlobalSummary) -> None:
        super().__init__(tree, settled.heirs, frozenset(settled.stored))
        self.before = settled.passed
        self.crowded = frozenset(settled.crowded)
        self._unsteady = frozenset(settled.unsteady)
        self._unsteady_scopes = frozenset((path, scope) for path, scope, _ in settled.unsteady)
        self._read: set[Slot] = set()
        self._read_scopes: set[tuple[str, str]] = set()
        self._latest: Slot | None = None  # read for the first time by the latest request
        self._contributions: list[PointsToSet] = []

    def has_effect(self, path: str, change: ConstraintChange) -> bool:
        calls = self.tree.facts(path).calls
        for number in change.calls:
            call = calls[number]
            callee = self.callee(path, number, call)
            if callee.fixed is None or self._takes(callee.fixed, self.tree.is_test(path)):
                self._connect_call(callee, Site(path, call))
        for store in change.stores:
            self._connect_store(path, store)
        if not self.flow.solve() or self.decorated:  # a decorator may change what stands for many functions
            return True
        return (
            any(not thing.is_data for one in self._contributions for thing in one.things)
            or not self._unsteady.isdisjoint(self._read)
            or not self._unsteady_scopes.isdisjoint(self._read_scopes)
        )

    def slot(self, slot: Slot) -> PointsToSet:
        self._latest = None if slot in self._read else slot
        self._read.add(slot)
        return super().slot(slot)

    def wait_for(self, slot: Slot, target: PointsToSet) -> None:
        self._read.add(slot)
        super().wait_for(slot, target)

    def every(self, path: str, scope: str) -> PointsToSet:
        self._read_scopes.add((path, scope))
        return super().every(path, scope)

    def _pass(self, site: Site, function: AbstractValue, join: Join) -> None:
        super()._pass(site, function, self._collect)

    def _collect(self, source: PointsToSet, _: PointsToSet) -> None:
        """The slot that would be filled was the latest request: it is not read."""
        if self._latest is not None:
            self._read.discard(self._latest)
            self._latest = None
        self._contributions.append(source)

    def _store_value(self, thing: AbstractValue, path: str, store: StoreFact) -> None:
        if slot_of(thing, store) is not None:
            self._contributions.append(self.values(path, store.values))

    def _keep_passed(self, thing: AbstractValue, slot: Slot, _: None) -> None:
        if thing.kind in FUNCTIONS or thing.kind == value_kinds.CLASS:
            self._contributions.append(self.flow.constant(thing))
