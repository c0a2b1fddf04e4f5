"""Opens the store of a project: the configured engine, its schema, and the checkout.

A store that cannot be written is opened for reading.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from clew.model.errors import (
    ClewError,
    ConfigError,
    DiskFull,
    IndexMissing,
    Locked,
    MemoryMissing,
    NotOurDatabase,
    StoreDenied,
    StoreReadOnly,
)
from clew.runtime.encryption import cipher_of, write_mark
from clew.runtime.paths import is_there
from clew.runtime.place import ProjectPaths
from clew.runtime.plain import open_own
from clew.runtime.settings import Config
from clew.store import migrations
from clew.store.checkouts import CheckoutIdentity, Checkouts
from clew.store.database import Database
from clew.store.sqlite import SQLite, is_database, is_plain_database

STANDBY = "Index it through the primary server first, under the same project.id and project.checkout."


class Store(NamedTuple):
    """`refusal` is why nothing can be written; None if all can."""

    db: Database
    identity: CheckoutIdentity
    refusal: ClewError | None


def open_store(place: ProjectPaths, *, create: bool, now: int, new_id: Callable[[], str]) -> Store:
    """Open for writing; a store that is not there is made, if `create`."""
    refuse_lost_memory(place)
    if not create and not _may_exist(place):
        raise IndexMissing(f"{place.root} has no index")
    try:
        return _open(place, create=create, now=now, new_id=new_id)
    except (StoreReadOnly, StoreDenied, DiskFull) as error:
        if _may_exist(place):
            try:
                return open_to_read(place)._replace(refusal=error)
            except IndexMissing:
                if place.url and isinstance(error, StoreReadOnly):
                    raise StoreReadOnly(f"{place.root} has no index there, and {error.message}", STANDBY) from error
            except ClewError:  # what stood in the way at first says more
                pass
        raise


def open_to_read(place: ProjectPaths) -> Store:
    refuse_lost_memory(place)
    if not _may_exist(place):
        raise IndexMissing(f"{place.root} has no index")
    db = connect(place, read_only=True)
    try:
        migrations.verify(db, migrations.all_migrations())
        return Store(db, _find(place, db), StoreReadOnly(f"{place.database} is open for reading only"))
    except BaseException:
        db.close()
        raise


def refuse_other_file(place: ProjectPaths) -> None:
    """A file that is there already, and that Clew did not make, is never written, moved or repaired."""
    file = place.database
    if cipher_of(file) and is_there(file) and is_plain_database(file):
        raise Locked(f"{file} is not encrypted yet, and security.encrypt_db is set", "Encrypt it: clew encrypt")
    if not place.has_own_database() and is_there(file) and not is_database(file):
        raise NotOurDatabase(f"storage.db_path names {file}, which is not a database that Clew made")


def refuse_lost_memory(place: ProjectPaths, db: Database | None = None) -> None:
    """Instead of a fresh database beside the traces of one: what agents wrote must be somewhere.

    Without `db`, by the file alone; with it, by what is in it.
    """
    note, file = place.memory_note, place.database
    if place.url or not note.exists():
        return
    if db is None and file.exists() and file.stat().st_size:
        return
    if db is not None and _has_memory(db):
        return
    aside = sorted(file.parent.glob(f"{file.name}.damaged-*"))
    backup = f"the newest backup, such as {aside[-1]}," if aside else "a backup"
    raise MemoryMissing(
        f"{file} holds nothing of what agents wrote into it",
        f"Put {backup} in its place. If there is none, remove {note} to begin anew.",
    )


def note_memory(place: ProjectPaths, db: Database) -> None:
    """Once agents have written, an empty database is one that was lost."""
    note = place.memory_note
    if not place.url and not note.exists() and _has_memory(db):
        with suppress(OSError), open_own(note, "ab"):
            pass


def _has_memory(db: Database) -> bool:
    return bool(next(iter(db.query("written_any")))["found"])


def connect(place: ProjectPaths, *, read_only: bool = False) -> Database:
    """The database itself, regardless of its schema."""
    if not place.url:
        refuse_other_file(place)
        return SQLite(place.database, read_only=read_only)
    return postgres(place.settings.config, place.url, place.settings.config.project.id, read_only=read_only)


def postgres(config: Config, url: str, project: str, *, read_only: bool = False) -> Database:
    """The server at `url`, on behalf of a project."""
    try:
        from clew.store.connections import Limits  # an extra, and heavy: only where a server is named
        from clew.store.postgres import Postgres
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"PostgreSQL needs the package {error.name}, which is not installed", "pip install 'clew[postgres]'"
        ) from None
    limits = Limits(config.storage.pool_size, config.storage.pool_timeout_seconds)
    return Postgres(url, project, limits, read_only=read_only)


def session_role(config: Config, url: str) -> str:
    """The database role of this session, as the server at `url` reports it."""
    db = postgres(config, url, "", read_only=True)
    try:
        return str(next(iter(db.query("session_role")))["role"])
    finally:
        db.close()


def _open(place: ProjectPaths, *, create: bool, now: int, new_id: Callable[[], str]) -> Store:
    if not place.url:
        refuse_other_file(place)
    checkout = place.checkout
    try:
        place.prepare()
    except (StoreReadOnly, DiskFull):
        if not place.url:  # with a server, only snapshots would lie there: questions make do without
            raise
    db = connect(place)
    write_mark(place.folder)
    try:
        migrations.migrate(db, migrations.all_migrations(), now)
        refuse_lost_memory(place, db)
        if not create:
            return Store(db, _find(place, db), None)
        identity = Checkouts(db).ensure(place.settings.config.project.id, new_id(), checkout, now)
        return Store(db, identity, None)
    except BaseException:
        db.close()
        raise


def _find(place: ProjectPaths, db: Database) -> CheckoutIdentity:
    identity = Checkouts(db).find(place.settings.config.project.id, place.checkout)
    if identity is None:
        raise IndexMissing(f"{place.root} has no index")
    return identity


def _may_exist(place: ProjectPaths) -> bool:
    try:
        return bool(place.url) or is_there(place.database)
    except PermissionError as error:
        raise StoreReadOnly(f"{place.database} cannot be examined: {error.strerror}") from error
