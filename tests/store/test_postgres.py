"""What only PostgreSQL has: sessions that end, a pool that is full, texts that it does not hold."""

import os
import resource
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
import pytest

from clew.model.agents import Identity
from clew.model.code import Defined
from clew.model.errors import Busy, ClewError, InvalidInput, StoreLost, StoreReadOnly, TimedOut, Unavailable
from clew.model.memory import EpisodeDraft, EpisodeType
from clew.model.words import Kind
from clew.runtime.deadline import Deadline, limit
from clew.store import migrations
from clew.store.checkouts import Checkouts
from clew.store.connections import Limits
from clew.store.database import Database, Where
from clew.store.episodes import Episodes
from clew.store.graph import Nodes
from clew.store.postgres import Postgres
from clew.store.usage import Usage, Use
from tests.cluster import HAS_POSTGRESQL, Cluster, Sandbox
from tests.conftest import DAY_1, POSTGRES, PROJECT
from tests.store.at_once import in_threads

pytestmark = pytest.mark.needs(postgresql=HAS_POSTGRESQL)
only_postgres = pytest.mark.parametrize("address", [POSTGRES], indirect=True)

LONGEST_KEY = 2656  # bytes of text that cannot be packed, scope and target together: a third of a page, less the rest
SESSIONS = "SELECT pid FROM pg_stat_activity WHERE application_name = 'clew' AND datname = current_database()"
READ_OF_EPISODES = """
SELECT seq_tup_read + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = 'episode')
FROM pg_stat_user_tables WHERE relname = 'episode'
"""


@only_postgres
def test_what_is_told_as_an_error_is_not_logged_too(db: Database, caplog: pytest.LogCaptureFixture) -> None:
    """Where no one set logging up, a warning goes to standard error."""
    with pytest.raises(psycopg.errors.UniqueViolation), db.transaction():
        db.execute("schema_version_put", version=1, applied_at=1)
        time.sleep(0.1)
        db.execute("schema_version_put", version=99, applied_at=1)

    assert [record.getMessage() for record in caplog.records if record.name.startswith("psycopg")] == []


@pytest.fixture
def usage(db: Database, where: Where) -> Usage:
    return Usage(db, where)


def a_use(id: str) -> Use:
    return Use(id, DAY_1, "search", "", 1, 1, 1)


def pids(address: str) -> set[int]:
    """The sessions that Clew has at the server."""
    with psycopg.connect(address) as raw:
        return {pid for (pid,) in raw.execute(SESSIONS)}


@only_postgres
def test_a_server_that_can_only_be_read_is_told_and_can_be_read(usage: Usage, where: Where, address: str) -> None:
    """As a standby, or a primary that was set so."""
    usage.put([a_use("one")])
    with Postgres(f"{address}%20-cdefault_transaction_read_only%3Don", PROJECT) as db:
        migrations.migrate(db, migrations.all_migrations(), DAY_1)
        assert Usage(db, where).latest(9) == [a_use("one")]
        for write in (
            lambda: Usage(db, where).put([a_use("two")]),
            lambda: Checkouts(db).ensure(PROJECT, "", "beside", DAY_1),
            lambda: db.define("CREATE TABLE thing (id integer)"),
        ):
            with pytest.raises(StoreReadOnly) as caught:
                write()
            assert "primary" in caught.value.hint


@only_postgres
def test_what_is_opened_to_read_cannot_be_written(usage: Usage, where: Where, address: str) -> None:
    usage.put([a_use("one")])

    with Postgres(address, PROJECT, read_only=True) as db:
        assert Usage(db, where).latest(9) == [a_use("one")]
        with pytest.raises(StoreReadOnly):
            Usage(db, where).put([a_use("two")])


@only_postgres
def test_threads_that_wait_in_vain_for_a_connection_are_told_what_to_raise(usage: Usage, address: str) -> None:
    with Postgres(address, PROJECT, Limits(connections=1, wait_seconds=0.2)) as db, db.view():
        (error,) = in_threads(1, lambda _: list(db.query("schema_version")))

    assert isinstance(error, Busy)
    assert "1 connections" in error.message
    assert "storage.pool_size" in error.hint


@only_postgres
def test_more_threads_than_connections_take_turns(usage: Usage, where: Where, address: str) -> None:
    with Postgres(address, PROJECT, Limits(connections=2)) as db:
        before = pids(address)
        narrow = Usage(db, where)
        assert in_threads(12, lambda i: narrow.put([a_use(str(i))])) == []
        assert len(pids(address) - before) <= 1  # the first is there since the opening

    assert len(usage.latest(99)) == 12


@only_postgres
def test_one_thread_keeps_to_one_session(db: Database, usage: Usage, address: str) -> None:
    before = pids(address)
    for number in range(5):
        usage.put([a_use(str(number))])
        with db.view():
            usage.latest(1)

    assert pids(address) == before
    assert len(before) == 1


@only_postgres
def test_idle_sessions_that_the_server_ended_are_not_missed(usage: Usage, sandbox: Sandbox, address: str) -> None:
    in_threads(3, lambda i: usage.put([a_use(str(i))]))
    ended = pids(address)

    for pid in ended:
        sandbox.admin.execute("SELECT pg_terminate_backend(%s, 2000)", [pid])

    usage._put([])  # not the one that would do it again
    assert len(usage.latest(9)) == 3
    assert not pids(address) & ended


@only_postgres
def test_a_session_that_is_ended_in_mid_transaction_is_told(
    db: Database, usage: Usage, sandbox: Sandbox, address: str
) -> None:
    with pytest.raises(StoreLost), db.transaction():
        usage.latest(1)
        for pid in pids(address):
            sandbox.admin.execute("SELECT pg_terminate_backend(%s, 2000)", [pid])
        list(db.query("schema_version"))

    assert usage.latest(9) == []


@only_postgres
def test_who_waits_longer_for_a_row_than_the_server_allows_is_told_that_it_is_busy(
    db: Database, where: Where, address: str
) -> None:
    with Postgres(f"{address}%20-clock_timeout%3D100", PROJECT) as other, db.transaction():
        any(db.query("project_lock", project=where.project))
        with pytest.raises(Busy, match="lock timeout"):
            any(other.query("project_lock", project=where.project))


@only_postgres
def test_a_statement_that_takes_longer_than_the_server_allows_is_told_with_what_to_raise(
    db: Database, where: Where, address: str
) -> None:
    with Postgres(f"{address}%20-cstatement_timeout%3D100", PROJECT) as other, db.transaction():
        any(db.query("project_lock", project=where.project))
        with pytest.raises(Busy, match="statement timeout") as error:
            any(other.query("project_lock", project=where.project))
    assert "statement_timeout" in error.value.hint


@only_postgres
def test_after_closing_nothing_is_left_and_nothing_is_answered(usage: Usage, db: Database, address: str) -> None:
    in_threads(3, lambda i: usage.put([a_use(str(i))]))
    db.close()
    deadline = time.monotonic() + 5
    while pids(address) and time.monotonic() < deadline:
        time.sleep(0.01)

    assert pids(address) == set()
    with pytest.raises(Unavailable, match="closed"):
        usage.latest(1)


@only_postgres
def test_a_connection_that_is_in_use_at_closing_is_closed_when_it_is_given_back(
    db: Database, usage: Usage, address: str
) -> None:
    with db.view():
        usage.latest(1)
        threading.Thread(target=db.close).start()
        usage.latest(1)
    deadline = time.monotonic() + 5
    while pids(address) and time.monotonic() < deadline:
        time.sleep(0.01)

    assert pids(address) == set()


@only_postgres
def test_check_says_that_a_superuser_is_above_the_locks(db: Database, cluster: Cluster, sandbox: Sandbox) -> None:
    assert db.check() == []
    with Postgres(cluster.url(sandbox.name), PROJECT) as mighty:
        (fault,) = mighty.check()

    assert "admin is above row-level security" in fault


@only_postgres
def test_check_names_an_index_that_is_not_valid(db: Database, usage: Usage, address: str) -> None:
    usage.put([a_use("one"), a_use("two")])
    with psycopg.connect(address, autocommit=True) as raw, pytest.raises(psycopg.errors.UniqueViolation):
        raw.execute("SELECT set_config('clew.project', %s, false)", [PROJECT])
        raw.execute("CREATE UNIQUE INDEX CONCURRENTLY doubtful ON usage (op)")

    assert db.check() == ["the index doubtful is not valid: run REINDEX"]


@only_postgres
def test_a_text_that_no_server_holds_is_told_as_such(usage: Usage) -> None:
    with pytest.raises(InvalidInput):
        usage.put([a_use("nul\0")])


@only_postgres
def test_keys_up_to_a_third_of_a_page_are_held(nodes: Nodes) -> None:
    nodes.define(1, 1, [a_symbol(noise(LONGEST_KEY)), a_symbol("x" * 100_000)])

    assert nodes.counts() == {"function": 2}


@only_postgres
def test_a_longer_key_is_told(nodes: Nodes) -> None:
    with pytest.raises(InvalidInput, match="cannot hold"):
        nodes.define(1, 1, [a_symbol(noise(3000))])


@pytest.fixture
def nodes(db: Database, where: Where) -> Nodes:
    return Nodes(db, where)


def a_symbol(scope: str) -> Defined:
    return Defined(scope, "name", Kind.FUNCTION, b"1")


def noise(length: int) -> str:
    """Text that no compression shortens."""
    return "".join(chr(33 + byte % 94) for byte in os.urandom(length))


@only_postgres
def test_a_session_works_on_when_another_host_brings_up_the_schema(db: Database, where: Where, address: str) -> None:
    for _ in range(8):  # the driver prepares what it sees often
        any(db.query("checkout_get", project=where.project, name="main"))
    with psycopg.connect(address) as raw:
        raw.execute("ALTER TABLE checkout ADD COLUMN note TEXT")

    assert any(db.query("checkout_get", project=where.project, name="main"))


@only_postgres
def test_a_transaction_that_goes_on_after_a_failure_is_not_taken_for_a_lost_server(db: Database) -> None:
    with pytest.raises((psycopg.Error, ClewError)) as caught, db.transaction():
        db.execute("schema_version_put", version=1, applied_at=1)
        with pytest.raises(psycopg.errors.UniqueViolation):
            any(db.query("schema_version"))
        any(db.query("schema_version"))

    assert not isinstance(caught.value, StoreLost)


@only_postgres
def test_of_many_writes_on_their_way_the_one_that_failed_is_told(db: Database, usage: Usage, where: Where) -> None:
    with pytest.raises(psycopg.errors.UniqueViolation), db.transaction():
        db.execute("schema_version_put", version=1, applied_at=1)
        for n in range(300):
            db.execute("project_lock", project=n)

    assert usage.latest(1) == []


@only_postgres
def test_a_session_is_lent_again_after_a_failure(db: Database, usage: Usage, address: str) -> None:
    for n in range(12):  # often enough that statements are prepared
        with pytest.raises(psycopg.errors.UniqueViolation), db.transaction():
            db.execute("schema_version_put", version=1, applied_at=n)
    usage.put([Use("u", DAY_1, "op", "", 1, 1, 1)])

    with psycopg.connect(address) as raw:
        assert len(raw.execute(SESSIONS).fetchall()) == 1


@only_postgres
def test_an_episode_is_added_without_reading_all_the_others(db: Database, where: Where, address: str) -> None:
    """Also where the server has planned while there were none."""
    episodes, many = Episodes(db, where), 300
    for n in range(many):
        draft = EpisodeDraft(EpisodeType.OBSERVATION, f"{n}", occurred_at=DAY_1)
        episodes.add(f"e{n}", Identity("a", f"s{n // 5}"), draft, (), DAY_1)
    db.close()  # which has the server count
    with psycopg.connect(address, autocommit=True) as raw:
        while next(raw.execute(SESSIONS), None):
            time.sleep(0.01)
        (read,) = next(raw.execute(READ_OF_EPISODES))

    assert read < 6 * many


@only_postgres
def test_a_process_with_many_open_files_is_served(reopened: Callable[[str], Database]) -> None:
    with many_files_open(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # the connection that it failed on is dropped
        answer: bool | str
        try:
            answer = any(reopened(PROJECT).query("schema_exists"))
        except ValueError as error:
            answer = str(error)

    assert answer is True


@contextmanager
def many_files_open() -> Iterator[None]:
    """Whatever is opened now has a number above 1,024."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    files = [os.open(os.devnull, os.O_RDONLY)]
    try:
        while files[-1] < 1024:
            files.append(os.open(os.devnull, os.O_RDONLY))
        yield
    finally:
        for file in files:
            os.close(file)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@only_postgres
def test_a_statement_is_cancelled_at_the_deadline_of_its_request(db: Database, address: str) -> None:
    began = time.monotonic()
    with limit(Deadline(0.3)), pytest.raises(TimedOut, match=r"longer than 0\.3 seconds"):
        db.define("SELECT pg_sleep(600)")
    with limit(Deadline(0.3)), pytest.raises(TimedOut), db.transaction():
        db.execute("schema_version_put", version=99, applied_at=1)
        db.define("SELECT pg_sleep(600)")

    assert time.monotonic() - began < 60
    assert 99 not in [row["version"] for row in db.query("schema_version")]
    with psycopg.connect(address) as raw:
        (running,) = raw.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%pg_sleep%'"
            " AND pid <> pg_backend_pid()"
        ).fetchone() or (None,)
    assert running == 0


@only_postgres
def test_a_wait_for_a_lock_ends_when_the_client_is_gone(
    db: Database, reopened: Callable[[str], Database], where: Where
) -> None:
    """The deadline is far, and nobody waits any more."""
    other, deadline = reopened(PROJECT), Deadline(3600)
    threading.Timer(0.3, deadline.cancel).start()
    with db.transaction():
        db.execute("project_lock", project=where.project)
        any(db.query("schema_version"))  # the lock is there
        with limit(deadline), pytest.raises(Unavailable, match="gone"), other.transaction():
            other.execute("project_lock", project=where.project)
            any(other.query("schema_version"))

    with limit(Deadline(3600)), other.transaction():
        other.execute("project_lock", project=where.project)


@only_postgres
def test_a_wait_for_a_connection_ends_at_the_deadline(address: str) -> None:
    with Postgres(address, PROJECT, Limits(1, 600)) as db, db.transaction():
        any(db.query("schema_version"))

        def ask(number: int) -> None:
            with limit(Deadline(0.3)):
                any(db.query("schema_version"))

        assert [type(error) for error in in_threads(1, ask)] == [TimedOut]
