"""The past on the command line."""

from pathlib import Path

import pytest

from tests.conftest import DAY_1, Repository

from .processes import clew

CARD = "class Card:\n    def charge(self, amount):\n        self.balance -= amount\n        return self.balance >= 0\n"


@pytest.fixture
def shop(tmp_path: Path) -> Repository:
    made = Repository(tmp_path)
    made.git("init", "-q", "-b", "main")
    made.write("pay.py", CARD)
    made.commit(DAY_1, "Add cards")
    made.write("pay.py", CARD.replace("charge", "debit"))
    made.commit(DAY_1 + 86_400_000_000, "Rename charge")
    return made


def test_a_difference_is_told_and_breaking_sets_the_exit_code(shop: Repository) -> None:
    done = clew("diff", "HEAD~1", "HEAD", cwd=shop.root)
    assert done.code == 0
    assert "pay.py::Card::charge → pay.py::Card::debit" in done.out
    assert "breaking: renamed" in done.out

    assert clew("diff", "HEAD~1..HEAD", "--breaking", "--quiet", cwd=shop.root).code == 7
    assert clew("diff", "--breaking", cwd=shop.root).code == 0
    assert clew("diff", "nowhere", cwd=shop.root).code == 2


def test_json_has_every_list_with_ids_kinds_and_paths(shop: Repository) -> None:
    data = clew("diff", "HEAD~1", "HEAD", "--json", cwd=shop.root).json["data"]
    assert {"added", "removed", "modified", "renamed", "moved"} <= data.keys()
    (renamed,) = data["renamed"]
    assert renamed["id"] == "pay.py::Card::debit"
    assert renamed["from"] == "pay.py::Card::charge"
    assert (renamed["kind"], renamed["path"]) == ("method", "pay.py")
