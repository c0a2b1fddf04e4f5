"""Schemas through time: forward only, each step whole or not at all, from the first one on."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from clew.store import migrations
from clew.store.checkouts import Checkouts
from clew.store.database import Database, Where
from clew.store.files import Files
from clew.store.graph import Edges, Nodes
from clew.store.migrations import Migration
from clew.store.sqlite import SQLite
from clew.store.transactions import Transactions
from clew.store.usage import Usage
from tests.conftest import DAY_2

FIRST_SCHEMA = Path(__file__).parent / "data" / "schema_0001.sql"
KNOWN = migrations.known()
LATEST = KNOWN[-1].version

MIGRATE = """
import sys
from pathlib import Path
from clew.store import migrations
from clew.store.sqlite import SQLite

with SQLite(Path(sys.argv[1])) as db:
    migrations.migrate(db, migrations.known(), 1)
    print(next(iter(db.query("schema_version")))["version"])
"""


@pytest.fixture
def first(tmp_path: Path) -> Path:
    """A database as the first Clew left it."""
    path = tmp_path / "clew.db"
    with closing(sqlite3.connect(path)) as raw:
        raw.executescript(FIRST_SCHEMA.read_text("utf-8"))
    return path


def test_versions_are_numbered_from_one_without_a_gap() -> None:
    assert [migration.version for migration in KNOWN] == list(range(1, len(KNOWN) + 1))


def test_an_empty_database_is_brought_to_the_latest_schema(empty_db: Database) -> None:
    migrations.migrate(empty_db, KNOWN, DAY_2)

    migrations.verify(empty_db, KNOWN)
    assert next(iter(empty_db.query("schema_version")))["version"] == LATEST


def test_migrating_twice_changes_nothing(db: Database) -> None:
    migrations.migrate(db, KNOWN, DAY_2)

    migrations.verify(db, KNOWN)


def test_a_database_of_the_first_schema_opens_and_keeps_what_it_holds(first: Path) -> None:
    with SQLite(first) as db:
        migrations.migrate(db, KNOWN, DAY_2)
        where = Where(1, 1)

        assert db.check() == []
        found = Checkouts(db).find("", "main")
        assert found is not None
        assert (found.where, found.project_id) == (where, "first-project")
        assert [v.version for v in Files(db, where).history("app.py")] == [1, 1, 2]
        assert [v.current for v in Nodes(db, where).versions("app.py", "login")] == [False, True]
        assert [edge.target for edge in Edges(db, where).of("app.py", "")] == ["external::os"]
        assert [tx.status for tx in Transactions(db, where).latest(9)] == ["completed", "completed"]
        assert [use.agent for use in Usage(db, where).latest(9)] == ["agent-1"]


def test_a_failing_migration_leaves_the_schema_as_it_was(db: Database) -> None:
    broken = Migration(LATEST + 1, "CREATE TABLE half (id INTEGER);\nCREATE TABLE half (id INTEGER);\n")

    with pytest.raises(sqlite3.OperationalError, match="half already exists"):
        migrations.migrate(db, [*KNOWN, broken], DAY_2)

    migrations.verify(db, KNOWN)
    db.define("CREATE TABLE half (id INTEGER)")  # the first half was taken back too


def test_a_failure_in_a_later_step_takes_back_the_earlier_ones(empty_db: Database) -> None:
    broken = Migration(LATEST + 1, "NOT A STATEMENT;\n")

    with pytest.raises(sqlite3.OperationalError):
        migrations.migrate(empty_db, [*KNOWN, broken], DAY_2)

    assert list(empty_db.query("schema_exists")) == []


def test_later_migrations_run_on_top_of_earlier_ones(db: Database) -> None:
    more = Migration(LATEST + 1, "ALTER TABLE usage ADD COLUMN note {text} NOT NULL DEFAULT 'none';\n")

    migrations.migrate(db, [*KNOWN, more], DAY_2)

    migrations.verify(db, [*KNOWN, more])


def test_processes_that_migrate_at_once_all_find_it_done(tmp_path: Path) -> None:
    command = [sys.executable, "-c", MIGRATE, str(tmp_path / "clew.db")]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(3)]

    assert [process.communicate() for process in running] == [(f"{LATEST}\n", "")] * 3
