"""Calls of imported versions: by name, within the file and its imports, each with its times, marked approximate."""

import json
from typing import Any

import pytest

from clew.engine import Engine
from clew.graph.record import record_lines
from clew.graph.view import graph_hash
from clew.history.git_import import ImportRequest
from clew.history.named_links import ModulePaths
from tests.conftest import DAY, DAY_1, Repository
from tests.tools.asking import asking

BEGIN, MIDDLE, END = ("2026-01-01T00:00:00Z", "2026-01-03T00:00:00Z", "2026-01-05T00:00:00Z")

CASES: dict[str, tuple[dict[str, str], dict[str, str], set[tuple[str, str]]]] = {
    "python": (
        {
            "shop/__init__.py": "",
            "shop/ledger.py": "def debit(card):\n    return card\n",
            "shop/cards.py": "from .ledger import debit\nfrom shop import ledger\n\n\nclass Card:\n"
            "    def charge(self):\n        return self.check(debit(self))\n\n"
            "    def check(self, one):\n        return ledger.debit(one)\n",
        },
        {"shop/cards.py": "CARDS = 1\n"},
        {
            ("shop/cards.py::Card::charge", "shop/cards.py::Card::check"),
            ("shop/cards.py::Card::charge", "shop/ledger.py::debit"),
            ("shop/cards.py::Card::check", "shop/ledger.py::debit"),
        },
    ),
    "typescript": (
        {
            "src/ledger.ts": "export function debit(n: number) { return n }\n",
            "src/pay.ts": "import { debit } from './ledger'\n\nexport function charge(n: number) { return debit(n) }\n",
        },
        {"src/pay.ts": "export const rate = 1\n"},
        {("src/pay.ts::charge", "src/ledger.ts::debit")},
    ),
    "go": (
        {
            "go.mod": "module example.org/shop\n",
            "ledger/ledger.go": "package ledger\n\nfunc Debit(n int) int { return n }\n",
            "pay/pay.go": 'package pay\n\nimport "example.org/shop/ledger"\n\n'
            "func Charge(n int) int { return check(ledger.Debit(n)) }\n",
            "pay/check.go": "package pay\n\nfunc check(n int) int { return n }\n",
        },
        {"pay/pay.go": "package pay\n\nconst Rate = 1\n"},
        {("pay/pay.go::Charge", "ledger/ledger.go::Debit"), ("pay/pay.go::Charge", "pay/check.go::check")},
    ),
    "java": (
        {
            "src/org/shop/Ledger.java": "package org.shop;\n\npublic class Ledger {\n"
            "    public static int debit(int n) { return n; }\n}\n",
            "src/org/pay/Card.java": "package org.pay;\n\nimport org.shop.Ledger;\n\npublic class Card {\n"
            "    int charge(int n) { return check(Ledger.debit(n)); }\n\n    int check(int n) { return n; }\n}\n",
        },
        {"src/org/pay/Card.java": "package org.pay;\n\npublic class Card {\n}\n"},
        {
            ("src/org/pay/Card.java::Card::charge", "src/org/pay/Card.java::Card::check"),
            ("src/org/pay/Card.java::Card::charge", "src/org/shop/Ledger.java::Ledger::debit"),
        },
    ),
}


def edges(engine: Engine) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in record_lines(engine.db, engine.where)]
    return [row for row in rows if row["type"] == "edge_version"]


@pytest.mark.parametrize("language", CASES)
def test_calls_of_the_past_lead_within_the_file_and_its_imports(
    repository: Repository, backend: str, language: str
) -> None:
    first, later, expected = CASES[language]
    for path, text in first.items():
        repository.write(path, text)
    repository.commit(DAY_1)
    for path, text in later.items():
        repository.write(path, text)
    repository.commit(DAY_1 + 2 * DAY)
    with Engine.open(repository.root) as engine:
        engine.index()
        before = graph_hash(engine.db, engine.where)
        engine.import_history(ImportRequest())
        assert graph_hash(engine.db, engine.where) == before
        calls = [one for one in edges(engine) if one["kind"] == "CALLS" and one.get("approximate")]
        run = f"transaction::{engine.transactions.latest(1)[0].id}"
    assert {(one["source"], one["target"]) for one in calls} == expected
    for one in calls:
        assert (one["valid_from"], one["valid_to"]) == (BEGIN, MIDDLE)
        assert one["transaction"] == run
        assert one["confidence"] < 0.5
        assert "known_to" not in one


def test_an_approximate_call_holds_only_while_its_target_was_there(repository: Repository) -> None:
    repository.write("ledger.py", "def debit():\n    pass\n")
    repository.write("pay.py", "from ledger import debit\n\n\ndef charge():\n    debit()\n")
    repository.commit(DAY_1)
    repository.write("ledger.py", "def withdraw():\n    pass\n")  # and pay.py calls what is not there
    repository.commit(DAY_1 + 2 * DAY)
    repository.write("pay.py", "def charge():\n    pass\n")
    repository.commit(DAY_1 + 4 * DAY)
    with Engine.open(repository.root) as engine:
        engine.index()
        engine.import_history(ImportRequest())
        (call,) = [one for one in edges(engine) if one["kind"] == "CALLS"]
        assert (call["valid_from"], call["valid_to"]) == (BEGIN, MIDDLE)
        brought = [one for one in edges(engine) if one["kind"] == "IMPORTS" and one["target"] == "ledger.py"]
        assert [(one["valid_from"], one["valid_to"]) for one in brought] == [(BEGIN, END)]


def test_resolved_edges_have_their_versions_and_beliefs(repository: Repository, backend: str) -> None:
    repository.write("ledger.py", "def debit():\n    pass\n")
    repository.write("pay.py", "import ledger\n\n\ndef charge():\n    ledger.debit()\n")
    repository.commit(DAY_1)
    with Engine.open(repository.root) as engine:
        engine.index()
        first = f"transaction::{engine.transactions.latest(1)[0].id}"
        repository.write("pay.py", "import ledger\n\n\ndef charge():\n    pass\n")
        engine.index()
        (call,) = [one for one in edges(engine) if one["kind"] == "CALLS"]
    assert (call["source"], call["target"]) == ("pay.py::charge", "ledger.py::debit")
    assert (call["transaction"], call["valid_from"]) == (first, BEGIN)
    assert "valid_to" in call
    assert "approximate" not in call


def test_the_record_answers_with_approximate_callers_as_candidates(repository: Repository) -> None:
    repository.write("pay.py", "def debit():\n    pass\n\n\ndef charge():\n    debit()\n")
    repository.commit(DAY_1)
    repository.write("pay.py", "def debit():\n    pass\n\n\ndef charge():\n    pass\n")
    repository.commit(DAY_1 + 2 * DAY)
    with Engine.open(repository.root) as engine:
        engine.index()
        engine.import_history(ImportRequest())
    with asking(repository.root) as ask:
        then = ask("code_explain", element="debit", as_of="2026-01-02")
        assert "pay.py::charge" in json.dumps(then["data"]["dependents"])


def test_a_module_is_found_by_the_end_of_its_path() -> None:
    modules = ModulePaths(
        ["src/shop/pay.py", "src/shop/__init__.py", "web/pay/index.ts", "web/card.ts", "deep/a/b/os.py"]
    )
    assert modules.find("src/main.py", "shop.pay") == ("src/shop/pay.py",)
    assert modules.find("src/main.py", "shop") == ("src/shop/__init__.py",)
    assert modules.find("src/shop/card.py", ".pay") == ("src/shop/pay.py",)
    assert modules.find("web/card.ts", "./pay") == ("web/pay/index.ts",)
    assert modules.find("web/pay/index.ts", "../card.js") == ("web/card.ts",)
    assert modules.find("src/main.py", "os") == ()
