"""SQL over the graph: read-only views of files, symbols and edges in an SQLite database in memory, built on demand."""

import sqlite3
import threading
import time
from weakref import WeakKeyDictionary

from clew.graph import rows
from clew.graph.cypher import LONGEST, QueryResult
from clew.graph.full_graph import FullGraph
from clew.model.errors import InvalidInput, TimedOut
from clew.store.files import Files

SCHEMA_HINT = "Views: nodes, files, symbols, edges; docs/analysis.md lists their columns."
_STEPS = 10_000  # of SQLite's machine between looks at the clock
_ALLOWED = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE})
_UNSAFE = frozenset({"load_extension", "readfile", "writefile", "edit", "randomblob", "zeroblob"})
_VIEWS = (
    "CREATE VIEW files AS SELECT id AS path, name, language, last_line AS lines FROM nodes WHERE kind = 'file'",
    "CREATE VIEW symbols AS SELECT * FROM nodes WHERE kind NOT IN ('file', 'external')",
)


class Replica:
    """One graph as an SQLite database in memory. Questions are answered one at a time."""

    def __init__(self, graph: FullGraph, files: Files) -> None:
        self._lock = threading.Lock()
        self._db = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        self._db.execute(
            "CREATE TABLE nodes(id TEXT PRIMARY KEY, name TEXT, kind TEXT, path TEXT, language TEXT, signature TEXT, "
            "doc TEXT, first_line INTEGER, last_line INTEGER, exported INTEGER) WITHOUT ROWID"
        )
        self._db.execute(
            "CREATE TABLE edges(source TEXT, target TEXT, kind TEXT, line INTEGER, confidence REAL, evidence TEXT)"
        )
        with self._lock:
            self._db.execute("BEGIN")
            self._db.executemany(
                "INSERT INTO nodes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (tuple(getattr(one, name) for name in rows.NODE_COLUMNS) for one in rows.nodes(graph, files)),
            )
            self._db.executemany(
                "INSERT INTO edges VALUES (?, ?, ?, ?, ?, ?)",
                (tuple(getattr(one, name) for name in rows.EDGE_COLUMNS) for one in rows.edges(graph)),
            )
            for statement in (
                *_VIEWS, "CREATE INDEX by_source ON edges(source, kind)",
                "CREATE INDEX by_target ON edges(target, kind)", "CREATE INDEX by_name ON nodes(name)", "COMMIT",
            ):  # fmt: skip
                self._db.execute(statement)
            self._db.execute("PRAGMA query_only = ON")
            self._db.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
            self._db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 50_000_000)
            self._db.set_authorizer(_authorize)

    def run(self, query: str, limit: int, seconds: float) -> QueryResult:
        with self._lock:
            end = time.monotonic() + seconds
            self._db.set_progress_handler(lambda: time.monotonic() > end, _STEPS)
            try:
                cursor = self._db.execute(query)
                found = cursor.fetchmany(limit + 1)
            except sqlite3.OperationalError as error:
                if "interrupted" in str(error):
                    raise TimedOut(f"the query took longer than {seconds:g} seconds") from None
                raise InvalidInput(f"sql: {error}", SCHEMA_HINT) from None
            except (sqlite3.Error, sqlite3.Warning) as error:
                raise InvalidInput(f"sql: {error}", SCHEMA_HINT) from None
            columns = tuple(name for name, *_ in cursor.description or ())
            cursor.close()
            return QueryResult(columns, tuple(rows.plain(one, LONGEST) for one in found[:limit]), len(found) > limit)


def _authorize(action: int, one: str | None, other: str | None, database: str | None, source: str | None) -> int:
    """Only reading, and only functions that read nothing else."""
    if action not in _ALLOWED or (action == sqlite3.SQLITE_FUNCTION and (other or "").lower() in _UNSAFE):
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK


_REPLICAS: WeakKeyDictionary[FullGraph, Replica] = WeakKeyDictionary()


def replica_of(graph: FullGraph, files: Files) -> Replica:
    """Made once for each graph, and dropped with it."""
    found = _REPLICAS.get(graph)
    if found is None:
        found = _REPLICAS[graph] = Replica(graph, files)
    return found
