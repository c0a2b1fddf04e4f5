"""Opens the store of a project: the configured engine, its schema, and the checkout.

A store that cannot be written is opened for reading.
"""

from collections.abc import Callable
from typing import NamedTuple

from clew.model.errors import ClewError, ConfigError, DiskFull, IndexMissing, NotOurDatabase, StoreDenied, StoreReadOnly
from clew.runtime.paths import is_there
from clew.runtime.place import ProjectPaths
from clew.runtime.settings import Config
from clew.store import migrations
from clew.store.checkouts import CheckoutIdentity, Checkouts
from clew.store.database import Database
from clew.store.sqlite import SQLite, is_database

STANDBY = "Index it through the primary server first, under the same project.id and project.checkout."


class Store(NamedTuple):
    """`refusal` is why nothing can be written; None if all can."""

    db: Database
    identity: CheckoutIdentity
    refusal: ClewError | None


def open_store(place: ProjectPaths, *, create: bool, now: int, new_id: Callable[[], str]) -> Store:
    """Open for writing; a store that is not there is made, if `create`."""
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
    if not place.has_own_database() and is_there(file) and not is_database(file):
        raise NotOurDatabase(f"storage.db_path names {file}, which is not a database that Clew made")


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
    """Who the server at `url` takes us for."""
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
    try:
        migrations.migrate(db, migrations.all_migrations(), now)
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
        raise StoreReadOnly(f"{place.database} cannot be looked at: {error.strerror}") from error
