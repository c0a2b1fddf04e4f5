"""When a slot grows over its bound: what begins anew, and what need not."""

from clew.index.resolve import sorts
from clew.index.resolve.flow import MOST_PASSED, Flow, Var
from clew.index.resolve.things import Things


def _overflowing(flow: Flow, things: Things) -> Var:
    """A slot that others fill with more than it takes."""
    slot, source = flow.slot(), flow.var()
    flow.link(source, slot)
    for number in range(MOST_PASSED + 1):
        flow.give(source, things.thing(sorts.FUNCTION, "a.py", f"f{number}"))
    return slot


def test_a_slot_that_told_nobody_is_set_aside_without_a_new_beginning() -> None:
    flow = Flow()
    slot = _overflowing(flow, Things())
    assert flow.run()
    assert slot.is_aside
    assert not slot.things


def test_a_slot_that_told_others_before_makes_everything_begin_anew() -> None:
    flow, things = Flow(), Things()
    slot, heard = flow.slot(), flow.var()
    flow.link(slot, heard)
    flow.add(slot, things.thing(sorts.FUNCTION, "a.py", "first").alone)
    assert flow.run()
    many = frozenset(things.thing(sorts.FUNCTION, "a.py", f"f{number}") for number in range(MOST_PASSED + 1))
    flow.add(slot, many)
    assert not flow.run()


def test_data_that_a_slot_was_given_is_sifted_by_a_new_beginning() -> None:
    flow, things = Flow(), Things()
    _overflowing(flow, things)
    given = flow.slot()
    flow.give(given, things.thing(sorts.OUTSIDE, "builtins.len"))
    assert not flow.run()
    flow.begin_anew()
    assert flow.run()
    assert not given.things
