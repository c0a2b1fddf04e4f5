"""graph_query: plain words, nodes with the parts of their scores, and what is around the best."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from clew.tools import TOOLS
from clew.tools.answer import Caller, answer
from clew.workspaces import Workspaces
from tests.conftest import DAY_1, DAY_2, Repository

SHOP = "from bank import pay\n\n\ndef order(card):\n    pay(card)\n\n\ndef reorder(card):\n    pay(card)\n"
BANK = '''def pay(card):
    """Take money from a card."""
    check(card)
    print(card)


def check(card):
    return card
'''


@pytest.fixture
def shop(repository: Repository) -> Iterator[Caller]:
    repository.write("bank.py", BANK)
    repository.commit(DAY_1)
    repository.write("shop.py", SHOP)
    repository.commit(DAY_2)
    workspaces = Workspaces(repository.root)
    workspaces.get().index()
    yield Caller(workspaces)
    workspaces.close()


def asked(caller: Caller, query: str, **arguments: object) -> dict[str, Any]:
    given = {"query": query, "profile": "debug", **arguments}
    envelope: dict[str, Any] = json.loads(answer(caller, "graph_query", given).body)
    return envelope


def rows(envelope: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = envelope["data"]["results"]
    return found


def test_its_defaults_are_the_document_s() -> None:
    properties = TOOLS["graph_query"].schema["properties"]
    names = ["query", "language", "mode", "limit", "types", "as_of"]

    assert [*properties][:6] == names
    assert [properties[name].get("default") for name in names] == [None, "natural", "local", 10, (), ""]
    assert TOOLS["graph_query"].toolset == "code"


def test_a_node_has_the_document_s_fields_and_the_parts_of_its_score(caller: Caller) -> None:
    envelope = asked(caller, "validate token")
    best = rows(envelope)[0]

    assert (best["node_id"], best["name"], best["file_path"], best["type"]) == (
        "tokens.py::validate_token", "validate_token", "tokens.py", "function"
    )  # fmt: skip
    assert {*best["scores"]} == {"file", "full_text", "path", "semantic"}
    assert sum(best["scores"].values()) == pytest.approx(best["score"], abs=1e-3)
    assert envelope["data"]["count"] == len(rows(envelope))
    assert "tokens.py::validate_token" in envelope["summary"]


def test_the_best_come_with_who_calls_them_and_what_they_call(shop: Caller) -> None:
    best = rows(asked(shop, "take money from a card"))[0]

    assert best["node_id"] == "bank.py::pay"
    assert [(one["id"], one["path"], one["line"]) for one in best["callers"]] == [
        ("shop.py::order", "shop.py", 5),
        ("shop.py::reorder", "shop.py", 9),
    ]
    assert [(one["id"], one["path"], one["line"]) for one in best["callees"]] == [
        ("bank.py::check", "bank.py", 3),
        ("external::builtins.print", "bank.py", 4),
    ]
    assert (best["callers_total"], best["callees_total"]) == (2, 2)


def test_a_class_has_the_calls_of_its_methods(repository: Repository) -> None:
    repository.write("bank.py", "class Bank:\n    def pay(self):\n        check()\n\n\ndef check(): ...\n")
    repository.write("shop.py", "from bank import Bank\n\n\ndef order():\n    Bank().pay()\n")
    workspaces = Workspaces(repository.root)
    workspaces.get().index()
    (bank,) = rows(asked(Caller(workspaces), "bank", types=["CLASS"]))
    workspaces.close()

    assert [one["id"] for one in bank["callees"]] == ["bank.py::check"]
    assert {one["id"] for one in bank["callers"]} == {"shop.py::order"}


@pytest.mark.parametrize(
    ("types", "kinds"),
    [(["FILE"], {"file"}), (["FUNCTION", "section"], {"function", "section"}), (["CODE_CLASS"], {"class"})],
)
def test_types_are_ours_or_the_documents(caller: Caller, types: list[str], kinds: set[str]) -> None:
    assert {row["type"] for row in rows(asked(caller, "token", types=types))} == kinds


def test_what_was_not_there_then_is_left_out_and_told(shop: Caller) -> None:
    now = asked(shop, "card")
    past = asked(shop, "card", as_of="2999-01-01")
    before = asked(shop, "card", as_of="2025-12-31")

    assert {row["file_path"] for row in rows(now)} == {row["file_path"] for row in rows(past)} == {"bank.py", "shop.py"}
    assert rows(before) == []
    assert "not there at that time" in before["summary"]
    assert "Ranked by today's text" in past["data"]["warnings"][0]
    assert "warnings" not in now["data"]


@pytest.mark.parametrize(
    "arguments", [{"language": "gremlin"}, {"mode": "sideways"}, {"types": ["poem"]}, {"limit": 0}]
)
def test_what_never_comes_is_refused(caller: Caller, arguments: dict[str, object]) -> None:
    assert asked(caller, "token", **arguments)["errorCode"] == "CLEW_E_INVALID_INPUT"


def test_a_small_budget_shows_more_nodes_by_less_of_each(caller: Caller) -> None:
    compact, full = asked(caller, "token", profile="compact"), asked(caller, "token")
    shown = [row["node_id"] for row in rows(compact)]

    assert compact["_tokenEstimate"] <= 300
    assert 3 <= len(shown) < len(rows(full))
    assert shown == [row["node_id"] for row in rows(full)][: len(shown)]
    assert compact["data"]["results_left_out"] == len(rows(full)) - len(shown)


def test_who_names_no_budget_is_shown_every_node_and_callers_of_the_best(shop: Caller) -> None:
    envelope = json.loads(answer(shop, "graph_query", {"query": "take money: pay, check, order"}).body)

    assert len(rows(envelope)) == envelope["data"]["count"] > 3
    callers = [one.rpartition(":")[0] for one in rows(envelope)[0]["callers"]]
    assert callers == ["shop.py::order", "shop.py::reorder"]


STORE = """from abc import ABC, abstractmethod


class Store(ABC):
    @abstractmethod
    def load(self, key): ...


class DiskStore(Store):
    def load(self, key):
        return open(key)
"""


@pytest.fixture
def stocked(repository: Repository) -> Iterator[Caller]:
    repository.write("bank.py", BANK)
    repository.write("shop.py", SHOP)
    repository.write("pay/card.py", "def charge(card):\n    return card\n")
    repository.write(
        "pay/desk.py", "import json\n\nfrom pay.card import charge\n\n\ndef sell(card):\n    charge(card)\n"
    )
    repository.write("store.py", STORE)
    repository.write("test_bank.py", "from bank import pay\n\n\ndef test_pay():\n    pay(1)\n")
    repository.commit(DAY_1)
    workspaces = Workspaces(repository.root)
    workspaces.get().index()
    yield Caller(workspaces)
    workspaces.close()


@pytest.mark.parametrize(
    ("question", "nodes"),
    [
        ("callers of pay", {"shop.py::order", "shop.py::reorder", "test_bank.py::test_pay"}),
        ("Who calls check?", {"bank.py::pay"}),
        ("what does `pay` call", {"bank.py::check"}),
        ("what implements Store", {"store.py::DiskStore"}),
        ("classes that extend Store", {"store.py::DiskStore"}),
        ("files that import pay.card", {"pay/desk.py"}),
        ("what imports json", {"pay/desk.py"}),
        ("tests of pay", {"test_bank.py::test_pay"}),
    ],
)
def test_structural_questions_are_answered_by_the_graph(stocked: Caller, question: str, nodes: set[str]) -> None:
    envelope = asked(stocked, question)

    assert {one["node_id"] for one in rows(envelope)} >= nodes
    assert all(one["relation"] and one["at"] for one in rows(envelope))
    assert envelope["summary"].startswith(f"{len(rows(envelope))} ")


def test_a_path_is_told_in_its_steps_and_says_if_it_leads_the_other_way(stocked: Caller) -> None:
    there, back = asked(stocked, "path from order to check"), asked(stocked, "path from check to order")
    nowhere = asked(stocked, "path from charge to check")

    steps = ["shop.py::order", "bank.py::pay", "bank.py::check"]
    assert [one["node_id"] for one in rows(there)] == [one["node_id"] for one in rows(back)] == steps
    assert [one.get("at", "") for one in rows(there)] == ["", "shop.py:5", "bank.py:3"]
    assert there["summary"].startswith("2 steps: order → pay → check.")
    assert back["summary"].startswith("The path runs in the opposite direction.")
    assert nowhere["summary"].startswith("No path leads from pay/card.py::charge to bank.py::check")


def test_a_structural_question_about_no_name_is_searched_for(stocked: Caller) -> None:
    envelope = asked(stocked, "what calls take money from a card")

    assert {one["node_id"] for one in rows(envelope)[:2]} == {"bank.py::pay", "pay/card.py::charge"}
    assert "relation" not in rows(envelope)[0]
