"""The composition root: opens a project and wires its parts. No logic of its own."""

import math
import os
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from clew.model.errors import ClewError, Denied, DiskFull, IndexMissing, NotFound, StoreReadOnly, Unavailable
from clew.model.run import Mode, Progress, RunReport
from clew.model.search import Coverage, Query, Results
from clew.runtime.paths import find_root, named
from clew.runtime.place import Place, find_place
from clew.store import migrations
from clew.store.checkouts import Checkouts, Identity
from clew.store.extracts import Extracts
from clew.store.files import Files
from clew.store.graph import Edges, Nodes
from clew.store.leases import INDEXING, Leases
from clew.store.sqlite import SQLite
from clew.store.transactions import Author, Transactions
from clew.store.usage import Usage, UsageLog

if TYPE_CHECKING:
    from clew.retrieve.search import Searcher

APART_AT_MOST_EVERY = 5.0  # seconds between index runs that questions start
PATIENCE = 600.0  # seconds to wait while another process indexes the same tree


def now() -> int:
    """Microseconds since the epoch."""
    return time.time_ns() // 1000


def new_id() -> str:
    return str(uuid.uuid4())


def _unheard(progress: Progress) -> None:
    """Nobody asked how far a run is."""


class Engine:
    """One checkout of one project, opened. Any thread may use it."""

    def __init__(self, place: Place, db: SQLite, identity: Identity, *, writable: bool) -> None:
        self.place = place
        self.config = place.settings.config
        self.project_id = identity.project_id
        self.where = identity.where
        self.writable = writable
        self.db = db
        self.checkouts = Checkouts(db)
        self.files = Files(db, identity.where)
        self.nodes = Nodes(db, identity.where)
        self.edges = Edges(db, identity.where)
        self.extracts = Extracts(db, identity.where)
        self.transactions = Transactions(db, identity.where)
        self.leases = Leases(db, identity.where)
        self.usage = Usage(db, identity.where)
        self.usage_log = UsageLog(self.usage)
        self._refusal: ClewError = StoreReadOnly(f"{place.database} is open for reading only")
        self._counted = (-1, 0)  # the generation, and how many files it has
        self._child: subprocess.Popen[bytes] | None = None
        self._started_at = -math.inf

    @classmethod
    def open(
        cls, start: Path, *, read_only: bool = False, create: bool = True, environ: Mapping[str, str] = os.environ
    ) -> "Engine":
        """Open the project that holds `start`; where nothing can be written, an index that is there can be read."""
        place = find_place(start, environ)
        if read_only or not (create or place.database.exists()):
            return cls._open_read_only(place)
        try:
            place.prepare()
            db, identity = cls._prepared(place)
        except (StoreReadOnly, DiskFull) as error:
            if not place.database.exists():
                raise
            engine = cls._open_read_only(place)
            engine._refusal = error
            return engine
        return cls(place, db, identity, writable=True)

    @classmethod
    def _prepared(cls, place: Place) -> tuple[SQLite, Identity]:
        db = SQLite(place.database)
        try:
            migrations.migrate(db, migrations.known(), now())
            return db, Checkouts(db).ensure(place.settings.config.project.id, new_id(), place.checkout, now())
        except BaseException:
            db.close()
            raise

    @classmethod
    def _open_read_only(cls, place: Place) -> "Engine":
        if not place.database.exists():
            raise IndexMissing(f"{place.root} has no index")
        db = SQLite(place.database, read_only=True)
        try:
            migrations.verify(db, migrations.known())
            identity = Checkouts(db).find(place.settings.config.project.id, place.checkout)
            if identity is None:
                raise IndexMissing(f"{place.root} has no index")
        except BaseException:
            db.close()
            raise
        return cls(place, db, identity, writable=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        if self.writable:
            with suppress(ClewError):  # how often a question was asked is not worth failing its answer
                self.usage_log.flush()
        self.db.close()

    def index(
        self,
        mode: Mode = Mode.INCREMENTAL,
        report: Callable[[Progress], None] = _unheard,
        author: Author | None = None,
        patience: float = PATIENCE,
    ) -> RunReport:
        """Bring the index up to date with the tree."""
        from clew.index import pipeline  # parsers are heavy, and most processes only ask

        if not self.writable:
            raise self._refusal
        tree = pipeline.Tree(self.place.root, self.config, self.where, self.place.snapshots)
        request = pipeline.Request(mode, author or Author(), patience)
        return pipeline.index(self.db, tree, request, report, now, new_id)

    def index_apart(self) -> None:
        """Start an index run in a process of its own, with its own standard streams; it outlives this one.

        Nothing happens while the last one runs or has only just been started.
        """
        if self._started_at + APART_AT_MOST_EVERY > time.monotonic() or (self._child and self._child.poll() is None):
            return
        self._started_at = time.monotonic()
        # -P: the directory we stand in may be the repository, and its modules must never be taken for ours.
        command = [sys.executable, "-P", "-m", "clew", "index", "--quiet", str(self.place.root)]
        quiet = subprocess.DEVNULL
        self._child = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)

    def search(self, query: Query) -> Results:
        if not (self.config.enabled and self.config.providers.full_text.enabled):
            raise Unavailable("searching is switched off", "Set enabled and providers.full_text.enabled to true.")
        coverage = self.coverage()
        if not coverage.indexed and not coverage.indexing and not self.transactions.count():
            raise IndexMissing(f"{self.place.root} has no index")
        return self._searcher.search(query, coverage)

    def coverage(self) -> Coverage:
        """How much of the tree is indexed, and whether a run is under way."""
        starting = self._child is not None and self._child.poll() is None
        indexing = starting or bool(self.leases.holder(INDEXING, now()))
        state = self.checkouts.state(self.where)
        if self._counted[0] != state.generation:
            self._counted = state.generation, self.files.totals().files
        indexed = self._counted[1]
        return Coverage(indexed, max(indexed, state.files_seen), indexing)

    @cached_property
    def _searcher(self) -> "Searcher":
        from clew.retrieve.search import Searcher  # numpy is heavy, and most commands do not rank
        from clew.store.corpus import Corpora

        corpora = Corpora(self.db, self.where, self.place.snapshots)
        return Searcher(self.place.root, corpora, self.files)


class Workspaces:
    """The projects of one connection: the default one, and others by path or id. Any thread may use it."""

    def __init__(self, start: Path, *, read_only: bool = False, create: bool = True, others: bool = True) -> None:
        self._start = start
        self._read_only = read_only
        self._create = create
        self._others = others
        self._lock = threading.Lock()
        self._open: dict[Path, Engine] = {}
        self._closed = False

    def get(self, project: str = "") -> Engine:
        """The default project, or the one that a path or an id names."""
        path = named(project)
        if not project or path.resolve() == self._start.resolve():
            return self._engine(self._start)
        for engine in self._known():
            if project == engine.project_id or path.resolve() == engine.place.root:
                return engine
        if not self._others or not path.is_dir():  # alike, so that a server does not tell what is on its disk
            raise NotFound(f"no project {project!r}", "Name a directory, or the id of a project that is open.")
        return self._engine(path)

    def select(self, path: Path) -> Engine:
        """Make another project the default of this connection."""
        if not self._others:
            raise Denied(f"{str(path)!r} is not served here", "Start `clew serve` in that project.")
        engine = self._engine(path)
        self._start = path
        return engine

    def close(self) -> None:
        with self._lock:
            self._closed = True
            for engine in self._open.values():
                engine.close()
            self._open.clear()

    def _known(self) -> tuple[Engine, ...]:
        """What is open, and the default if it can be opened: a client may name its project in each call instead."""
        with suppress(ClewError):
            self._engine(self._start)
        return tuple(self._open.values())

    def _engine(self, start: Path) -> Engine:
        start = start.resolve()
        root = find_root(start)  # a folder of a project is the project
        with self._lock:
            if self._closed:
                raise Unavailable("this workspace is closed", "Open it again.")
            if root not in self._open:
                self._open[root] = Engine.open(start, read_only=self._read_only, create=self._create)
            return self._open[root]
