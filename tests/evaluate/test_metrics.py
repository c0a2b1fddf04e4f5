import pytest

from clew.evaluate import rankers
from clew.evaluate.rankers import DEPTH, cost, ranks_of, scores, table


def test_ranks_count_from_one_and_zero_is_not_found() -> None:
    assert ranks_of(["b", "x", "a"], ["a", "b", "c"]) == (2, 0, 1)


def test_what_comes_too_late_is_not_found() -> None:
    ranking = [str(number) for number in range(DEPTH + 1)]

    assert ranks_of([str(DEPTH - 1), str(DEPTH)], ranking) == (DEPTH, 0)


def test_recall_is_the_share_of_right_answers_and_the_first_of_them_makes_the_reciprocal_rank() -> None:
    (row,) = table([(2, 7, 0, 11)])

    assert list(row) == [0, 0.25, 0.5, 0.5]


def test_what_is_not_found_is_worth_nothing() -> None:
    assert list(table([(0, 0)])[0]) == [0, 0, 0, 0]


def test_figures_are_means_over_cases() -> None:
    got = scores(table([(1,), (4,), (0,), (20,)]))

    assert got.cases == 4
    assert got.recall_1.mean == 0.25
    assert got.recall_5.mean == got.recall_10.mean == 0.5
    assert got.mrr.mean == pytest.approx((1 + 1 / 4 + 1 / 20) / 4)


def test_intervals_hold_the_mean_shrink_with_more_cases_and_are_the_same_every_time() -> None:
    few, many = scores(table([(1,), (0,)] * 10)), scores(table([(1,), (0,)] * 1000))

    assert few.mrr.low < few.mrr.mean == 0.5 < few.mrr.high
    assert many.mrr.high - many.mrr.low < 0.1 < few.mrr.high - few.mrr.low
    assert scores(table([(1,), (0,)] * 10)) == few


def test_a_mean_s_interval_is_that_of_the_normal_law_where_there_are_many() -> None:
    got = scores(table([(1,), (0,)] * 200)).recall_1

    assert got.high - got.low == pytest.approx(2 * 1.96 * 0.5 / 400**0.5, rel=0.1)


def test_a_constant_lead_has_no_spread() -> None:
    ours, theirs = table([(1,), (2,), (1,)]), table([(2,), (0,), (2,)])
    lead = scores(ours - theirs).mrr

    assert (lead.mean, lead.low, lead.high) == (0.5, 0.5, 0.5)


def test_no_case_makes_an_empty_table() -> None:
    assert table([]).shape == (0, len(rankers.CUTOFFS) + 1)


def test_costs_are_milliseconds() -> None:
    got = cost([0.010] * 99 + [1.0], [0.002] * 100)

    assert got.mean_ms == pytest.approx(19.9)
    assert got.p95_ms == 10
    assert got.cpu_ms == 2
