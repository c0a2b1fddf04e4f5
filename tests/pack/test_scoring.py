"""Scores as the document has them, and the one order."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.pack.request import OrderingOptions, PackRequest
from clew.pack.scoring import Lead, graph_scores, hit_scores, hybrid_score, rank, seed_scores
from clew.pack.sections import allot
from clew.pack.shelf import Standing
from tests.pack.standings import a_candidate, a_lead, a_request, a_seed_lead, a_standing, a_step


def order(leads: list[Lead], request: PackRequest) -> list[str]:
    standings: dict[str, Standing] = {}
    for lead in leads:
        path, _, scope = lead.id.partition("::")
        standings[lead.id] = a_standing(path, scope, line=10 - len(scope))
    return [entry.lead.id for entry in allot(leads, request, lambda lead: standings[lead.id]).entries]


@pytest.mark.parametrize(
    ("seed", "distance", "evidence", "expected"),
    [(1.0, 0, 1.0, 1.0), (0.5, 0, 1.0, 0.65), (0.0, 1, 1.0, 0.2), (0.0, 2, 0.5, 0.11666666), (0.8, None, 0.0, 0.56)],
)
def test_the_formula(seed: float, distance: int | None, evidence: float, expected: float) -> None:
    assert hybrid_score(seed, distance, evidence) == pytest.approx(expected)


@given(st.floats(0, 5), st.integers(0, 9), st.floats(0, 5))
def test_a_score_is_never_out_of_bounds(seed: float, distance: int, evidence: float) -> None:
    assert 0 <= hybrid_score(seed, distance, evidence) <= 1


def test_scores_tell_where_they_come_from() -> None:
    two = a_candidate("c.py::h", a_step(), a_step(), strength=0.25)

    assert (graph_scores(two, 0.5).graph_distance, graph_scores(two, 0.5).evidence_score) == (2, 0.25)
    assert seed_scores(0.9).graph_distance == 0
    assert "graphDistance" not in str(hit_scores(0.9))


@pytest.mark.parametrize("primary", ["graphEvidence", "ppr"])
def test_what_only_the_graph_brings_never_outranks_a_strong_seed(primary: Any) -> None:
    leads = [a_lead("b.py::hub", evidence_score=1.0, ppr=0.9), a_seed_lead("a.py::f", 0.5)]
    leads.append(a_seed_lead("z.py::weak", 0.49))
    request = a_request(ordering=OrderingOptions(primary))

    assert order(leads, request)[0] == "a.py::f"


def test_unless_the_graph_is_asked_about() -> None:
    leads = [a_lead("b.py::hub", ppr=0.9), a_seed_lead("a.py::f", 0.9)]
    by_walk = OrderingOptions("ppr")

    assert order(leads, a_request(ordering=by_walk, intent="impact")) == ["b.py::hub", "a.py::f"]
    assert order(leads, a_request(ordering=by_walk, intent="debug")) == ["a.py::f", "b.py::hub"]


@pytest.mark.parametrize(
    ("primary", "first"),
    [
        ("seedScore", "b.py::found"),
        ("graphDistance", "b.py::near"),
        ("graphEvidence", "b.py::sure"),
        ("hybridScore", "b.py::best"),
        ("ppr", "b.py::central"),
    ],
)
def test_what_is_ordered_by_first_is_chosen(primary: Any, first: str) -> None:
    usual: dict[str, Any] = {
        "graph_distance": 2,
        "evidence_score": 0.5,
        "seed_score": 0.1,
        "hybrid_score": 0.3,
        "ppr": 0.1,
    }
    leads = [
        a_lead("b.py::found", **{**usual, "seed_score": 0.2}),
        a_lead("b.py::near", **{**usual, "graph_distance": 1}),
        a_lead("b.py::sure", **{**usual, "evidence_score": 0.6}),
        a_lead("b.py::best", **{**usual, "hybrid_score": 0.4}),
        a_lead("b.py::central", **{**usual, "ppr": 0.2}),
    ]

    assert order(leads, a_request(ordering=OrderingOptions(primary)))[0] == first


def test_ties_are_broken_one_after_the_other() -> None:
    same: dict[str, Any] = {"graph_distance": 1, "evidence_score": 0.5, "seed_score": 0.1}
    leads = [
        a_lead("b.py::xx", hybrid_score=0.3, **same),  # line 8
        a_lead("b.py::x", hybrid_score=0.3, **same),  # line 9
        a_lead("a.py::zz", hybrid_score=0.3, **same),
        a_lead("c.py::first", hybrid_score=0.4, **same),
        a_lead("a.py::far", hybrid_score=0.3, **{**same, "graph_distance": 2}),
    ]
    expected = ["c.py::first", "a.py::zz", "b.py::xx", "b.py::x", "a.py::far"]

    for seed in range(10):
        random.Random(seed).shuffle(leads)
        assert order(leads, a_request(ordering=OrderingOptions("seedScore"))) == expected


def test_tie_breakers_may_come_in_another_order() -> None:
    leads = [a_lead("b.py::a", hybrid_score=0.3), a_lead("a.py::bb", hybrid_score=0.3)]

    assert order(leads, a_request()) == ["a.py::bb", "b.py::a"]
    by_line = OrderingOptions(stable_tie_breakers=("startLine",))
    assert order(leads, a_request(ordering=by_line)) == ["a.py::bb", "b.py::a"]  # lines 8 and 9
    by_id = OrderingOptions(stable_tie_breakers=("symbolId",))
    assert order(leads, a_request(ordering=by_id)) == ["a.py::bb", "b.py::a"]
    assert len(rank(leads[0], a_request(ordering=by_id))) < len(rank(leads[0], a_request()))
