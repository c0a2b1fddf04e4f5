"""Files that are not Clew's databases are never moved, repaired or overwritten, whatever the configuration names."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.conftest import Repository

from .processes import clew


def application(path: Path) -> None:
    """A database of another program."""
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("CREATE TABLE project (id INTEGER, name TEXT)")
        raw.execute("INSERT INTO project VALUES (1, 'orders')")
        raw.commit()


@pytest.mark.parametrize("content", [b"alias ll='ls -l'\n", b"", b"SQLite format 3\0 but no more", None])
@pytest.mark.parametrize("command", [("index",), ("rebuild",), ("search", "charge")])
def test_a_file_of_the_user_that_db_path_names_stays_as_it_was(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None, command: tuple[str]
) -> None:
    repository.write("pay.py", "def charge(card):\n    return card\n")
    home = tmp_path / "home"
    home.mkdir()
    file = home / ".bashrc"
    file.write_bytes(content) if content is not None else application(file)
    before = file.read_bytes()
    monkeypatch.setenv("CLEW_STORAGE_DB_PATH", str(file))
    done = clew(*command, "--json", cwd=repository.root)

    assert (done.code, done.json["errorCode"]) == (2, "CLEW_E_NOT_A_DATABASE")
    assert "db_path" in done.json["hint"]
    assert [one.name for one in home.iterdir()] == [".bashrc"]
    assert file.read_bytes() == before


def test_a_database_that_clew_made_elsewhere_is_opened_and_repaired(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.write("pay.py", "def charge(card):\n    return card\n")
    monkeypatch.setenv("CLEW_STORAGE_DB_PATH", str(tmp_path / "kept" / "it.db"))
    assert clew("index", cwd=repository.root).code == 0
    (tmp_path / "kept" / "it.db-owner").unlink()  # as an older Clew left it
    assert clew("index", cwd=repository.root).code == 0
    (tmp_path / "kept" / "it.db").write_bytes(b"noise" * 5000)

    assert clew("search", "charge", "--json", cwd=repository.root).json["errorCode"] == "CLEW_E_STORE_CORRUPT"
    assert clew("rebuild", cwd=repository.root).code == 0
    assert clew("search", "charge", cwd=repository.root).code == 0
