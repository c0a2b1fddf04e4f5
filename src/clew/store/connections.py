"""The connections of one process to one PostgreSQL database.

A thread that needs a connection makes it itself, so that a refusal reaches the caller at once and in the server's
words; no thread works in the background, so that a short command has no extra cost.
"""

import logging
import re
import selectors
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

import psycopg
from msgspec import Struct
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus
from psycopg.rows import DictRow, dict_row
from psycopg.types.numeric import Int8BinaryDumper, Int8Dumper

from clew.model.errors import Busy, ConfigError, Unavailable
from clew.runtime.deadline import Deadline, check, current
from clew.store.outage import PATIENCE, repeat
from clew.store.postgres_errors import server, to_refusal, wants_no_options

CONNECT_SECONDS = 5
IDLE_SECONDS = 60.0  # an agent that pauses gives its connections back
LOOK_SECONDS = 0.2  # between two looks at whether a request is over
SILENCE_MS = 20_000  # a peer that does not answer for so long is gone

_SEPARATES = re.compile(r"[\s\\]")  # in what the server reads as its command line

# The driver also logs what it raises; who gets the error needs no second word of it.
logging.getLogger("psycopg").setLevel(logging.ERROR)

Connection = psycopg.Connection[DictRow]

_Selector = getattr(selectors, "PollSelector", selectors.DefaultSelector)  # asks once; others first make a file


class Limits(Struct, frozen=True):
    """How many connections a process may hold at once, and how long a thread waits for one."""

    connections: int = 8
    wait_seconds: float = 30.0


DEFAULT_LIMITS = Limits()


class Connections:
    """Any thread may borrow one; the one used last is lent first, so that those too many grow idle and are closed."""

    def __init__(self, url: str, limits: Limits, settings: dict[str, str]) -> None:
        """`settings` are applied at the start of every session, if sessions are not shared by a pooler."""
        self._url = url
        self._limits = limits
        self._settings = settings
        self._parameters = _parameters(url)
        self._free = threading.BoundedSemaphore(limits.connections)
        self._lock = threading.Lock()
        self._idle: list[tuple[float, Connection]] = []
        self._watch = _Watch()
        self._closed = False
        self.shared = False  # a pooler stands between: what one transaction leaves in a session, another may meet there
        self.interruptions = 0  # connections that the server ended, or that broke

    @contextmanager
    def one(self, patience: float = PATIENCE) -> Iterator[Connection]:
        """Borrow a connection; `patience` is how long to wait for a server that does not answer."""
        self._await_turn()
        try:
            connection = self._used() or repeat(self.make, patience)
            deadline = current()
            try:
                with self._watch.over(connection, deadline) if deadline else nullcontext():
                    yield connection
            finally:
                self._give_back(connection)
        finally:
            self._free.release()

    def _await_turn(self) -> None:
        patience = self._limits.wait_seconds
        end = time.monotonic() + patience
        while not self._free.acquire(timeout=max(0.0, min(LOOK_SECONDS, end - time.monotonic()))):
            check()
            if time.monotonic() >= end:
                raise Busy(
                    f"all {self._limits.connections} connections of this process were in use for {patience:g} seconds",
                    "Raise storage.pool_size, or ask less at once.",
                )

    def make(self) -> Connection:
        """A new connection; the caller closes it."""
        try:
            connection = self._connect()
        except (psycopg.OperationalError, psycopg.ProgrammingError) as error:
            raise to_refusal(error, self._url) from error
        if self.shared:
            connection.prepare_threshold = None
        for dumper in (Int8Dumper, Int8BinaryDumper):  # one type for all integers: a statement is prepared once
            connection.adapters.register_dumper(int, dumper)
        return connection

    def _connect(self) -> Connection:
        if self.shared:
            return self._connect_with("")
        try:
            connection = self._connect_with(_options(self._url, self._settings))
        except psycopg.OperationalError as error:
            if not wants_no_options(error):
                raise
        else:
            if self._has_settings(connection):
                return connection
            connection.close()  # whoever stands between kept them to itself
        self._share()
        connection = self._connect_with("")
        connection.execute("BEGIN")  # who pools statements says so here, and later not a word
        connection.execute("ROLLBACK")
        return connection

    def _connect_with(self, options: str) -> Connection:
        given = {**self._parameters, "options": options}
        return psycopg.connect(self._url, autocommit=True, row_factory=dict_row, **given)

    def _share(self) -> None:
        """From now on, each transaction brings its settings along."""
        if conninfo_to_dict(self._url).get("options"):
            raise ConfigError(
                f"the pooler at {server(self._url)} does not hand on the `options` of storage.url",
                "Take them out, and set them at the server: ALTER ROLE … SET search_path = …",
            )
        self.shared = True

    def _has_settings(self, connection: Connection) -> bool:
        row = connection.execute("SELECT current_setting(%s, true) AS it", ["clew.project"]).fetchone()
        return row is not None and row["it"] == self._settings["clew.project"]

    def close(self) -> None:
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for _, connection in idle:
            connection.close()

    def _used(self) -> Connection | None:
        while True:
            with self._lock:
                if self._closed:
                    raise Unavailable("the database is closed", "Open the project again.")
                if not self._idle:
                    return None
                _, connection = self._idle.pop()
            if not _was_ended(connection):
                return connection
            connection.close()
            with self._lock:
                self.interruptions += 1

    def _give_back(self, connection: Connection) -> None:
        now = time.monotonic()
        usable = not connection.closed and connection.info.transaction_status is TransactionStatus.IDLE
        usable = usable and not self._watch.has_cancelled(connection)
        with self._lock:
            self.interruptions += connection.broken
            if usable and not self._closed:
                self._idle.append((now, connection))
            elif not connection.closed:
                connection.close()
            while self._idle and now - self._idle[0][0] > IDLE_SECONDS:
                self._idle.pop(0)[1].close()


class _Watch:
    """Cancels the statements of requests that are over: a thread that waits for a server notices nothing itself.

    Its thread runs only while connections are lent to requests with a deadline, which only servers have.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lent: dict[int, tuple[Connection, Deadline]] = {}
        self._cancelled: set[int] = set()
        self._is_running = False

    @contextmanager
    def over(self, connection: Connection, deadline: Deadline) -> Iterator[None]:
        with self._lock:
            self._lent[id(connection)] = connection, deadline
            if not self._is_running:
                self._is_running = True
                threading.Thread(target=self._run, name="clew-statements", daemon=True).start()
        try:
            yield
        finally:
            with self._lock:  # held while a statement is cancelled: it is never another request's
                del self._lent[id(connection)]

    def has_cancelled(self, connection: Connection) -> bool:
        """Whether a statement of it was cancelled. Such a connection is not lent again."""
        with self._lock:
            was_cancelled = id(connection) in self._cancelled
            self._cancelled.discard(id(connection))
            return was_cancelled

    def _run(self) -> None:
        while True:
            time.sleep(LOOK_SECONDS)
            with self._lock:
                if not self._lent:
                    self._is_running = False
                    return
                for connection, deadline in self._lent.values():
                    if deadline.problem:
                        self._cancelled.add(id(connection))
                        with suppress(psycopg.Error):  # a server that is away ends the statement by itself
                            connection.cancel_safe(timeout=CONNECT_SECONDS)


def _was_ended(connection: Connection) -> bool:
    """Whether the server has ended an idle session: nothing else is said to one that asked nothing."""
    with _Selector() as selector:
        selector.register(connection.fileno(), selectors.EVENT_READ)
        return bool(selector.select(timeout=0))


def _parameters(url: str) -> dict[str, Any]:
    given = conninfo_to_dict(url)
    return {
        "application_name": given.get("application_name") or "clew",
        "connect_timeout": given.get("connect_timeout") or CONNECT_SECONDS,
        "tcp_user_timeout": given.get("tcp_user_timeout") or SILENCE_MS,
    }


def _options(url: str, settings: dict[str, str]) -> str:
    flags = [f"-c {name}={_escape(value)}" for name, value in settings.items()]
    return " ".join(filter(None, [str(conninfo_to_dict(url).get("options") or ""), *flags]))


def _escape(value: str) -> str:
    return _SEPARATES.sub(r"\\\g<0>", value)
