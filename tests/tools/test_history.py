"""diff_since on a small repository: commits, the working tree, what the index recorded, and where there is nothing."""

import os
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


def test_a_difference_of_commits_is_computed_once_and_read_again_alike(shop: Repository, ask: Ask) -> None:
    asked = {"since": "first", "until": "HEAD", "max_tokens": 5000}
    first = ask("diff_since", **asked)
    (folder,) = shop.root.glob(".clew/diffs")
    kept = sorted(folder.iterdir())
    assert ask("diff_since", **asked) == first
    assert sorted(folder.iterdir()) == kept
    for one in kept:
        one.write_bytes(b"damaged")
    assert ask("diff_since", **asked) == first
    clean = ask("diff_since", since="first", max_tokens=5000)  # the working tree is the last commit
    assert clean["data"]["moved"] == first["data"]["moved"]
    assert clean["data"]["until"] == "the working tree"


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


def test_a_symbol_s_history_follows_its_name_and_says_who_changed_it(ask: Ask) -> None:
    envelope = ask("symbol_history", element="Card.debit")
    data = envelope["data"]

    assert data["id"] == "pay.py::Card::debit"
    assert [(one["kinds"], one["subject"]) for one in data["changes"]] == [
        (["renamed"], "Rename charge"),
        (["added"], "Add cards"),
    ]
    assert data["changes"][0]["from_symbol"] == "pay.py::Card::charge"
    assert data["authors"] == [{"author": "T", "changes": 2, "last": data["changes"][0]["time"]}]
    assert "2 changes by 1 author" in envelope["summary"]


@pytest.mark.parametrize(
    ("element", "at", "found"),
    [
        ("pay.py::Card::charge", "first", "pay.py::Card::charge"),
        ("charge", "first", "pay.py::Card::charge"),
        ("pay.py:3", "first", "pay.py::Card::charge"),
        ("sums.py", "", "sums.py"),
        ("total", "", "sums.py::total"),
    ],
)
def test_a_symbol_is_found_in_the_commit_that_is_named(ask: Ask, element: str, at: str, found: str) -> None:
    assert ask("symbol_history", element=element, at=at)["data"]["id"] == found


def test_what_is_not_there_then_is_not_found(ask: Ask) -> None:
    assert ask("symbol_history", element="Card.debit", at="first")["errorCode"] == "CLEW_E_NOT_FOUND"
    assert ask("symbol_history", element="Card.debit", at="nowhere")["errorCode"] == "CLEW_E_NOT_FOUND"


def test_lines_name_their_commits_across_a_move(ask: Ask) -> None:
    data = ask("symbol_blame", element="total")["data"]
    assert {one["subject"] for one in data["lines"]} == {"Add cards"}


def test_uncommitted_edits_and_memories_are_told_of_a_symbol(tmp_path: Path) -> None:
    made = Repository(tmp_path)
    made.git("init", "-q", "-b", "main")
    made.write("pay.py", CARD)
    made.commit(DAY_1)
    with asking(made.root) as ask:
        with Engine.open(made.root, environ={}) as engine:
            engine.index()
        assert "uncommitted" not in ask("symbol_history", element="Card.charge")["data"]
        said = {"type": "LEARNING", "content": "Round down.", "entities": ["pay.py::Card::charge"]}
        assert ask("episode_add", **said, agent_id="ann", metadata={"confidence": 0.9})["ok"]
        made.write("pay.py", CARD.replace("amount * self.rate", "amount"))
        data = ask("symbol_history", element="Card.charge")["data"]
    assert data["uncommitted"]
    assert [one["content"] for one in data["memories"]] == ["Round down."]


def test_a_difference_with_a_name_that_is_no_text_is_answered(repository: Repository) -> None:
    repository.write("a.py", "x = 1\n")
    repository.commit()
    (repository.root / os.fsdecode(b"\xff.py")).write_text("def odd(): ...\n")
    repository.commit()
    with asking(repository.root) as ask:
        for _ in range(2):
            assert ask("diff_since", since="HEAD~1", until="HEAD")["data"]["files_changed"] == 1
