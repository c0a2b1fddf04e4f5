"""Replaces a damaged database by a new one with all readable records that cannot be derived again.

The damaged file stays beside it. The record of the past begins anew: files are read again, agents' records are kept.
"""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from msgspec import DecodeError, Struct, json

from clew.model.errors import StoreCorrupt
from clew.runtime.encryption import cipher_of
from clew.store import digests, migrations
from clew.store.carving import CarvedRow, Value, carve
from clew.store.database import Database
from clew.store.sqlite import BUSY_SECONDS, SIDES, SQLite, which
from clew.store.write_queue import Turns

TABLES = (
    *("project", "checkout", "graph_tx", "usage", "claim", "agent_session", "task", "task_change", "feature"),
    *("episode", "episode_entity", "learning", "learning_entity", "note", "knowledge"),
)
PROSE = ("content", "intent", "description", "title", "note", "outcome")  # of use even if a few letters are lost
JSON = ("metadata", "counts", "dependencies", "plan", "files", "fields", "evidence", "subjects", "body")
DERIVED: Mapping[str, Value] = {"rules": b"", "files_seen": 0, "linked": 0, "stamp": "", "changed": 0}  # of a checkout
DIGESTS = ("digest", "end_digest")
LATER: Mapping[str, Value] = {  # columns that older rows lack
    "subjects": "[]", **dict.fromkeys((*DIGESTS, "links_digest", "seen_digest"), "")
}  # fmt: skip
TYPES: Mapping[str, tuple[type, ...]] = {
    "INTEGER": (int,), "BIGINT": (int,), "TEXT": (str,), "BLOB": (bytes,), "DOUBLE PRECISION": (int, float),
}  # fmt: skip

Columns = dict[str, tuple[type, ...]]


class Rescued(Struct, frozen=True):
    """Where the damaged file lies now, and how many rows of which table were taken over."""

    aside: Path
    rows: dict[str, int]


def faults(path: Path) -> list[str]:
    """The faults of a database file; a fault of an index alone is repaired on the way."""
    try:
        with SQLite(path) as db:
            found = db.check()
            if found:
                db.define("REINDEX")
                found = db.check()
            columns = _columns(db)
    except StoreCorrupt as error:
        return [error.message]
    if found:
        return found
    rows = (row for row in carve(path) if row.table in TABLES)
    return [f"a row of {row.table} is torn" for row in rows if row.torn or _to_values(row, columns) is None][:1]


def rescue(path: Path, project: str, now: int, damaged: tuple[int, int]) -> Rescued | None:
    """Processes that write to the old file wait meanwhile. `project` is the id for rows that lost theirs.

    `damaged` identifies the damaged file: None is returned if another process has already replaced it.
    """
    if cipher_of(path):
        hint = "Put the newest backup in its place: clew backup restore"
        raise StoreCorrupt(f"{path} is damaged and encrypted: nothing can be read from what is left", hint)
    turns = Turns(path.with_name(f"{path.name}-turn"))
    turns.take(BUSY_SECONDS)
    try:
        if which(path) != damaged:
            return None
        part = path.with_name(f"{path.name}.part")
        _remove(part)
        rows = _taken_over(path, part, project, now)
        aside = _set_aside(path)
        part.replace(path)
        return Rescued(aside, rows)
    finally:
        turns.give_back()
        turns.close()


def _taken_over(path: Path, part: Path, project: str, now: int) -> dict[str, int]:
    counts = dict.fromkeys(TABLES, 0)
    with SQLite(part) as db:
        migrations.migrate(db, migrations.all_migrations(), now)
        columns = _columns(db)
        with db.transaction():
            for table, values in _rescued_rows(path, columns):
                with suppress(sqlite3.IntegrityError), db.transaction():  # a page that was left behind has it too
                    db.execute(f"move_in_{table}", **values)
                    counts[table] += 1
            for row in list(db.query("rescue_homeless")):
                db.execute("move_in_project", project=row["project"], id=project, created_at=now)
    _remove_sides(part)
    return {table: count for table, count in counts.items() if count}


def _rescued_rows(path: Path, columns: Mapping[str, Columns]) -> Iterator[tuple[str, dict[str, Value]]]:
    for row in carve(path):
        if row.table and row.table not in columns:
            continue
        for table in [row.table] if row.table else TABLES:
            if (values := _to_values(row._replace(table=table), columns)) is not None:
                yield table, values
                break


def _to_values(row: CarvedRow, columns: Mapping[str, Columns]) -> dict[str, Value] | None:
    """A row with the columns of its table; None if it cannot belong to the table or has lost its identity."""
    kinds = columns[row.table]
    names = list(kinds)
    values = dict(zip(names, row.values, strict=False))
    missing = names[len(row.values) :]
    if set(missing) <= LATER.keys():  # written before there were such columns
        values |= {name: LATER[name] for name in missing}
    if len(row.values) > len(names) or values.keys() != kinds.keys():
        return None
    if not all(isinstance(values[name], kinds[name]) for name in names):
        return None
    if any(names[place] not in PROSE for place in row.torn) or not all(_is_json(values[n]) for n in JSON if n in kinds):
        return None
    if row.torn and row.table in digests.DIGESTS:  # kept, though some letters are lost
        values |= {name: "" for name in DIGESTS if name in values}
    return {**values, **DERIVED} if row.table == "checkout" else values


def _is_json(value: Value) -> bool:
    try:
        json.decode(str(value))
    except DecodeError:
        return False
    return True


def _columns(db: Database) -> dict[str, Columns]:
    return {
        table: {row["name"]: TYPES.get(row["type"], (object,)) for row in db.query("rescue_columns", table=table)}
        for table in TABLES
    }


def _set_aside(path: Path) -> Path:
    """Under a name that is free; the file itself stays until another takes its place."""
    aside = next(one for n in range(1, 1000) if not (one := path.with_name(f"{path.name}.damaged-{n}")).exists())
    try:
        aside.hardlink_to(path)
    except OSError:  # a file system without links
        path.replace(aside)
    for side in SIDES:
        with suppress(FileNotFoundError):
            path.with_name(f"{path.name}{side}").replace(aside.with_name(f"{aside.name}{side}"))
    return aside


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    _remove_sides(path)


def _remove_sides(path: Path) -> None:
    for side in (*SIDES, "-turn"):
        path.with_name(f"{path.name}{side}").unlink(missing_ok=True)
