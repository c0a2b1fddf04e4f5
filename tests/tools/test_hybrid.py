"""hybrid_search, as its document has it."""

import json
from typing import Any

import pytest

from clew.tools import TOOLS
from clew.tools.answer import Caller, answer
from clew.workspaces import Workspaces
from tests.conftest import Repository


def found(caller: Caller, query: str, **arguments: object) -> dict[str, Any]:
    given = {"query": query, "profile": "debug", **arguments}
    envelope: dict[str, Any] = json.loads(answer(caller, "hybrid_search", given).body)
    return envelope


def ids(envelope: dict[str, Any]) -> list[str]:
    return [one["node_id"] for one in envelope["data"]["results"]]


def test_its_parameters_and_defaults_are_the_document_s() -> None:
    properties = TOOLS["hybrid_search"].schema["properties"]
    names = [
        "query", "n_results", "node_types", "service_name", "anchor_node_id", "semantic_weight", "graph_weight",
    ]  # fmt: skip

    assert [*properties][:7] == names
    assert [properties[name].get("default") for name in names] == [None, 10, "", "", "", 0.6, 0.4]
    assert TOOLS["hybrid_search"].toolset == "code"


def test_its_fields_are_the_document_s(caller: Caller) -> None:
    data = found(caller, "validate token")["data"]
    best = data["results"][0]

    assert {"results", "query", "anchor_node_id"} <= data.keys()
    assert (data["query"], data["anchor_node_id"]) == ("validate token", "")
    assert {"node_id", "node_type", "score", "semantic_score", "graph_score", "distance"} <= best.keys()
    assert (best["node_id"], best["node_type"], best["kind"]) == (
        "symbol::tokens.py::validate_token", "symbol", "function"
    )  # fmt: skip
    assert (best["file_path"], best["first_line"], best["name"]) == ("tokens.py", 4, "validate_token")


def test_without_an_anchor_what_is_central_gains(caller: Caller) -> None:
    results = found(caller, "token", n_results=20)["data"]["results"]

    assert {one["distance"] for one in results} == {-1}
    assert all(0 < one["graph_score"] <= 1 for one in results)
    by_rank = sorted(results, key=lambda one: -one["pagerank"])
    assert [one["graph_score"] for one in by_rank] == sorted((one["graph_score"] for one in results), reverse=True)


def test_scores_are_the_weighted_sums_of_both(caller: Caller) -> None:
    results = found(caller, "token", semantic_weight=0.5, graph_weight=0.25)["data"]["results"]

    for one in results:
        assert one["score"] == pytest.approx(0.5 * one["semantic_score"] + 0.25 * one["graph_score"], abs=1e-3)
    assert [one["score"] for one in results] == sorted((one["score"] for one in results), reverse=True)


@pytest.mark.parametrize("anchor", ["symbol::vault.py::Vault", "vault.py::Vault", "Vault", "vault.py:1"])
def test_an_anchor_draws_what_is_near_it(caller: Caller, anchor: str) -> None:
    envelope = found(caller, "token", anchor_node_id=anchor)
    distances = {one["node_id"]: one["distance"] for one in envelope["data"]["results"]}

    assert envelope["data"]["anchor_node_id"] == "symbol::vault.py::Vault"
    assert distances["symbol::vault.py::Vault::store_token"] == 1
    assert all(one.startswith("symbol::vault.py::Vault") for one in ids(envelope)[:3])


def test_what_is_not_connected_with_the_anchor_is_one_further_than_all_that_is(caller: Caller) -> None:
    results = found(caller, "token", anchor_node_id="Vault")["data"]["results"]
    away = next(one for one in results if one["node_id"] == "symbol::tokens.py::validate_token")

    assert (away["distance"], away["graph_score"]) == (2, 0.0)


def test_scores_by_distance_are_the_document_s(repository: Repository) -> None:
    repository.write("a.py", "from b import pay_card\n\n\ndef order_card():\n    pay_card()\n")
    repository.write("b.py", "def pay_card():\n    check_card()\n\n\ndef check_card():\n    print()\n")
    repository.write("c.py", "def print_card():\n    print()\n")
    workspaces = Workspaces(repository.root)
    workspaces.get().index()
    results = found(Caller(workspaces), "card", node_types="function", anchor_node_id="order_card")["data"]["results"]
    workspaces.close()

    steps = {one["node_id"].rpartition("::")[2]: (one["distance"], one["graph_score"]) for one in results}
    assert steps == {
        "order_card": (0, 1.0),
        "pay_card": (1, pytest.approx(2 / 3, abs=1e-3)),
        "check_card": (2, pytest.approx(1 / 3, abs=1e-3)),
        "print_card": (3, 0.0),  # that both print brings it no nearer
    }


@pytest.mark.parametrize(
    ("words", "types"),
    [
        ("file", {"file"}),
        ("CODE_CLASS", {"class"}),
        ("method, MARKDOWN_SECTION", {"method", "section"}),
        ("file,class", {"file", "class"}),
        ("external", set[str]()),
    ],
)
def test_nodes_are_filtered_by_our_words_and_the_documents(caller: Caller, words: str, types: set[str]) -> None:
    results = found(caller, "token", node_types=words)["data"]["results"]

    assert {one["kind"] for one in results} == types


def test_a_file_is_found_once_by_the_best_of_its_parts(caller: Caller) -> None:
    files = found(caller, "token", node_types="file", n_results=3)
    parts = found(caller, "token", n_results=100, semantic_weight=1, graph_weight=0)["data"]["results"]

    best = next(one for one in parts if one["file_path"] == "vault.py")
    (vault,) = (one for one in files["data"]["results"] if one["file_path"] == "vault.py")
    assert len(set(ids(files))) == 3
    assert vault["semantic_score"] == best["semantic_score"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"service_name": "billing"}, "CLEW_E_NOT_FOUND"),
        ({"anchor_node_id": "nowhere"}, "CLEW_E_NOT_FOUND"),
        ({"node_types": "poem"}, "CLEW_E_INVALID_INPUT"),
        ({"semantic_weight": 1.5}, "CLEW_E_INVALID_INPUT"),
    ],
)
def test_what_cannot_be_done_is_refused(caller: Caller, arguments: dict[str, object], code: str) -> None:
    refused = found(caller, "token", **arguments)

    assert (refused["ok"], refused["errorCode"]) == (False, code)
    assert refused["hint"]


def test_an_unknown_service_is_an_error_with_a_hint(caller: Caller) -> None:
    assert "there is no service 'billing'" in found(caller, "token", service_name="billing")["summary"]


def test_an_anchor_that_may_be_several_things_is_asked_about(repository: Repository) -> None:
    for name in "ab":
        repository.write(f"{name}.py", "def pay(): ...\n")
    workspaces = Workspaces(repository.root)
    workspaces.get().index()
    envelope = found(Caller(workspaces), "pay", anchor_node_id="pay")
    workspaces.close()

    assert [one["id"] for one in envelope["data"]["choices"]] == ["a.py::pay", "b.py::pay"]


def test_nothing_found_is_said(caller: Caller) -> None:
    envelope = found(caller, "zeppelin")

    assert (envelope["summary"], envelope["data"]["results"]) == (
        "Nothing found. Nowhere in this project: zeppelin.",
        [],
    )


def test_a_small_budget_shows_the_best_by_their_scores(caller: Caller) -> None:
    compact, full = found(caller, "token", profile="compact"), found(caller, "token")

    shown = ids(compact)
    assert compact["_tokenEstimate"] <= 300
    assert len(shown) >= 3
    assert shown == ids(full)[: len(shown)]
    assert compact["data"]["results_left_out"] == len(ids(full)) - len(shown)


def test_who_names_no_budget_is_shown_every_node(caller: Caller) -> None:
    envelope = json.loads(answer(caller, "hybrid_search", {"query": "token"}).body)

    assert ids(envelope) == ids(found(caller, "token"))
