"""Answers of at most 300 tokens still answer: callers and callees, hits with their lines, code to start at."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from clew.engine import Engine
from clew.tools.answer import Caller, answer
from clew.tools.budget import LIMITS
from clew.workspaces import Workspaces

STEPS = ("open_account", "check_balance", "reserve_amount", "write_ledger_entry", "notify_customer")
CALLERS = ("web_checkout", "mobile_checkout", "recurring_billing", "manual_correction", "refund_reversal")
LEDGER = "src/payments/processing/ledger.py"


@pytest.fixture(scope="module")
def caller(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    root = tmp_path_factory.mktemp("payments")
    steps = "".join(f"    def {one}(self, amount):\n        return amount + {len(one)}\n\n" for one in STEPS)
    calls = "".join(f"        amount = self.{one}(amount)\n" for one in STEPS)
    doc = '        """Charge an account: check it, reserve the amount, and write it into the ledger of payments."""\n'
    text = f"class Ledger:\n{steps}    def charge(self, amount):\n{doc}{calls}        return amount\n"
    files = {LEDGER: text}
    for one in CALLERS:
        used = f"def {one}(amount):\n    return Ledger().charge(amount)\n"
        files[f"src/payments/callers/{one}.py"] = f"from payments.processing.ledger import Ledger\n\n\n{used}"
    for path, source in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(source, "utf-8")
    with Engine.open(root, environ={}) as engine:
        engine.index()
    workspaces = Workspaces(root)
    yield Caller(workspaces)
    workspaces.close()


def compact(caller: Caller, tool: str, **arguments: object) -> dict[str, Any]:
    envelope: dict[str, Any] = json.loads(answer(caller, tool, {"profile": "compact", **arguments}).body)
    assert envelope["ok"], envelope
    assert envelope["_tokenEstimate"] <= (LIMITS["compact"] or 0)
    return envelope


def test_an_explanation_names_three_callers_and_three_callees(caller: Caller) -> None:
    said = compact(caller, "code_explain", element="Ledger.charge")

    assert f"{LEDGER}::Ledger::charge, lines" in said["summary"]
    assert "5 callers" in said["summary"]
    assert len(said["data"]["used_by"]) >= 3
    assert len(said["data"]["uses"]) >= 3
    assert "src/payments/callers/" in said["data"]["used_by"][0]


def test_a_search_shows_four_hits_with_their_place_and_a_line(caller: Caller) -> None:
    hits = compact(caller, "query_context", query="charge the account of a customer")["data"]["hits"]

    assert len(hits) >= 4
    assert all(one["file_path"] and one["first_line"] and one["snippet"] for one in hits)


@pytest.mark.parametrize("format", ["markdown", "text", "xml", "json"])
def test_a_pack_has_code_of_where_to_start(caller: Caller, format: str) -> None:
    data = compact(caller, "context_pack", task="charge an account", format=format)["data"]

    code = data["text"] if format != "json" else data["items"][0]["code"]
    assert data["entry_point"] == data["items"][0]["symbol"]
    assert "def " in code
    assert "amount" in code


def test_a_neighborhood_lists_five_neighbors(caller: Caller) -> None:
    data = compact(caller, "query_graph_neighborhood", node_id="Ledger.charge")["data"]

    assert len(data["nodes"]) >= 5


def test_a_slice_with_dependencies_names_a_caller_and_a_callee(caller: Caller) -> None:
    data = compact(caller, "semantic_slice", symbol="Ledger.charge", context="with-deps")["data"]

    assert data["incoming_callers"]
    assert data["outgoing_calls"]
    assert data["code"]


def test_snippets_keep_their_indentation(caller: Caller) -> None:
    said = json.loads(answer(caller, "query_context", {"query": "write_ledger_entry", "k": 1}).body)

    snippet = said["data"]["hits"][0]["snippet"]
    assert snippet == "    def write_ledger_entry(self, amount):\n        return amount + 18"


def test_impact_shows_affected_symbols_in_little_room(caller: Caller) -> None:
    data = compact(caller, "impact_analyze", symbols=["Ledger.charge"])["data"]

    assert len(data["impacted"]) >= 3
