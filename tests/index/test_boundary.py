"""One path explained: the scan's own checks, one by one."""

import sys
from pathlib import Path

import pytest

from clew.index.disk.scan import PathDecision, explain_path, scan
from clew.model.errors import Denied, InvalidInput, NotFound
from clew.runtime.settings import Indexing, Watcher

DEFAULT = Indexing()
FOLLOWING = Indexing(follow_symlinks=True)


def grow(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("text\n", "utf-8")


def explained(root: Path, path: str, indexing: Indexing = DEFAULT) -> PathDecision:
    return explain_path(root, path, Watcher(), indexing)


def outcome(root: Path, indexing: Indexing) -> dict[str, str]:
    """Every path of a scan: "found", or why it was left out."""
    seen = scan(root, Watcher(), indexing)
    return {f.path: "found" for f in seen.files} | {s.path: s.reason.value for s in seen.skipped}


def test_a_file_that_belongs_passes_every_check(tmp_path: Path) -> None:
    grow(tmp_path, "src/a.py")

    decision = explained(tmp_path, "src/a.py")

    assert (decision.indexed, decision.reason) == (True, None)
    assert [step.check for step in decision.checks] == [
        *("name", "watch_paths", "internal", "ignored_folder", "ignore_patterns", "gitignore"),
        *("contextignore", "dockerignore", "private", "extension", "symlink", "kind", "binary", "size", "content"),
    ]
    assert all(step.passed for step in decision.checks)


def test_the_first_refusal_ends_the_checks_and_gives_the_reason(tmp_path: Path) -> None:
    grow(tmp_path, "a.secret")

    decision = explained(tmp_path, "a.secret")

    assert (decision.indexed, decision.reason) == (False, "private")
    assert [step.check for step in decision.checks if not step.passed] == ["private"]
    assert decision.checks[-1].detail == decision.detail


def test_a_refused_folder_speaks_for_what_is_in_it(tmp_path: Path) -> None:
    grow(tmp_path, "web/node_modules/x/a.js")

    decision = explained(tmp_path, "web/node_modules/x/a.js")

    assert decision.reason == "ignored"
    assert decision.detail == "web/node_modules/ ignore_patterns: node_modules"


def test_gits_own_files_are_refused(tmp_path: Path) -> None:
    grow(tmp_path, ".git/config")

    assert explained(tmp_path, ".git/config").reason == "internal"


def test_the_content_is_looked_at_last(tmp_path: Path) -> None:
    (tmp_path / "data.txt").write_bytes(b"a\0b")

    decision = explained(tmp_path, "data.txt")

    assert (decision.reason, decision.detail) == ("binary", "a NUL byte")
    assert decision.checks[-1].check == "content"


def test_a_folder_can_be_asked_about(tmp_path: Path) -> None:
    grow(tmp_path, "src/a.py", "build/b.py")

    assert explained(tmp_path, "src").indexed
    assert explained(tmp_path, "build/").reason == "ignored"


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "src/../../x", ".."])
def test_a_path_outside_of_the_root_is_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(Denied):
        explained(tmp_path, path)


def test_absolute_and_roundabout_paths_inside_the_root_are_fine(tmp_path: Path) -> None:
    grow(tmp_path, "src/a.py")

    assert explained(tmp_path, str(tmp_path / "src" / "a.py")).path == "src/a.py"
    assert explained(tmp_path, "src/../src/./a.py").path == "src/a.py"


def test_what_does_not_exist_is_not_found(tmp_path: Path) -> None:
    grow(tmp_path, "a.py", "c")

    for path in ("b.py", "a.py/c", "x/y"):
        with pytest.raises(NotFound):
            explained(tmp_path, path)


def test_the_root_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        explained(tmp_path, ".")


def test_explaining_agrees_with_scanning(tmp_path: Path) -> None:
    grow(tmp_path, "a.py", "b.png", "c.private", "dist/d.py", ".x/e.py", "f.log")
    (tmp_path / ".gitignore").write_text("*.log\n", "utf-8")

    for path, result in outcome(tmp_path, Indexing()).items():
        decision = explained(tmp_path, path)
        assert ("found" if decision.indexed else decision.reason) == result


needs_links = pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")


@needs_links
def test_links_are_left_out_unless_they_are_followed(tmp_path: Path) -> None:
    grow(tmp_path, "real/a.py")
    (tmp_path / "file.py").symlink_to("real/a.py")
    (tmp_path / "folder").symlink_to("real")

    assert outcome(tmp_path, Indexing()) == {"real/a.py": "found", "file.py": "symlink", "folder": "symlink"}
    assert outcome(tmp_path, FOLLOWING) == {"real/a.py": "found", "file.py": "found", "folder/a.py": "found"}


@needs_links
def test_a_followed_link_must_stay_inside(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside")
    grow(outside, "a.py")
    (tmp_path / "a.py").symlink_to(outside / "a.py")
    (tmp_path / "folder").symlink_to(outside)
    (tmp_path / "broken.py").symlink_to("nothing")

    assert outcome(tmp_path, FOLLOWING) == {
        "a.py": "symlink_escape",
        "folder/": "symlink_escape",
        "broken.py": "symlink",
    }


@needs_links
@pytest.mark.parametrize("target", [".git/config", ".clew/state.txt", "key.private", "hidden/x.py", "hidden"])
def test_a_link_opens_no_way_to_what_is_kept_back(tmp_path: Path, target: str) -> None:
    grow(tmp_path, ".git/config", ".clew/state.txt", "key.private", "hidden/x.py")
    (tmp_path / ".contextignore").write_text("hidden\nhidden/*\n", "utf-8")
    (tmp_path / "link").symlink_to(target)

    assert explained(tmp_path, "link", FOLLOWING).reason == "symlink_escape"


@needs_links
def test_a_link_out_of_the_watched_paths_is_an_escape(tmp_path: Path) -> None:
    grow(tmp_path, "src/a.py", "other/b.py")
    (tmp_path / "src" / "b.py").symlink_to("../other/b.py")

    decision = explain_path(tmp_path, "src/b.py", Watcher(watch_paths=("src",)), FOLLOWING)

    assert decision.reason == "symlink_escape"


@needs_links
def test_loops_end(tmp_path: Path) -> None:
    grow(tmp_path, "a/x.py", "b/y.py")
    (tmp_path / "a" / "up").symlink_to("..")
    (tmp_path / "a" / "b").symlink_to("../b")
    (tmp_path / "b" / "a").symlink_to("../a")
    (tmp_path / "self").symlink_to("self")

    seen = outcome(tmp_path, FOLLOWING)

    assert seen["a/up/"] == seen["a/b/a/"] == "symlink_loop"
    assert seen["a/b/y.py"] == "found"
    assert seen["self"] == "symlink"


@needs_links
def test_links_are_followed_only_so_deep(tmp_path: Path) -> None:
    grow(tmp_path, "one/x.py", "two/y.py", "three/z.py")
    (tmp_path / "one" / "two").symlink_to("../two")
    (tmp_path / "two" / "three").symlink_to("../three")

    deep = outcome(tmp_path, FOLLOWING)
    shallow = outcome(tmp_path, Indexing(follow_symlinks=True, max_symlink_depth=1))

    assert deep["one/two/three/z.py"] == "found"
    assert shallow["one/two/y.py"] == "found"
    assert shallow["one/two/three/"] == "symlink"


@needs_links
def test_a_root_reached_through_a_link_is_the_same_project(tmp_path: Path) -> None:
    grow(tmp_path, "real/a.py")
    (tmp_path / "link").symlink_to("real")

    assert outcome(tmp_path / "link", Indexing()) == {"a.py": "found"}
    for absolute in (tmp_path / "link" / "a.py", tmp_path / "real" / "a.py"):
        assert explained(tmp_path / "link", str(absolute)).path == "a.py"
