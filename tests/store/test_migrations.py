"""Schemas through time: forward only, each step whole or not at all, from the first one on."""

import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from clew.model.errors import StoreNewer
from clew.store import migrations
from clew.store.checkouts import Checkouts
from clew.store.database import Database, Where
from clew.store.files import Files
from clew.store.graph import Nodes
from clew.store.migrations import Migration
from clew.store.postgres import Postgres
from clew.store.sqlite import SQLite
from clew.store.transactions import Transactions
from clew.store.usage import Usage
from tests.cluster import HAS_POSTGRESQL
from tests.conftest import BACKENDS, DAY_2, PROJECT
from tests.store.at_once import in_processes, in_threads
from tests.store.engines import ENGINE_ERRORS

# Not strict: the sessions of other tests may renew the cache by chance.

FIRST_SCHEMA = Path(__file__).parent / "data" / "schema_0001.sql"
KNOWN = migrations.all_migrations()
LATEST = KNOWN[-1].version

MIGRATE = """
import sys
from clew.store import migrations
from clew.store.checkouts import Checkouts
from tests.store.at_once import together
from tests.store.engines import opened

db = opened(sys.argv[1], sys.argv[2])
together()
migrations.migrate(db, migrations.all_migrations(), 1)
where = Checkouts(db).ensure(sys.argv[2], "", "main", 1).where
print(next(iter(db.query("schema_version")))["version"], *where)
db.close()
"""

COLUMNS = """
SELECT table_name, ordinal_position, column_name, data_type, collation_name FROM information_schema.columns
WHERE table_schema = current_schema() ORDER BY table_name, ordinal_position
"""
INDEXES = "SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema() ORDER BY indexname"
POLICIES = "SELECT tablename, policyname, qual FROM pg_policies WHERE schemaname = current_schema() ORDER BY tablename"


@pytest.fixture(params=BACKENDS)
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a database of each backend is that holds nothing."""
    return request.getfixturevalue("database_url") if request.param == "postgres" else str(tmp_path / "clew.db")


@pytest.fixture
def empty_db(reopened: Callable[[str], Database]) -> Database:
    return reopened(PROJECT)


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
        assert [tx.status for tx in Transactions(db, where).latest(9)] == ["completed", "completed"]
        assert [use.agent for use in Usage(db, where).latest(9)] == ["agent-1"]


def test_a_failing_migration_leaves_the_schema_as_it_was(db: Database) -> None:
    broken = Migration(LATEST + 1, "CREATE TABLE half (id INTEGER);\nCREATE TABLE half (id INTEGER);\n")

    with pytest.raises(ENGINE_ERRORS, match=r'half"? already exists'):
        migrations.migrate(db, [*KNOWN, broken], DAY_2)

    migrations.verify(db, KNOWN)
    db.define("CREATE TABLE half (id INTEGER)")  # the first half was taken back too


def test_a_failure_in_a_later_step_takes_back_the_earlier_ones(empty_db: Database) -> None:
    broken = Migration(LATEST + 1, "NOT A STATEMENT;\n")

    with pytest.raises(ENGINE_ERRORS):
        migrations.migrate(empty_db, [*KNOWN, broken], DAY_2)

    assert list(empty_db.query("schema_exists")) == []


def test_later_migrations_run_on_top_of_earlier_ones(db: Database) -> None:
    more = Migration(LATEST + 1, "ALTER TABLE usage ADD COLUMN note {text} NOT NULL DEFAULT 'none';\n")

    migrations.migrate(db, [*KNOWN, more], DAY_2)

    migrations.verify(db, [*KNOWN, more])


def test_the_schema_may_be_brought_up_version_by_version(empty_db: Database) -> None:
    """As it comes about where a Clew of every version ran."""
    for count in range(1, len(KNOWN) + 1):
        migrations.migrate(empty_db, KNOWN[:count], DAY_2)
        migrations.verify(empty_db, KNOWN[:count])
        assert next(iter(empty_db.query("schema_version")))["version"] == count

    assert Checkouts(empty_db).ensure("", PROJECT, "main", DAY_2).project_id == PROJECT


@pytest.mark.needs(postgresql=HAS_POSTGRESQL)
def test_step_by_step_makes_the_same_schema_as_at_once(new_database: Callable[[], str]) -> None:
    stepwise, at_once = new_database(), new_database()
    with Postgres(stepwise, PROJECT) as db:
        for count in range(1, len(KNOWN) + 1):
            migrations.migrate(db, KNOWN[:count], DAY_2)
    with Postgres(at_once, PROJECT) as db:
        migrations.migrate(db, KNOWN, DAY_2)

    assert described(stepwise) == described(at_once)


def described(url: str) -> list[str]:
    with psycopg.connect(url) as raw:
        (schema,) = raw.execute("SELECT current_schema()").fetchone() or ("",)
        rows = [str(row) for question in (COLUMNS, INDEXES, POLICIES) for row in raw.execute(question)]
    return [row.replace(schema, "schema") for row in rows]


def test_a_schema_of_a_newer_clew_is_left_alone(db: Database) -> None:
    db.execute("schema_version_put", version=LATEST + 1, applied_at=DAY_2)

    with pytest.raises(StoreNewer, match=rf"{LATEST + 1}.*{LATEST}") as caught:
        migrations.migrate(db, KNOWN, DAY_2)
    assert "Upgrade Clew" in caught.value.hint
    with pytest.raises(StoreNewer, match=rf"{LATEST + 1}.*{LATEST}"):
        migrations.verify(db, KNOWN)


def test_who_waits_while_another_migrates_finds_it_done(reopened: Callable[[str], Database]) -> None:
    first, second = reopened(PROJECT), reopened(PROJECT)
    assert list(second.query("schema_exists")) == []
    raised: list[BaseException] = []

    with first.transaction():
        any(first.query("schema_lock"))
        waiting = threading.Thread(
            target=lambda: raised.extend(in_threads(1, lambda _: migrations.migrate(second, KNOWN, DAY_2)))
        )
        waiting.start()
        waiting.join(0.3)
        assert waiting.is_alive()
        migrations.migrate(first, KNOWN, DAY_2)
    waiting.join()

    assert raised == []
    migrations.verify(second, KNOWN)


def test_processes_that_open_a_new_database_at_once_make_everything_once(address: str) -> None:
    """The schema, the project and the checkout; as hosts do that are started together."""
    found = in_processes(MIGRATE, [[address, PROJECT]] * 4)

    assert {complaint for _, complaint in found} == {""}
    assert {said.split()[0] for said, _ in found} == {str(LATEST)}
    assert len({said for said, _ in found}) == 1
