"""Export, import, backup and restoration of a project's ground state: everything that cannot be computed again."""

import errno
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO, TypeVar, cast

import msgspec
from msgspec import Struct

from clew.engine import new_id, now
from clew.memory.preferences import merge
from clew.model.errors import Busy, ClewError, Conflict, DiskFull, InvalidInput, NotFound, StoreReadOnly
from clew.model.memory import AgentNote, NoteScope
from clew.model.time import to_iso
from clew.pack.artifact import ContextPack
from clew.pack.records import Records
from clew.runtime.encryption import cipher_of
from clew.runtime.place import ProjectPaths, find_place
from clew.runtime.plain import open_own
from clew.store import export_file, migrations, moving
from clew.store.database import Database, Where
from clew.store.export_file import PACK, PREFERENCE, Backup, ExportReader, ExportWriter, Header
from clew.store.leases import INDEXING, Lease, Leases, this_process
from clew.store.opening import connect, note_memory
from clew.store.personal import Personal
from clew.store.sqlite import SQLite

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

T = TypeVar("T")

WRITTEN = ("episode", "learning", "note", "knowledge", "task", "claim")  # tables that agents write


class Export(Struct, frozen=True):
    """The contents of an export or import: rows by table, and the checksum of its lines."""

    project: str
    scope: str
    rows: dict[str, int]
    sha256: str


def export(
    start: Path, out: BinaryIO, scope: str = "ground", *, preferences: bool = False,
    environ: Mapping[str, str] = os.environ,
) -> Export:  # fmt: skip
    """Write the project that holds `start` as JSON lines, as of one moment; others may go on writing meanwhile."""
    place = find_place(start, environ)
    with closing(open_database(place)) as db:
        return _export(place, db, out, scope, preferences=preferences)


def _export(place: ProjectPaths, db: Database, out: BinaryIO, scope: str, *, preferences: bool) -> Export:
    local = {name: tree for tree, name in place.names_on_a_server().items()} if place.url else {}
    with db.view():
        project, name = moving.find_project(db, place.settings.config.project.id)
        header = Header(
            export_file.FORMAT, export_file.VERSION, migrations.all_migrations()[-1].version, scope, name,
            to_iso(now()),
        )  # fmt: skip
        writer = ExportWriter(out, header)
        export_file.write_project(db, project, writer, scope, lambda name: local.get(name, name))
    for pack in Records(place.folder).every():
        writer.put(PACK, msgspec.to_builtins(pack))
    if preferences:
        with closing(Personal(place, place.url, now, writable=False)) as personal:
            for note in notes.every(NoteScope.USER) if (notes := personal.notes()) else ():
                writer.put(PREFERENCE, msgspec.to_builtins(note))
    footer = writer.finish()
    return Export(name, scope, footer.rows, footer.sha256)


def import_file(start: Path, file: Path, *, replace: bool = False, environ: Mapping[str, str] = os.environ) -> Export:
    """Restore an export into the project that holds `start`: all of it, or nothing.

    A project in which agents have written is only replaced if asked to; a backup of it is made before.
    """
    place = find_place(start, environ)
    place.prepare()
    with closing(connect(place)) as db, _readable(file) as source:
        migrations.migrate(db, migrations.all_migrations(), now())
        reader = ExportReader(source)
        if replace and _count_written(db, place):
            _back_up(place, db)
        with alone(db, place):
            done = _restore(place, db, reader, replace=replace)
        note_memory(place, db)
    return done


def _restore(place: ProjectPaths, db: Database, reader: ExportReader, *, replace: bool) -> Export:
    names = place.names_on_a_server() if place.url else {}
    counts: dict[str, int] = {}
    packs: list[ContextPack] = []
    preferences: list[AgentNote] = []
    name = place.settings.config.project.id or reader.header.project
    with db.transaction():
        if not replace and (found := _count_written(db, place)):
            told = ", ".join(f"{count} of {table}" for table, count in found.items())
            raise Conflict(
                f"agents have written into this project already ({told})",
                "Import into a new checkout, or replace what is here: clew import --replace FILE",
            )
        for row in list(db.query("project_get", id=place.settings.config.project.id)):
            export_file.clear(db, row["project"])
        db.execute("project_put", id=name, created_at=now())
        project = int(next(iter(db.query("project_get", id=name)))["project"])
        for table, row in reader.rows():
            counts[table] = counts.get(table, 0) + 1
            if table == PACK:
                packs.append(_convert(row, ContextPack))
            elif table == PREFERENCE:
                preferences.append(_convert(row, AgentNote))
            else:
                if table == "checkout":
                    row["name"] = names.get(str(row["name"]), row["name"])
                export_file.put_row(db, project, table, row)
    if packs:
        place.prepare_home()
        for pack in packs:
            Records(place.folder).write(pack)
    if preferences:
        with closing(Personal(place, place.url, now, writable=True)) as personal:
            merge(preferences, personal.writable_notes())
    return Export(name, reader.header.scope, counts, "")


def back_up(start: Path, environ: Mapping[str, str] = os.environ) -> Backup:
    """Write a compressed export of all ground state, restore it on trial, and keep the newest ones."""
    place = find_place(start, environ)
    with closing(open_database(place)) as db:
        return _back_up(place, db)


def back_up_if_due(start: Path, environ: Mapping[str, str] = os.environ) -> Backup | None:
    """The scheduled backup, unless another process has made it meanwhile."""
    return back_up(start, environ) if export_file.is_due(find_place(start, environ)) else None


def _back_up(place: ProjectPaths, db: Database) -> Backup:
    moment = to_iso(now())
    path = export_file.path_at(place, moment if "." in moment else moment.replace("Z", ".000000Z"))
    folder = path.parent
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        place.prepare_home()
        folder.mkdir(exist_ok=True)
        with open_own(part, "wb") as raw:
            with zstd.ZstdFile(raw, "w", level=6) as out:
                _export(place, db, cast(BinaryIO, out), "ground", preferences=False)
            raw.flush()
            os.fsync(raw.fileno())
        verify(part)
        part.replace(path)
    except OSError as error:
        raise _refusal(folder, error) from error
    finally:
        part.unlink(missing_ok=True)
    for old in export_file.list_backups(place)[place.settings.config.storage.backup_keep :]:
        old.path.unlink(missing_ok=True)
    return export_file.describe(path)


def verify(file: Path) -> Export:
    """Restore an export or backup into a new database on trial; raises if any row of it is missing or damaged."""
    above = file.parent if cipher_of(file) else None  # nothing of it is written elsewhere
    with TemporaryDirectory(prefix="clew-", dir=above) as folder, _readable(file) as source:
        reader = ExportReader(source)
        with SQLite(Path(folder) / "trial.db") as db:
            migrations.migrate(db, migrations.all_migrations(), now())
            counts: dict[str, int] = {}
            with db.transaction():
                db.execute("project_put", id=reader.header.project, created_at=0)
                for table, row in reader.rows():
                    if table not in (PACK, PREFERENCE):
                        counts[table] = counts.get(table, 0) + 1
                        export_file.put_row(db, 1, table, row)
            found = {name: count for name, count in moving.counts(db, 1).items() if count}
            if found != counts or db.check():
                raise InvalidInput(f"{file.name} cannot be restored", "Make another backup: clew backup")
        return Export(reader.header.project, reader.header.scope, counts, "")


def backups(start: Path, environ: Mapping[str, str] = os.environ) -> list[Backup]:
    """The backups that are kept, the newest first."""
    return export_file.list_backups(find_place(start, environ))


def find_backup(start: Path, name: str = "", environ: Mapping[str, str] = os.environ) -> Backup:
    """A backup by its name, or the newest."""
    kept = backups(start, environ)
    found = [one for one in kept if name in ("", one.name)]
    if not found:
        raise NotFound(f"there is no backup {name}".rstrip(), "List them: clew backup list")
    return found[0]


def open_database(place: ProjectPaths) -> Database:
    """The database of a project, with today's schema."""
    db = connect(place)
    try:
        migrations.migrate(db, migrations.all_migrations(), now())
    except BaseException:
        db.close()
        raise
    return db


def _count_written(db: Database, place: ProjectPaths) -> dict[str, int]:
    """How much agents have written, by table."""
    for row in db.query("project_get", id=place.settings.config.project.id):
        counts = moving.counts(db, row["project"])
        return {table: counts[table] for table in WRITTEN if counts[table]}
    return {}


@contextmanager
def alone(db: Database, place: ProjectPaths) -> Iterator[None]:
    """Keep others from indexing meanwhile."""
    with ExitStack() as stack:
        for row in list(db.query("project_get", id=place.settings.config.project.id)):
            for checkout in list(db.query("move_checkouts", project=row["project"])):
                leases = Leases(db, Where(row["project"], checkout["checkout"]))
                lease = leases.acquire(INDEXING, this_process(new_id()), now())
                if lease is None:
                    raise Busy("another process is indexing this project")
                stack.callback(_release, leases, lease)
        yield


def _release(leases: Leases, lease: Lease) -> None:
    with suppress(ClewError):  # it runs out
        leases.release(lease, now())


@contextmanager
def _readable(file: Path) -> Iterator[BinaryIO]:
    if not file.is_file():
        raise NotFound(f"there is no file {file}", "Name a file that `clew export` or `clew backup` wrote.")
    try:
        with open_own(file) if cipher_of(file) else file.open("rb") as raw:
            packed = raw.read(4) == b"\x28\xb5\x2f\xfd"
            raw.seek(0)
            if packed:
                with zstd.ZstdFile(raw, "r") as out:
                    yield cast(BinaryIO, out)
            else:
                yield raw
    except (EOFError, zstd.ZstdError) as error:
        raise InvalidInput(f"{file.name} cannot be unpacked: {error}", "Use another copy of it.") from error


def _convert(row: Mapping[str, object], kind: type[T]) -> T:
    try:
        return msgspec.convert(row, kind)
    except msgspec.ValidationError as error:
        raise InvalidInput(f"the export has a damaged record: {error}", "Use another copy of it.") from error


def _refusal(folder: Path, error: OSError) -> ClewError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(f"the disk that holds {folder} is full")
    return StoreReadOnly(f"{folder} cannot be written: {error.strerror}", f"Make {folder} writable.")
