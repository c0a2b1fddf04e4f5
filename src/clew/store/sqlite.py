"""The embedded backend: one file, WAL, one writer at a time, a connection per thread; copies between such files."""

import logging
import os
import re
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from weakref import WeakSet

from clew.model.errors import Busy, ClewError, DiskFull, StoreCorrupt, StoreReadOnly, Unavailable
from clew.model.time import FOREVER
from clew.runtime.asking import look_again
from clew.runtime.deadline import check, is_over, reason_to_end
from clew.runtime.encryption import cipher_of
from clew.runtime.place import MAIN
from clew.runtime.plain import open_plain
from clew.store import sql
from clew.store.database import Durability, Later, Row, Where, newer_schema
from clew.store.write_queue import QUIET_SECONDS, Turns

PAGES_AT_ONCE = 4096  # that are copied before others may write
_KEPT = frozenset({"schema_version", "project", "checkout"})
_DERIVED = frozenset(
    {
        *("file", "file_version", "layout", "blob", "redaction", "node", "link", "extract", "settled", "link_input"),
        *("vector", "embedded"),
    }
)
_BY_FILE = ("layout", "redaction", "node", "link", "link_input", "extract")


def copy_derived(source: Path, target: Path, tree: str) -> Where | None:
    """Copy the index of a working tree; what agents wrote stays behind. Returns its numbers, which are the same in the
    copy; None, and no file, if it cannot be read."""
    try:
        with (
            closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as old,
            closing(sqlite3.connect(target)) as new,
        ):
            old.backup(new, pages=PAGES_AT_ONCE)
            new.execute("PRAGMA journal_mode = WAL")
            where = _keep_one(new, tree)
            new.commit()
            return where
    except (sqlite3.Error, OSError, TypeError):
        for part in (target, *(target.with_name(f"{target.name}{end}") for end in ("-wal", "-shm"))):
            with suppress(OSError):
                part.unlink()
        return None


def _keep_one(db: sqlite3.Connection, tree: str) -> Where:
    """One working tree as it is now, as the main one."""
    project, checkout = db.execute("SELECT project, checkout FROM checkout WHERE name = ?", (tree,)).fetchone()
    for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        columns = {row[1] for row in db.execute(f"PRAGMA table_info({table})")}
        if table not in _KEPT | _DERIVED:
            db.execute(f"DELETE FROM {table}")  # noqa: S608 - a name of the schema
        elif "checkout" in columns:
            db.execute(f"DELETE FROM {table} WHERE checkout <> ?", (checkout,))  # noqa: S608 - likewise
    db.execute("UPDATE checkout SET name = ?", (MAIN,))
    _forget_past(db)
    return Where(project, checkout)


def _forget_past(db: sqlite3.Connection) -> None:
    """Versions that do not hold now, and files that are gone."""
    db.execute("DELETE FROM file_version WHERE valid_to < ? OR known_to < ?", (FOREVER, FOREVER))
    db.execute("DELETE FROM node WHERE died < ?", (FOREVER,))
    db.execute("DELETE FROM link WHERE died < ? OR known_to < ?", (FOREVER, FOREVER))
    db.execute("DELETE FROM file WHERE file NOT IN (SELECT file FROM file_version)")
    for table in _BY_FILE:
        db.execute(f"DELETE FROM {table} WHERE file NOT IN (SELECT file FROM file)")  # noqa: S608 - a name of the schema


def date_all(database: Path, moment: int) -> None:
    """In a copy that stands at a commit, everything has held since the commit, as far as the copy can tell."""
    with closing(sqlite3.connect(database, timeout=60.0)) as db:
        _forget_past(db)
        db.execute("UPDATE file_version SET valid_from = ?, committed = 1", (moment,))
        db.commit()


BUSY_SECONDS = 30.0  # a writer commits within about 50 ms, so this means hundreds of writers before us
STEPS = 200_000  # of SQLite's machine, between looks at whether the request is to end
LOOK_SECONDS = 0.25  # between looks at whether others have committed
FORK_SECONDS = 5.0  # that a fork waits for other threads to leave SQLite
SIDES = ("-wal", "-shm")  # files that belong to a database
WAL_LIMIT = 8 * 1024 * 1024  # the log is cut back to this once its pages are in the database

_HEADER = b"SQLite format 3\0"
_DAMAGED = re.compile(  # what no sound file ever says
    "no such (table|column|index)|table (schema_version|project) already exists|decode to UTF-8"
)

_LOCKED = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_GIVEN_UP: dict[Path, float] = {}  # when a lock of a file was last waited for in vain

_SYNCHRONOUS = {Durability.GROUND: "FULL", Durability.DERIVED: "NORMAL"}

log = logging.getLogger(__name__)

# The errors of SQLite, and of SQLCipher once it is used: a module of its own, with errors of its own.
_errors: tuple[type[Exception], ...] = (sqlite3.Error,)
_operational: tuple[type[Exception], ...] = (sqlite3.OperationalError,)

_OPEN: "WeakSet[SQLite]" = WeakSet()
_INSIDE: "WeakSet[threading.RLock]" = WeakSet()  # of each connection: held while SQLite works for it
_ENTERING = threading.Lock()


class SQLite:
    dialect = "sqlite"
    schema = 0

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self._path = path
        self._read_only = read_only
        self._sql = sql.load(self.dialect)
        self._local = threading.local()
        self._open: dict[threading.Thread, _Connection] = {}
        self._lock = threading.Lock()
        self._connection()  # a file that cannot be opened is said now, not at the first query
        _OPEN.add(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def query(self, name: str, /, **params: object) -> Iterator[Row]:
        """All at once: a cursor left half-read would hold the log back, and lose an interrupt that strikes its end."""
        connection = self._connection()
        if not connection.depth:  # inside of a transaction, what was begun is also ended
            check()
        with _translate(self._path):
            return iter(connection.run(self._sql[name], params))

    def later(self, name: str, /, **params: object) -> Later[list[Row]]:
        rows = list(self.query(name, **params))
        return lambda: rows

    def insist(self, name: str, refusal: str, /, **params: object) -> None:
        if not any(self.query(name, **params)):
            raise Busy(refusal)

    def execute(self, name: str, /, **params: object) -> None:
        with _translate(self._path):
            self._connection().run(self._sql[name], params)

    def execute_many(self, name: str, rows: Iterable[Mapping[str, object]], /) -> None:
        with _translate(self._path):
            self._connection().run_many(self._sql[name], rows)

    def define(self, statement: str, /) -> None:
        with _translate(self._path):
            self._connection().run(statement)

    @contextmanager
    def transaction(self, durability: Durability = Durability.GROUND) -> Iterator[None]:
        connection = self._connection()
        depth = connection.depth
        try:
            with _translate(self._path):
                connection.begin(durability)
            if self.schema and not depth:
                self._refuse_newer()
            yield
        except BaseException:
            connection.roll_back(depth)
            raise
        with _translate(self._path):
            connection.commit()
        look_again()

    @contextmanager
    def view(self) -> Iterator[None]:
        connection = self._connection()
        if connection.depth:
            yield
            return
        try:
            with _translate(self._path):
                connection.run("BEGIN")
            connection.depth += 1
            yield
        finally:
            connection.roll_back(0)

    def within(self) -> bool:
        return self._connection().depth > 0

    @contextmanager
    def listen(self) -> Iterator[Callable[[float], bool]]:
        """Nobody tells: a counter in the file is looked at, of a connection that itself writes nothing."""
        with _translate(self._path):
            watching = _Connection(self._path, read_only=True)
        seen = watching.commits()

        def news(seconds: float) -> bool:
            nonlocal seen
            deadline = time.monotonic() + seconds
            while (now := watching.commits()) == seen and time.monotonic() < deadline:
                time.sleep(LOOK_SECONDS)
            changed, seen = now != seen, now
            return changed

        try:
            with _translate(self._path):
                yield news
        finally:
            watching.close()

    def interruptions(self) -> int:
        return 0

    def check(self) -> list[str]:
        with _translate(self._path):
            rows = [str(row["integrity_check"]) for row in self._connection().run("PRAGMA integrity_check")]
        return [] if rows == ["ok"] else rows

    def size(self) -> int:
        files = (self._path, self._path.with_name(f"{self._path.name}-wal"))
        return sum(file.stat().st_size for file in files if file.exists())

    def close(self) -> None:
        with self._lock:
            for connection in self._open.values():
                connection.close()
            self._open.clear()
        self._local = threading.local()

    def rest(self) -> None:
        """Close this thread's connection unless a transaction is open; it is reopened when needed."""
        connection: _Connection | None = getattr(self._local, "connection", None)
        if connection is not None and not connection.depth:
            del self._local.connection
            with self._lock:
                self._open.pop(threading.current_thread(), None)
            connection.close()

    def _refuse_newer(self) -> None:
        for row in self.query("schema_guard", known=self.schema):
            raise newer_schema(row["version"], self.schema)

    def _connection(self) -> "_Connection":
        connection: _Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            with _translate(self._path):
                connection = _Connection(self._path, read_only=self._read_only)
            self._local.connection = connection
            with self._lock:
                for thread in [thread for thread in self._open if not thread.is_alive()]:
                    self._open.pop(thread).close()
                self._open[threading.current_thread()] = connection
        return connection


class _Connection:
    """One thread's connection, and how deep it is in transactions."""

    def __init__(self, path: Path, *, read_only: bool) -> None:
        self._inside = _entrance()
        self._turns = Turns(path.with_name(f"{path.name}-turn"))
        with self._inside:
            self._raw = _connect(path, read_only=read_only)
        self._path, self._file = path, which(path)
        self.depth = 0
        self._durability = Durability.GROUND

    def run(self, statement: str, params: "Mapping[str, object] | tuple[()]" = (), *, waited: float = 0.0) -> list[Row]:
        """`waited`: for so many seconds already, for the same lock."""
        with self._inside:
            try:
                return self._raw.execute(statement, params).fetchall()
            except _operational as error:
                if _primary(error) not in _LOCKED:
                    raise
                left = _patience(self._path, waited + QUIET_SECONDS)
                if not left:
                    _GIVEN_UP[self._path] = time.monotonic()
                    raise
            return self._run_patiently(statement, params, left)

    def _run_patiently(self, statement: str, params: "Mapping[str, object] | tuple[()]", seconds: float) -> list[Row]:
        """Once more, and not in silence."""
        log.warning("%s is locked by another process: waiting, for %.0f seconds at most", self._path, seconds)
        self._raw.execute(f"PRAGMA busy_timeout = {seconds * 1000:.0f}")
        try:
            return self._raw.execute(statement, params).fetchall()
        except _operational:
            _GIVEN_UP[self._path] = time.monotonic()
            raise
        finally:
            self._raw.execute(f"PRAGMA busy_timeout = {QUIET_SECONDS * 1000:.0f}")

    def run_many(self, statement: str, rows: Iterable[Mapping[str, object]]) -> None:
        with self._inside:
            self._raw.executemany(statement, rows)

    def commits(self) -> int:
        """How often others have committed."""
        return int(self.run("PRAGMA data_version")[0]["data_version"])

    def begin(self, durability: Durability) -> None:
        if self.depth:
            self.run(f"SAVEPOINT level_{self.depth}")
        else:
            if durability is not self._durability:
                self.run(f"PRAGMA synchronous = {_SYNCHRONOUS[durability]}")
                self._durability = durability
            # IMMEDIATE: a reader that turned writer in mid-transaction would fail, not wait.
            began = time.monotonic()
            self._turns.take(_patience(self._path, 0.0))
            if self._file != which(self._path):  # what is written there would be lost
                raise Unavailable(f"{self._path} was taken away while it was open", "Try again: it is opened anew.")
            self.run("BEGIN IMMEDIATE", waited=time.monotonic() - began)
        self.depth += 1

    def commit(self) -> None:
        inner = self.depth - 1
        try:
            self.run(f"RELEASE level_{inner}" if inner else "COMMIT")
        except BaseException:
            self.roll_back(inner)
            raise
        self.depth = inner
        if not inner:
            self._turns.give_back()

    def roll_back(self, depth: int) -> None:
        """To how deep we were before. An interrupt may have struck before or after SQLite began or ended."""
        was, self.depth = self.depth, depth
        if not depth:
            self._turns.give_back()  # before the end of it, which is a moment later: who comes waits for that as ever
        if not self._raw.in_transaction:  # a full disk makes SQLite roll back by itself
            return
        if not depth:
            self.run("ROLLBACK")
        elif was > depth:
            self.run(f"ROLLBACK TO level_{depth}")
            self.run(f"RELEASE level_{depth}")

    def close(self) -> None:
        with self._inside:
            self._raw.close()
        self._turns.close()


def _patience(path: Path, waited: float) -> float:
    """Seconds left to wait for a lock. After a recent timeout on the same path, the limit is shorter."""
    again = time.monotonic() - _GIVEN_UP.get(path, -BUSY_SECONDS) < BUSY_SECONDS
    return max((QUIET_SECONDS if again else BUSY_SECONDS) - waited, 0.0)


def which(path: Path) -> tuple[int, int]:
    """Which file has a name; none, if there is no such file."""
    try:
        stat = path.stat()
    except OSError:
        return 0, 0
    return stat.st_dev, stat.st_ino


def is_database(path: Path) -> bool:
    """Whether a file is a database of Clew's, of whatever age; it is only read."""
    if not cipher_of(path) and not is_plain_database(path):
        return False
    try:
        with closing(_raw(path, _uri(path, "mode=ro"))) as raw:
            names = {row["name"] for row in raw.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except _errors:
        return False
    return {"schema_version", "project", "checkout"} <= names


def is_plain_database(path: Path) -> bool:
    """Whether a file is a database that anybody can read."""
    try:
        with open_plain(path) as file:
            return file.read(len(_HEADER)) == _HEADER
    except OSError:
        return False


def _rest() -> None:
    for db in list(_OPEN):
        db.rest()


def _entrance() -> threading.RLock:
    inside = threading.RLock()
    with _ENTERING:
        _INSIDE.add(inside)
    return inside


class _Fork:
    """A forked child must not inherit SQLite's knowledge of its locks, and no lock may be held by a thread that is
    not forked along: the child would wait for it forever."""

    def __init__(self) -> None:
        self._held: list[threading.RLock] = []

    def before(self) -> None:
        _rest()
        _ENTERING.acquire()
        deadline = time.monotonic() + FORK_SECONDS
        self._held = [one for one in _INSIDE if one.acquire(timeout=max(deadline - time.monotonic(), 0))]

    def after(self) -> None:
        for one in self._held:
            one.release()
        self._held = []
        _ENTERING.release()


if hasattr(os, "register_at_fork"):
    _FORK = _Fork()
    os.register_at_fork(before=_FORK.before, after_in_parent=_FORK.after, after_in_child=_FORK.after)


def _connect(path: Path, *, read_only: bool) -> sqlite3.Connection:
    raw = _raw(path, _uri(path, f"mode={'ro' if read_only else 'rwc'}"))
    try:
        if read_only:
            raw = _readable(raw, path)
        else:
            _use_wal(raw, path)
            raw.execute("PRAGMA synchronous = FULL")
            raw.execute(f"PRAGMA journal_size_limit = {WAL_LIMIT}")
        raw.execute("PRAGMA cache_size = -16384")
        raw.set_progress_handler(is_over, STEPS)
    except BaseException:
        raw.close()
        raise
    return raw


def _uri(path: Path, option: str) -> str:
    """By hand: from Python 3.14 on, `Path.as_uri` loads `urllib` and `http`, which takes as long as to answer."""
    whole = path.absolute().as_posix().replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return f"file://{'' if whole.startswith('/') else '/'}{whole}?{option}"


def _readable(raw: sqlite3.Connection, path: Path) -> sqlite3.Connection:
    """On a disk that cannot be written, WAL's shared memory cannot be made: nobody writes there, so none is needed."""
    try:
        raw.execute("SELECT 1 FROM sqlite_master")
    except _operational:
        raw.close()
        raw = _raw(path, _uri(path, "immutable=1"))
    return raw


def _raw(path: Path, uri: str) -> sqlite3.Connection:
    """A connection, through SQLCipher where the file is encrypted."""
    cipher = cipher_of(path)
    engine = sqlite3 if cipher is None else _sqlcipher()
    raw: sqlite3.Connection = engine.connect(
        uri, uri=True, timeout=QUIET_SECONDS, isolation_level=None, check_same_thread=False
    )
    raw.row_factory = engine.Row
    if cipher is not None:
        raw.execute(f"PRAGMA key = \"x'{cipher.database_key}'\"")
    return raw


def _sqlcipher() -> Any:
    global _errors, _operational
    from sqlcipher3 import dbapi2  # an extra

    _errors = (sqlite3.Error, dbapi2.Error)
    _operational = (sqlite3.OperationalError, dbapi2.OperationalError)
    return dbapi2


def _use_wal(raw: sqlite3.Connection, path: Path) -> None:
    """Switching to WAL does not wait for others as a transaction does, so the wait is ours."""
    deadline = time.monotonic() + _patience(path, 0.0)
    told = time.monotonic() + QUIET_SECONDS
    while True:
        try:
            if raw.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
                return
            raw.execute("PRAGMA journal_mode = WAL")
        except _operational as error:
            if _primary(error) not in _LOCKED or time.monotonic() > deadline:
                _GIVEN_UP[path] = time.monotonic()
                raise
            if time.monotonic() > told:
                log.warning("%s is locked by another process: waiting, for %.0f seconds at most", path, BUSY_SECONDS)
                told = deadline
            time.sleep(0.01)


@contextmanager
def _translate(path: Path) -> Iterator[None]:
    try:
        yield
    except _errors as error:
        raise _to_clew(error, path) from error


def _in_the_way(path: Path) -> Path | None:
    """A folder, pipe or dangling link with the name of the database or of one of its side files."""
    names = (path, *(path.with_name(f"{path.name}{side}") for side in SIDES))
    return next((one for one in names if os.path.lexists(one) and not one.is_file()), None)


def _is_full(path: Path) -> bool:
    """Where not even a lock fits beside the database, SQLite takes it for one that may only be read."""
    import shutil  # heavy, and hardly ever needed

    try:
        return shutil.disk_usage(path.parent).free == 0
    except OSError:
        return False


def _to_clew(error: Exception, path: Path) -> ClewError:
    match _primary(error):
        case sqlite3.SQLITE_FULL:
            return DiskFull(f"the disk that holds {path} is full")
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return Busy(f"{path} stayed locked for {BUSY_SECONDS:.0f} seconds")
        case _ if odd := _in_the_way(path):
            return StoreReadOnly(f"{odd} is no file", "Move it aside: that is where the index goes.")
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return StoreCorrupt(f"{path} is not a database that can be read: {error}")
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM if _is_full(path):
            return DiskFull(f"the disk that holds {path} is full")
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return StoreReadOnly(f"{path} cannot be opened for writing: {error}")
        case sqlite3.SQLITE_IOERR if (
            getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_IOERR_SHMSIZE
        ):  # not a byte is left
            return DiskFull(f"the disk that holds {path} is full")
        case sqlite3.SQLITE_IOERR:
            return Unavailable(f"{path} could not be read or written: {error}", "Check the disk, then try again.")
        case _ if _DAMAGED.search(str(error)):
            return StoreCorrupt(f"{path} has lost something: {error}")
        case sqlite3.SQLITE_INTERRUPT if problem := reason_to_end():
            return problem
    raise error  # a fault of ours, not of the file: the surface reports it as such


def _primary(error: Exception) -> int:
    return _code(error) & 0xFF  # the low byte; the rest says which of its cases


def _code(error: Exception) -> int:
    return int(getattr(error, "sqlite_errorcode", 0))
