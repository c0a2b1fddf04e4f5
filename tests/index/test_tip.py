"""The commit that HEAD names is what git says it is, however git keeps it."""

from pathlib import Path

from clew.index.history import git
from clew.index.history.head_commit import read_tip
from tests.conftest import Repository


def said(root: Path) -> str:
    head = git.head(root)
    return head.sha if head else ""


def test_a_branch_a_commit_and_packed_branches(repository: Repository) -> None:
    repository.write("a/b.py", "x = 1\n")
    assert read_tip(repository.root) == said(repository.root) == ""
    repository.commit()
    first = read_tip(repository.root)
    assert first == said(repository.root) != ""
    assert read_tip(repository.root / "a") == first

    repository.git("pack-refs", "--all")
    assert read_tip(repository.root) == first
    repository.write("a/b.py", "x = 2\n")
    repository.commit()
    assert read_tip(repository.root) == said(repository.root) != first

    repository.git("checkout", "-q", "--detach", first)
    assert read_tip(repository.root) == first


def test_a_linked_working_tree(repository: Repository, tmp_path: Path) -> None:
    repository.write("a.py", "x = 1\n")
    repository.commit()
    linked = tmp_path / "linked tree"
    repository.git("worktree", "add", "-q", "-b", "side/branch", str(linked))
    (linked / "a.py").write_text("x = 2\n")
    repository.git("-C", str(linked), "commit", "-qam", "two")

    assert read_tip(linked) == said(linked) != read_tip(repository.root)
    repository.git("pack-refs", "--all")
    assert read_tip(linked) == said(linked)


def test_what_is_no_repository_has_no_tip(tmp_path: Path) -> None:
    assert read_tip(tmp_path) == ""
    (tmp_path / ".git").write_text("gitdir: nowhere\n")
    assert read_tip(tmp_path) == ""


def test_a_bare_name_is_not_taken_for_a_longer_one(repository: Repository) -> None:
    repository.write("a.py", "x = 1\n")
    repository.commit()
    repository.git("checkout", "-q", "-b", "wide/main")
    repository.write("a.py", "x = 2\n")
    repository.commit()
    repository.git("checkout", "-q", "-b", "main2")
    repository.git("pack-refs", "--all")

    assert read_tip(repository.root) == said(repository.root)
