"""The quality of weights on a case, by each retriever's findings. Pure.

The ranking is that of a search before diversification; a reranker has seen the best by the weights at the time of the
question.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.evaluate import metrics
from clew.evaluate.functions import KINDS
from clew.evaluate.metrics import DEPTH
from clew.evaluate.report import Case, Ranks
from clew.evaluate.world import World
from clew.retrieve.signals import ScoredChunk, Signals

RECALL_SHARE, FUNCTIONS_SHARE = 0.5, 0.7  # of the objective, beside the files' MRR

NOWHERE = -1

_RECALL_5, _MRR = 1, 3  # columns of a table

Numbers = NDArray[np.int64]


class Weighable(NamedTuple):
    """A case and its signals; by chunk the number of its file and of its function, if those are ranked."""

    signals: Signals
    files: Numbers
    functions: Numbers
    right_files: tuple[int, ...]
    right_functions: tuple[int, ...]

    def ranks(self, weights: Mapping[str, float]) -> Ranks:
        scores = self.signals.fuse(weights)
        order = np.argsort(-scores, kind="stable")
        order = order[scores[order] > 0]
        files = ranks_among(self.files[order], self.right_files)
        return Ranks(files, ranks_among(self.functions[order], self.right_functions))


def weighable(case: Case, signals: Signals, world: World) -> Weighable:
    files, functions = _Numbering(case.files), _Numbering(case.functions)
    of_files = [files[one.path] if one.path in world.files else NOWHERE for one in signals.chunks]
    of_functions = [_function(one, world, functions) for one in signals.chunks]
    right = (tuple(range(len(case.files))), tuple(range(len(case.functions))))
    return Weighable(signals, np.array(of_files, np.int64), np.array(of_functions, np.int64), *right)


def objective(ranks: Sequence[Ranks]) -> NDArray[np.float64]:
    """By case; the mean is that of the files' MRR, half their recall at 5, and a part of the functions' MRR.

    Only some cases have functions: they count for the others.
    """
    files = metrics.table([one.files for one in ranks])
    value: NDArray[np.float64] = files[:, _MRR] + RECALL_SHARE * files[:, _RECALL_5]
    having = [number for number, one in enumerate(ranks) if one.functions]
    if having:
        functions = metrics.table([ranks[number].functions for number in having])
        value[having] += FUNCTIONS_SHARE * functions[:, _MRR] * len(ranks) / len(having)
    return value


class _Numbering(dict[str, int]):
    """Numbers for names, the right answers first."""

    def __init__(self, first: Sequence[str]) -> None:
        super().__init__((name, number) for number, name in enumerate(first))

    def __missing__(self, name: str) -> int:
        self[name] = len(self)
        return self[name]


def _function(chunk: ScoredChunk, world: World, numbers: _Numbering) -> int:
    outer = world.outer.get(chunk.symbol, chunk.symbol)
    return numbers[outer] if chunk.kind in KINDS and chunk.path in world.files and outer in world.functions else NOWHERE


def ranks_among(ordered: Numbers, right: Sequence[int]) -> tuple[int, ...]:
    """At which rank each right one is met for the first time, among those that are ranked at all."""
    met, first = np.unique(ordered[ordered != NOWHERE], return_index=True)
    ranks = {int(number): rank for rank, number in enumerate(met[np.argsort(first)][:DEPTH], start=1)}
    return tuple(ranks.get(number, 0) for number in right)
