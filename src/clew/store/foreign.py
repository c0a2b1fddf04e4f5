"""Reads the memory in a database of unknown origin, as data: it may be crafted to attack its reader.

It is copied, so that neither it nor files beside it are written; only plain tables are asked, with bounds on the
size of values, the number of rows and the time.
"""

import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from clew.model.errors import InvalidInput, NotFound, TooLarge
from clew.model.memory import EpisodeType
from clew.runtime.plain import open_own
from clew.store import sql

MOST_BYTES = 4 * 1024**3  # of the database
MOST_ROWS = 10_000
_MOST_VALUE = 4 * 1024 * 1024  # bytes of one value
_SECONDS = 30.0
_STEPS = 10_000  # of SQLite's machine, between looks at the clock
_HINT = "Name a database that Clew wrote, as .clew/clew.db."


class ForeignMemory(Struct, frozen=True):
    """One episode or learning. `metadata` is as its writer told it; what is no object counts as none."""

    id: str
    type: EpisodeType
    content: str
    agent: str
    at: int
    metadata: dict[str, Any] = {}
    entities: tuple[str, ...] = ()


def read_memory(database: Path) -> list[ForeignMemory]:
    """The newest of what is remembered, oldest first; sensitive episodes are left out."""
    with tempfile.TemporaryDirectory(prefix="clew-") as folder:
        copy = Path(folder) / "copy.db"
        _copy(database, copy)
        log = database.with_name(f"{database.name}-wal")
        if log.exists():
            _copy(log, copy.with_name("copy.db-wal"))
        try:
            with closing(_connect(copy)) as raw:
                return sorted(_memories(raw), key=lambda memory: (memory.at, memory.id))
        except (sqlite3.Error, MemoryError) as error:
            raise InvalidInput(f"{database} cannot be read: {error}", _HINT) from error


def _copy(source: Path, target: Path) -> None:
    try:
        with open_own(source) as file, target.open("wb") as made:
            if file.seek(0, 2) > MOST_BYTES:
                raise TooLarge(f"{source} has more than {MOST_BYTES >> 30} GB")
            file.seek(0)
            shutil.copyfileobj(file, made)
    except FileNotFoundError as error:
        raise NotFound(f"there is no {source}", _HINT) from error
    except OSError as error:
        raise InvalidInput(f"{source} cannot be read: {error.strerror}", _HINT) from error


def _connect(path: Path) -> sqlite3.Connection:
    raw = sqlite3.connect(path, isolation_level=None)
    deadline = time.monotonic() + _SECONDS
    raw.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_VALUE)
    raw.set_progress_handler(lambda: int(time.monotonic() > deadline), _STEPS)
    raw.row_factory = sqlite3.Row
    for pragma in ("trusted_schema = OFF", "query_only = ON", "cell_size_check = ON", "mmap_size = 0"):
        raw.execute(f"PRAGMA {pragma}")
    return raw


def _memories(raw: sqlite3.Connection) -> Iterator[ForeignMemory]:
    queries = sql.load("sqlite")
    plain = {row["name"] for row in raw.execute(queries["foreign_tables"])}
    if "episode" not in plain:
        raise sqlite3.DatabaseError("it has no memory of Clew's")
    linked: dict[tuple[object, object], list[str]] = {}
    if "episode_entity" in plain:
        for row in raw.execute(queries["foreign_entities"], {"limit": MOST_ROWS * 10}):
            linked.setdefault((row["project"], row["episode"]), []).append(str(row["node"]))
    for row in raw.execute(queries["foreign_episodes"], {"limit": MOST_ROWS}):
        with suppress(ValueError, TypeError):  # what is not as Clew writes it
            entities = tuple(linked.get((row["project"], row["episode"]), ()))
            yield ForeignMemory(
                str(row["id"]), EpisodeType(row["type"]), str(row["content"]), str(row["agent"]), int(row["at"]),
                _object(row["metadata"]), entities,
            )  # fmt: skip
    if "learning" in plain:
        for row in raw.execute(queries["foreign_learnings"], {"limit": MOST_ROWS}):
            with suppress(ValueError, TypeError):
                at = int(row["at"])
                yield ForeignMemory(
                    str(row["id"]), EpisodeType.LEARNING, str(row["content"]), str(row["agent"]), at
                )  # fmt: skip


def _object(text: object) -> dict[str, Any]:
    with suppress(msgspec.MsgspecError, RecursionError):
        value = msgspec.json.decode(str(text))
        return value if isinstance(value, dict) else {}
    return {}
