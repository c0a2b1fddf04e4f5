"""Fitting is pure: made-up objectives tell what it does."""

import numpy as np
import pytest

from clew.evaluate.fitting import STEPS, Objective, Values, Weights, WeightSpace, fit, search

CASES = 60
ROOM = WeightSpace((1.0, 0.65), (STEPS, tuple(sorted({*STEPS, 0.65}))))


def objective(gain_of_second: float, noise: float) -> Objective:
    """Each case gains as the second weight goes down, some more and some less than others."""
    spread = np.random.default_rng(1).normal(0, noise, CASES)

    def value(weights: Weights) -> Values:
        moved = 0.65 - weights[1]
        return 1.0 + moved * (gain_of_second + spread)

    return value


def test_a_clear_gain_moves_the_weight_that_makes_it_and_no_other() -> None:
    found = fit(objective(0.5, 0.1), ROOM, CASES)

    assert found.weights == (1.0, 0.0)
    assert found.held_out.low > 0


def test_noise_moves_nothing() -> None:
    found = fit(objective(0.0, 1.0), ROOM, CASES)

    assert found.weights == ROOM.start
    assert found.held_out.low <= 0


def test_what_helps_only_some_of_the_time_is_no_gain() -> None:
    """A third of the cases gains, the next loses as much: weights fitted to the ones are held against the others."""
    spread = np.repeat([1.0, -1.0, 0.2], CASES // 3)
    found = fit(lambda weights: 1.0 + (0.65 - weights[1]) * spread, ROOM, CASES)

    assert found.weights == ROOM.start


def test_a_gain_that_one_third_does_not_have_is_not_steady() -> None:
    """Though the gain of all is clear: by the time the weights are used, the others may be over."""
    spread = np.repeat([1.0, 1.0, -0.2], CASES // 3)
    found = fit(lambda weights: 1.0 + (0.65 - weights[1]) * spread, ROOM, CASES)

    assert found.held_out.low > 0
    assert min(found.folds) < 0
    assert found.weights == ROOM.start


def test_a_fixed_weight_stays() -> None:
    fixed = WeightSpace(ROOM.start, (STEPS, (0.65,)))

    assert fit(objective(0.5, 0.1), fixed, CASES).weights == ROOM.start


def test_of_equally_good_weights_the_nearest_to_the_start_is_taken() -> None:
    def flat_below_half(weights: Weights) -> Values:
        return np.full(CASES, 1.0 if weights[1] > 0.5 else 2.0)

    assert search(flat_below_half, ROOM, np.arange(CASES)) == (1.0, 0.5)


def test_a_weight_moves_no_further_than_is_worth_it() -> None:
    """Much is gained by the first step, hardly anything that could be told from noise by the rest."""
    spread = np.random.default_rng(1).normal(0, 1, CASES)

    def value(weights: Weights) -> Values:
        return (1.0 if weights[1] < 0.65 else 0.0) + 0.001 * (0.65 - weights[1]) * (spread + 0.1)

    assert search(value, ROOM, np.arange(CASES)) == (1.0, 0.6)


def test_weights_that_need_each_other_are_found_in_rounds() -> None:
    def value(weights: Weights) -> Values:
        first, second = weights
        return np.full(CASES, -2 * abs(first - 0.4) - abs(second - first))

    assert search(value, WeightSpace((1.0, 1.0), (STEPS, STEPS)), np.arange(CASES)) == pytest.approx((0.4, 0.4))


def test_the_same_cases_give_the_same_fit() -> None:
    assert fit(objective(0.2, 0.3), ROOM, CASES) == fit(objective(0.2, 0.3), ROOM, CASES)
