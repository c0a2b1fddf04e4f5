"""When a slot grows over its bound: what begins anew, and what need not."""

from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValues
from clew.index.resolve.solver import MOST_PASSED, ConstraintSolver, PointsToSet


def _overflowing(flow: ConstraintSolver, things: AbstractValues) -> PointsToSet:
    """A slot that others fill with more than it takes."""
    slot, source = flow.new_slot(), flow.new_set()
    flow.add_subset(source, slot)
    for number in range(MOST_PASSED + 1):
        flow.add_initial(source, things.thing(value_kinds.FUNCTION, "a.py", f"f{number}"))
    return slot


def test_a_slot_that_told_nobody_is_set_aside_without_a_new_beginning() -> None:
    flow = ConstraintSolver()
    slot = _overflowing(flow, AbstractValues())
    assert flow.solve()
    assert slot.is_aside
    assert not slot.things


def test_a_slot_that_told_others_before_makes_everything_begin_anew() -> None:
    flow, things = ConstraintSolver(), AbstractValues()
    slot, heard = flow.new_slot(), flow.new_set()
    flow.add_subset(slot, heard)
    flow.add(slot, things.thing(value_kinds.FUNCTION, "a.py", "first").alone)
    assert flow.solve()
    many = frozenset(things.thing(value_kinds.FUNCTION, "a.py", f"f{number}") for number in range(MOST_PASSED + 1))
    flow.add(slot, many)
    assert not flow.solve()


def test_a_slot_takes_none_of_the_data_that_it_is_given() -> None:
    flow, things = ConstraintSolver(), AbstractValues()
    given, heard = flow.new_slot(), flow.new_set()
    flow.add_initial(given, things.thing(value_kinds.OUTSIDE, "builtins.len"))
    flow.add_subset(given, heard)
    assert flow.solve()
    assert not given.things and not heard.things


def test_a_slot_that_is_given_too_many_constants_tells_nobody_any_of_them() -> None:
    flow, things = ConstraintSolver(), AbstractValues()
    given, heard = flow.new_slot(), flow.new_set()
    for number in range(MOST_PASSED + 1):
        flow.add_initial(given, things.thing(value_kinds.FUNCTION, "a.py", f"f{number}"))
    flow.add_subset(given, heard)
    assert flow.solve()
    assert given.is_aside and not heard.things
