"""A plan cut to a budget: the longest beginning that fits as it is written, with prices or without."""

from collections.abc import Iterator
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from clew.pack.fitting import Cut, FillStep, Measure, at_once, fit_steps


class Part(NamedTuple):
    size: int
    section: str = "only"


class Sizes(Measure[Part]):
    """The size of a part is its price, if parts have prices at all."""

    def __init__(self, limit: int, *, priced: bool = True, summary: int = 0) -> None:
        self.limit, self.summary, self._priced = limit, summary, priced

    def whole(self, cut: Cut[Part]) -> int:
        return 3 + sum(one.size for one in cut.shown)

    def item(self, shown: Part) -> int:
        return shown.size if self._priced else 0


sizes = st.lists(st.integers(1, 9).map(Part), max_size=30)


def longest(parts: list[Part], limit: int) -> int:
    return max(n for n in range(len(parts) + 1) if 3 + sum(one.size for one in parts[:n]) <= limit)


@given(sizes, st.integers(3, 120))
def test_as_many_from_the_first_on_as_fit(parts: list[Part], limit: int) -> None:
    cut = fit_steps(parts, at_once(parts), Sizes(limit, priced=False))

    assert cut
    assert [*cut.shown] == parts[: longest(parts, limit)]
    assert cut.left_items == len(parts) - len(cut.shown)


@given(sizes, st.integers(3, 120))
def test_prices_that_are_true_show_as_much(parts: list[Part], limit: int) -> None:
    cut = fit_steps(parts, at_once(parts), Sizes(limit))

    assert cut
    assert [*cut.shown] == parts[: longest(parts, limit)]


def test_nothing_behind_what_does_not_fit_is_shown() -> None:
    parts = [Part(9), Part(9), Part(2)]
    steps = [
        FillStep(0, Part(1)),
        FillStep(1, Part(1)),
        FillStep(0, Part(9)),
        FillStep(2, Part(2)),
    ]
    cut = fit_steps(parts, steps, Sizes(8))

    assert cut
    assert cut.shown == (Part(1), Part(1))


def test_of_what_does_not_fit_the_longest_stage_is_shown() -> None:
    steps = [FillStep(0, Part(1)), FillStep(1, Part(9), [Part(3), Part(5), Part(7)])]
    for measure in (Sizes(10), Sizes(10, priced=False)):
        cut = fit_steps([Part(1), Part(9)], steps, measure)

        assert cut
        assert cut.shown == (Part(1), Part(5))


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(1, 30)), max_size=25), st.integers(3, 120), st.integers(0, 60))
def test_a_larger_limit_shows_all_that_a_smaller_one_does(grown: list[tuple[int, int]], limit: int, more: int) -> None:
    def shown(limit: int) -> list[int]:
        steps = [FillStep(number, Part(size), [Part(n) for n in range(1, size)]) for number, size in grown]
        cut = fit_steps([Part(30)] * 5, steps, Sizes(limit))
        assert cut
        return [one.size for one in cut.shown]

    small, large = shown(limit), shown(limit + more)
    assert sum(small) <= sum(large)
    assert len(small) <= len(large)


def test_what_would_come_in_after_the_end_is_not_even_made() -> None:
    made: list[int] = []

    def steps() -> Iterator[FillStep[Part]]:
        for number in range(5):
            made.append(number)
            yield FillStep(number, Part(4))

    cut = fit_steps([Part(4)] * 5, steps(), Sizes(8))

    assert cut
    assert (len(cut.shown), made) == (1, [0, 1])


def test_the_summary_goes_before_everything_else_goes() -> None:
    parts = [Part(1)]

    assert fit_steps(parts, at_once(parts), Sizes(2, priced=False)) is None
    bare = fit_steps(parts, at_once(parts), Sizes(5, priced=False, summary=4))
    assert bare
    assert (bare.said, bare.shown) == (False, ())


def test_what_stands_there_never_becomes_shorter() -> None:
    steps = [FillStep(0, Part(50)), FillStep(0, Part(10)), FillStep(0, Part(60))]

    cut = fit_steps([Part(60)], steps, Sizes(55))

    assert cut
    assert [one.size for one in cut.shown] == [50]
