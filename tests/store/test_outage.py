"""A server that goes away: what was not committed is gone, what may be done twice is done again, all else is told."""

import threading
import time
from collections.abc import Iterator
from itertools import count

import pytest

from clew.model.errors import Busy, StoreLost
from clew.store import migrations
from clew.store.checkouts import Checkouts
from clew.store.database import Database, Where
from clew.store.leases import Leases
from clew.store.outage import repeat
from clew.store.postgres import Postgres
from clew.store.transactions import Author, Transactions
from clew.store.usage import Usage, Use
from tests.cluster import HAS_POSTGRESQL, Cluster, StopMode, temporary_cluster
from tests.conftest import DAY_1, PROJECT

needs_postgresql = pytest.mark.needs(postgresql=HAS_POSTGRESQL)
MODES: tuple[StopMode, ...] = ("fast", "immediate")

every_mode = pytest.mark.parametrize("mode", MODES)


def test_work_is_done_again_until_the_server_is_back() -> None:
    answers: list[str | StoreLost] = [StoreLost("gone"), StoreLost("gone"), "done"]

    def work() -> str:
        answer = answers.pop(0)
        if isinstance(answer, StoreLost):
            raise answer
        return answer

    assert repeat(work, 5.0) == "done"


def test_patience_ends() -> None:
    tries = count()

    def work() -> None:
        raise StoreLost(f"try {next(tries)}")

    started = time.monotonic()
    with pytest.raises(StoreLost):
        repeat(work, 0.4)

    assert time.monotonic() - started < 2
    assert next(tries) > 1


def test_other_errors_are_not_waited_for() -> None:
    tries = count()

    def work() -> None:
        next(tries)
        raise Busy("now")

    with pytest.raises(Busy):
        repeat(work, 5.0)
    assert next(tries) == 1


@pytest.fixture(scope="module")
def server() -> Iterator[Cluster]:
    """One that these tests may stop; each leaves it up."""
    with temporary_cluster() as server:
        server.create_role("owner", "secret")
        yield server


@pytest.fixture
def db(server: Cluster, request: pytest.FixtureRequest) -> Iterator[Postgres]:
    name = f"books_{time.monotonic_ns()}"
    server.create_database(name, "owner")
    with Postgres(server.url(name, "owner", "secret"), PROJECT) as db:
        migrations.migrate(db, migrations.all_migrations(), DAY_1)
        yield db


@pytest.fixture
def usage(db: Database, where: Where) -> Usage:
    return Usage(db, where)


def a_use(id: str) -> Use:
    return Use(id, DAY_1, "search", "", 1, 1, 1)


def write(db: Database, where: Where, id: str) -> None:
    """A single write, which nothing repeats."""
    counted = {"latency": 1, "tokens": 1, "hits": 1, "rankings": 0, "cached": 0, "spared": 0}
    db.execute("usage_put", project=where.project, id=id, at=1, op="", agent="", retrievers="", **counted)


def ids(usage: Usage) -> set[str]:
    return {use.id for use in usage.latest(10_000)}


def restarted_after(server: Cluster, seconds: float) -> threading.Thread:
    """Stop the server now; it comes back later, while the caller goes on."""
    server.stop()

    def start() -> None:
        time.sleep(seconds)
        server.start()

    thread = threading.Thread(target=start)
    thread.start()
    return thread


@needs_postgresql
@every_mode
def test_a_transaction_that_loses_the_server_is_told_and_leaves_nothing(
    server: Cluster, db: Postgres, where: Where, usage: Usage, mode: StopMode
) -> None:
    usage.put([a_use("before")])

    with pytest.raises(StoreLost, match=r"127\.0\.0\.1") as caught, db.transaction():
        write(db, where, "lost")
        assert ids(usage) == {"before", "lost"}
        server.restart(mode)
        write(db, where, "lost too")
        ids(usage)

    assert "secret" not in f"{caught.value!r} {caught.value.hint}"
    assert ids(usage) == {"before"}
    usage.put([a_use("after")])
    assert ids(usage) == {"before", "after"}


@needs_postgresql
@every_mode
def test_a_commit_that_finds_no_server_is_told(
    server: Cluster, db: Postgres, where: Where, usage: Usage, mode: StopMode
) -> None:
    with pytest.raises(StoreLost), db.transaction():
        write(db, where, "lost")
        server.restart(mode)

    assert ids(usage) == set()


@needs_postgresql
def test_an_inner_transaction_that_loses_the_server_is_told(
    server: Cluster, db: Postgres, where: Where, usage: Usage
) -> None:
    with pytest.raises(StoreLost), db.transaction():
        write(db, where, "lost")
        server.restart()
        with db.transaction():
            write(db, where, "lost too")

    assert ids(usage) == set()


@needs_postgresql
def test_within_a_transaction_nothing_is_waited_for(server: Cluster, db: Postgres, usage: Usage) -> None:
    """Only the whole can be done again, so the part is told at once."""
    restarted = 0.0

    with pytest.raises(StoreLost), db.transaction():
        usage.put([a_use("lost")])
        server.restart()
        restarted = time.monotonic()
        usage.put([a_use("lost too")])

    assert time.monotonic() - restarted < 1


@needs_postgresql
def test_a_view_that_loses_the_server_is_told_and_the_next_one_works(
    server: Cluster, db: Postgres, usage: Usage
) -> None:
    with pytest.raises(StoreLost), db.view():
        ids(usage)
        server.restart()
        ids(usage)

    with db.view():
        assert ids(usage) == set()


@needs_postgresql
def test_a_read_that_spans_a_restart_just_answers(server: Cluster, db: Postgres, usage: Usage) -> None:
    usage.put([a_use("one")])

    restarting = restarted_after(server, 0.5)
    assert ids(usage) == {"one"}
    restarting.join()


@needs_postgresql
def test_uses_that_are_written_across_restarts_are_neither_lost_nor_doubled(
    server: Cluster, db: Postgres, usage: Usage
) -> None:
    written: list[str] = []
    over = threading.Event()

    def write_on(thread: int) -> None:
        for i in count():
            if over.is_set():
                return
            usage.put([a_use(f"{thread}-{i}")])
            written.append(f"{thread}-{i}")

    threads = [threading.Thread(target=write_on, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for mode in MODES:
        time.sleep(0.2)
        server.restart(mode)
    time.sleep(0.2)
    over.set()
    for thread in threads:
        thread.join()

    kept = [use.id for use in usage.latest(1_000_000)]
    assert sorted(kept) == sorted(written)


@needs_postgresql
def test_what_runs_write_first_is_written_once_across_a_restart(server: Cluster, db: Postgres, where: Where) -> None:
    restarting = restarted_after(server, 0.3)
    transactions = Transactions(db, where)
    started = transactions.start("tx", "t", "", Author(), DAY_1)
    again = transactions.start("tx", "t", "", Author(), DAY_1)
    restarting.join()

    assert started == again
    assert transactions.count() == 1


@needs_postgresql
def test_a_lease_outlives_the_server(server: Cluster, db: Postgres, where: Where) -> None:
    leases = Leases(db, where)
    lease = leases.acquire("index", "host:1:x", DAY_1)
    assert lease is not None

    server.restart("immediate")

    assert leases.holder("index", DAY_1) == "host:1:x"
    leases.renew(lease, DAY_1)
    assert leases.acquire("index", "host:1:y", DAY_1) is None


@needs_postgresql
def test_a_project_is_made_across_a_restart(server: Cluster, db: Postgres) -> None:
    restarting = restarted_after(server, 0.3)
    made = Checkouts(db).ensure(PROJECT, "", "beside", DAY_1)
    restarting.join()

    assert Checkouts(db).find(PROJECT, "beside") == made
