"""Questions to git, asked of real repositories."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from clew.index.history import git

IDENTITY = ("-c", "user.name=T", "-c", "user.email=t@example.org")


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    home = str(tmp_path_factory.mktemp("home"))
    for name in ("HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, home)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    run(tmp_path, "init", "-q")
    return tmp_path


def run(root: Path, *arguments: str) -> str:
    command = ["git", *IDENTITY, "-C", str(root), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def commit(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(path, "utf-8")
    run(root, "add", "-A")
    run(root, "commit", "-qm", "work")


def test_tracked_paths_are_relative_to_the_root(root: Path) -> None:
    commit(root, "a.py", "pkg/b c.py", "pkg/größe.py")

    assert git.tracked_paths(root) == frozenset({"a.py", "pkg/b c.py", "pkg/größe.py"})
    assert git.tracked_paths(root / "pkg") == frozenset({"b c.py", "größe.py"})


def test_outside_of_a_repository_nothing_is_known(tmp_path: Path) -> None:
    assert git.tracked_paths(tmp_path) is None
    assert git.head(tmp_path) is None
    assert git.dirty_paths(tmp_path) is None
    assert git.excludes(tmp_path) is None


def test_without_git_nothing_is_known(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit(root, "a.py")
    monkeypatch.setenv("PATH", os.devnull)

    assert git.tracked_paths(root) is None
    assert git.head(root) is None


def test_a_repository_without_commits_has_no_head(root: Path) -> None:
    (root / "a.py").touch()

    assert git.head(root) is None
    assert git.tracked_paths(root) == frozenset()
    assert git.dirty_paths(root) == frozenset({"a.py"})


def test_the_head_has_its_committers_time(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2024-02-29T12:00:00+0200")
    commit(root, "a.py")

    assert git.head(root) == git.HeadCommit(run(root, "rev-parse", "HEAD"), 1_709_200_800_000_000)


def test_dirty_names_every_kind_of_change(root: Path) -> None:
    commit(root, "same.py", "changed.py", "deleted.py", "old name.py", "staged.py")
    (root / "changed.py").write_text("new", "utf-8")
    (root / "deleted.py").unlink()
    run(root, "mv", "old name.py", "new name.py")
    (root / "staged.py").write_text("staged", "utf-8")
    run(root, "add", "staged.py")
    (root / "fresh").mkdir()
    (root / "fresh" / "ü.py").touch()

    assert git.dirty_paths(root) == frozenset(
        ("changed.py", "deleted.py", "old name.py", "new name.py", "staged.py", "fresh/ü.py"),
    )


def test_dirty_below_a_subdirectory_leaves_out_the_rest(root: Path) -> None:
    commit(root, "a.py", "pkg/sub/b.py")
    for path in ("a.py", "pkg/sub/b.py", "pkg/sub/c.py"):
        (root / path).write_text("new", "utf-8")

    assert git.dirty_paths(root / "pkg" / "sub") == frozenset({"b.py", "c.py"})


def test_a_hooks_environment_does_not_lead_elsewhere(
    root: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(root, "a.py")
    other = tmp_path_factory.mktemp("other")
    run(other, "init", "-q")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git" / "index"))

    assert git.tracked_paths(root) == frozenset({"a.py"})


@pytest.mark.skipif(sys.platform == "win32", reason="the program is a shell script")
def test_a_slow_git_is_given_up(
    root: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path_factory.mktemp("programs")
    (programs / "git").write_text("#!/bin/sh\nexec sleep 60\n", "utf-8")
    (programs / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(git, "TIMEOUT_S", 0.1)

    assert git.tracked_paths(root) is None


@pytest.mark.skipif(sys.platform == "win32", reason="the program is a shell script")
def test_no_program_of_the_repository_is_run(root: Path) -> None:
    commit(root, "a.py")
    spy = root / "spy.sh"
    spy.write_text(f"#!/bin/sh\ntouch {root}/was-here\n", "utf-8")
    spy.chmod(0o755)
    run(root, "config", "core.fsmonitor", str(spy))

    git.tracked_paths(root)
    git.dirty_paths(root)

    assert not (root / "was-here").exists()
