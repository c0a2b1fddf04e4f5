"""Tracked files that are not as HEAD has them, told without a filter of the repository's."""

import os
from pathlib import Path

import pytest

from clew.index.history import git
from tests.conftest import DAY_2, Repository


@pytest.fixture
def committed(repository: Repository) -> Repository:
    for name in ("same.py", "changed.py", "deleted.py", "touched.py", "replaced.py"):
        repository.write(name, f"content of {name}")
    repository.commit()
    return repository


def test_files_are_altered_by_content_alone(committed: Repository) -> None:
    root = committed.root
    committed.write("changed.py", "content of another", mtime_ns=DAY_2 * 1000)
    committed.delete("deleted.py")
    os.utime(root / "touched.py", ns=(1, 1))
    committed.delete("replaced.py")
    (root / "replaced.py").symlink_to("same.py")
    (root / "same.py").chmod(0o755)

    assert git.altered_files(root) == frozenset({"changed.py", "deleted.py", "replaced.py"})
    assert git.altered_files(root, ["changed.py", "same.py"]) == frozenset({"changed.py"})


def test_the_same_size_within_the_same_moment_is_compared(committed: Repository) -> None:
    file = committed.root / "changed.py"
    status = file.stat()
    file.write_text(file.read_text("utf-8").upper(), "utf-8")
    index = committed.root / ".git" / "index"
    os.utime(file, ns=(status.st_mtime_ns, status.st_mtime_ns))
    os.utime(index, ns=(status.st_mtime_ns, status.st_mtime_ns))

    assert git.altered_files(committed.root) == frozenset({"changed.py"})


def test_line_ends_as_git_stores_them_are_no_change(repository: Repository) -> None:
    repository.git("config", "core.autocrlf", "true")
    repository.write("a.txt", "one\r\ntwo\r\n")
    repository.commit()
    os.utime(repository.root / "a.txt", ns=(1, 1))

    assert git.altered_files(repository.root) == frozenset()


def test_links_are_compared_by_where_they_lead(repository: Repository) -> None:
    repository.write("a.txt", "one")
    (repository.root / "link").symlink_to("a.txt")
    repository.commit()

    assert git.altered_files(repository.root) == frozenset()
    (repository.root / "link").unlink()
    (repository.root / "link").symlink_to("b.txt")
    assert git.altered_files(repository.root) == frozenset({"link"})


def test_files_left_out_of_the_working_tree_are_unchanged(committed: Repository) -> None:
    committed.git("update-index", "--skip-worktree", "deleted.py")
    committed.delete("deleted.py")

    assert git.altered_files(committed.root) == frozenset()


def test_a_repository_of_the_longer_hash_is_compared(tmp_path: Path) -> None:
    made = Repository(tmp_path / "longer")
    made.root.mkdir()
    made.git("init", "-q", "--object-format=sha256")
    made.write("a.py", "content")
    made.commit()
    os.utime(made.root / "a.py", ns=(1, 1))

    assert git.altered_files(made.root) == frozenset()


def test_a_staged_change_and_a_conflict_are_altered(committed: Repository) -> None:
    committed.git("checkout", "-qb", "other")
    committed.write("changed.py", "theirs")
    committed.commit()
    committed.git("checkout", "-q", "main")
    committed.write("changed.py", "ours")
    committed.commit()
    with pytest.raises(Exception, match="merge"):
        committed.git("merge", "-q", "other")
    committed.write("same.py", "staged")
    committed.git("add", "same.py")

    assert git.altered_files(committed.root) == frozenset({"changed.py", "same.py"})
