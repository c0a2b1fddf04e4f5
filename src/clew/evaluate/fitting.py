"""Fitting weights to cases: a search along one weight after the other, and whether what it gains is more than noise.

Pure, and the same every time.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.evaluate import metrics
from clew.evaluate.report import Figure

STEPS = tuple(step / 10 for step in range(11))
ROUNDS = 4  # through all weights, at most
FOLDS = 3  # in time
MARGIN = 1.0  # standard errors that a weight must gain to leave its default

Weights = tuple[float, ...]
Values = NDArray[np.float64]  # of the objective, by case
Objective = Callable[[Weights], Values]


class Room(NamedTuple):
    """Where each weight starts, and what it may be; one that is fixed may be nothing else."""

    start: Weights
    choices: tuple[Weights, ...]


class Fit(NamedTuple):
    """The weights to take, which are those of the start if the gain on cases held out is not more than noise."""

    weights: Weights
    held_out: Figure


def fit(objective: Objective, room: Room, cases: int) -> Fit:
    """`cases` are in order of time; each third is held out once, and measured by weights fitted to the others."""
    gains = np.zeros(cases)
    for fold in np.array_split(np.arange(cases), FOLDS):
        others = np.setdiff1d(np.arange(cases), fold)
        weights = search(objective, room, others)
        gains[fold] = (objective(weights) - objective(room.start))[fold]
    (held_out,) = metrics.figures(gains.reshape(-1, 1))
    weights = search(objective, room, np.arange(cases)) if held_out.low > 0 else room.start
    return Fit(weights, held_out)


def search(objective: Objective, room: Room, cases: NDArray[np.int64]) -> Weights:
    """The best of each weight while the others stay, in rounds, until none moves."""
    weights = room.start
    for _ in range(ROUNDS):
        before = weights
        for place in range(len(weights)):
            weights = _moved(objective, room, weights, place, cases)
        if weights == before:
            break
    return weights


def _moved(objective: Objective, room: Room, weights: Weights, place: int, cases: NDArray[np.int64]) -> Weights:
    """The best choice for one weight, if it is better than its start by a margin; else the start."""
    usual = room.start[place]
    tried = {choice: objective(_with(weights, place, choice))[cases] for choice in room.choices[place]}
    best = max(tried, key=lambda choice: (round(float(tried[choice].mean()), 9), -abs(choice - usual), -choice))
    return _with(weights, place, best if _is_more_than_noise(tried[best] - tried[usual]) else usual)


def _is_more_than_noise(gains: Values) -> bool:
    if len(gains) < 2:
        return False
    error = gains.std(ddof=1) / np.sqrt(len(gains))
    return bool(gains.mean() > MARGIN * error)


def _with(weights: Sequence[float], place: int, value: float) -> Weights:
    return (*weights[:place], value, *weights[place + 1 :])
