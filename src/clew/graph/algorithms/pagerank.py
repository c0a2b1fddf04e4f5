"""How much of a random walk along the edges comes by each node."""

import math

import numpy as np

from clew.store.arrays import Array

ALPHA = 0.85  # how often the walk goes on rather than begins anew somewhere
TOLERANCE = 1e-9  # of all shares together


def pagerank(count: int, source: Array, target: Array, weight: Array) -> Array:
    """The share of each node; they sum to one. From where no edge leads, the walk goes on anywhere."""
    if not count:
        return np.zeros(0)
    leaving = np.bincount(source, weights=weight, minlength=count)
    part = weight / np.where(leaving > 0, leaving, 1)[source]
    stuck = leaving == 0
    share: Array = np.full(count, 1 / count)
    rounds = math.ceil(math.log(TOLERANCE / 2) / math.log(ALPHA))  # each brings it nearer by ALPHA at least
    for _ in range(rounds):
        moved = np.bincount(target, weights=share[source] * part, minlength=count)
        after = ALPHA * (moved + share[stuck].sum() / count) + (1 - ALPHA) / count
        change = float(np.abs(after - share).sum())
        share = after / after.sum()
        if change <= TOLERANCE:
            break
    return share
