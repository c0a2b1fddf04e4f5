"""The user's own store, beside those of projects: a file in the user's data directory, or a project on the server."""

import threading
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from clew.model.errors import StoreReadOnly
from clew.runtime import context_file
from clew.runtime.place import ProjectPaths
from clew.store import migrations
from clew.store.checkouts import Checkouts
from clew.store.database import Database
from clew.store.notes import Notes
from clew.store.opening import postgres, session_role
from clew.store.sqlite import SQLite

DATABASE = "user.db"
USER = "user"


class Personal:
    """Opened when it is first needed. Any thread may use it."""

    def __init__(self, place: ProjectPaths, url: str, now: Callable[[], int], *, writable: bool) -> None:
        """Of the server at `url`; where that is empty, the file."""
        self._place = place
        self._url = url
        self._now = now
        self._writable = writable
        self._lock = threading.Lock()
        self._db: Database | None = None
        self._notes: Notes | None = None

    def notes(self) -> Notes | None:
        """To read; None where nothing was ever kept."""
        with self._lock:
            if self._notes is None and (self._url or self._file.exists()):
                found = Checkouts(self._open()).find(self._project, USER)
                self._notes = Notes(self._open(), found.where) if found else None
            return self._notes

    def writable_notes(self) -> Notes:
        """The user's notes, created if necessary."""
        if not self._writable:
            raise StoreReadOnly("preferences are open for reading only")
        found = self.notes()
        with self._lock:
            if found is None:
                made = Checkouts(self._open()).ensure(self._project, self._project, USER, self._now())
                found = self._notes = Notes(self._open(), made.where)
            return found

    def close(self) -> None:
        with self._lock:
            if self._db is not None:
                self._db.close()
                self._db = self._notes = None

    @property
    def _file(self) -> Path:
        return self._place.user_data / DATABASE

    @cached_property
    def _project(self) -> str:
        """On a server there are many users. Who is one, the database says: the role that it let in. The name only tells
        apart those who share a role, so a repository has no say in it, whatever else of it is trusted."""
        if not self._url:
            return USER
        settings = self._place.settings
        is_repositorys = settings.origins["memory.user"] in (context_file.FILE_NAME, context_file.TRUSTED)
        name = "" if is_repositorys else settings.config.memory.user
        return f"{USER}:{session_role(settings.config, self._url)}/{name or _login()}"

    def _open(self) -> Database:
        if self._db is None:
            if self._url:
                config = self._place.settings.config
                self._db = postgres(config, self._url, self._project, read_only=not self._writable)
            else:
                self._db = self._own_file()
        return self._db

    def _own_file(self) -> Database:
        if not self._writable:
            db = SQLite(self._file, read_only=True)
            migrations.verify(db, migrations.all_migrations())
            return db
        try:
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StoreReadOnly(f"{self._file.parent} cannot be made: {error.strerror}") from error
        db = SQLite(self._file)
        migrations.migrate(db, migrations.all_migrations(), self._now())
        return db


def _login() -> str:
    import getpass  # only where a server is named

    with suppress(KeyError, OSError):  # a container may have a user without a name
        return getpass.getuser()
    return "nobody"
