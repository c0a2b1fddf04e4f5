"""What only SQLite has: a file and its log, pragmas, and waiting that cannot help."""

import os
import sqlite3
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from clew.model.errors import Busy
from clew.store import migrations, sql, sqlite
from clew.store.database import Durability, Where
from clew.store.sqlite import SQLite
from clew.store.usage import Usage, Use
from tests.conftest import DAY_1
from tests.store.at_once import in_threads


@pytest.fixture
def db(tmp_path: Path) -> Iterator[SQLite]:
    with SQLite(tmp_path / "clew.db") as db:
        migrations.migrate(db, migrations.all_migrations(), DAY_1)
        yield db


def put(db: SQLite, where: Where, id: str) -> None:
    Usage(db, where).put([Use(id, DAY_1, "search", "", 1, 1, 1)])


def test_what_is_named_is_looked_up_where_it_lies(db: SQLite, tmp_path: Path) -> None:
    """No query reads all rows of a checkout to find a few: its index has a further column."""
    whole = "(project=? AND checkout=?)"
    few = {name: text for name, text in sql.load("sqlite").items() if "json_each" in text}
    with closing(sqlite3.connect(tmp_path / "clew.db")) as raw:
        plans = {name: raw.execute(f"EXPLAIN QUERY PLAN {text}", defaultdict(str)) for name, text in few.items()}
        everywhere = [name for name, plan in plans.items() for *_, step in plan if step.endswith(whole)]

    assert everywhere == []


def test_a_writer_that_waits_in_vain_is_told_that_the_store_is_busy(db: SQLite, where: Where) -> None:
    """SQLite gives up at once, without its busy timeout, where waiting could not help."""
    with db.view():
        assert Usage(db, where).latest(1) == []
        assert in_threads(1, lambda _: put(db, where, "first")) == []
        with pytest.raises(Busy, match=r"clew\.db"):
            put(db, where, "late")


@pytest.mark.parametrize(
    ("durability", "synchronous"), [(Durability.GROUND, 2), (Durability.DERIVED, 1)], ids=["ground", "derived"]
)
def test_ground_writes_are_synced_and_derived_writes_need_not_be(
    db: SQLite, durability: Durability, synchronous: int
) -> None:
    with db.transaction(Durability.DERIVED if durability is Durability.GROUND else Durability.GROUND):
        pass

    with db.transaction(durability):
        assert pragma(db, "synchronous") == synchronous


def test_the_first_write_of_a_thread_is_durable(db: SQLite) -> None:
    assert pragma(db, "synchronous") == 2
    assert pragma(db, "journal_mode") == "wal"


def pragma(db: SQLite, name: str) -> object:
    """What this thread's own connection says: a pragma belongs to a connection, and the waist has no word for it."""
    return db._connection().run(f"PRAGMA {name}")[0][name]


def test_closing_closes_the_connections_of_every_thread(db: SQLite, where: Where, tmp_path: Path) -> None:
    database = tmp_path / "clew.db"
    assert in_threads(3, lambda i: put(db, where, str(i))) == []

    db.close()

    assert not database.with_name("clew.db-wal").exists(), "the last connection to close removes the log"
    with closing(sqlite3.connect(database)) as raw:
        assert raw.execute("SELECT COUNT(*) FROM usage").fetchone() == (3,)


def test_size_counts_the_log_too(db: SQLite, where: Where, tmp_path: Path) -> None:
    put(db, where, "one")

    files = [tmp_path / "clew.db", tmp_path / "clew.db-wal"]
    assert db.size() == sum(file.stat().st_size for file in files)


def test_a_thread_that_ended_leaves_no_connection(db: SQLite) -> None:
    for _ in range(30):
        thread = threading.Thread(target=db.check)
        thread.start()
        thread.join()

    assert len(db._open) <= 2


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="looks for open files in /proc")
def test_a_fork_inherits_no_connection_that_is_at_rest(db: SQLite, where: Where, tmp_path: Path) -> None:
    file = tmp_path / "clew.db"

    def opened() -> int:
        return sum(fd.resolve() == file for fd in Path("/proc/self/fd").iterdir())

    put(db, where, "parent")
    before = opened()
    if not (child := os.fork()):
        os._exit(opened())
    after = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with db.transaction():
        if not (child := os.fork()):
            os._exit(0)
        os.waitpid(child, 0)
        put(db, where, "in a transaction")

    assert (before, after) == (1, 0)
    assert {use.id for use in Usage(db, where).latest(9)} == {"parent", "in a transaction"}


def test_a_lock_is_reported_while_it_is_waited_for_and_given_up_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for module, name, seconds in ((sqlite, "BUSY_SECONDS", 0.3), (sqlite, "QUIET_SECONDS", 0.05)):
        monkeypatch.setattr(module, name, seconds)
    file = tmp_path / "locked.db"
    with SQLite(file) as db, closing(sqlite3.connect(file, isolation_level=None)) as other:
        db.define("CREATE TABLE written (id INTEGER)")
        other.execute("BEGIN IMMEDIATE")
        for _ in range(20):  # whoever tries again and again does not wait for each as long
            with pytest.raises(Busy, match="stayed locked"), db.transaction():
                raise AssertionError("nobody may write")
        other.execute("ROLLBACK")
        with db.transaction():
            db.define("INSERT INTO written VALUES (1)")

    assert [record.levelname for record in caplog.records if "is locked by another" in record.message] == ["WARNING"]
