"""The waist on every backend: transactions, views, threads and processes that write at once."""

import threading
from collections.abc import Callable

import pytest

from clew.store.database import Database, Durability, Where
from clew.store.usage import Usage, Use
from tests.conftest import DAY_1, PROJECT
from tests.store.at_once import in_processes, in_threads
from tests.store.engines import ENGINE_ERRORS

WRITERS, WRITES = 8, 40
PROCESSES = 4

WRITE_MANY = """
import sys
from clew.store.database import Where
from clew.store.usage import Usage, Use
from tests.store.at_once import together
from tests.store.engines import opened

address, project, name, number, checkout, count = sys.argv[1:]
db = opened(address, project)
usage = Usage(db, Where(int(number), int(checkout)))
together()
for i in range(int(count)):
    usage.put([Use(f"{name}-{i}", i, "search", name, 1, 1, 1)])
db.close()
"""


@pytest.fixture
def usage(db: Database, where: Where) -> Usage:
    """The simplest table there is."""
    return Usage(db, where)


def put(usage: Usage, id: str) -> None:
    usage.put([Use(id, DAY_1, "search", "", 1, 1, 1)])


def ids(usage: Usage) -> set[str]:
    return {use.id for use in usage.latest(10_000)}


def fail(db: Database) -> None:
    """A write that the engine refuses: this version is recorded already."""
    db.execute("schema_version_put", version=1, applied_at=DAY_1)


def test_a_failed_transaction_leaves_no_trace(db: Database, usage: Usage) -> None:
    with pytest.raises(RuntimeError), db.transaction():
        put(usage, "lost")
        raise RuntimeError

    assert ids(usage) == set()


def test_an_interrupt_rolls_back_too(db: Database, usage: Usage) -> None:
    with pytest.raises(KeyboardInterrupt), db.transaction():
        put(usage, "lost")
        raise KeyboardInterrupt

    assert ids(usage) == set()


def test_an_inner_failure_takes_back_only_the_inner_part(db: Database, usage: Usage) -> None:
    with db.transaction():
        put(usage, "outer")
        with pytest.raises(RuntimeError), db.transaction():
            put(usage, "inner")
            with db.transaction():
                put(usage, "innermost")
            raise RuntimeError
        put(usage, "after")

    assert ids(usage) == {"outer", "after"}


def test_what_the_engine_refuses_inside_takes_back_only_the_inner_part(db: Database, usage: Usage) -> None:
    with db.transaction():
        put(usage, "outer")
        with pytest.raises(ENGINE_ERRORS), db.transaction():
            put(usage, "inner")
            fail(db)
        put(usage, "after")

    assert ids(usage) == {"outer", "after"}


def test_an_outer_failure_takes_back_what_inner_transactions_committed(db: Database, usage: Usage) -> None:
    with pytest.raises(RuntimeError), db.transaction():
        with db.transaction():
            put(usage, "inner")
        raise RuntimeError

    assert ids(usage) == set()


def test_a_write_that_the_engine_refuses_is_told_by_the_commit_at_the_latest(db: Database, usage: Usage) -> None:
    with pytest.raises(ENGINE_ERRORS), db.transaction():
        put(usage, "before")
        fail(db)
        put(usage, "after")

    assert ids(usage) == set()


def test_a_write_that_the_engine_refuses_is_told_by_the_next_read_at_the_latest(db: Database, usage: Usage) -> None:
    reached = False
    with pytest.raises(ENGINE_ERRORS), db.transaction():
        fail(db)
        ids(usage)
        reached = True

    assert not reached


def test_after_a_failure_the_connection_works_on(db: Database, usage: Usage) -> None:
    with pytest.raises(ENGINE_ERRORS), db.transaction():
        db.execute("usage_put")

    put(usage, "next")
    assert ids(usage) == {"next"}


def test_a_batch_may_be_empty_or_come_from_a_generator(db: Database, usage: Usage, where: Where) -> None:
    row = {"project": where.project, "at": 1, "op": "", "agent": "", "latency": 1, "tokens": 1, "hits": 1}
    row |= {"rankings": 0, "cached": 0, "retrievers": "", "spared": 0}
    with db.transaction():
        db.execute_many("usage_put", [])
        db.execute_many("usage_put", ({"id": letter, **row} for letter in "abc"))

    assert ids(usage) == {"a", "b", "c"}


def test_a_transaction_reads_what_it_wrote(db: Database, usage: Usage) -> None:
    with db.transaction():
        put(usage, "one")
        assert ids(usage) == {"one"}
        put(usage, "two")
        assert ids(usage) == {"one", "two"}


def test_a_view_sees_one_state_while_others_write(db: Database, usage: Usage) -> None:
    with db.view():
        before = ids(usage)
        assert in_threads(1, lambda _: put(usage, "meanwhile")) == []
        with db.view():
            assert ids(usage) == before

    assert ids(usage) == {"meanwhile"}


def test_a_view_inside_a_transaction_sees_what_it_wrote(db: Database, usage: Usage) -> None:
    with db.transaction():
        put(usage, "mine")
        with db.view():
            assert ids(usage) == {"mine"}

    assert ids(usage) == {"mine"}


def test_after_a_view_its_connection_writes_again(db: Database, usage: Usage) -> None:
    with pytest.raises(RuntimeError), db.view():
        raise RuntimeError

    put(usage, "next")
    assert ids(usage) == {"next"}


def test_what_a_thread_has_not_committed_is_its_own(db: Database, usage: Usage) -> None:
    seen: list[set[str]] = []

    with db.transaction():
        put(usage, "mine")
        assert in_threads(1, lambda _: seen.append(ids(usage))) == []

    assert seen == [set()]


def test_threads_that_write_at_once_lose_nothing(usage: Usage) -> None:
    def write(thread: int) -> None:
        for i in range(WRITES):
            put(usage, f"{thread}-{i}")

    assert in_threads(WRITERS, write) == []
    assert ids(usage) == {f"{thread}-{i}" for thread in range(WRITERS) for i in range(WRITES)}


@pytest.mark.parametrize("durability", Durability)
def test_threads_that_read_then_write_under_the_lock_lose_no_count(
    db: Database, usage: Usage, where: Where, durability: Durability
) -> None:
    def count(_: int) -> None:
        for _ in range(WRITES // 4):
            with db.transaction(durability):
                any(db.query("project_lock", project=where.project))
                put(usage, str(len(ids(usage))))

    assert in_threads(WRITERS, count) == []
    assert ids(usage) == {str(i) for i in range(WRITERS * (WRITES // 4))}


def test_the_lock_of_a_project_is_held_until_the_commit(
    db: Database, usage: Usage, where: Where, reopened: Callable[[str], Database]
) -> None:
    """Two connections of two databases objects, as two hosts have them."""
    other = reopened(PROJECT)
    order: list[str] = []
    locked = threading.Event()

    def follow() -> None:
        locked.wait()
        with other.transaction():
            any(other.query("project_lock", project=where.project))
            order.append(f"second saw {sorted(ids(Usage(other, where)))}")

    second = threading.Thread(target=follow)
    second.start()
    with db.transaction():
        any(db.query("project_lock", project=where.project))
        locked.set()
        second.join(0.2)
        put(usage, "first")
        order.append("first")
    second.join()

    assert order == ["first", "second saw ['first']"]


def test_processes_that_write_at_once_lose_nothing(db: Database, usage: Usage, where: Where, address: str) -> None:
    arguments = [
        [address, PROJECT, f"process{i}", str(where.project), str(where.checkout), str(WRITES)]
        for i in range(PROCESSES)
    ]

    assert in_processes(WRITE_MANY, arguments) == [("", "")] * PROCESSES
    assert len(ids(usage)) == PROCESSES * WRITES
    assert db.check() == []


def test_an_empty_database_has_a_size_and_grows(db: Database, usage: Usage) -> None:
    before = db.size()
    usage.put(Use(f"{i:05}", i, "search", "x" * 1000, 1, 1, 1) for i in range(2000))

    assert 0 < before < 2_000_000
    assert db.size() - before > 1_000_000
    assert db.check() == []
