"""The transaction log: runs by type, agent, commit and files; and the record of versions as lines of JSON."""

import json
from collections import Counter
from pathlib import Path

import pytest

from clew.engine import Engine
from clew.graph.record import record_lines
from clew.history.git_import import ImportRequest
from clew.model.run import Mode
from clew.store.transactions import Author
from tests.conftest import DAY, DAY_1, Repository
from tests.tools.asking import asking

PAY = "def charge(card):\n    return card.debit()\n\n\ndef refund(card):\n    return card.credit()\n"


@pytest.fixture
def shop(repository: Repository, backend: str) -> Repository:
    repository.write("pay.py", PAY.replace("debit", "take"))
    repository.commit(DAY_1)
    repository.write("pay.py", PAY)
    repository.write("other.py", "def other():\n    pass\n")
    repository.commit(DAY_1 + DAY)
    return repository


def test_every_kind_of_write_is_in_the_log(shop: Repository) -> None:
    with Engine.open(shop.root) as engine:
        engine.index(author=Author("ada", "s1"))
        engine.index(Mode.FULL)
        engine.import_history(ImportRequest())
    with asking(shop.root) as ask:
        shop.write("other.py", "def other():\n    return 1\n")
        ask("query_context", query="other")
        claimed = ask("agent_claim", target_id="pay.py", intent="charge less", agent_id="ada", session_id="s1")
        assert claimed["ok"], claimed
        shop.write("pay.py", PAY.replace("debit", "charge_less"))
        ask("query_context", query="charge")

        data = ask("transactions", profile="debug")["data"]
        types = [one["type"] for one in data["transactions"]]
        assert {"incremental_rebuild", "full_rebuild", "history_import", "file_change", "agent_edit"} <= set(types)
        assert types[-1] == "incremental_rebuild"
        edit = next(one for one in data["transactions"] if one["type"] == "agent_edit")
        assert (edit["agent"], edit["session"], edit["files"]) == ("ada", "s1", ["pay.py"])
        first = data["transactions"][-1]
        assert first["agent"] == "ada"
        assert first["files"] == ["other.py", "pay.py"]
        assert first["commit"] == shop.git("rev-parse", "HEAD")
        assert first["duration_ms"] > 0
        assert first["counts"]["read"] == 2

        assert {one["type"] for one in ask("transactions", types=["file_change"])["data"]["transactions"]} == {
            "file_change"
        }
        assert {one["agent"] for one in ask("transactions", agent="ada")["data"]["transactions"]} == {"ada"}
        after = ask("transactions", since=data["transactions"][1]["id"], profile="debug")["data"]["transactions"]
        assert [one["id"] for one in after] == [one["id"] for one in data["transactions"][:2]]


def test_the_record_tells_what_each_run_affected_and_what_replaced_what(shop: Repository) -> None:
    with Engine.open(shop.root) as engine:
        engine.index()
        engine.import_history(ImportRequest())
        shop.write("pay.py", PAY.replace("debit", "later"))
        engine.index()
        rows = [json.loads(line) for line in record_lines(engine.db, engine.where)]

    counts = Counter(row["type"] for row in rows)
    assert counts["transaction"] >= 3
    nodes = {row["id"]: row for row in rows if row["type"] != "edge"}
    edges = [row for row in rows if row["type"] == "edge"]
    affected = {(row["source"], row["target"]) for row in edges if row["kind"] == "AFFECTS"}
    assert any(nodes[source]["kind"] == "history_import" and target == "pay.py" for source, target in affected)
    versions = [row for row in rows if row["type"] == "version" and row["of"] == "pay.py::charge"]
    assert len(versions) == 3
    newest, middle, oldest = sorted(versions, key=lambda row: row["valid_from"], reverse=True)
    assert "valid_to" not in newest
    assert middle["valid_from"] == oldest["valid_to"] == "2026-01-02T00:00:00Z"
    assert oldest["valid_from"] == "2026-01-01T00:00:00Z"
    replaced = [(row["source"], row["target"]) for row in edges if row["kind"] == "SUPERSEDES"]
    assert (newest["id"], middle["id"]) in replaced
    assert (middle["id"], oldest["id"]) in replaced
    assert len([row for row in rows if row.get("of") == "pay.py::refund"]) == 1


def test_the_command_line_lists_them(shop: Repository, tmp_path: Path) -> None:
    from tests.surfaces.processes import clew

    assert clew("index", cwd=shop.root).code == 0
    told = clew("transactions", cwd=shop.root)
    assert "incremental_rebuild" in told.out
    assert "pay.py" in told.out
    assert clew("transactions", "--json", cwd=shop.root).json["data"]["total"] == 1
