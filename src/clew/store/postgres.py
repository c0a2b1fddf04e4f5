"""The fleet's backend: PostgreSQL. A thread keeps one connection for as long as its transaction lasts.

Behind a pooler a session belongs to nobody: there each transaction says first which project it is for, and a single
statement is a transaction, too.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any, LiteralString, Self, cast

import psycopg
from psycopg import Pipeline
from psycopg.errors import PipelineAborted
from psycopg.pq import TransactionStatus
from psycopg.rows import DictRow

from clew.runtime.asking import look_again
from clew.runtime.deadline import check
from clew.store import sql
from clew.store.connections import DEFAULT_LIMITS, Connection, Connections, Limits
from clew.store.database import Durability, Later, Row
from clew.store.outage import outlast
from clew.store.postgres_errors import REFUSED, check_url, translate

# Transactions on a PostgreSQL connection that sends statements without waiting for each answer.

SAVEPOINT = "level"  # of the same name, the latest counts


@contextmanager
def pipelined_transaction(connection: Connection, begin: LiteralString = "BEGIN") -> Iterator[Pipeline]:
    """Commit at the end; roll back on any error."""
    try:
        with _first_failure(), connection.pipeline() as pipeline:
            connection.execute(begin, prepare=False)
            yield pipeline
            connection.execute("COMMIT", prepare=False)
    except BaseException:
        if not connection.closed and connection.info.transaction_status is not TransactionStatus.IDLE:
            with suppress(psycopg.Error):  # one that cannot be rolled back is not lent again
                connection.execute("ROLLBACK", prepare=False)
        raise


@contextmanager
def plain_transaction(connection: Connection, begin: LiteralString = "BEGIN") -> Iterator[None]:
    """The same, one answer after the other: PgBouncer 1.18 may keep the session of a client that pipelines."""
    connection.execute(begin, prepare=False)
    try:
        yield
    except BaseException:
        with suppress(psycopg.Error):
            connection.execute("ROLLBACK", prepare=False)
        raise
    connection.execute("COMMIT", prepare=False)


@contextmanager
def savepoint(connection: Connection, pipeline: Pipeline | None) -> Iterator[None]:
    """A nested transaction that can fail without the rest; errors surface at its end."""
    connection.execute(f"SAVEPOINT {SAVEPOINT}", prepare=False)
    try:
        yield
        connection.execute(f"RELEASE {SAVEPOINT}", prepare=False)
        _arrive(pipeline)
    except BaseException:
        with suppress(psycopg.Error):  # of statements that were on their way
            _arrive(pipeline)
        with suppress(psycopg.Error):  # where the server is gone, so is the transaction
            connection.execute(f"ROLLBACK TO {SAVEPOINT}", prepare=False)
            connection.execute(f"RELEASE {SAVEPOINT}", prepare=False)
        raise


def _arrive(pipeline: Pipeline | None) -> None:
    """Wait until all that was sent is done."""
    if pipeline:
        pipeline.sync()


@contextmanager
def _first_failure() -> Iterator[None]:
    """Of statements that failed because one before them did, the first says why."""
    try:
        yield
    except PipelineAborted as error:
        cause = error.__context__
        if isinstance(cause, psycopg.Error):
            raise cause from None
        raise


CHANNEL = "clew"  # where `checkout_announce` says that contents have changed
BEGIN = "BEGIN"
VIEW = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
OPENING_PATIENCE = 5.0  # seconds to wait for a server when a project is opened: one that is wrong is told soon


class Postgres:
    """One project of a database: row-level security keeps each session to the project that it was opened for."""

    dialect = "postgres"
    schema = 0

    def __init__(self, url: str, project: str, limits: Limits = DEFAULT_LIMITS, *, read_only: bool = False) -> None:
        check_url(url)
        self._url = url
        self._sql = sql.load(self.dialect)
        self._local = threading.local()
        self._project = project
        self._read_only = read_only
        settings = {"clew.project": project, **({"default_transaction_read_only": "on"} if read_only else {})}
        self._connections = Connections(url, limits, settings)
        with self._connections.one(OPENING_PATIENCE):
            pass  # a server that cannot be used is said now, not at the first query

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def query(self, name: str, /, **params: object) -> Iterator[Row]:
        """A read outside of a transaction is repeated until a server that went away is back."""
        return iter(outlast(self, lambda: self._read(name, params)))

    def later(self, name: str, /, **params: object) -> Later[list[Row]]:
        with translate(self._url), self._connection() as connection:
            answer = connection.execute(self._sql[name], params, binary=True)

        def rows() -> list[Row]:
            with translate(self._url):
                return cast("list[Row]", answer.fetchall())

        return rows

    def insist(self, name: str, refusal: str, /, **params: object) -> None:
        """It fails on the server, so that nobody waits for it, and all that follows with it."""
        self.execute(name, refusal=f"{REFUSED}{refusal}", **params)

    def execute(self, name: str, /, **params: object) -> None:
        with translate(self._url), self._connection() as connection:
            connection.execute(self._sql[name], params)

    def execute_many(self, name: str, rows: Iterable[Mapping[str, object]], /) -> None:
        with translate(self._url), self._connection() as connection, connection.cursor() as cursor:
            cursor.executemany(self._sql[name], cast("Iterable[Mapping[str, Any]]", rows))

    def define(self, statement: str, /) -> None:
        with translate(self._url), self._connection() as connection:
            connection.execute(statement)

    @contextmanager
    def transaction(self, durability: Durability = Durability.GROUND) -> Iterator[None]:
        held = self._current()
        if held is not None:
            with translate(self._url), savepoint(held, self._local.pipeline):
                yield
            return
        with translate(self._url), self._hold(BEGIN) as connection:
            if durability is Durability.DERIVED:
                connection.execute("SET LOCAL synchronous_commit = off")
            if self.schema:  # nobody waits for it: it fails on the server, and all that follows with it
                connection.execute(self._sql["schema_guard"], {"known": self.schema})
            yield
        look_again()

    @contextmanager
    def view(self) -> Iterator[None]:
        if self._current() is not None:
            yield
            return
        with translate(self._url), self._hold(VIEW):
            yield

    def within(self) -> bool:
        return self._current() is not None

    @contextmanager
    def listen(self) -> Iterator[Callable[[float], bool]]:
        if self._connections.shared:  # notices would reach whoever has the session then; questions ask anyway
            yield _silence
            return
        connection = self._connections.make()
        try:
            with translate(self._url):
                connection.execute(f"LISTEN {CHANNEL}")
                yield lambda seconds: any(connection.notifies(timeout=seconds, stop_after=1))
        finally:
            connection.close()

    def interruptions(self) -> int:
        return self._connections.interruptions

    def check(self) -> list[str]:
        return [row["fault"] for row in self.query("store_faults")]

    def size(self) -> int:
        return int(next(iter(self.query("store_size")))["bytes"])

    def close(self) -> None:
        self._connections.close()

    def _read(self, name: str, params: Mapping[str, object]) -> list[DictRow]:
        if not self.within():
            check()
        with translate(self._url):
            with self._connection() as connection:
                answer = connection.execute(self._sql[name], params, binary=True)
            return answer.fetchall()

    def _current(self) -> Connection | None:
        return getattr(self._local, "held", None)

    @contextmanager
    def _connection(self) -> Iterator[Connection]:
        """The connection of this thread's transaction, or any for a single statement."""
        held = self._current()
        if held is not None:
            yield held
            return
        with self._connections.one() as connection:
            if not self._connections.shared:
                yield connection
                return
            with self._begun(connection, BEGIN):
                yield connection

    @contextmanager
    def _hold(self, begin: LiteralString) -> Iterator[Connection]:
        with self._connections.one() as connection:
            self._local.held, self._local.pipeline = connection, None
            try:
                with self._begun(connection, begin) as self._local.pipeline:
                    yield connection
            finally:
                self._local.held = self._local.pipeline = None

    @contextmanager
    def _begun(self, connection: Connection, begin: LiteralString) -> Iterator[Pipeline | None]:
        if not self._connections.shared:
            with pipelined_transaction(connection, begin) as pipeline:
                yield pipeline
            return
        with plain_transaction(connection, begin):
            connection.execute("SELECT set_config('clew.project', %s, true)", [self._project])
            if self._read_only:
                connection.execute("SET TRANSACTION READ ONLY")
            yield None


def _silence(seconds: float) -> bool:
    time.sleep(seconds)
    return False
