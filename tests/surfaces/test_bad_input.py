"""Bad input gets a clear error or a counted skip; the run goes on, and what was indexed stays."""

import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest

from clew.engine import Engine, now
from clew.graph.edges import edges_to
from clew.store.leases import INDEXING

from .processes import HELD_TO_PERMISSIONS, clew

# Root is not held to permissions, unless setpriv takes its privilege away.
needs_setpriv = pytest.mark.needs(setpriv=not HELD_TO_PERMISSIONS or shutil.which("setpriv") is not None)


@pytest.mark.parametrize("command", [("index",), ("search", "x"), ("status",), ("list-indexable",), ("config",)])
def test_a_directory_that_is_missing_is_not_found(tmp_path: Path, command: tuple[str, ...]) -> None:
    done = clew("-C", "missing", *command, "--json", cwd=tmp_path)

    assert (done.code, done.json["errorCode"]) == (3, "CLEW_E_NOT_FOUND")
    assert not (tmp_path / "missing").exists()


@pytest.mark.parametrize("place", ["~nobody-of-this-name", "/etc", "/proc/self", "long" * 100])
def test_what_cannot_be_a_project_is_refused(tmp_path: Path, place: str) -> None:
    done = clew("-C", place, "index", "--json", cwd=tmp_path)

    assert done.code in (3, 5)
    assert done.json["hint"]


def test_a_bare_repository_is_refused(tmp_path: Path) -> None:
    """Its hooks and packs are not the project."""
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "mirror.git")], check=True)
    done = clew("-C", str(tmp_path / "mirror.git"), "index", "--json", cwd=tmp_path)

    assert (done.code, done.json["errorCode"]) == (5, "CLEW_E_DENIED")
    assert "bare" in done.json["summary"]


def test_an_empty_repository_is_indexed_and_holds_nothing(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    index = clew("index", "--json", cwd=tmp_path)
    search = clew("search", "anything", "--json", cwd=tmp_path)

    assert (index.code, index.json["files"]) == (0, 0)
    assert (search.code, search.json["data"]["hits"]) == (0, [])


@needs_setpriv
def test_a_directory_that_may_not_be_read_is_an_error(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    closed.chmod(0)
    done = clew("-C", str(closed), "index", "--json", cwd=tmp_path, under=HELD_TO_PERMISSIONS)
    closed.chmod(0o700)

    assert done.code in (2, 5, 6)
    assert "Permission denied" in done.json["summary"]


@needs_setpriv
def test_a_project_behind_a_closed_directory_is_an_error(tmp_path: Path) -> None:
    project = tmp_path / "closed" / "project"
    project.mkdir(parents=True)
    project.parent.chmod(0)
    done = clew("-C", str(project), "index", "--json", cwd=tmp_path, under=HELD_TO_PERMISSIONS)
    project.parent.chmod(0o700)

    assert (done.code, done.json["errorCode"]) == (3, "CLEW_E_NOT_FOUND")
    assert "Permission denied" in done.json["summary"]


@needs_setpriv
def test_a_folder_that_may_not_be_read_is_a_counted_skip(project: Path) -> None:
    closed = project / "closed"
    closed.mkdir()
    (closed / "hidden.py").write_text("def hidden(): ...\n", "utf-8")
    closed.chmod(0)
    done = clew("index", "--json", cwd=project, under=HELD_TO_PERMISSIONS)
    closed.chmod(0o700)

    assert (done.code, done.json["files"], done.json["skipped"]) == (0, 3, {"unreadable": 1})


@needs_setpriv
def test_a_file_that_may_not_be_read_keeps_what_is_known_of_it(project: Path) -> None:
    (project / "vault.py").touch()
    (project / "vault.py").chmod(0)
    done = clew("rebuild", "--json", cwd=project, under=HELD_TO_PERMISSIONS)
    (project / "vault.py").chmod(0o600)

    assert (done.code, done.json["result"]["files"], done.json["result"]["failed"]) == (7, 3, 1)


def test_a_line_of_five_megabytes_is_a_counted_skip_or_indexed(project: Path) -> None:
    (project / "line.txt").write_text("token " * 900_000, "utf-8")
    done = clew("index", "--json", cwd=project)

    assert (done.code, done.json["skipped"]) == (0, {"too_large": 1})
    (project / "line.txt").write_text("token " * 700_000, "utf-8")
    done = clew("index", "--json", cwd=project)
    assert (done.code, done.json["files"], done.json["failed"]) == (0, 4, [])


def test_a_file_of_nothing_but_nul_is_a_counted_skip(project: Path) -> None:
    (project / "zeros.py").write_bytes(b"\0" * 100_000)
    done = clew("index", "--json", cwd=project)

    assert (done.code, done.json["files"], done.json["skipped"]) == (0, 3, {"binary": 1})


def test_a_file_that_is_not_utf_8_is_counted_and_found(project: Path) -> None:
    (project / "latin.py").write_bytes(b'def caf\xe9_zeppelin():\n    """Un caf\xe9."""\n    return "ok"\n')
    done = clew("index", "--json", cwd=project)
    said = clew("search", "zeppelin", "--json", cwd=project)

    assert done.code == 0
    assert done.json["files"] == 4 or done.json["skipped"] == {"binary": 1}
    assert done.json["problems"] == 1
    assert said.json["data"]["hits"][0]["file_path"] == "latin.py"


def test_files_that_break_off_are_indexed_as_far_as_they_go(project: Path) -> None:
    (project / "broken.py").write_text("def zeppelin(:\n    return (\n\nclass Moored", "utf-8")
    (project / "broken.ts").write_text("export function {{{{ (", "utf-8")
    done = clew("index", "--json", cwd=project)

    assert (done.code, done.json["files"], done.json["problems"]) == (0, 5, 2)
    assert [one["path"] for one in done.json["flawed"]] == ["broken.py", "broken.ts"]


def test_a_run_names_the_files_that_it_read_with_problems(project: Path) -> None:
    for number in range(7):
        (project / f"broken{number}.py").write_text("x = 1\ndef zeppelin(:\n    return (\n", "utf-8")
    done = clew("index", cwd=project)

    assert "7 with problems, such as syntax errors" in done.out
    assert "broken0.py: syntax error at line 2" in done.err
    assert "broken5.py" not in done.err
    assert "and 2 more with problems; `clew index --full --json` lists them all" in done.err


@pytest.mark.parametrize("command", [("index",), ("search", "token"), ("status",)])
def test_a_database_that_is_none_is_said_and_left_as_it_is(project: Path, command: tuple[str, ...]) -> None:
    database = project / ".clew" / "clew.db"
    database.write_bytes(b"this is no database\n" * 500)
    done = clew(*command, "--json", cwd=project)

    assert (done.code, done.json["errorCode"]) == (6, "CLEW_E_STORE_CORRUPT")
    assert "clew rebuild" in done.json["hint"]
    assert database.read_bytes() == b"this is no database\n" * 500


@pytest.mark.parametrize("command", [("index",), ("search", "token")])
def test_a_database_with_torn_pages_is_said(project: Path, command: tuple[str, ...]) -> None:
    database = project / ".clew" / "clew.db"
    pages = bytearray(database.read_bytes())
    pages[2 * 4096 :] = b"\xff" * (len(pages) - 2 * 4096)
    database.write_bytes(pages)
    done = clew(*command, "--json", cwd=project)

    assert (done.code, done.json["errorCode"]) == (6, "CLEW_E_STORE_CORRUPT")


@pytest.mark.parametrize("command", [("index",), ("search", "token"), ("status",)])
def test_a_database_of_a_newer_clew_is_said_and_not_touched(project: Path, command: tuple[str, ...]) -> None:
    with sqlite3.connect(project / ".clew" / "clew.db") as db:
        db.execute("INSERT INTO schema_version (version, applied_at) VALUES (999, 0)")
    db.close()
    done = clew(*command, "--json", cwd=project)

    assert (done.code, done.json["errorCode"]) == (6, "CLEW_E_CONTRACT_VERSION")
    assert "Upgrade" in done.json["hint"]


def test_snapshots_that_are_gone_or_torn_are_made_again(project: Path) -> None:
    shutil.rmtree(project / ".clew" / "snapshots")
    assert clew("search", "validate", "token", "--json", cwd=project).json["data"]["hits"]

    (project / "vault.py").write_text("def moor_zeppelin(): ...\n", "utf-8")
    assert clew("index", cwd=project).code == 0
    assert clew("search", "zeppelin", "--json", cwd=project).json["data"]["hits"]


def test_a_snapshot_with_lost_pages_is_made_again_by_the_next_run(project: Path) -> None:
    """Of the right length, as a crash of the machine may leave it: who only maps it finds nobody who calls a thing."""
    (whole,) = (project / ".clew" / "snapshots").glob("*/*.snapshot")
    made = whole.read_bytes()
    lost = bytearray(made)
    lost[len(made) // 4 : -16] = bytes(len(made) - len(made) // 4 - 16)
    whole.write_bytes(lost)

    assert clew("index", cwd=project).code == 0
    assert whole.read_bytes() == made

    whole.unlink()
    assert clew("index", cwd=project).code == 0
    assert whole.read_bytes() == made


def test_a_server_that_has_mapped_a_damaged_snapshot_goes_on_with_the_one_that_is_made_again(project: Path) -> None:
    with Engine.open(project) as engine:
        knows = "vault.py::Vault::knows"
        before = edges_to(engine.corpus(), knows)
        assert before
        (whole,) = (project / ".clew" / "snapshots").glob("*/*.snapshot")
        with whole.open("r+b") as file:  # in place, as a disk does it
            file.seek(whole.stat().st_size // 8)
            file.write(bytes(whole.stat().st_size * 7 // 8 - 16))
        assert clew("index", cwd=project).code == 0

        assert edges_to(engine.corpus(), knows) == before


@pytest.mark.parametrize(
    "column", ["blob.data", "layout.data", "extract.words", "extract.facts", "link.data", "history.data"]
)
def test_what_a_disk_lost_of_the_present_is_there_again_after_a_rebuild(project: Path, column: str) -> None:
    for git in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "token"]):
        subprocess.run(["git", *git], cwd=project, check=True)
    clew("index", cwd=project)
    asked = (("explain", "Vault.knows"), ("slice", "Vault.knows"), ("search", "validate", "token"))
    before = [clew(*one, cwd=project).out for one in asked]
    table, _, name = column.partition(".")
    with sqlite3.connect(project / ".clew" / "clew.db") as db:
        assert db.execute(f"UPDATE {table} SET {name} = x'28b52ffd00112233'").rowcount
    db.close()
    shutil.rmtree(project / ".clew" / "snapshots")

    assert clew("rebuild", cwd=project).code == 0
    assert [clew(*one, cwd=project).out for one in asked] == before


def test_a_path_that_cannot_hold_a_database_is_said(project: Path) -> None:
    done = clew("index", "--json", cwd=project, env={"CLEW_STORAGE_DB_PATH": "/proc/none/clew.db"})

    assert (done.code, done.json["errorCode"]) == (6, "CLEW_E_STORE_READ_ONLY")


def test_another_run_on_the_same_tree_is_said_and_searching_goes_on(project: Path) -> None:
    with Engine.open(project) as engine:
        engine.leases.acquire(INDEXING, "elsewhere:1:x", now())
    done = clew("index", "--no-wait", "--json", cwd=project)
    said = clew("search", "token", "--json", cwd=project)

    assert (done.code, done.json["errorCode"]) == (6, "CLEW_E_BUSY")
    assert said.json["data"]["index"]["indexing"] is True
    assert said.json["data"]["hits"]


def test_where_git_says_nothing_what_was_deleted_is_gone_all_the_same(project: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    (project / "gone.py").write_text("def moor_zeppelin(): ...\n", "utf-8")
    subprocess.run(["git", "add", "."], cwd=project, check=True)
    (project / ".git" / "index").write_bytes(b"noise" * 9)
    clew("index", cwd=project)
    (project / "gone.py").unlink()

    done = clew("index", "--json", cwd=project)

    assert done.json["deleted"] == 1
    assert "`git status` tells more" in clew("index", cwd=project).err


def test_a_file_that_stands_where_the_index_goes_is_said(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".clew").write_text("mine\n", "utf-8")

    done = clew("index", cwd=tmp_path)

    assert done.code == 6
    assert "is no directory" in done.err
    assert "hint: Move it aside" in done.err


@needs_setpriv
def test_an_unreadable_file_is_a_failure_until_it_may_be_read(project: Path) -> None:
    closed = project / "closed.py"
    closed.write_text("def seldom_seen(): ...\n", "utf-8")
    closed.chmod(0)
    index = clew("index", "--json", cwd=project, under=HELD_TO_PERMISSIONS)
    status = clew("status", "--json", cwd=project, under=HELD_TO_PERMISSIONS).json["data"]
    listed = clew("jobs", "errors", cwd=project)
    closed.chmod(0o600)
    search = clew("search", "seldom_seen", "--json", cwd=project, under=HELD_TO_PERMISSIONS)

    assert (index.code, [one["path"] for one in index.json["failed"]]) == (7, ["closed.py"])
    assert (listed.code, "closed.py: " in listed.out) == (7, True)
    assert (status["failed"], status["failed_files"], status["files_seen"]) == (1, ["closed.py"], 4)
    (hit,) = search.json["data"]["hits"]
    assert (hit["file_path"], hit["label"]) == ("closed.py", "seldom_seen")
    assert "failed" not in clew("status", "--json", cwd=project).json["data"]
    assert clew("jobs", "errors", cwd=project).code == 0


def test_the_database_and_what_lies_beside_it_are_never_indexed(project: Path) -> None:
    (project / "context.toml").write_text('[storage]\ndb_path = "data/index"\n', "utf-8")
    (project / "data/snapshots").mkdir(parents=True)
    (project / "data/snapshots/first.txt").write_text("A picture of the card.\n", "utf-8")
    clew("index", cwd=project)
    again = clew("index", "--json", cwd=project)
    listed = clew("list-indexable", cwd=project).out.split()

    assert (project / "data/index").exists()
    assert [path for path in listed if path.startswith("data/")] == ["data/snapshots/first.txt"]
    assert (again.json["read"], again.json["files"]) == (0, len(listed))
