"""The user's own store, beside those of projects: a file in the user's data directory, or a project on the server."""

import threading
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from clew.model.errors import StoreReadOnly
from clew.runtime import context_file
from clew.runtime.encryption import cipher_of
from clew.runtime.place import ProjectPaths
from clew.runtime.values import RESERVED
from clew.store import migrations
from clew.store.checkouts import Checkouts
from clew.store.database import Database
from clew.store.notes import Notes
from clew.store.opening import postgres, session_role
from clew.store.sqlite import SQLite

DATABASE = "user.db"
USER = "user"


class Personal:
    """The stores of users, each opened when it is first needed. Any thread may use it.

    A `user` is the person whose token a request carried, as the server's guard found it; an empty one is the user who
    runs Clew.
    """

    def __init__(self, place: ProjectPaths, url: str, now: Callable[[], int], *, writable: bool) -> None:
        """Use the server at `url`, or the file if it is empty."""
        self._place = place
        self._url = url
        self._now = now
        self._writable = writable
        self._lock = threading.Lock()
        self._dbs: dict[str, Database] = {}
        self._notes: dict[str, Notes] = {}

    def notes(self, user: str = "") -> Notes | None:
        """To read; None where nothing was ever kept."""
        with self._lock:
            if user not in self._notes and (self._url or self._file.exists()):
                project = self._project(user)
                found = Checkouts(self._open(project)).find(project, USER)
                if found:
                    self._notes[user] = Notes(self._open(project), found.where)
            return self._notes.get(user)

    def writable_notes(self, user: str = "") -> Notes:
        """The user's notes, created if necessary."""
        if not self._writable:
            raise StoreReadOnly("preferences are open for reading only")
        found = self.notes(user)
        with self._lock:
            if found is None:
                project = self._project(user)
                made = Checkouts(self._open(project)).ensure_personal(project, USER, self._now())
                found = self._notes[user] = Notes(self._open(project), made.where)
            return found

    def close(self) -> None:
        with self._lock:
            for db in self._dbs.values():
                db.close()
            self._dbs.clear()
            self._notes.clear()

    def name_of(self, user: str) -> str:
        """A user's name among all who share the project's database."""
        return self._project(user)

    @property
    def _file(self) -> Path:
        """Beside the project's own files where those are encrypted: other projects may not be."""
        if cipher_of(self._place.folder):
            return self._place.folder / DATABASE
        return self._place.user_data / DATABASE

    def _project(self, user: str) -> str:
        """The id of a user's store. On a server it includes the role that the database let in. A name tells users apart
        that share a role; a repository cannot change it, even if its configuration is trusted.
        """
        if not self._url:
            return f"{RESERVED}{user}" if user else USER
        return f"{RESERVED}{self._role}/{user or self._own_name or _login()}"

    @cached_property
    def _role(self) -> str:
        return session_role(self._place.settings.config, self._url)

    @property
    def _own_name(self) -> str:
        settings = self._place.settings
        is_repositorys = settings.origins["memory.user"] in (context_file.FILE_NAME, context_file.TRUSTED)
        return "" if is_repositorys else settings.config.memory.user

    def _open(self, project: str) -> Database:
        if project not in self._dbs:
            if self._url:
                config = self._place.settings.config
                self._dbs[project] = postgres(config, self._url, project, read_only=not self._writable)
            else:
                self._dbs[project] = self._own_file()
        return self._dbs[project]

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
