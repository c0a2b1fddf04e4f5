"""PageRank: shares of a walk that sum to one, and go where edges lead."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.graph.algorithms.push import ALPHA, TOLERANCE, pagerank
from clew.store.arrays import Array

edges = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.floats(0.01, 1)), max_size=40)


def ranked(count: int, found: list[tuple[int, int, float]]) -> Array:
    source, target, weight = (list(column) for column in zip(*found, strict=True)) if found else ([], [], [])
    return pagerank(count, np.array(source, np.int64), np.array(target, np.int64), np.array(weight, np.float64))


def slowly(count: int, found: list[tuple[int, int, float]]) -> Array:
    """The same, as a matrix, for long enough."""
    step = np.zeros((count, count))
    for source, target, weight in found:
        step[target, source] += weight
    leaving = step.sum(axis=0)
    step = np.where(leaving > 0, step / np.where(leaving > 0, leaving, 1), 1 / count)
    share = np.full(count, 1 / count)
    for _ in range(500):
        share = ALPHA * step @ share + (1 - ALPHA) / count
    return share


@given(edges)
def test_it_is_what_the_walk_comes_to(found: list[tuple[int, int, float]]) -> None:
    share = ranked(10, found)

    assert share.sum() == pytest.approx(1, abs=1e-12)
    assert np.abs(share - slowly(10, found)).sum() <= 10 * TOLERANCE


def test_who_is_called_by_more_ranks_higher() -> None:
    share = ranked(4, [(0, 3, 1.0), (1, 3, 1.0), (2, 1, 1.0)])

    assert share[3] > share[1] > share[0] == share[2]


def test_an_edge_counts_by_its_weight() -> None:
    share = ranked(3, [(0, 1, 0.9), (0, 2, 0.1)])

    assert share[1] > share[2]


def test_without_edges_all_are_equal_and_without_nodes_there_are_none() -> None:
    assert ranked(4, []).tolist() == [0.25] * 4
    assert ranked(0, []).tolist() == []


def test_a_long_chain_converges() -> None:
    share = ranked(1000, [(a, b, 1.0) for a, b in pairwise(range(1000))])

    assert share[999] > share[0]
    assert share.sum() == pytest.approx(1, abs=1e-12)
