"""Forward push: close to what exact iteration comes to, never above it, and the same to the bit."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.graph.algorithms.push import Arcs, PushResult, push
from clew.store.arrays import Array

NODES = 12
Drawn = list[tuple[int, int, int]]
drawn = st.lists(st.tuples(st.integers(0, NODES - 1), st.integers(0, NODES - 1), st.integers(1, 900)), max_size=40)
some_seeds = st.lists(st.integers(0, NODES - 1), min_size=1, max_size=4)
dampings = st.sampled_from([0.5, 0.7, 0.85])


class Drawing(NamedTuple):
    """A graph by hand: all that push asks for."""

    edges: Drawn
    size: int = NODES

    def arcs(self, nodes: Array) -> Arcs:
        rows = [(i, b, w) for i, node in enumerate(nodes.tolist()) for a, b, w in self.edges if a == node]
        start, target, weight = np.array(rows, np.int64).reshape(-1, 3).T
        return Arcs(start, target, weight.astype(np.float64))

    def degrees(self, nodes: Array) -> Array:
        return np.array([max(1, sum(a == node for a, _, _ in self.edges)) for node in nodes.tolist()], np.int64)


def pushed(edges: Drawn, seeds: list[int], damping: float = 0.5, epsilon: float = 1e-9) -> PushResult:
    return push(Drawing(edges), np.array(seeds, np.int64), np.ones(len(seeds)), damping, epsilon)


def exactly(edges: Drawn, seeds: list[int], damping: float) -> Array:
    """The same, as a matrix, for long enough; where nothing leads on, the walk stays."""
    step = np.zeros((NODES, NODES))
    for source, target, weight in edges:
        step[target, source] += weight
    leaving = step.sum(axis=0)
    step = np.where(leaving > 0, step / np.where(leaving > 0, leaving, 1), np.eye(NODES))
    begun = np.bincount(seeds, minlength=NODES) / len(seeds)
    share = begun
    for _ in range(400):
        share = damping * step @ share + (1 - damping) * begun
    return share


@given(drawn, some_seeds, dampings)
def test_it_comes_to_what_exact_iteration_comes_to(edges: Drawn, seeds: list[int], damping: float) -> None:
    shares = pushed(edges, seeds, damping).of(np.arange(NODES))

    assert np.abs(shares - exactly(edges, seeds, damping)).max() <= 1e-6


@given(drawn, some_seeds, dampings, st.sampled_from([1e-1, 1e-2, 1e-4]))
def test_nothing_is_lost_and_no_share_is_too_large(
    edges: Drawn, seeds: list[int], damping: float, epsilon: float
) -> None:
    reached = pushed(edges, seeds, damping, epsilon)

    assert reached.shares.sum() + reached.under_way == pytest.approx(1, abs=1e-12)
    assert (reached.of(np.arange(NODES)) <= exactly(edges, seeds, damping) + 1e-9).all()


@given(drawn, some_seeds, st.permutations(range(NODES)))
def test_neither_numbers_nor_order_change_a_bit(edges: Drawn, seeds: list[int], renamed: list[int]) -> None:
    others = [(renamed[a], renamed[b], w) for a, b, w in reversed(edges)]

    one = pushed(edges, seeds, 0.7, 1e-3)
    other = pushed(others, [renamed[seed] for seed in reversed(seeds)], 0.7, 1e-3)

    assert one.of(np.arange(NODES)).tobytes() == other.of(np.array(renamed)).tobytes()
    assert one.under_way == other.under_way


def test_the_nearer_has_more() -> None:
    chain = [(0, 1, 1), (1, 2, 1), (2, 3, 1)]

    assert np.allclose(pushed(chain, [0]).of(np.arange(4)), [0.5, 0.25, 0.125, 0.125])


def test_a_seed_without_arcs_keeps_all_and_others_get_nothing() -> None:
    reached = pushed([(1, 2, 1)], [0])

    assert (reached.nodes.tolist(), reached.shares.tolist(), reached.under_way) == ([0], [1.0], 0.0)
    assert reached.of(np.array([2, 0])).tolist() == [0.0, 1.0]


def test_seeds_count_by_their_weights_and_one_named_twice_by_both() -> None:
    reached = push(Drawing([]), np.array([3, 5, 3]), np.array([1.0, 2.0, 1.0]))

    assert reached.of(np.array([3, 5])).tolist() == [0.5, 0.5]


def test_without_seeds_or_weight_nothing_is_reached() -> None:
    for seeds, weights in (([], []), ([1], [0.0])):
        reached = push(Drawing([(1, 2, 1)]), np.array(seeds, np.int64), np.array(weights, np.float64))
        assert (len(reached.nodes), reached.of(np.array([1])).tolist()) == (0, [0.0])


def test_an_arc_to_itself_ends_some_day() -> None:
    assert pushed([(0, 0, 1)], [0]).of(np.array([0]))[0] == pytest.approx(1)


def test_what_is_too_little_is_not_passed_on() -> None:
    fan = [(0, i, 1) for i in range(1, 11)] + [(1, 11, 1)]

    assert 11 not in pushed(fan, [0], epsilon=0.1).nodes
    assert 11 in pushed(fan, [0], epsilon=0.01).nodes
