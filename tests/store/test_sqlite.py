"""The waist on SQLite: transactions, threads and processes that write at once."""

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from clew.model.errors import Busy
from clew.store import migrations
from clew.store.database import Database, Durability, Where
from clew.store.sqlite import SQLite
from clew.store.usage import Usage, Use
from tests.conftest import DAY_1

WRITERS, WRITES = 8, 40
PROCESSES = 4

WRITE_MANY = """
import sys
from pathlib import Path
from clew.store.database import Where
from clew.store.sqlite import SQLite
from clew.store.usage import Usage, Use

name = sys.argv[2]
with SQLite(Path(sys.argv[1])) as db:
    for i in range(int(sys.argv[3])):
        Usage(db, Where(1, 1)).put([Use(f"{name}-{i}", i, "search", name, 1, 1, 1)])
"""


def a_use(id: str) -> Use:
    return Use(id, DAY_1, "search", "", 1, 1, 1)


def uses(db: Database) -> set[str]:
    return {use.id for use in Usage(db, Where(1, 1)).latest(10_000)}


def put(db: Database, id: str) -> None:
    Usage(db, Where(1, 1)).put([a_use(id)])


def in_threads(count: int, work: Callable[[int], None]) -> list[BaseException]:
    """Run `work` in threads at once; what they raised."""
    raised: list[BaseException] = []

    def guarded(number: int) -> None:
        try:
            work(number)
        except BaseException as error:  # noqa: BLE001 - a thread's error would else be lost
            raised.append(error)

    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return raised


def test_a_failed_transaction_leaves_no_trace(db: Database) -> None:
    with pytest.raises(RuntimeError), db.transaction():
        put(db, "lost")
        raise RuntimeError

    assert uses(db) == set()


def test_an_interrupt_rolls_back_too(db: Database) -> None:
    with pytest.raises(KeyboardInterrupt), db.transaction():
        put(db, "lost")
        raise KeyboardInterrupt

    assert uses(db) == set()


def test_an_inner_failure_takes_back_only_the_inner_part(db: Database) -> None:
    with db.transaction():
        put(db, "outer")
        with pytest.raises(RuntimeError), db.transaction():
            put(db, "inner")
            with db.transaction():
                put(db, "innermost")
            raise RuntimeError
        put(db, "after")

    assert uses(db) == {"outer", "after"}


def test_an_outer_failure_takes_back_what_inner_transactions_committed(db: Database) -> None:
    with pytest.raises(RuntimeError), db.transaction():
        with db.transaction():
            put(db, "inner")
        raise RuntimeError

    assert uses(db) == set()


def test_after_a_failure_the_connection_works_on(db: Database) -> None:
    with pytest.raises(sqlite3.ProgrammingError), db.transaction():
        db.execute("usage_put")

    put(db, "next")
    assert uses(db) == {"next"}


def test_a_view_sees_one_state_while_others_write(db: Database) -> None:
    with db.view():
        before = uses(db)
        assert in_threads(1, lambda _: put(db, "meanwhile")) == []
        assert uses(db) == before

    assert uses(db) == {"meanwhile"}


def test_a_view_inside_a_transaction_sees_what_it_wrote(db: Database) -> None:
    with db.transaction():
        put(db, "mine")
        with db.view():
            assert uses(db) == {"mine"}

    assert uses(db) == {"mine"}


def test_what_a_thread_has_not_committed_is_its_own(db: Database) -> None:
    seen: list[set[str]] = []

    with db.transaction():
        put(db, "mine")
        assert in_threads(1, lambda _: seen.append(uses(db))) == []

    assert seen == [set()]


def test_threads_that_write_at_once_lose_nothing(db: Database) -> None:
    def write(thread: int) -> None:
        for i in range(WRITES):
            put(db, f"{thread}-{i}")

    assert in_threads(WRITERS, write) == []
    assert uses(db) == {f"{thread}-{i}" for thread in range(WRITERS) for i in range(WRITES)}


def test_threads_that_read_then_write_lose_no_count(db: Database) -> None:
    """A deferred transaction would fail here, or count the same number twice."""

    def count(_: int) -> None:
        for _ in range(WRITES):
            with db.transaction(Durability.DERIVED):
                put(db, str(len(uses(db))))

    assert in_threads(WRITERS, count) == []
    assert uses(db) == {str(i) for i in range(WRITERS * WRITES)}


def test_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    database = tmp_path / "clew.db"
    with SQLite(database) as db:
        migrations.migrate(db, migrations.known(), DAY_1)
        commands = [
            [sys.executable, "-c", WRITE_MANY, str(database), f"process{i}", str(WRITES)] for i in range(PROCESSES)
        ]
        running = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for command in commands]
        errors = [process.communicate()[1] for process in running]

        assert errors == [""] * PROCESSES
        assert len(uses(db)) == PROCESSES * WRITES
        assert db.check() == []


def test_a_writer_that_waits_in_vain_is_told_that_the_store_is_busy(db: Database, tmp_path: Path) -> None:
    """SQLite gives up at once, without its busy timeout, where waiting could not help."""
    with db.view():
        assert uses(db) == set()
        assert in_threads(1, lambda _: put(db, "first")) == []
        with pytest.raises(Busy, match=r"clew\.db"):
            db.execute("usage_put", project=1, id="late", at=1, op="", agent="", latency=1, tokens=1, hits=1)


@pytest.mark.parametrize(
    ("durability", "synchronous"), [(Durability.GROUND, 2), (Durability.DERIVED, 1)], ids=["ground", "derived"]
)
def test_ground_writes_are_synced_and_derived_writes_need_not_be(
    db: Database, durability: Durability, synchronous: int
) -> None:
    assert isinstance(db, SQLite)
    with db.transaction(Durability.DERIVED if durability is Durability.GROUND else Durability.GROUND):
        pass

    with db.transaction(durability):
        assert pragma(db, "synchronous") == synchronous


def test_the_first_write_of_a_thread_is_durable(db: Database) -> None:
    assert isinstance(db, SQLite)

    assert pragma(db, "synchronous") == 2
    assert pragma(db, "journal_mode") == "wal"


def pragma(db: SQLite, name: str) -> object:
    """What this thread's own connection says: a pragma belongs to a connection, and the waist has no word for it."""
    return db._connection().raw.execute(f"PRAGMA {name}").fetchone()[0]


def test_closing_closes_the_connections_of_every_thread(tmp_path: Path) -> None:
    database = tmp_path / "clew.db"
    db = SQLite(database)
    migrations.migrate(db, migrations.known(), DAY_1)
    assert in_threads(3, lambda i: put(db, str(i))) == []

    db.close()

    assert not database.with_name("clew.db-wal").exists(), "the last connection to close removes the log"
    with closing(sqlite3.connect(database)) as raw:
        assert raw.execute("SELECT COUNT(*) FROM usage").fetchone() == (3,)


def test_size_counts_the_log_too(db: Database, tmp_path: Path) -> None:
    put(db, "one")

    files = [tmp_path / "clew.db", tmp_path / "clew.db-wal"]
    assert db.size() == sum(file.stat().st_size for file in files)


def test_a_thread_that_ended_leaves_no_connection(tmp_path: Path) -> None:
    with SQLite(tmp_path / "clew.db") as db:
        for _ in range(30):
            thread = threading.Thread(target=db.check)
            thread.start()
            thread.join()

        assert len(db._open) <= 2
