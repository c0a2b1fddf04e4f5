"""Requests: defaults, hard caps, and one spelling of what means the same."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.model.errors import InvalidInput
from clew.pack.request import (
    CAPS,
    BudgetOptions,
    Budgets,
    ExpansionOptions,
    FocusOptions,
    Options,
    OrderingOptions,
    canonical,
    normalise,
    pack_id,
)

FIELDS = ["max_total_chars", "max_total_tokens", "max_items", "max_items_per_section", "max_bytes_per_item"]


def test_what_is_left_out_takes_its_default() -> None:
    request = normalise(Options("login")).request

    assert request.budgets == Budgets(200_000, 16_000, 80, 25, 4096)
    assert (request.expansion.max_hops, request.expansion.edge_types) == (2, ("call", "import", "usage"))
    assert (request.expansion.direction, request.strictness, request.include_explain) == ("both", "warn", True)
    assert request.ordering.stable_tie_breakers == ("fileRelPath", "startLine", "chunkUid", "symbolId")


def test_names_in_json_are_the_documents() -> None:
    told = canonical(normalise(Options("login", focus=FocusOptions(symbol_id="a.py::f"))).request).decode()

    assert '"focus":{"symbolId":"a.py::f"}' in told
    assert '"includeSameFileNeighbors":false' in told
    assert "repoId" not in told
    assert "indexRoot" not in told


@pytest.mark.parametrize("field", FIELDS)
def test_a_hard_cap_holds_whatever_is_asked_for(field: str) -> None:
    spelled = "".join(part.title() for part in field.split("_"))
    cap = CAPS[f"budgets.{spelled[0].lower()}{spelled[1:]}"]

    for asked, held, told in ((cap - 1, cap - 1, 0), (cap, cap, 0), (cap + 1, cap, 1), (10**12, cap, 1)):
        found = normalise(Options("q", budgets=BudgetOptions(**{field: asked})))
        assert getattr(found.request.budgets, field) == held
        assert len(found.warnings) == told


def test_hops_have_a_cap_too_and_a_warning_names_the_field() -> None:
    found = normalise(Options("q", expansion=ExpansionOptions(max_hops=5)))

    assert found.request.expansion.max_hops == 4
    assert found.warnings == ("expansion.maxHops: 5 is above the hard cap, so 4 holds",)


@pytest.mark.parametrize("field", FIELDS)
def test_less_than_one_is_refused_by_name(field: str) -> None:
    with pytest.raises(InvalidInput, match=r"budgets\.max"):
        normalise(Options("q", budgets=BudgetOptions(**{field: 0})))


def test_a_request_must_ask_for_something_and_look_at_one_thing() -> None:
    with pytest.raises(InvalidInput, match="query"):
        normalise(Options(" \n"))
    with pytest.raises(InvalidInput, match="symbol_id and file_rel_path"):
        normalise(Options("q", focus=FocusOptions(symbol_id="a.py::f", file_rel_path="a.py")))
    assert normalise(Options(focus=FocusOptions(file_rel_path="a.py"))).request.query == ""


def test_switches_and_edge_types_say_the_same() -> None:
    named = normalise(Options("q", expansion=ExpansionOptions(edge_types=("export", "usage", "call", "call"))))
    switched = normalise(Options("q", expansion=ExpansionOptions(include_imports=False, include_exports=True)))

    assert named.request == switched.request
    assert named.request.expansion.edge_types == ("call", "export", "usage")
    assert not named.request.expansion.include_imports


def test_tie_breakers_are_made_complete() -> None:
    found = normalise(Options("q", ordering=OrderingOptions(stable_tie_breakers=("symbolId", "symbolId"))))

    assert found.request.ordering.stable_tie_breakers == ("symbolId", "fileRelPath", "startLine", "chunkUid")


@given(
    st.permutations(["call", "usage", "import"]), st.sampled_from(["a b", " a b", "a b\n "]), st.integers(251, 10**6)
)
def test_what_means_the_same_has_the_same_bytes(edges: list[Any], query: str, items: int) -> None:
    expansion = ExpansionOptions(edge_types=tuple(edges), include_imports=True)
    odd = normalise(Options(query, expansion=expansion, budgets=BudgetOptions(max_items=items))).request
    plain = normalise(Options("a b", budgets=BudgetOptions(max_items=250))).request

    assert canonical(odd) == canonical(plain)
    assert pack_id("i", odd) == pack_id("i", plain)


def test_an_id_depends_on_index_and_request() -> None:
    request = normalise(Options("a")).request
    others = [
        pack_id("index", request),
        pack_id("other", request),
        pack_id("index", normalise(Options("b")).request),
    ]

    assert len(set(others)) == len(others)
    assert all(len(one) == 64 for one in others)


def test_what_no_json_can_hold_is_replaced() -> None:
    request = normalise(Options("a\udc80b", focus=FocusOptions(symbol_id="c\udc80"))).request

    assert (request.query, request.focus.symbol_id) == ("a?b", "c?")
    assert pack_id("i", request)
