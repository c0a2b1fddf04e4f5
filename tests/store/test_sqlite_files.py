"""Database files in every bad state: each gets its own error."""

import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from clew.engine import Engine
from clew.model.errors import StoreCorrupt, StoreNewer, StoreReadOnly, Unavailable
from clew.store import migrations
from clew.store.database import Where
from clew.store.sqlite import SQLite
from clew.store.usage import Usage, Use
from tests.conftest import DAY_1, Repository, powerless

LATEST = migrations.all_migrations()[-1].version
USE = Use("one", DAY_1, "search", "", 1, 1, 1)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A closed database with one row in it."""
    path = tmp_path / "clew.db"
    with SQLite(path) as db:
        migrations.migrate(db, migrations.all_migrations(), DAY_1)
        Usage(db, Where(1, 1)).put([USE])
    return path


def test_a_file_that_is_no_database_is_corrupt(tmp_path: Path) -> None:
    path = tmp_path / "clew.db"
    path.write_bytes(b"these are not the bytes of a database\n" * 200)

    with pytest.raises(StoreCorrupt, match=r"clew\.db"):
        SQLite(path)


def test_a_damaged_database_is_corrupt(database: Path) -> None:
    content = bytearray(database.read_bytes())
    content[1024:] = b"\xff" * (len(content) - 1024)
    database.write_bytes(content)

    with pytest.raises(StoreCorrupt), SQLite(database) as db:
        migrations.migrate(db, migrations.all_migrations(), DAY_1)
        Usage(db, Where(1, 1)).latest(1)


def test_a_truncated_database_is_corrupt(database: Path) -> None:
    os.truncate(database, database.stat().st_size // 2)

    with pytest.raises(StoreCorrupt), SQLite(database) as db:
        list(db.query("usage_latest", project=1, limit=1))


def test_check_tells_the_faults_of_a_damaged_file(database: Path) -> None:
    with closing(sqlite3.connect(database)) as raw:
        raw.execute("PRAGMA writable_schema = ON")
        raw.execute("UPDATE sqlite_master SET rootpage = 2 WHERE name = 'usage'")
        raw.commit()

    with SQLite(database) as db:
        assert db.check() != []


def test_check_has_nothing_to_say_of_a_sound_file(database: Path) -> None:
    with SQLite(database) as db:
        assert db.check() == []


def test_a_database_of_a_newer_clew_is_left_alone(database: Path) -> None:
    with closing(sqlite3.connect(database)) as raw:
        raw.execute("INSERT INTO schema_version VALUES (?, 0)", (LATEST + 1,))
        raw.commit()

    with SQLite(database) as db, pytest.raises(StoreNewer, match=rf"{LATEST + 1}.*{LATEST}"):
        migrations.migrate(db, migrations.all_migrations(), DAY_1)
    with SQLite(database, read_only=True) as db, pytest.raises(StoreNewer):
        migrations.verify(db, migrations.all_migrations())


def test_an_engine_does_not_open_what_it_cannot_read(repository: Repository) -> None:
    with Engine.open(repository.root, environ={}) as engine:
        database = engine.place.database
    database.write_bytes(b"no database" * 1000)

    for read_only in (False, True):
        with pytest.raises(StoreCorrupt):
            Engine.open(repository.root, read_only=read_only, environ={})
    assert database.read_bytes() == b"no database" * 1000


def test_what_is_opened_to_read_cannot_be_written(database: Path) -> None:
    with SQLite(database, read_only=True) as db:
        assert Usage(db, Where(1, 1)).latest(5) == [USE]
        with pytest.raises(StoreReadOnly):
            Usage(db, Where(1, 1)).put([USE])


def test_readers_see_what_a_writer_adds_later(database: Path) -> None:
    other = Use("two", DAY_1 + 1, "search", "", 1, 1, 1)
    with SQLite(database, read_only=True) as reader, SQLite(database) as writer:
        Usage(writer, Where(1, 1)).put([other])

        assert Usage(reader, Where(1, 1)).latest(5) == [other, USE]


def test_a_missing_file_is_not_made_by_a_reader(tmp_path: Path) -> None:
    with pytest.raises(StoreReadOnly, match="missing"):
        SQLite(tmp_path / "missing.db", read_only=True)

    assert list(tmp_path.iterdir()) == []


def test_a_reader_says_that_an_old_schema_must_be_brought_up(tmp_path: Path) -> None:
    path = tmp_path / "clew.db"
    with SQLite(path):
        pass

    with SQLite(path, read_only=True) as db, pytest.raises(Unavailable, match="schema 0"):
        migrations.verify(db, migrations.all_migrations())


WRITE_IN_VAIN = """
import sys
from pathlib import Path
from clew.model.errors import StoreReadOnly
from clew.store.database import Where
from clew.store.sqlite import SQLite
from clew.store.usage import Usage

database = Path(sys.argv[1])
try:
    SQLite(database)
except StoreReadOnly:
    print("refused")
with SQLite(database, read_only=True) as db:
    print([use.id for use in Usage(db, Where(1, 1)).latest(5)])
"""


def test_on_a_disk_that_cannot_be_written_what_is_there_can_be_read(database: Path) -> None:
    database.chmod(0o444)
    database.parent.chmod(0o555)

    done = powerless(sys.executable, "-c", WRITE_IN_VAIN, str(database))

    database.parent.chmod(0o755)
    assert (done.stdout, done.stderr) == ("refused\n['one']\n", "")


@pytest.mark.parametrize("replaced", [False, True])
def test_a_file_that_was_taken_away_while_it_was_open_is_not_written(database: Path, replaced: bool) -> None:
    """What is acknowledged would be in no file that anybody finds."""
    with SQLite(database) as db:
        usage = Usage(db, Where(1, 1))
        usage.put([USE])
        database.rename(database.with_name("aside.db"))
        if replaced:
            with SQLite(database) as other:
                migrations.migrate(other, migrations.all_migrations(), DAY_1)
        with pytest.raises(Unavailable, match="taken away"):
            usage.put([Use("two", DAY_1, "search", "", 1, 1, 1)])


@pytest.mark.parametrize("name", ["clew.db", "clew.db-wal"])
def test_what_has_the_name_of_the_file_and_is_none_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()

    with pytest.raises(StoreReadOnly, match=f"{name} is no file") as error, SQLite(tmp_path / "clew.db") as db:
        migrations.migrate(db, migrations.all_migrations(), DAY_1)
    assert "Move it aside" in error.value.hint
