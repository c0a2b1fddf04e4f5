"""A plan cut to a budget: the longest beginning that fits as it is written, with prices or without."""

from functools import partial
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from clew.pack.fitting import Cut, Measure, at_once, fitted


class Part(NamedTuple):
    size: int
    section: str = "only"


sizes = st.lists(st.integers(1, 9).map(Part), max_size=30)


def written(cut: Cut[Part]) -> int:
    return 3 + sum(one.size for one in cut.shown)


def longest(parts: list[Part], limit: int) -> int:
    return max(n for n in range(len(parts) + 1) if 3 + sum(one.size for one in parts[:n]) <= limit)


@given(sizes, st.integers(3, 120))
def test_as_many_from_the_first_on_as_fit(parts: list[Part], limit: int) -> None:
    cut = fitted(parts, at_once(parts), Measure[Part](limit, written))

    assert cut
    assert [*cut.shown] == parts[: longest(parts, limit)]
    assert cut.left_items == len(parts) - len(cut.shown)


@given(sizes, st.integers(3, 120))
def test_prices_that_are_true_show_as_much(parts: list[Part], limit: int) -> None:
    cut = fitted(parts, at_once(parts), Measure[Part](limit, written, item=lambda one: one.size))

    assert cut
    assert [*cut.shown] == parts[: longest(parts, limit)]


def test_what_stands_there_already_grows_with_what_is_left() -> None:
    parts = [Part(9), Part(9)]
    steps = [(0, Part(1)), (1, Part(1)), (0, Part(9)), (1, Part(3))]
    cut = fitted(
        parts,
        [(number, partial(Part, one.size)) for number, one in steps],
        Measure[Part](8, written, item=lambda one: one.size),
    )

    assert cut
    assert cut.shown == (Part(1), Part(3))


def test_what_would_come_in_after_the_end_is_not_even_made() -> None:
    made: list[int] = []

    def make(number: int) -> Part:
        made.append(number)
        return Part(4)

    cut = fitted([Part(4)] * 5, [(i, partial(make, i)) for i in range(5)], Measure[Part](8, written, lambda _: 4))

    assert cut
    assert (len(cut.shown), made) == (1, [0, 1])


def test_the_summary_goes_before_everything_else_goes() -> None:
    parts = [Part(1)]

    assert fitted(parts, at_once(parts), Measure[Part](2, written)) is None
    bare = fitted(parts, at_once(parts), Measure[Part](5, written, summary=4))
    assert bare
    assert (bare.said, bare.shown) == (False, ())


def test_what_is_left_where_a_step_does_not_fit_goes_to_parts() -> None:
    entries = [Part(400), Part(400)]
    steps = [(0, partial(Part, 1)), (1, partial(Part, 1)), (0, partial(Part, 400))]
    longer = [(number, iter([(number, partial(Part, size)) for size in (50, 100, 300)])) for number in (0, 1)]

    cut = fitted(entries, steps, Measure[Part](203, written, item=lambda one: one.size), longer)

    assert cut
    assert [one.size for one in cut.shown] == [100, 100]


def test_parts_are_made_of_nothing_that_is_whole_or_not_there() -> None:
    entries, most = [Part(100), Part(100), Part(400)], 200
    steps = [(0, partial(Part, 100)), (1, partial(Part, 1)), (2, partial(Part, 400))]
    longer = [(number, iter([(number, partial(Part, size)) for size in (50, 60)])) for number in (0, 1, 2)]

    cut = fitted(entries, steps, Measure[Part](most, written, item=lambda one: one.size), longer)

    assert cut
    assert [one.size for one in cut.shown] == [100, 60]
    assert [len([*own]) for _, own in longer] == [2, 0, 2]  # what nobody has asked for yet


def test_what_stands_there_never_becomes_shorter() -> None:
    steps = [(0, partial(Part, 50)), (0, partial(Part, 10)), (0, partial(Part, 60))]

    cut = fitted([Part(60)], steps, Measure[Part](55, written, item=lambda one: one.size))

    assert cut
    assert [one.size for one in cut.shown] == [50]
