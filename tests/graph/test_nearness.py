"""Steps and centrality, on graphs drawn by hand."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from clew.graph.full_graph import NO_EDGES, Columns, FullGraph
from clew.graph.nearness import MOST_STEPS, NOWHERE, central, likely, near_to
from clew.model.words import EdgeKind, Kind
from clew.store.links import KINDS, SURE
from tests.graph.worlds import thing

CALLS, CO_CHANGES = KINDS.index(EdgeKind.CALLS), KINDS.index(EdgeKind.CO_CHANGES)

edges_between_six = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12)


def graph(names: str, *edges: tuple[str, float], outside: str = "", history: tuple[str, ...] = ()) -> FullGraph:
    """Nodes of one letter; an edge is its two ends and how sure it is."""
    ids = sorted(names)
    kinds = [str(Kind.EXTERNAL if one in outside else Kind.FUNCTION) for one in ids]
    return FullGraph(
        ids, kinds, _columns(ids, edges, CALLS), _columns(ids, [(one, 1.0) for one in history], CO_CHANGES)
    )


def _columns(ids: list[str], edges: "tuple[tuple[str, float], ...] | list[tuple[str, float]]", kind: int) -> Columns:
    rows = [(ids.index(ends[0]), ids.index(ends[1]), kind, 1, 0, int(sure * SURE)) for ends, sure in edges]
    return Columns(*np.array(rows, np.int64).reshape(-1, 6).T) if rows else NO_EDGES


def steps(whole: FullGraph, anchor: str) -> dict[str, int]:
    measure = near_to(whole, thing(anchor))
    return {one: measure(one).distance for one in whole.ids}


def test_edges_are_followed_both_ways() -> None:
    assert steps(graph("abc", ("ba", 1.0), ("bc", 1.0)), "a") == {"a": 0, "b": 1, "c": 2}


def test_unsure_edges_history_and_what_is_outside_connect_nothing() -> None:
    whole = graph("abcdx", ("ab", 0.4), ("ax", 1.0), ("cx", 1.0), outside="x", history=("ad",))

    assert steps(whole, "a") == {"a": 0, "b": 1, "c": 1, "d": 1, "x": 1}
    assert {near_to(whole, thing("a"))(one).score for one in "bcdx"} == {0.0}


def test_an_anchor_outside_is_near_to_what_uses_it() -> None:
    assert steps(graph("abx", ("ax", 1.0), ("ba", 1.0), outside="x"), "x") == {"x": 0, "a": 1, "b": 2}


def test_steps_have_a_bound() -> None:
    names = [chr(ord("a") + i) for i in range(25)]
    chain = graph("".join(names), *((f"{one}{next_}", 1.0) for one, next_ in pairwise(names)))
    measure = near_to(chain, thing("a"))

    assert measure(names[MOST_STEPS]).distance == MOST_STEPS
    for beyond in (names[-1], "not there"):
        assert (measure(beyond).distance, measure(beyond).score) == (MOST_STEPS + 1, 0.0)


@given(edges_between_six)
def test_scores_fall_with_every_step(edges: list[tuple[int, int]]) -> None:
    whole = graph("abcdef", *(("abcdef"[one] + "abcdef"[other], 1.0) for one, other in edges))
    measured = sorted((near_to(whole, thing("a"))(one) for one in whole.ids), key=lambda near: near.distance)

    assert measured[0].distance == 0
    assert measured[0].score == 1.0
    for nearer, further in pairwise(measured):
        assert (nearer.score > further.score) == (nearer.distance < further.distance)


def test_the_most_central_of_the_project_has_one() -> None:
    whole = graph("abcx", ("ac", 1.0), ("bc", 1.0), ("cx", 1.0), outside="x")
    measure = central(whole)

    assert round(measure("c").score, 6) == 1.0
    assert 0 < measure("a").score < 1
    assert (measure("a").distance, measure("none").score) == (NOWHERE, 0.0)


def test_half_sure_is_likely() -> None:
    assert likely(graph("ab", ("ab", 0.5), ("ba", 0.49))).tolist() == [True, False]
