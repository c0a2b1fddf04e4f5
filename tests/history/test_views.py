"""Reading tools asked about another time answer from the tree of that time, as an index of a checkout would."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from clew.engine import Engine
from clew.graph.view import graph_hash
from clew.model.errors import ClewError
from clew.model.time import to_iso
from clew.tools.answer import Caller, answer
from clew.workspaces import Workspaces
from tests.conftest import DAY, DAY_1, Repository, seeds
from tests.history.test_git_import import walked

CARD = '''class Card:
    """What a customer pays with."""

    def charge(self, amount):
        return self.ledger.debit(amount)


def pay(card, amount):
    return card.charge(amount)
'''


def ask(root: Path, tool: str, **arguments: object) -> dict[str, Any]:
    workspaces = Workspaces(root)
    try:
        told: dict[str, Any] = json.loads(answer(Caller(workspaces), tool, arguments).body)
    finally:
        workspaces.close()
    return told


def checked_out(repository: Repository, commit: str, into: Path) -> Path:
    subprocess.run(["git", "clone", "-q", "-n", str(repository.root), str(into)], check=True)
    subprocess.run(["git", "-C", str(into), "checkout", "-q", commit], check=True)
    return into


@pytest.fixture
def shop(repository: Repository, backend: str) -> Repository:
    repository.write("pay.py", CARD)
    repository.commit(DAY_1, "Add cards")
    repository.write("pay.py", CARD.replace("charge", "settle"))
    repository.write("refund.py", "from pay import pay\n\n\ndef refund(card):\n    return pay(card, -1)\n")
    repository.commit(DAY_1 + 5 * DAY, "Rename charge; add refunds")
    repository.git("tag", "v2")
    with Engine.open(repository.root) as engine:
        engine.index()
    return repository


@seeds(2)
def test_a_view_of_a_commit_equals_an_index_of_its_checkout(
    repository: Repository, backend: str, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    walk = walked(repository, seed + 20, steps=8)
    found = {}
    with Engine.open(repository.root) as engine:
        engine.index()
        before = graph_hash(engine.db, engine.where)
        for number in (3, 0, 5):  # each begins from the index that differs least
            commit, _ = walk.commits[number]
            past = engine.at(commit)
            found[commit] = graph_hash(past.db, past.where)
        assert graph_hash(engine.db, engine.where) == before
    monkeypatch.delenv("CLEW_STORAGE_URL", raising=False)
    for number, (commit, told) in enumerate(found.items()):
        with Engine.open(checked_out(repository, commit, tmp_path / str(number))) as fresh:
            fresh.index()
            assert told == graph_hash(fresh.db, fresh.where)


def test_every_reading_tool_answers_from_the_past(shop: Repository) -> None:
    asked: dict[str, dict[str, object]] = {
        "query_context": {"query": "charge a card"},
        "context_pack": {"task": "charge a card", "max_tokens": 2000},
        "semantic_slice": {"symbol": "Card.charge", "max_tokens": 1000},
        "code_explain": {"element": "Card.charge"},
        "impact_analyze": {"symbols": ["Card.charge"]},
        "query_graph_neighborhood": {"node_id": "pay.py::Card::charge"},
        "graph_query": {"query": "charge"},
        "hybrid_search": {"query": "charge"},
        "test_select": {"symbols": ["Card.charge"]},
    }
    for tool, arguments in asked.items():
        told = ask(shop.root, tool, as_of="HEAD~1", **arguments)
        assert told["ok"], (tool, told)
        text = json.dumps(told)
        assert "charge" in text, tool
        assert "settle" not in text, tool
        assert "refund" not in text, tool
        assert told["as_of"].endswith("(2026-01-01T00:00:00Z)"), tool


@pytest.mark.parametrize("as_of", ["v2~1", "2026-01-03", "HEAD~1", "main~1"])
def test_a_time_has_many_names(shop: Repository, as_of: str) -> None:
    told = ask(shop.root, "semantic_slice", symbol="charge", as_of=as_of, max_tokens=800)
    assert "def charge" in json.dumps(told)
    assert "def settle" in json.dumps(ask(shop.root, "semantic_slice", symbol="settle", as_of="v2", max_tokens=800))


def test_a_past_state_knows_the_branches_and_tags(shop: Repository) -> None:
    shop.git("tag", "v1", "HEAD~1")
    asked = {"since": "v1", "as_of": "v2", "max_tokens": 2000}
    told = ask(shop.root, "impact_analyze", **asked)
    assert told["ok"], told
    assert "pay.py::Card::settle" in json.dumps(told["data"])
    shop.git("branch", "old", "HEAD~1")  # after the state was made
    assert ask(shop.root, "impact_analyze", **{**asked, "since": "old"})["data"]["changed"] == told["data"]["changed"]


def test_what_was_known_at_one_time_about_another(shop: Repository) -> None:
    with Engine.open(shop.root) as engine:
        first = engine.transactions.latest(1)[0]
        shop.write("pay.py", CARD.replace("charge", "bill"))
        engine.index()
    known = to_iso(first.started_at + 1)
    then = ask(shop.root, "query_context", query="bill settle", known_as_of=known, max_tokens=2000)
    now = ask(shop.root, "query_context", query="bill settle", max_tokens=2000)
    assert "def settle" in json.dumps(then)
    assert "def bill" not in json.dumps(then)
    assert "def bill" in json.dumps(now)
    assert "as known at" in then["as_of"]
    by_run = ask(shop.root, "query_context", query="bill settle", as_of=first.id, max_tokens=2000)
    assert "def settle" in json.dumps(by_run)
    assert "def bill" not in json.dumps(by_run)


def test_a_time_before_all_and_a_strange_one_are_refused(shop: Repository) -> None:
    assert ask(shop.root, "query_context", query="charge", as_of="1999-01-01")["errorCode"] == "CLEW_E_NOT_FOUND"
    assert ask(shop.root, "query_context", query="charge", as_of="whenever")["errorCode"] == "CLEW_E_INVALID_INPUT"
    unknown = ask(shop.root, "query_context", query="charge", known_as_of="2026-01-02")
    assert unknown["errorCode"] == "CLEW_E_NOT_FOUND"
    assert "first index run" in unknown["hint"]


def test_the_present_is_meant_by_now(shop: Repository) -> None:
    told = ask(shop.root, "query_context", query="settle", as_of="now")
    assert told["ok"]
    assert "as_of" not in told


def test_what_writes_does_not_write_into_the_past(shop: Repository) -> None:
    told = ask(shop.root, "context_pack", task="charge", as_of="HEAD~1", claim=True)
    assert told["errorCode"] == "CLEW_E_INVALID_INPUT"


def test_few_past_states_are_kept(shop: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.history.views.IN_USE_SECONDS", -1.0)
    with Engine.open(shop.root) as engine:
        for number in range(4):
            shop.write("pay.py", CARD.replace("charge", f"charge{number}"))
            shop.commit(DAY_1 + (10 + number) * DAY)
            engine.at("HEAD~1")
        folder = engine.place.database.parent / "views"
        assert len(list(folder.iterdir())) == engine.config.history.views


def test_a_path_that_leads_out_of_the_view_is_not_written(shop: Repository) -> None:
    from clew.history.views import _is_safe

    assert not any(map(_is_safe, ("../up.py", "/etc/passwd", ".git/config", "a/.GIT/x", "a\\b", "a//b", ".clew/x")))
    assert _is_safe("src/.github/x.yml")


def test_a_read_only_project_says_that_it_cannot_make_one(shop: Repository) -> None:
    with Engine.open(shop.root, read_only=True) as engine, pytest.raises(ClewError):
        engine.at("HEAD~1")


def test_the_rest_of_a_large_state_is_linked_later(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_QUERY_LINK_AT_ONCE", "0")  # as if it were large
    monkeypatch.setattr(
        "clew.runtime.detached_process.Apart.__init__", lambda *_, **__: None
    )  # which would do so by itself
    repository.write("pay.py", CARD)
    for number in range(70):
        repository.write(f"shops/s{number}.py", f"from pay import pay\n\n\ndef sell{number}(card):\n    pay(card, 1)\n")
    commit = repository.commit(DAY_1)
    repository.write("pay.py", CARD.replace("def pay(card, amount)", "def give(card, amount)"))
    repository.commit(DAY_1 + DAY)
    with Engine.open(repository.root) as engine:
        engine.index()
        state = engine.past_states.find(commit)
        assert state is not None
        past = engine.past_engine(state)
        assert past.checkouts.state(past.where).behind
        assert past.refresh().linking
        engine.settle_past(engine.past_states.key(state))
        assert not past.checkouts.state(past.where).behind
        found = graph_hash(past.db, past.where)
        assert engine.at(commit) is past
    with Engine.open(checked_out(repository, commit, tmp_path / "checkout")) as fresh:
        fresh.index()
        assert found == graph_hash(fresh.db, fresh.where)
