"""A plan cut to a budget: the longest beginning that fits as it is written, with prices or without."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from clew.pack.fitting import Cut, FillStep, Measure, at_once, fitted


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


def test_nothing_behind_what_does_not_fit_is_shown() -> None:
    parts = [Part(9), Part(9), Part(2)]
    steps = [
        FillStep(0, partial(Part, 1)),
        FillStep(1, partial(Part, 1)),
        FillStep(0, partial(Part, 9)),
        FillStep(2, partial(Part, 2)),
    ]
    cut = fitted(parts, steps, Measure[Part](8, written, item=lambda one: one.size))

    assert cut
    assert cut.shown == (Part(1), Part(1))


def test_of_what_does_not_fit_the_longest_stage_is_shown() -> None:
    def stages() -> list[Callable[[], Part]]:
        return [partial(Part, size) for size in (3, 5, 7)]

    steps = [FillStep(0, partial(Part, 1)), FillStep(1, partial(Part, 9), stages)]
    for measure in (Measure[Part](10, written, item=lambda one: one.size), Measure[Part](10, written)):
        cut = fitted([Part(1), Part(9)], steps, measure)

        assert cut
        assert cut.shown == (Part(1), Part(5))


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(1, 30)), max_size=25), st.integers(3, 120), st.integers(0, 60))
def test_a_larger_limit_shows_all_that_a_smaller_one_does(grown: list[tuple[int, int]], limit: int, more: int) -> None:
    def stages(size: int) -> Callable[[], list[Callable[[], Part]]]:
        return lambda: [partial(Part, n) for n in range(1, size)]

    def shown(limit: int) -> list[int]:
        steps = [FillStep(number, partial(Part, size), stages(size)) for number, size in grown]
        cut = fitted([Part(30)] * 5, steps, Measure[Part](limit, written, item=lambda one: one.size))
        assert cut
        return [one.size for one in cut.shown]

    small, large = shown(limit), shown(limit + more)
    assert sum(small) <= sum(large)
    assert len(small) <= len(large)


def test_what_would_come_in_after_the_end_is_not_even_made() -> None:
    made: list[int] = []

    def make(number: int) -> Part:
        made.append(number)
        return Part(4)

    cut = fitted(
        [Part(4)] * 5, [FillStep(i, partial(make, i)) for i in range(5)], Measure[Part](8, written, lambda _: 4)
    )

    assert cut
    assert (len(cut.shown), made) == (1, [0, 1])


def test_the_summary_goes_before_everything_else_goes() -> None:
    parts = [Part(1)]

    assert fitted(parts, at_once(parts), Measure[Part](2, written)) is None
    bare = fitted(parts, at_once(parts), Measure[Part](5, written, summary=4))
    assert bare
    assert (bare.said, bare.shown) == (False, ())


def test_what_stands_there_never_becomes_shorter() -> None:
    steps = [FillStep(0, partial(Part, 50)), FillStep(0, partial(Part, 10)), FillStep(0, partial(Part, 60))]

    cut = fitted([Part(60)], steps, Measure[Part](55, written, item=lambda one: one.size))

    assert cut
    assert [one.size for one in cut.shown] == [50]
