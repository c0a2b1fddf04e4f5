"""How good rankings are: recall and reciprocal rank, with bootstrap intervals. Pure, and the same every time."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from clew.evaluate.report import Figure, QueryCost, RankerScores

DEPTH = 50  # ranks that count; what comes later is as good as not found
CUTOFFS = (1, 5, 10)
RESAMPLES = 1000
SEED = 4_242
INTERVAL = (2.5, 97.5)  # percentiles

Table = NDArray[np.float64]  # a row per case: recall at each cutoff, and the reciprocal rank


def ranks_of(right: Sequence[str], ranking: Sequence[str]) -> tuple[int, ...]:
    """At which rank each right answer stands, from 1; 0 if it does not within the depth."""
    places = {one: rank for rank, one in enumerate(ranking[:DEPTH], start=1)}
    return tuple(places.get(one, 0) for one in right)


def table(cases: Sequence[Sequence[int]]) -> Table:
    """The measures of each case, by the ranks of its right answers."""
    return np.array([_measures(ranks) for ranks in cases], np.float64).reshape(len(cases), len(CUTOFFS) + 1)


def _measures(ranks: Sequence[int]) -> list[float]:
    found = [rank for rank in ranks if rank]
    shares = [sum(rank <= cutoff for rank in found) / len(ranks) for cutoff in CUTOFFS]
    return [*shares, 1 / min(found) if found else 0.0]


def scores(measured: Table) -> RankerScores:
    """Means with their intervals; of the difference of two tables, the paired difference."""
    return RankerScores(len(measured), *figures(measured))


def figures(measured: Table) -> list[Figure]:
    """Mean and confidence interval of each column."""
    count = len(measured)
    drawn = np.random.default_rng(SEED).integers(0, count, (RESAMPLES, count))
    means = measured[drawn].mean(axis=1)
    lows, highs = np.percentile(means, INTERVAL, axis=0)
    return [_figure(*one) for one in zip(measured.mean(axis=0), lows, highs, strict=True)]


def _figure(mean: float, low: float, high: float) -> Figure:
    return Figure(round(float(mean), 4), round(float(low), 4), round(float(high), 4))


def cost(seconds: Sequence[float], cpu_seconds: Sequence[float]) -> QueryCost:
    taken = np.array(seconds) * 1000
    cpu = float(np.mean(cpu_seconds)) * 1000
    return QueryCost(round(float(taken.mean()), 2), round(float(np.percentile(taken, 95)), 2), round(cpu, 2))
