"""The export format, version 1: a project's rows as JSON lines between a header and a checksum.

The first line is the header; each further line is `{"table": …, "row": {…}}`, where bytes are `{"base64": …}`; the
last line counts the rows and holds the SHA-256 of all lines before it. Documented in docs/data.md.
"""

import base64
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
from msgspec import Struct

from clew.model.errors import InvalidInput, StoreNewer
from clew.runtime.place import ProjectPaths
from clew.store import moving, sql
from clew.store.database import Database

FOLDER = "backups"
_NAME = re.compile(r"\d{8}T\d{12}Z\.jsonl\.zst")


class Backup(Struct, frozen=True):
    name: str
    file: str
    made_at: str
    bytes: int

    @property
    def path(self) -> Path:
        return Path(self.file)


def folder(place: ProjectPaths) -> Path:
    return place.folder / FOLDER


def list_backups(place: ProjectPaths) -> list[Backup]:
    """The newest first."""
    paths = [path for path in folder(place).glob("*.jsonl.zst") if _NAME.fullmatch(path.name)]
    return [describe(path) for path in sorted(paths, reverse=True)]


def path_at(place: ProjectPaths, moment: str) -> Path:
    """The file for a backup that is made at an ISO time with microseconds."""
    return folder(place) / f"{re.sub(r'[-:.Z]', '', moment)}Z.jsonl.zst"


def describe(path: Path) -> Backup:
    day, _, clock = path.name.partition("Z.")[0].partition("T")
    made = f"{day[:4]}-{day[4:6]}-{day[6:]}T{clock[:2]}:{clock[2:4]}:{clock[4:6]}Z"
    return Backup(path.name, str(path), made, path.stat().st_size)


def is_due(place: ProjectPaths) -> bool:
    """Whether the configuration wants a backup that was not made yet."""
    storage = place.settings.config.storage
    if not storage.backup_enabled:
        return False
    newest = max((one.path.stat().st_mtime for one in list_backups(place)), default=0.0)
    return time.time() - newest > storage.backup_interval_hours * 3600


FORMAT, VERSION = "clew-export", 1
OPENING = b'{"format":"clew-export"'  # of every export
PACK, PREFERENCE = "context_pack", "preference"  # rows that come from elsewhere than the project's tables
DERIVED = ("settled", "history", "extract", "embedded", "vector")
RECORD = ("file", "file_version", "layout", "redaction", "node", "link", "blob")  # what was true when
AGENTS = tuple(table for table in moving.ALL if table not in (*DERIVED, *RECORD))
TABLES: Mapping[str, tuple[str, ...]] = {
    "agents": AGENTS,
    "ground": (*AGENTS, *RECORD),
    "all": moving.ALL,
}
# Of a checkout without its derived state: rules of no known format, so that every file is read again.
UNDERIVED: Mapping[str, object] = {"rules": b"exported", "files_seen": 0, "linked": 0, "stamp": "", "changed": 0}
# Columns that exports of older releases lack.
LATER: Mapping[str, object] = {
    "subjects": "[]", "digest": "", "end_digest": "", "links_digest": "", "seen_digest": "", "rankings": 0, "cached": 0,
    "retrievers": "", "spared": 0,
}  # fmt: skip
_LONGEST_LINE = 768 * 1024 * 1024
_CUT = "The file was cut off or changed after it was written. Use another copy of it."

Row = dict[str, object]


class Header(Struct, frozen=True):
    """`scope`: agents (what agents wrote), ground (with the record of time) or all (with derived state)."""

    format: str
    version: int
    schema: int
    scope: str
    project: str
    created_at: str


class Footer(Struct, frozen=True):
    rows: dict[str, int]
    sha256: str


class _Line(Struct, frozen=True):
    table: str
    row: dict[str, Any]


class ExportWriter:
    def __init__(self, out: BinaryIO, header: Header) -> None:
        self._out = out
        self._hash = sha256()
        self._rows: dict[str, int] = {}
        self._write(msgspec.json.encode(header))

    def put(self, table: str, row: Mapping[str, object]) -> None:
        self._rows[table] = self._rows.get(table, 0) + 1
        self._write(msgspec.json.encode({"table": table, "row": row}))

    def put_rows(self, table: str, rows: Iterable[Mapping[str, object]]) -> None:
        for row in rows:
            self.put(table, {name: _to_json(value) for name, value in row.items() if name != "project"})

    def finish(self) -> Footer:
        footer = Footer(self._rows, self._hash.hexdigest())
        self._write(msgspec.json.encode(footer))
        return footer

    def _write(self, line: bytes) -> None:
        self._hash.update(line + b"\n")
        self._out.write(line + b"\n")


class ExportReader:
    """Reads an export; `rows` raises at its end if the file is not what was written."""

    def __init__(self, source: BinaryIO) -> None:
        self._source = source
        self._hash = sha256()
        self._number = 0
        self._held = self._line()
        try:
            self.header = msgspec.json.decode(self._held, type=Header)
        except msgspec.MsgspecError as error:
            raise InvalidInput(
                f"this is no export of Clew: {error}", "Name a file that `clew export` wrote."
            ) from error
        if self.header.format != FORMAT:
            raise InvalidInput("this is no export of Clew", "Name a file that `clew export` wrote.")
        if self.header.version > VERSION:
            raise StoreNewer(f"the export has version {self.header.version}, and this Clew reads {VERSION}")

    def rows(self) -> Iterator[tuple[str, Row]]:
        counts: dict[str, int] = {}
        while True:
            before = self._hash_of_lines()
            line = self._line()
            if not line.startswith(b'{"table"'):
                self._check(line, counts, before)
                return
            try:
                read = msgspec.json.decode(line, type=_Line)
            except (msgspec.MsgspecError, UnicodeDecodeError) as error:
                raise self._damage_error(str(error)) from error
            counts[read.table] = counts.get(read.table, 0) + 1
            plain = read.row if read.table in (PACK, PREFERENCE) else self._columns(read)
            yield read.table, plain

    def _columns(self, read: _Line) -> Row:
        if read.table not in moving.ALL:
            raise StoreNewer(f"line {self._number} of the export has rows of {read.table!r}, which this Clew lacks")
        found = {**LATER, **{name: _from_json(value) for name, value in read.row.items()}}
        wanted = columns(read.table)
        if missing := [name for name in wanted if name not in found]:
            raise self._damage_error(f"{read.table} lacks {missing[0]}")
        if unknown := [name for name in read.row if name not in wanted]:
            raise StoreNewer(f"line {self._number} of the export has a column {unknown[0]!r}, which this Clew lacks")
        if odd := [name for name in wanted if not isinstance(found[name], (str, int, float, bytes))]:
            raise self._damage_error(f"{odd[0]} of {read.table} has no plain value")
        return {name: found[name] for name in wanted}

    def _check(self, line: bytes, counts: dict[str, int], before: str) -> None:
        try:
            footer = msgspec.json.decode(line, type=Footer)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise self._damage_error(str(error)) from error
        if footer.rows != counts or footer.sha256 != before:
            raise self._damage_error("the checksum differs")

    def _line(self) -> bytes:
        line = self._source.readline(_LONGEST_LINE)
        self._number += 1
        if not line.endswith(b"\n"):
            raise self._damage_error("the file ends too early")
        self._hash.update(line)
        return line[:-1]

    def _hash_of_lines(self) -> str:
        return self._hash.hexdigest()

    def _damage_error(self, why: str) -> InvalidInput:
        return InvalidInput(f"line {self._number} of the export cannot be read: {why}", _CUT)


def write_project(db: Database, project: int, writer: ExportWriter, scope: str, name_of: Callable[[str], str]) -> None:
    """All rows of a project as of now; `name_of` gives checkouts their exported names."""
    for table, rows in moving.pages(db, project, TABLES[scope]):
        plain = [dict(row) for row in rows]  # type: ignore[call-overload]  # both engines' rows are mappings
        if table == "checkout":
            for row in plain:
                row.update({"name": name_of(row["name"]), **({} if scope == "all" else UNDERIVED)})
        writer.put_rows(table, plain)


def put_row(db: Database, project: int, table: str, row: Row) -> None:
    """Insert one exported row into a project."""
    if db.dialect == "postgres":
        row = {name: _without_nul(value) for name, value in row.items()}
    db.execute(f"move_in_{table}", **{**row, "project": project})


def clear(db: Database, project: int, checkout: int = 0) -> None:
    """Remove a project from the database, or what was derived in one of its checkouts."""
    for table in ("checkout", "history", "settled", "index_error", "link_input", *moving.BY_FILE):
        db.execute(f"clear_{table}", project=project, checkout=checkout)
    if not checkout:
        for table in (*(name for name in moving.BY_KEY if name not in ("checkout", "history", "settled")), "project"):
            db.execute(f"clear_{table}", project=project)
        db.execute("clear_knowledge_view", project=project)


@cache
def columns(table: str) -> tuple[str, ...]:
    """The columns of a table, besides the project."""
    names = re.findall(r":([a-z_]+)", sql.load("sqlite")[f"move_in_{table}"])
    return tuple(dict.fromkeys(name for name in names if name != "project"))


def _to_json(value: object) -> object:
    return {"base64": base64.b64encode(bytes(value)).decode()} if isinstance(value, (bytes, memoryview)) else value


def _from_json(value: object) -> object:
    if isinstance(value, dict) and value.keys() == {"base64"}:
        try:
            return base64.b64decode(value["base64"], validate=True)
        except (ValueError, TypeError):
            return None
    return value


def _without_nul(value: object) -> object:
    return value.replace("\0", "\ufffd") if isinstance(value, str) else value
