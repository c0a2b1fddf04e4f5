"""The fleet's backend: PostgreSQL. A thread keeps one connection for as long as its transaction lasts.

Behind a pooler a session belongs to nobody: there each transaction says first which project it is for, and a single
statement is a transaction, too.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import Any, LiteralString, Self, cast

from psycopg import Pipeline
from psycopg.rows import DictRow

from clew.runtime.asking import look_again
from clew.runtime.deadline import check
from clew.store import sql
from clew.store.connections import DEFAULT_LIMITS, Connection, Connections, Limits
from clew.store.database import Durability, Later, Row
from clew.store.outage import outlast
from clew.store.piping import pipelined, savepoint, unpipelined
from clew.store.postgres_errors import REFUSED, check_url, translate

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
            with pipelined(connection, begin) as pipeline:
                yield pipeline
            return
        with unpipelined(connection, begin):
            connection.execute("SELECT set_config('clew.project', %s, true)", [self._project])
            if self._read_only:
                connection.execute("SET TRANSACTION READ ONLY")
            yield None


def _silence(seconds: float) -> bool:
    time.sleep(seconds)
    return False
