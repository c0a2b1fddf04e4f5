"""Fits weights to cases: coordinate search, and a test of whether its gain is more than noise.

Pure and deterministic.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.evaluate import rankers
from clew.evaluate.report import Figure

STEPS = tuple(step / 10 for step in range(11))
ROUNDS = 4  # through all weights, at most
FOLDS = 3  # in time
MARGIN = 1.0  # standard errors by which weights are about as good as others

Weights = tuple[float, ...]
Values = NDArray[np.float64]  # of the objective, by case
Numbers = NDArray[np.int64]  # of cases
Objective = Callable[[Weights], Values]


class WeightSpace(NamedTuple):
    """The start of each weight, and its choices; a fixed weight has one choice."""

    start: Weights
    choices: tuple[Weights, ...]


class Fit(NamedTuple):
    """The fitted weights, and the gain on held-out cases: on all of them, and in each fold."""

    weights: Weights
    held_out: Figure
    folds: tuple[float, ...]


def fit(objective: Objective, room: WeightSpace, cases: int) -> Fit:
    """`cases` are in order of time; each third is held out once, and measured by weights fitted to the others.

    If the gain may be noise, or one third loses, the weights are those of the start.
    """
    folds = np.array_split(np.arange(cases), FOLDS)
    gains = [_gains(objective, room, fold, np.concatenate([one for one in folds if one is not fold])) for fold in folds]
    (held_out,) = rankers.figures(np.concatenate(gains).reshape(-1, 1))
    means = tuple(round(float(one.mean()), 4) for one in gains)
    steady = held_out.low > 0 and min(means) >= 0
    return Fit(search(objective, room, np.arange(cases)) if steady else room.start, held_out, means)


def _gains(objective: Objective, room: WeightSpace, fold: Numbers, others: Numbers) -> Values:
    return (objective(search(objective, room, others)) - objective(room.start))[fold]


def search(objective: Objective, room: WeightSpace, cases: Numbers) -> Weights:
    """The best of each weight while the others stay, in rounds, until none moves."""
    weights = room.start
    for _ in range(ROUNDS):
        before = weights
        for place in range(len(weights)):
            weights = _choose_weight(objective, room, weights, place, cases)
        if weights == before:
            break
    return weights


def _choose_weight(objective: Objective, room: WeightSpace, weights: Weights, place: int, cases: Numbers) -> Weights:
    """The value of one weight that is nearly as good as the best and nearest to the start."""
    usual = room.start[place]
    tried = {choice: objective(_with(weights, place, choice))[cases] for choice in room.choices[place]}
    best = max(tried.values(), key=lambda values: round(float(values.mean()), 9))
    near = sorted(tried, key=lambda choice: (abs(choice - usual), choice))
    good = next(choice for choice in near if not _is_more_than_noise(best - tried[choice]))
    return _with(weights, place, good)


def _is_more_than_noise(gains: Values) -> bool:
    if len(gains) < 2:
        return False
    error = gains.std(ddof=1) / np.sqrt(len(gains))
    return bool(gains.mean() > MARGIN * error)


def _with(weights: Sequence[float], place: int, value: float) -> Weights:
    return (*weights[:place], value, *weights[place + 1 :])
