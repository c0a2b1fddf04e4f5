"""The projects of one connection."""

import os
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from clew.engine import Engine
from clew.model.errors import ClewError, Denied, NotFound, Unavailable
from clew.runtime import config
from clew.runtime.paths import WHOLE, find_root, is_served, parse_path

LONGEST_CALL = 600.0  # seconds; then nobody can be in the middle of one any more

_NAME = "Name a directory, or the id of a project that is open."
_ALLOW = (
    "This server opens the project that it was started for. The user can allow others: --allow-root DIRECTORY, or "
    "allowed_roots under [server] in the user's own configuration."
)

_Mark = tuple[int, ...]


class Workspaces:
    """The projects of one connection: the default one, and others by path or id. Any thread may use it."""

    def __init__(
        self,
        start: Path,
        *,
        read_only: bool = False,
        create: bool = True,
        roots: Sequence[Path] | None = None,
        follow: bool = False,
        watch: bool = False,
    ) -> None:
        """`follow`: keep each opened project current while other processes commit; `watch`: also while files change,
        where the project's configuration allows it."""
        self._start = start
        self._read_only = read_only
        self._create = create
        self._roots = roots
        self._first = start
        self._follow = follow
        self._watch = watch
        self._lock = threading.Lock()
        self._open: dict[Path, tuple[Engine, list[_Mark]]] = {}
        self._left: list[tuple[float, Engine]] = []
        self._closed = False
        self._process = os.getpid()
        self._inherited: tuple[Engine, ...] = ()

    def get(self, project: str = "", *, create: bool = True) -> Engine:
        """The default project, or the one that a path, an id or `[projects]` names; `create`: make its index if there
        is none."""
        if not project:
            return self._engine(self._start, create=create)
        opened = self._opened_engines(create=create)
        for engine in opened:
            if project in engine.config.projects and engine.place.root == find_root(self._start):
                return self._project_in(engine, project)
            if project == WHOLE and engine.config.projects:
                return engine.whole
        for engine in opened:
            if project == engine.project_id:
                return self._engine(engine.place.root, create=create)
        path = self._find_served(project)
        if path is None or not path.is_dir():  # alike, so that a server does not tell what is on its disk
            raise NotFound(f"no project {project!r}", _ALLOW if self._roots is not None else _NAME)
        return self._engine(self._start if path.resolve() == self._start.resolve() else path, create=create)

    def start(self, project: str = "") -> Path:
        """Where the default project lies, or the one that a path or an id names, whether or not it can be opened."""
        known = [engine.place.root for engine, _ in self._open.values() if project == engine.project_id]
        return known[0] if known else (self._find_served(project) or self._start) if project else self._start

    def select(self, directory: str) -> Engine:
        """Make another project the default of this connection."""
        path = self._find_served(directory)
        if path is None:
            raise Denied(f"{directory!r} is not served here", _ALLOW)
        engine = self._engine(path)
        self._start = path
        return engine

    def _project_in(self, engine: Engine, name: str) -> Engine:
        """A project of the workspace, which begins with what the whole one has read."""
        part = engine.whole.part(name)
        with self._lock:
            if self._follow:
                part.follow()
            if self._watch and part.writable and part.config.watcher.enabled:
                part.watch()
            return part

    def _find_served(self, project: str) -> Path | None:
        """The directory that a call names, if it may be opened; nothing else about the disk is revealed."""
        if self._roots is None:
            return parse_path(project)
        if project.startswith("~") and not project.startswith("~/"):  # another user's home
            return None
        path = Path(project).expanduser()
        return path if is_served(self._first, self._roots, path) else None

    def close(self) -> None:
        self._part()
        with self._lock:
            self._closed = True
            for engine in self._all():
                engine.close()
            self._left.clear()
            self._open.clear()

    def _all(self) -> tuple[Engine, ...]:
        return *(engine for _, engine in self._left), *(engine for engine, _ in self._open.values())

    def _opened_engines(self, *, create: bool) -> tuple[Engine, ...]:
        """Open projects, and the default if it can be opened: a client may name its project in each call instead."""
        with suppress(ClewError):
            self._engine(self._start, create=create)
        return tuple(engine for engine, _ in self._open.values())

    def _part(self) -> None:
        """In a forked process: the parent's open engines stay its own, and its locks may be held forever."""
        if self._process != os.getpid():
            self._inherited = self._all()  # nobody is to close them
            self._lock, self._open, self._left, self._process = threading.Lock(), {}, [], os.getpid()

    def _engine(self, start: Path, *, create: bool = True) -> Engine:
        self._part()
        root = find_root(start)  # a folder of a project is the project
        with self._lock:
            if self._closed:
                raise Unavailable("this workspace is closed", "Open it again.")
            while self._left and self._left[0][0] + LONGEST_CALL < time.monotonic():
                self._left.pop(0)[1].close()
            known, marks = self._open.get(root, (None, []))
            if known and marks == _marks(known):
                return known
            engine = Engine.open(start, read_only=self._read_only, create=self._create and create)
            self._open[root] = engine, _marks(engine)
            if known:  # configured otherwise now; or `git clean` took its database: what is written there would be lost
                known.unfollow()
                self._left.append((time.monotonic(), known))  # another thread may be in the middle of a call
            if self._follow:
                engine.follow()
            if self._watch and engine.writable and engine.config.watcher.enabled:
                engine.watch()
            return engine


def _marks(engine: Engine) -> list[_Mark]:
    """The identity of the database file, regardless of its name, unless on a server; and the state of the
    configuration files."""
    place = engine.place
    settings = config.sources(place.root, place.home, place.settings.folder, os.environ)
    return [() if place.url else _mark(place.database)[:2], *map(_mark, settings)]


def _mark(file: Path) -> _Mark:
    """Nothing, if it is gone."""
    try:
        stat = file.stat()
    except OSError:
        return ()
    return stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns
