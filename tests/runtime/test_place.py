"""Where a project lies, and what Clew keeps beside it."""

import subprocess
import sys
from pathlib import Path

import pytest

from clew.model.errors import ConfigError, NotFound, StoreReadOnly
from clew.runtime.place import find_place


def git(root: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=T", "-c", "user.email=t@example.org")
    subprocess.run(["git", *identity, "-C", str(root), *arguments], check=True, capture_output=True)


def test_a_project_keeps_its_files_under_its_root(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "deep").mkdir()
    place = find_place(tmp_path / "deep", {})

    assert (place.root, place.checkout) == (tmp_path, "main")
    assert place.database == tmp_path / ".clew" / "clew.db"
    assert place.snapshots.is_relative_to(tmp_path / ".clew" / "snapshots")
    assert place.warnings == ()


def test_finding_a_place_makes_nothing(tmp_path: Path) -> None:
    find_place(tmp_path, {})

    assert list(tmp_path.iterdir()) == []


def test_the_folder_ignores_itself_in_git(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    place = find_place(tmp_path, {})
    place.prepare()
    place.prepare()
    place.database.touch()

    status = subprocess.run(["git", "-C", str(tmp_path), "status", "--porcelain"], capture_output=True, text=True)
    assert status.stdout == ""


def test_an_ignore_file_that_a_full_disk_left_empty_is_written_again(tmp_path: Path) -> None:
    place = find_place(tmp_path, {})
    place.prepare()
    ignore = tmp_path / ".clew" / ".gitignore"
    ignore.write_bytes(b"")
    place.prepare()

    assert ignore.read_text("utf-8") == "*\n"


def test_an_ignore_file_that_somebody_changed_stays(tmp_path: Path) -> None:
    place = find_place(tmp_path, {})
    place.prepare()
    (tmp_path / ".clew" / ".gitignore").write_text("# ours\n", "utf-8")
    place.prepare()

    assert (tmp_path / ".clew" / ".gitignore").read_text("utf-8") == "# ours\n"


def test_a_linked_worktree_shares_the_main_one_s_files(tmp_path: Path) -> None:
    main, linked = tmp_path / "main", tmp_path / "linked"
    main.mkdir()
    git(main, "init", "-q")
    git(main, "commit", "--allow-empty", "-qm", "first")
    git(main, "worktree", "add", "-q", str(linked))
    place = find_place(linked, {})

    assert place.root == linked
    assert place.database == main / ".clew" / "clew.db"
    assert place.checkout == "worktree:linked"


def test_a_configured_path_is_relative_to_the_root_and_is_not_ignored_in_git(tmp_path: Path) -> None:
    place = find_place(tmp_path, {"CLEW_STORAGE_DB_PATH": "kept/here.db"})
    place.prepare()

    assert place.database == tmp_path / "kept" / "here.db"
    assert [file.name for file in (tmp_path / "kept").iterdir()] == ["here.db-owner"]


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / ".clew").write_text("a file where the folder should be", "utf-8")

    with pytest.raises(StoreReadOnly, match=r"\.clew"):
        find_place(tmp_path, {}).prepare()


def test_settings_and_their_warnings_come_with_the_place(tmp_path: Path) -> None:
    (tmp_path / "context.toml").write_text("[query]\ndefault_k = 7\n", "utf-8")
    place = find_place(tmp_path, {"CLEW_QUERY_DEFUALT_K": "1"})

    assert place.settings.config.query.default_k == 7
    assert any("DEFUALT" in warning for warning in place.warnings)


def test_a_place_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        find_place(tmp_path / "missing", {})


MARK_IT = """
import sys
from pathlib import Path
from clew.runtime.place import find_place

print(find_place(Path(sys.argv[1]), {"CLEW_STORAGE_URL": "postgresql://h/d", "CLEW_PROJECT_ID": "p"}).checkout)
"""


def test_processes_that_name_a_new_tree_at_once_agree(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    command = [sys.executable, "-c", MARK_IT, str(tmp_path)]
    children = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(6)]

    names = {child.communicate()[0] for child in children}

    assert len(names) == 1
    assert [file.name for file in (tmp_path / ".clew").iterdir() if file.suffix == ".part"] == []


def test_a_project_on_a_server_needs_a_name(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    place = find_place(tmp_path, {"CLEW_STORAGE_URL": "postgresql://h/d"})

    with pytest.raises(ConfigError, match="no name"):
        _ = place.checkout
