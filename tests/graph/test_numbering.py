"""Numbers of nodes: the snapshot's own stay, what is laid over comes behind, and what is gone has none."""

import numpy as np

from clew.graph.walk_graph import Numbering
from clew.model.words import EdgeKind
from tests.graph.worlds import anew, laid_over, shown

CALLS = EdgeKind.CALLS
BEFORE = {"a.py": [shown("f", CALLS, "b.py::g")], "b.py": [shown("old", CALLS, "external::x")]}
NOW = {"a.py": BEFORE["a.py"], "b.py": [shown("new", CALLS, "a.py::f"), shown("aaa", CALLS, "a.py::f")]}


def test_numbers_follow_the_snapshot_and_then_what_is_new() -> None:
    numbering = Numbering(laid_over(BEFORE, NOW))

    assert [numbering.id(i) for i in range(numbering.size)] == [
        "a.py::f", "b.py::g", "b.py::old", "external::x", "b.py::aaa", "b.py::new",
    ]  # fmt: skip
    assert [numbering.find(one) for one in ("a.py::f", "b.py::aaa", "b.py::new")] == [0, 4, 5]


def test_what_no_edge_touches_any_more_is_not_there_and_nothing_outside_is_found() -> None:
    numbering = Numbering(laid_over(BEFORE, NOW))

    assert [numbering.find(one) for one in ("b.py::old", "external::x", "nowhere", "")] == [-1] * 4
    assert numbering.is_there(np.arange(6)).tolist() == [True, True, False, False, True, True]


def test_degrees_are_those_of_a_snapshot_made_anew() -> None:
    over, whole = Numbering(laid_over(BEFORE, NOW)), Numbering(anew(NOW))

    for number in range(whole.size):
        here = over.find(whole.id(number))
        assert over.degrees(np.array([here])) == whole.degrees(np.array([number]))


def test_ranks_are_in_the_order_of_ids() -> None:
    for numbering in (Numbering(laid_over(BEFORE, NOW)), Numbering(anew(NOW))):
        ranks = numbering.ranks(np.arange(numbering.size)).tolist()
        ids = [numbering.id(number) for number in range(numbering.size)]
        assert [one for _, one in sorted(zip(ranks, ids, strict=True))] == sorted(ids)
        assert len({*ranks}) == len(ids)


def test_the_inside_of_a_file_is_what_any_part_knows_of_it() -> None:
    numbering = Numbering(laid_over(BEFORE, NOW))

    assert dict(numbering.inside("b.py")) == {1: "b.py::g", 2: "b.py::old", 4: "b.py::aaa", 5: "b.py::new"}
    assert dict(numbering.inside("b")) == {}
