import subprocess
from pathlib import Path

import pytest

from clew.evaluate.history import CommitFile, History, Hunk
from clew.model.errors import InvalidInput, NotFound, Unavailable
from tests.conftest import Repository

from .conftest import CARD, INVOICE, STORE, Past


def test_commits_are_told_with_their_message_and_changes_the_oldest_first(past: Past) -> None:
    base = past.repository.git("rev-parse", "HEAD")
    past.repository.delete("src/store.py")
    first = past.commit("Drop the store\n\nNobody asks it.", src__card_py=CARD + "\n")
    second = past.commit("Add an ümlaut", src__ä_py="A = 1\n")
    commits = History(past.repository.root).commits(base, "HEAD")

    assert [commit.sha for commit in commits] == [first, second]
    assert commits[0].message.strip() == "Drop the store\n\nNobody asks it."
    assert commits[0].changes == (CommitFile("M", "src/card.py"), CommitFile("D", "src/store.py"))
    assert commits[1].changes == (CommitFile("A", "src/ä.py"),)


def test_an_empty_commit_changes_nothing(past: Past) -> None:
    base = past.repository.git("rev-parse", "HEAD")
    past.commit("Nothing")

    assert [commit.changes for commit in History(past.repository.root).commits(base, "HEAD")] == [()]


def test_commits_of_merged_branches_follow_too_and_merges_do_not(past: Past) -> None:
    git = past.repository.git
    base = git("rev-parse", "HEAD")
    git("checkout", "-qb", "side")
    side = past.commit("On the side", src__card_py=CARD + "\n")
    git("checkout", "-q", "main")
    main = past.commit("On the main line", src__store_py=STORE + "\n")
    git("merge", "-q", "--no-edit", "side")
    history = History(past.repository.root)

    assert [commit.sha for commit in history.commits(base, "HEAD")] == [side, main]
    assert history.merges(base, "HEAD") == 1
    assert len(history.line("HEAD")) == 3


def test_hunks_are_lines_of_the_old_side(past: Past) -> None:
    changed = INVOICE.replace("    return sum(lines)\n", "    return sum(lines, 0)\n    # so\n").replace(
        '"""Inv', '#\n"""Inv'
    )
    sha = past.commit("Change two places", src__invoice_py=changed)
    history = History(past.repository.root / "src")  # paths are those of the repository, wherever we stand

    assert list(history.hunks(sha, "src/invoice.py")) == [Hunk(0, 0), Hunk(14, 1)]
    assert history.before(sha, "src/invoice.py").decode() == INVOICE


def test_a_bare_repository_will_do(past: Past, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    past.repository.git("clone", "-q", "--bare", str(past.repository.root), str(bare))

    assert History(bare).paths("HEAD") == {"src/card.py", "src/invoice.py", "src/store.py"}


def test_a_linked_worktree_has_its_own_tip(past: Past, tmp_path: Path) -> None:
    first = past.repository.git("rev-parse", "HEAD")
    past.commit("Another", src__card_py="")
    past.repository.git("worktree", "add", "-q", "--detach", str(tmp_path / "linked"), first)

    assert History(tmp_path / "linked").resolve("HEAD") == first


def test_a_folder_without_git_has_no_history(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="has no history") as caught:
        History(tmp_path)

    assert "--repo" in caught.value.hint


def test_a_repository_without_commits_says_so(repository: Repository) -> None:
    with pytest.raises(NotFound, match="has no commits"):
        History(repository.root).resolve("HEAD")


def test_an_unknown_revision_is_named(past: Past) -> None:
    with pytest.raises(NotFound, match="nowhere"):
        History(past.repository.root).resolve("nowhere")


def test_a_shallow_clone_is_refused_with_the_way_out(grown: Past, tmp_path: Path) -> None:
    source = f"file://{grown.repository.root}"
    subprocess.run(["git", "clone", "-q", "--depth", "2", source, str(tmp_path / "shallow")], check=True)

    with pytest.raises(InvalidInput, match="shallow") as caught:
        History(tmp_path / "shallow")

    assert "--unshallow" in caught.value.hint


def test_without_git_there_is_nothing_to_measure(past: Past, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(Unavailable, match="git cannot be started"):
        History(past.repository.root)
