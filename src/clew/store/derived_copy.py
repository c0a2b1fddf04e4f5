"""Copies the index of one working tree from one SQLite file into another, as the start of an index run."""

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from clew.model.time import FOREVER
from clew.runtime.place import MAIN
from clew.store.database import Where

PAGES_AT_ONCE = 4096  # that are copied before others may write
_KEPT = frozenset({"schema_version", "project", "checkout"})
_DERIVED = frozenset(
    {
        *("file", "file_version", "layout", "blob", "redaction", "node", "link", "extract", "settled"),
        *("vector", "embedded"),
    }
)
_BY_FILE = ("layout", "redaction", "node", "link", "extract")


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
