"""diff_since on a small repository: commits, the working tree, what the index recorded, and where there is nothing."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.engine import Engine
from tests.conftest import DAY_1, Repository
from tests.tools.asking import Ask, asking

DAY = 86_400_000_000
CARD = (
    "class Card:\n    def charge(self, amount):\n        self.balance -= amount * self.rate\n"
    "        return self.balance >= 0\n\n\ndef total(cards):\n    return sum(card.balance for card in cards)\n"
)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """Three commits: added, renamed, moved to another file."""
    made = Repository(tmp_path_factory.mktemp("shop"))
    made.git("init", "-q", "-b", "main")
    made.write("pay.py", CARD)
    made.commit(DAY_1, "Add cards")
    made.git("tag", "first")
    made.write("pay.py", CARD.replace("charge", "debit"))
    made.commit(DAY_1 + DAY, "Rename charge")
    head, _, tail = CARD.replace("charge", "debit").partition("\n\ndef total")
    made.write("pay.py", head)
    made.write("sums.py", f"def total{tail}")
    made.commit(DAY_1 + 2 * DAY, "Move total")
    return made


@pytest.fixture(scope="module")
def ask(shop: Repository) -> Iterator[Ask]:
    with asking(shop.root) as asked:
        yield asked


def test_commits_are_compared_without_an_index(ask: Ask) -> None:
    envelope = ask("diff_since", since="first", until="HEAD")
    data = envelope["data"]

    assert [(one["id"], one["from"]) for one in data["renamed"]] == [("pay.py::Card::debit", "pay.py::Card::charge")]
    assert [(one["id"], one["from"]) for one in data["moved"]] == [("sums.py::total", "pay.py::total")]
    assert [one["id"] for one in data["added"]] == ["sums.py"]
    assert data["removed"] == []
    assert envelope["summary"].startswith("2 files changed from first (")
    assert data["breaking_changes"] == 2


@pytest.mark.parametrize("since", ["HEAD~2", "2026-01-01T12:00:00Z"])
def test_a_time_and_a_revision_lead_to_the_commit_of_then(ask: Ask, shop: Repository, since: str) -> None:
    assert ask("diff_since", since=since, until="HEAD")["data"]["breaking_changes"] == 2


def test_the_other_way_round_gives_the_other_sides(ask: Ask) -> None:
    data = ask("diff_since", since="HEAD", until="first")["data"]
    assert [(one["id"], one["from"]) for one in data["renamed"]] == [("pay.py::Card::charge", "pay.py::Card::debit")]


def test_types_choose_kinds(ask: Ask) -> None:
    data = ask("diff_since", since="first", until="HEAD", types=["FILE"])["data"]
    assert data["renamed"] == []
    assert data["symbols_changed"] == 0
    assert data["files_changed"] == 2


def test_a_small_budget_keeps_the_summary_and_counts_what_is_left_out(ask: Ask) -> None:
    data = ask("diff_since", since="first", until="HEAD", profile="compact", max_tokens=220)["data"]
    left = sum(data.get(f"{name}_left_out", 0) for name in ("added", "removed", "modified", "renamed", "moved"))
    assert left
    assert data["files_changed"] == 2


def test_uncommitted_edits_are_the_difference_to_the_working_tree(tmp_path: Path) -> None:
    made = Repository(tmp_path)
    made.git("init", "-q", "-b", "main")
    made.write("pay.py", CARD)
    made.commit(DAY_1)
    made.write("pay.py", CARD.replace("amount * self.rate", "amount"))
    made.write("new.py", "def fresh():\n    return 1\n")
    with asking(made.root) as ask:
        data = ask("diff_since", since="HEAD")["data"]
    assert {one["id"] for one in data["modified"]} == {"pay.py", "pay.py::Card::charge"}
    assert {one["id"] for one in data["added"]} == {"new.py", "new.py::fresh"}


def test_a_transaction_and_an_agent_name_what_the_index_had(tmp_path: Path) -> None:
    """Also where there is no git."""
    made = Repository(tmp_path)
    made.write("pay.py", CARD)
    with Engine.open(made.root, environ={}) as engine:
        transaction = engine.index().transaction
        made.write("pay.py", CARD.replace("charge", "debit"))
        engine.index()
    with asking(made.root) as ask:
        data = ask("diff_since", since=transaction)["data"]
        assert [one["from"] for one in data["renamed"]] == ["pay.py::Card::charge"]
        assert len(data["tx_ids"]) >= 1
        assert ask("diff_since", since="nobody")["errorCode"] == "CLEW_E_INVALID_INPUT"


def test_a_repository_without_commits_says_so(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    with asking(tmp_path) as ask:
        envelope = ask("diff_since", since="HEAD")
    assert envelope["errorCode"] == "CLEW_E_UNAVAILABLE"
    assert envelope["summary"] == "this repository has no commits"


def test_a_shallow_clone_says_what_is_missing(shop: Repository, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{shop.root}", str(clone)], check=True)
    with asking(clone) as ask:
        envelope = ask("diff_since", since="HEAD~2")
    assert not envelope["ok"]
    assert "unshallow" in envelope["hint"]
