"""The interval algebra of facts."""

from hypothesis import given, settings
from hypothesis import strategies as st

from clew.knowledge.intervals import (
    DatedFact,
    FactPlacement,
    Succession,
    find_conflicts,
    is_learned_single,
    place,
)
from clew.model.time import FOREVER

STARTS = st.integers(0, 12)
FACTS = st.lists(st.tuples(st.sampled_from("abc"), STARTS, st.one_of(st.just(FOREVER), st.integers(1, 20))), max_size=8)


def recorded(facts: list[tuple[str, int, int]], said_by: str = "ann") -> dict[str, DatedFact]:
    """The facts of one subject and single-valued predicate, after each was recorded in turn."""
    known: dict[str, DatedFact] = {}
    for number, (value, start, end) in enumerate(facts):
        if end <= start:
            continue
        new = DatedFact(f"f{number}", value, start, end, said_by)
        placed = place(new, list(known.values()), single_valued=True)
        if placed.repeats:
            continue
        for ended, at in placed.ends:
            known[ended] = known[ended]._replace(valid_to=at)
        known[new.id] = new._replace(valid_to=placed.valid_to)
    return known


def timeline(known: dict[str, DatedFact]) -> list[str | None]:
    """The object at each moment."""
    return [
        next((one.object for one in known.values() if one.valid_from <= at < one.valid_to), None) for at in range(22)
    ]


def test_a_later_fact_ends_the_one_before_and_a_late_report_is_placed_between() -> None:
    known = recorded([("a", 1, FOREVER), ("c", 9, FOREVER), ("b", 5, FOREVER)])

    assert [(one.object, one.valid_from, one.valid_to) for one in known.values()] == [
        ("a", 1, 5), ("c", 9, FOREVER), ("b", 5, 9),
    ]  # fmt: skip


def test_a_fact_that_carries_an_end_is_closed_at_once() -> None:
    known = recorded([("a", 1, FOREVER), ("b", 5, 7)])

    assert [(one.valid_from, one.valid_to) for one in known.values()] == [(1, 5), (5, 7)]


def test_a_known_newer_fact_ends_the_new_one() -> None:
    placed = place(DatedFact("n", "a", 1, FOREVER, "ann"), [DatedFact("k", "b", 4, FOREVER, "ann")], single_valued=True)

    assert placed == FactPlacement(4, ended_by="k")


def test_facts_of_a_predicate_with_several_values_stay_as_they_are() -> None:
    known = [DatedFact("k", "b", 1, FOREVER, "ann")]

    assert place(DatedFact("n", "a", 1, FOREVER, "ann"), known, single_valued=False) == FactPlacement(FOREVER)


def test_two_agents_that_contradict_each_other_are_both_kept_and_one_agent_corrects_itself() -> None:
    known = [DatedFact("k", "b", 3, FOREVER, "ann")]

    assert place(DatedFact("n", "a", 3, FOREVER, "ben"), known, single_valued=True) == FactPlacement(
        FOREVER, conflicts=("k",)
    )
    assert place(DatedFact("n", "a", 3, FOREVER, "ann"), known, single_valued=True) == FactPlacement(
        FOREVER, ends=(("k", 3),)
    )


@given(FACTS)
@settings(max_examples=60)
def test_no_two_facts_of_one_agent_hold_at_the_same_time(facts: list[tuple[str, int, int]]) -> None:
    assert find_conflicts(recorded(facts).values()) == []


@given(st.permutations(range(6)), st.lists(st.sampled_from("abc"), min_size=6, max_size=6))
@settings(max_examples=60)
def test_the_order_of_recording_does_not_matter(order: list[int], objects: list[str]) -> None:
    """Each fact has a start of its own and differs from its neighbours, so that none repeats another."""
    facts = [(f"{objects[number]}{number}", 3 * number, FOREVER) for number in range(6)]

    assert timeline(recorded([facts[number] for number in order])) == timeline(recorded(facts))


@given(FACTS)
@settings(max_examples=60)
def test_recording_everything_again_changes_nothing(facts: list[tuple[str, int, int]]) -> None:
    held = {one.object for one in recorded(facts).values()}

    assert {one.object for one in recorded([*facts, *facts]).values()} == held


def test_a_predicate_is_learned_to_be_single_valued_where_writers_ended_each_value() -> None:
    ended = [
        Succession(f"s{number}", value, start, end)
        for number in range(3)
        for value, start, end in (("a", 1, 5), ("b", 5, FOREVER))
    ]

    assert is_learned_single(ended)
    assert not is_learned_single(ended[:4])
    assert not is_learned_single([*ended, Succession("s0", "c", 2, FOREVER)])
