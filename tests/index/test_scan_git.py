"""Trees that git knows: what it tracks is found, what it ignores is not."""

import os
import subprocess
from pathlib import Path

import pytest

from clew.index.disk.scan import Scan, scan
from clew.runtime.settings import IGNORED, Indexing, Watcher

DEFAULT = Watcher()
IDENTITY = ("-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always")


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No setting of the person who runs the tests counts."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.delenv("GIT_CONFIG_GLOBAL", raising=False)
    return home


@pytest.fixture
def root(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    return tmp_path


def git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", *IDENTITY, "-C", str(root), *arguments], check=True, capture_output=True)


def grow(root: Path, *paths: str, text: str = "text\n") -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")


def track(root: Path, *paths: str) -> None:
    grow(root, *paths)
    git(root, "add", "-f", *paths)


def scanned(root: Path, watcher: Watcher = DEFAULT) -> Scan:
    return scan(root, watcher, Indexing())


def found(seen: Scan) -> list[str]:
    return [file.path for file in seen.files if not file.path.endswith("ignore")]


def reasons(seen: Scan) -> dict[str, str]:
    return {skipped.path: skipped.reason.value for skipped in seen.skipped}


def test_default_patterns_never_hide_what_git_tracks(root: Path) -> None:
    track(root, "build/tool.py", "lib.min.js", ".github/ci.yaml")
    grow(root, "build/output.py", "build/cache/x.py", "target/y.py", ".github/new.yaml")

    seen = scanned(root)

    assert found(seen) == [".github/ci.yaml", ".github/new.yaml", "build/tool.py", "lib.min.js"]
    assert reasons(seen) == {"build/output.py": "ignored", "build/cache/": "ignored", "target/": "ignored"}


def test_patterns_that_the_user_chose_hide_tracked_files_too(root: Path) -> None:
    track(root, "build/tool.py", "src/a.py")

    assert found(scanned(root, Watcher(ignore_patterns=(*IGNORED, "*.log")))) == ["src/a.py"]


def test_gitignore_hides_only_what_is_not_tracked(root: Path) -> None:
    grow(root, ".gitignore", text="*.gen.py\nout/\n")
    track(root, "kept.gen.py", "out/kept.py")
    grow(root, "dropped.gen.py", "out/dropped.py", "new.py", "sub/out/x.py")

    seen = scanned(root)

    assert found(seen) == ["kept.gen.py", "new.py", "out/kept.py"]
    assert reasons(seen) == {
        "dropped.gen.py": "gitignore",
        "out/dropped.py": "gitignore",
        "sub/out/": "gitignore",
    }


def test_contextignore_and_privacy_hold_for_tracked_files(root: Path) -> None:
    track(root, "docs/a.md", "x.private", "b.py")
    grow(root, ".contextignore", text="docs/\n")

    seen = scanned(root)

    assert found(seen) == ["b.py"]
    assert reasons(seen) == {"docs/": "contextignore", "x.private": "private"}


def test_nearer_gitignores_win(root: Path) -> None:
    grow(root, ".gitignore", text="*.log\n")
    grow(root, "keep/.gitignore", text="!*.log\n/a.txt\n")
    grow(root, "x.log", "keep/y.log", "keep/a.txt", "keep/sub/a.txt")

    assert found(scanned(root)) == ["keep/sub/a.txt", "keep/y.log"]


def test_a_list_of_exceptions_works_at_any_depth(root: Path) -> None:
    grow(root, ".gitignore", text="*\n!*/\n!*.py\n")
    grow(root, "a.py", "deep/er/b.py", "deep/er/c.txt")

    assert found(scanned(root)) == ["a.py", "deep/er/b.py"]


def test_the_repositorys_and_the_users_own_rules_count(root: Path, home: Path) -> None:
    grow(root, ".git/info/exclude", text="mine.py\n")
    grow(home, ".config/git/ignore", text="*.swp\n")
    grow(root, "mine.py", "a.swp", "b.py")

    seen = scanned(root)

    assert found(seen) == ["b.py"]
    assert seen.skipped[0].detail == f"{home}/.config/git/ignore: *.swp"


def test_the_users_rules_may_stand_elsewhere(root: Path, home: Path) -> None:
    grow(home, ".gitconfig", text="[core]\n\texcludesFile = ~/rules\n")
    grow(home, "rules", text="*.swp\n")
    grow(root, "a.swp", "b.py")

    assert found(scanned(root)) == ["b.py"]


def test_rules_above_the_root_reach_into_it(root: Path) -> None:
    grow(root, ".gitignore", text="/pkg/app/gen/\n*.log\n")
    grow(root, "pkg/.gitignore", text="!important.log\n")
    grow(root, "pkg/app/gen/x.py", "pkg/app/a.py", "pkg/app/b.log", "pkg/app/important.log")
    git(root, "add", "pkg/app/a.py")

    seen = scanned(root / "pkg" / "app")

    assert found(seen) == ["a.py", "important.log"]
    assert reasons(seen) == {"gen/": "gitignore", "b.log": "gitignore"}


def test_nested_repositories_and_submodules_are_left_out(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other")
    git(other, "init", "-q")
    track(other, "lib.py")
    git(other, "commit", "-qm", "lib")
    git(root, "submodule", "add", "-q", str(other), "vendored")
    git(root, "clone", "-q", str(other), "cloned")

    seen = scanned(root)

    assert found(seen) == [".gitmodules"]
    assert reasons(seen) == {"vendored/": "nested_repository", "cloned/": "nested_repository"}


def test_a_worktree_inside_the_root_is_a_repository_of_its_own(root: Path) -> None:
    track(root, "a.py")
    git(root, "commit", "-qm", "a")
    git(root, "worktree", "add", "-q", "trees/b")

    assert reasons(scanned(root)) == {"trees/b/": "nested_repository"}
    assert found(scanned(root / "trees" / "b")) == ["a.py"]


def test_tracked_files_that_are_gone_are_not_found(root: Path) -> None:
    track(root, "a.py", "b.py")
    (root / "a.py").unlink()

    assert found(scanned(root)) == ["b.py"]


def test_without_git_the_ignore_files_still_count(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grow(root, ".gitignore", text="*.log\n")
    track(root, "a.py", "b.log", "build/c.py")
    monkeypatch.setenv("PATH", os.devnull)

    seen = scanned(root)

    assert found(seen) == ["a.py"]
    assert reasons(seen) == {"b.log": "gitignore", "build/": "ignored"}


def test_where_git_fails_its_own_words_are_told(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    track(root, "a.py")
    (root / ".git" / "index").write_bytes(b"noise" * 9)
    [warning] = scanned(root).warnings
    monkeypatch.setenv("PATH", os.devnull)
    [without] = scanned(root).warnings

    assert "git could not say which files it tracks (" in warning
    assert "index" in warning.partition("(")[2], warning
    assert "there is no git on the PATH" in without
