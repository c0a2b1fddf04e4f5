"""Cypher on a replica of the graph in an embedded Ladybug database, built on demand. The extra `cypher` installs it.

A query passes an allowlist before the database sees it: Ladybug's read-only mode protects its own data, but its COPY
and LOAD statements read and write any file. The replica is opened read-only all the same.
"""

import csv
import os
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from contextlib import closing, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from msgspec import Struct

from clew.graph import rows
from clew.graph.full_graph import FullGraph
from clew.model.errors import InvalidInput, NotSupported, TimedOut
from clew.model.words import EdgeKind
from clew.store.files import Files

VERSION = 1  # raised when the replica is laid out in another way
PREFIX = f"cypher-{VERSION}-"
SUFFIX = ".lbug"
LONGEST = 4000  # characters of a value
MEMORY = 512 * 1024 * 1024
THREADS = 1  # with more, rows that no ORDER BY sorts would come in another order each time
_TEXT = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`[^`]*`|//[^\n]*|/\*.*?\*/", re.DOTALL)
_WORD = re.compile(r"(?<![\w.$:])[A-Za-z_]\w*")
_BEGINS = frozenset({"MATCH", "OPTIONAL", "WITH", "UNWIND", "RETURN"})
# Words that begin a clause or a statement, and are not among those that a query may have.
_REFUSED = frozenset(
    "ALTER ANALYZE ATTACH BEGIN CALL CHECKPOINT COMMENT COMMIT COPY CREATE DELETE DETACH DROP EXPORT EXTENSION FORCE "
    "FOREACH IMPORT INSERT INSTALL LOAD MACRO MERGE PRAGMA PROJECT REMOVE ROLLBACK SEQUENCE SET UNINSTALL UPDATE USE "
    "NEXTVAL CURRVAL".split()
)


class QueryResult(Struct, frozen=True):
    """`cut` if there are more rows than were asked for."""

    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    cut: bool


def read_only_query(query: str) -> str:
    """A query that only reads the graph, without its last semicolon; others are refused with the place."""
    bare = _TEXT.sub(lambda match: " " * len(match[0]), query)
    end = len(bare.rstrip())
    if bare[:end].endswith(";"):
        end -= 1
    if (second := bare[:end].find(";")) >= 0:
        raise InvalidInput(
            f"one statement at a time: a second begins at {_place(query, second)}", "Send them one by one."
        )
    words = list(_WORD.finditer(bare[:end]))
    if not words or words[0][0].upper() not in _BEGINS:
        first = words[0][0] if words else "nothing"
        raise InvalidInput(f"a query begins with MATCH, WITH, UNWIND or RETURN, not with {first}", SCHEMA_HINT)
    for word in words:
        if word[0].upper() in _REFUSED:
            raise InvalidInput(
                f"{word[0].upper()} at {_place(query, word.start())} is refused: queries only read the graph",
                SCHEMA_HINT,
            )
    return query[:end]


SCHEMA_HINT = (
    "docs/analysis.md has the schema: MATCH (a:Function)-[r:CALLS]->(b:Function) RETURN a.id, b.id, r.line LIMIT 5"
)


def _place(query: str, at: int) -> str:
    line = query.count("\n", 0, at) + 1
    return f"line {line}, column {at - query.rfind(chr(10), 0, at)}"


def run(path: Path, query: str, limit: int, seconds: float) -> QueryResult:
    """Ask a replica; the query has passed `read_only_query`."""
    database = _database(path, read_only=True)
    with closing(database), closing(_ladybug().Connection(database, num_threads=THREADS)) as connection:
        connection.set_query_timeout(int(1000 * seconds))
        try:
            result = connection.execute(query)
            found = list[tuple[object, ...]]()
            while result.has_next() and len(found) <= limit:
                found.append(rows.plain(result.get_next(), LONGEST))
            return QueryResult(tuple(result.get_column_names()), tuple(found[:limit]), len(found) > limit)
        except RuntimeError as error:
            said = " ".join(str(error).split())
            if "interrupted" in said.lower() or "timeout" in said.lower():
                raise TimedOut(f"the query took longer than {seconds:g} seconds") from None
            raise InvalidInput(f"cypher: {said}", SCHEMA_HINT) from None


def ask(
    folder: Path | None, key: str, graph: FullGraph, files: Files, query: str, limit: int, seconds: float
) -> QueryResult:
    """Ask the replica of a graph, which is made if it is not there; `key` names its content. Without a folder, it is
    made for this query only."""
    query = read_only_query(query)
    _ladybug()
    if folder is not None:
        return run(_keep_replica(folder, key, graph, files), query, limit, seconds)
    with tempfile.TemporaryDirectory(prefix="clew-cypher-") as part:
        made = Path(part) / f"replica{SUFFIX}"
        _build(made, Path(part), graph, files)
        return run(made, query, limit, seconds)


def _keep_replica(folder: Path, key: str, graph: FullGraph, files: Files) -> Path:
    path = folder / f"{PREFIX}{key}{SUFFIX}"
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix="cypher-part-") as part:
        made = Path(part) / f"replica{SUFFIX}"
        _build(made, Path(part), graph, files)
        made.replace(path)
    for old in folder.glob(f"cypher-*{SUFFIX}*"):
        if not old.name.startswith(path.name):
            with suppress(OSError):
                old.unlink()
    return path


def _build(made: Path, part: Path, graph: FullGraph, files: Files) -> None:
    database = _database(made, read_only=False)
    with closing(database), closing(_ladybug().Connection(database, num_threads=THREADS)) as connection:
        labels: dict[str, str] = {}
        tables: dict[str, list[tuple[object, ...]]] = defaultdict(list)
        for node in rows.nodes(graph, files):
            labels[node.id] = node.label
            tables[node.label].append(tuple(_cell(getattr(node, name)) for name in rows.NODE_COLUMNS))
        for label in sorted({*rows.LABELS.values(), rows.OTHER}):
            connection.execute(
                f"CREATE NODE TABLE {label}(id STRING PRIMARY KEY, name STRING, kind STRING, path STRING, "
                "language STRING, signature STRING, doc STRING, first_line INT64, last_line INT64, exported BOOL)"
            )
            _copy(connection, part, label, tables.get(label, ()), "")
        pairs: dict[str, dict[tuple[str, str], list[tuple[object, ...]]]] = defaultdict(lambda: defaultdict(list))
        for edge in rows.edges(graph):
            between = labels[edge.source], labels[edge.target]
            pairs[edge.kind][between].append((edge.source, edge.target, edge.line, edge.confidence, edge.evidence))
        for kind in sorted(map(str, EdgeKind)):
            ends = sorted(pairs.get(kind) or {("File", "File"): []})
            spelt = ", ".join(f"FROM {source} TO {target}" for source, target in ends)
            connection.execute(f"CREATE REL TABLE {kind}({spelt}, line INT64, confidence DOUBLE, evidence STRING)")
            for source, target in ends:
                where = f", FROM='{source}', TO='{target}'" if len(ends) > 1 else ""
                _copy(connection, part, kind, pairs.get(kind, {}).get((source, target), ()), where)
        connection.execute("CHECKPOINT")


def _copy(connection: Any, part: Path, table: str, some: Iterable[tuple[object, ...]], where: str) -> None:
    found = list(some)
    if not found:
        return
    file = part / "rows.csv"
    with file.open("w", encoding="utf-8", newline="") as opened:
        csv.writer(opened, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(found)
    connection.execute(f"COPY {table} FROM '{file.as_posix()}' (HEADER=false, PARALLEL=false{where})")
    file.unlink()


def _cell(value: object) -> object:
    """Texts without what CSV or the database could not hold."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.replace("\0", " ").encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _database(path: Path, *, read_only: bool) -> Any:
    return _ladybug().Database(os.fspath(path), read_only=read_only, buffer_pool_size=MEMORY, max_num_threads=THREADS)


def _ladybug() -> Any:
    if find_spec("ladybug") is None:
        raise NotSupported("Cypher needs the package ladybug, which is not installed", 'pip install "clew[cypher]"')
    import ladybug

    return ladybug
