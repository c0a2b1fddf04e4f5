import tempfile
from pathlib import Path

import pytest

from clew.evaluate.history import History
from clew.evaluate.stage import checkout
from clew.model.errors import InvalidInput
from tests.conftest import Repository

from .conftest import CARD, Past


@pytest.fixture
def base(grown: Past) -> str:
    return grown.repository.git("rev-list", "--max-parents=0", "HEAD")


def test_a_checkout_is_the_base_and_knows_nothing_of_what_came_later(grown: Past, base: str) -> None:
    with checkout(History(grown.repository.root), base, None) as root:
        here = Repository(root)

        assert (root / "src" / "card.py").read_text("utf-8") == CARD
        assert not (root / "src" / "tax.py").exists()
        assert here.git("log", "--all", "HEAD", "--format=%H") == base
        assert here.git("for-each-ref") == ""


def test_it_is_removed_whatever_ends_it(grown: Past, base: str) -> None:
    history = History(grown.repository.root)

    with pytest.raises(KeyboardInterrupt), checkout(history, base, None) as root:
        assert root.is_relative_to(Path(tempfile.gettempdir()).resolve())
        raise KeyboardInterrupt

    assert not root.exists()


def test_the_repository_itself_stays_as_it_is(grown: Past, base: str) -> None:
    before = grown.repository.git("status", "--porcelain"), grown.repository.git("for-each-ref")
    with checkout(History(grown.repository.root), base, None):
        pass

    assert (grown.repository.git("status", "--porcelain"), grown.repository.git("for-each-ref")) == before


def test_one_that_is_kept_is_used_again_as_it_was(grown: Past, base: str, tmp_path: Path) -> None:
    history, kept = History(grown.repository.root), tmp_path / "kept"
    with checkout(history, base, kept) as root:
        (root / "src" / "card.py").write_text("changed", "utf-8")
        (root / ".clew").mkdir()

    with checkout(history, base, kept) as again:
        assert again == root
        assert (root / "src" / "card.py").read_text("utf-8") == CARD
        assert (root / ".clew").is_dir()


def test_a_folder_that_holds_something_else_is_never_touched(grown: Past, base: str, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear", "utf-8")

    with (
        pytest.raises(InvalidInput, match="not empty"),
        checkout(History(grown.repository.root), base, tmp_path / "mine"),
    ):
        pass

    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["letter.txt"]


def test_one_that_was_kept_of_another_repository_is_refused(grown: Past, base: str, tmp_path: Path) -> None:
    with checkout(History(grown.repository.root), base, tmp_path / "kept"):
        pass
    other = tmp_path / "other.git"
    grown.repository.git("clone", "-q", "--bare", str(grown.repository.root), str(other))

    with pytest.raises(InvalidInput, match="another repository"), checkout(History(other), base, tmp_path / "kept"):
        pass


def test_no_hook_of_the_user_runs(grown: Past, base: str, tmp_path: Path) -> None:
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    (hooks / "post-checkout").write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n", "utf-8")
    (hooks / "post-checkout").chmod(0o755)
    (Path.home() / ".gitconfig").write_text(f"[core]\n\thooksPath = {hooks}\n", "utf-8")
    with checkout(History(grown.repository.root), base, None):
        pass

    assert not (tmp_path / "ran").exists()
