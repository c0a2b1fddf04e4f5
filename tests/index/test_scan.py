"""Trees without git: what is found, what is left out, and why."""

import json
import os
import socket
import sys
from pathlib import Path

import pytest

from clew.index.disk.scan import Scan, scan
from clew.model.errors import ConfigError, Denied, NotFound
from clew.runtime.settings import Indexing, Watcher
from tests.conftest import powerless

WATCHER, INDEXING = Watcher(), Indexing()


def grow(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("text\n", "utf-8")


def scanned(root: Path, watcher: Watcher = WATCHER, indexing: Indexing = INDEXING) -> Scan:
    return scan(root, watcher, indexing)


def found(seen: Scan) -> list[str]:
    return [file.path for file in seen.files]


def reasons(seen: Scan) -> dict[str, str]:
    return {skipped.path: skipped.reason.value for skipped in seen.skipped}


def test_files_come_sorted_with_size_and_time(tmp_path: Path) -> None:
    grow(tmp_path, "b.py", "a/z.py", "a.py")

    seen = scanned(tmp_path)

    assert found(seen) == ["a.py", "a/z.py", "b.py"]
    assert seen.files[0].size == 5
    assert seen.files[0].mtime_ns == (tmp_path / "a.py").stat().st_mtime_ns


def test_an_empty_project_has_no_files(tmp_path: Path) -> None:
    assert scanned(tmp_path) == Scan((), (), (), ())


def test_an_ignored_folder_is_one_entry_and_not_walked(tmp_path: Path) -> None:
    grow(tmp_path, "node_modules/x/index.js", "node_modules/y/index.js", "app.js", "app.min.js")

    seen = scanned(tmp_path)

    assert found(seen) == ["app.js"]
    assert reasons(seen) == {"node_modules/": "ignored", "app.min.js": "ignored"}
    assert seen.skipped[1].detail == "ignore_patterns: node_modules"


def test_patterns_ignore_case_unless_configured(tmp_path: Path) -> None:
    grow(tmp_path, "Build/a.py")

    assert found(scanned(tmp_path)) == []
    assert found(scanned(tmp_path, Watcher(case_sensitive=True))) == ["Build/a.py"]


def test_a_pattern_that_ends_in_a_slash_is_a_prefix(tmp_path: Path) -> None:
    grow(tmp_path, "gen/a.py", "src/gen/a.py")

    assert found(scanned(tmp_path, Watcher(ignore_patterns=("gen/",)))) == ["src/gen/a.py"]


def test_a_pattern_that_cannot_be_read_is_a_configuration_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"\[z-a\]"):
        scanned(tmp_path, Watcher(ignore_patterns=("[z-a]",)))


def test_without_patterns_there_is_a_warning(tmp_path: Path) -> None:
    assert "ignore_patterns is empty" in scanned(tmp_path, Watcher(ignore_patterns=())).warnings[0]


def test_hidden_folders_are_left_out_and_hidden_files_are_not(tmp_path: Path) -> None:
    grow(tmp_path, ".cache/a.py", ".editorconfig")

    seen = scanned(tmp_path)

    assert found(seen) == [".editorconfig"]
    assert reasons(seen) == {".cache/": "ignored"}


def test_gits_and_clews_own_folders_are_not_even_mentioned(tmp_path: Path) -> None:
    grow(tmp_path, ".git/config", ".clew/clew.db")

    assert scanned(tmp_path) == Scan((), (), (), ())


@pytest.mark.parametrize("name", [".gitignore", ".contextignore", ".dockerignore"])
def test_ignore_files_are_heeded_when_switched_on(tmp_path: Path, name: str) -> None:
    grow(tmp_path, "a.log", "b.py")
    (tmp_path / name).write_text("*.log\n", "utf-8")

    on = scanned(tmp_path, Watcher(use_dockerignore=True))
    off = scanned(tmp_path, Watcher(use_gitignore=False, use_contextignore=False))

    assert reasons(on) == {"a.log": name.removeprefix(".")}
    assert reasons(off) == {}


def test_only_allowed_extensions_are_found(tmp_path: Path) -> None:
    grow(tmp_path, "a.PY", "b.js", "Makefile")

    seen = scanned(tmp_path, indexing=Indexing(allowed_extensions=(".py",)))

    assert found(seen) == ["a.PY"]
    assert reasons(seen) == {"Makefile": "extension", "b.js": "extension"}


def test_a_blocked_extension_may_have_two_parts(tmp_path: Path) -> None:
    grow(tmp_path, "a.gen.py", "a.py", "Makefile")

    assert found(scanned(tmp_path, indexing=Indexing(blocked_extensions=(".gen.py",)))) == ["Makefile", "a.py"]


def test_binary_extensions_are_left_out_by_name_unless_allowed(tmp_path: Path) -> None:
    grow(tmp_path, "a.png")

    assert reasons(scanned(tmp_path)) == {"a.png": "binary"}
    assert found(scanned(tmp_path, indexing=Indexing(binary_detection="content"))) == ["a.png"]
    assert found(scanned(tmp_path, indexing=Indexing(allowed_extensions=(".PNG",)))) == ["a.png"]


def test_private_files_are_never_found(tmp_path: Path) -> None:
    grow(tmp_path, "notes.private", "db.SECRET")

    assert set(reasons(scanned(tmp_path)).values()) == {"private"}


def test_large_files_are_left_out_save_the_exceptions(tmp_path: Path) -> None:
    for name in ("big.txt", "api.md", "data/schema.sql"):
        grow(tmp_path, name)
        (tmp_path / name).write_bytes(b"x" * 3_000_000)
    limits = Indexing(max_file_size_mb=2, warn_file_size_mb=1, size_exceptions=("api.md", "data/*.sql"))

    seen = scanned(tmp_path, indexing=limits)

    assert found(seen) == ["api.md", "data/schema.sql"]
    assert reasons(seen) == {"big.txt": "too_large"}
    assert [warning.split()[0] for warning in seen.warnings] == ["api.md", "data/schema.sql"]


def test_only_watched_paths_are_walked(tmp_path: Path) -> None:
    grow(tmp_path, "src/app/a.py", "src/other/b.py", "docs/c.md", "README.md", ".ci/run.py", ".ci/.deep/x.py")

    seen = scanned(tmp_path, Watcher(watch_paths=("src/app/", "./README.md", ".ci")))

    assert found(seen) == [".ci/run.py", "README.md", "src/app/a.py"]
    assert reasons(seen)["docs/"] == reasons(seen)["src/other/"] == "outside_watch_paths"
    assert reasons(seen)[".ci/.deep/"] == "ignored"


def test_missing_and_overlapping_watch_paths_are_warnings(tmp_path: Path) -> None:
    grow(tmp_path, "src/main/a.py")

    seen = scanned(tmp_path, Watcher(watch_paths=("src", "src/main", "lib")))

    assert found(seen) == ["src/main/a.py"]
    assert seen.warnings == ("watcher.watch_paths: lib does not exist", "watcher.watch_paths: src and src/main overlap")


def test_an_absolute_watch_path_inside_the_root_is_fine(tmp_path: Path) -> None:
    grow(tmp_path, "src/a.py", "b.py")

    assert found(scanned(tmp_path, Watcher(watch_paths=(str(tmp_path / "src"),)))) == ["src/a.py"]
    assert found(scanned(tmp_path, Watcher(watch_paths=(".",)))) == ["b.py", "src/a.py"]


def test_watch_paths_that_all_miss_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="lib, test"):
        scanned(tmp_path, Watcher(watch_paths=("lib", "test")))


@pytest.mark.parametrize("path", ["..", "/etc", "src/../../x"])
def test_a_watch_path_outside_of_the_root_is_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(Denied):
        scanned(tmp_path, Watcher(watch_paths=(path,)))


def test_a_root_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        scanned(tmp_path / "missing")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_pipes_and_sockets_are_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a socket's path must be short
    os.mkfifo("pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")

        assert reasons(scanned(tmp_path)) == {"pipe": "special_file", "socket": "special_file"}


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such a name")
def test_a_name_that_is_not_utf8_is_reported_with_its_bytes(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.py")).touch()

    assert reasons(scanned(tmp_path)) == {r"caf\udce9.py": "bad_name"}


def test_names_in_any_script_are_fine(tmp_path: Path) -> None:
    grow(tmp_path, "größe/模块.py")

    assert found(scanned(tmp_path)) == ["größe/模块.py"]


def test_a_tree_may_be_deeper_than_the_stack(tmp_path: Path) -> None:
    deep = "/".join(["d"] * 500)
    grow(tmp_path, f"{deep}/a.py")

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(400)
    try:
        assert found(scanned(tmp_path)) == [f"{deep}/a.py"]
    finally:
        sys.setrecursionlimit(limit)


def test_a_folder_that_cannot_be_listed_is_not_taken_for_empty(tmp_path: Path) -> None:
    grow(tmp_path, "open/a.py", "closed/b.py", "listed/c.py")

    shown = scanned_by_nobody(tmp_path, {"closed": 0o000, "listed": 0o444})

    assert shown == {
        "files": ["open/a.py"],
        "skipped": [
            ["closed/", "unreadable", "Permission denied"],
            ["listed/c.py", "unreadable", "Permission denied"],
        ],
        "unreadable": ["closed/", "listed/"],
    }


def scanned_by_nobody(root: Path, modes: dict[str, int]) -> object:
    """A scan by a process that permissions bind, while the folders have these modes."""
    for name, mode in modes.items():
        (root / name).chmod(mode)
    try:
        done = powerless(sys.executable, "-c", SCAN_BY_NOBODY, str(root))
        return json.loads(done.stdout)
    finally:
        for name in modes:
            (root / name).chmod(0o755)


SCAN_BY_NOBODY = """
import json, sys
from pathlib import Path
from clew.index.disk.scan import scan
from clew.runtime.settings import Indexing, Watcher
seen = scan(Path(sys.argv[1]), Watcher(), Indexing())
print(json.dumps({"files": [f.path for f in seen.files], "skipped": seen.skipped, "unreadable": seen.unreadable}))
"""
