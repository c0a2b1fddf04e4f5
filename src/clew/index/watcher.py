"""Keeps the index of a working tree current as files change: one watcher per tree over all processes.

Events only trigger a sweep, the same one that queries use: unchanged files cost no write, and a missed event costs only
time. Where the system cannot watch so many folders, the tree is swept periodically instead.
"""

import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, suppress
from fnmatch import fnmatch
from pathlib import Path

from msgspec import Struct, structs

from clew.index import watch_state
from clew.index.watch_state import WatcherState, WatchEvent, WatchStatus
from clew.model.errors import ClewError
from clew.model.search import Freshness
from clew.model.time import to_iso
from clew.runtime.clock import now

TAKEOVER_SECONDS = 1.0  # between attempts to take over from a watcher that ended
LOOK_SECONDS = 0.1  # between looks at the clock while changes are awaited
LONGEST_DEBOUNCE = 10  # debounce periods after which changes that never stop are indexed all the same
SWEEP_SECONDS = 30.0  # between sweeps without any event: the system may have dropped some
POLL_SECONDS = 2.0  # between sweeps where the system cannot watch
AGAIN_SECONDS = 0.5  # while a run in the background indexes many files
MOST_EVENTS, MOST_PATHS = 20, 5
_GIT = (".git/HEAD", ".git/index", ".git/packed-refs", ".git/refs/", ".git/ORIG_HEAD")

log = logging.getLogger(__name__)


class WatchedTree(Struct, frozen=True):
    """`folder` is where state and lock lie; `ignored` are names and globs whose changes are no reason to look."""

    root: Path
    folder: Path
    ignored: tuple[str, ...]
    debounce_seconds: float
    polling: bool = False


class TreeWatcher:
    """A thread that watches, or waits to take over from the process that does."""

    def __init__(
        self,
        tree: WatchedTree,
        refresh: Callable[[], Freshness],
        report: Callable[[WatchStatus], None] = lambda status: None,
    ) -> None:
        """`refresh` sweeps the tree and indexes changed files; `report` is called with every new state."""
        self._tree = tree
        self._refresh = refresh
        self._report = report
        self._over = threading.Event()
        self._status = WatchStatus(process=os.getpid())
        self._events: deque[WatchEvent] = deque(maxlen=MOST_EVENTS)
        self._thread = threading.Thread(target=self._run, name="clew-watcher", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._over.set()
        self._thread.join()

    @property
    def is_active(self) -> bool:
        """Whether this process is the one that watches."""
        return self._status.state is not WatcherState.NOT_STARTED

    def _run(self) -> None:
        while not self._over.is_set():
            try:
                with watch_state.try_lock(self._tree.folder) as taken:
                    if taken:
                        self._watch()
            except OSError as error:
                log.warning("the tree is not watched: %s", error)
            except Exception:
                log.exception("the watcher failed")
            self._set(WatcherState.NOT_STARTED, written=False)
            self._over.wait(TAKEOVER_SECONDS)

    def _watch(self) -> None:
        self._events.extend(watch_state.read(self._tree.folder).events)
        self._status = structs.replace(self._status, mode="native", reason="")
        self._set(WatcherState.REBUILDING)  # what changed while nobody watched
        with closing(self._changes()) as changes:
            pending: set[str] = set()
            first = last = swept = -SWEEP_SECONDS  # nobody watched until now
            for seen in changes:
                moment = time.monotonic()
                if seen:
                    first = first if pending else moment
                    last = moment
                    self._set(WatcherState.DEBOUNCING if pending else WatcherState.DETECTING, len(pending | seen))
                    pending |= seen
                quiet, waited = moment - last, moment - first
                debounce = self._tree.debounce_seconds
                is_ripe = pending and (quiet >= debounce or waited >= LONGEST_DEBOUNCE * debounce)
                if is_ripe or moment - swept >= (POLL_SECONDS if self._status.reason else SWEEP_SECONDS):
                    taken, pending = pending, set()
                    self._update(taken)
                    swept = time.monotonic()
                if self._over.is_set():
                    return

    def _update(self, paths: set[str]) -> None:
        """Sweep until no change is left, including those that a background run indexes."""
        started, indexed, waiting, seen = time.monotonic(), 0, 0, len(paths)
        if paths:
            self._set(WatcherState.REBUILDING, len(paths))
        while not self._over.is_set():
            try:
                fresh = self._refresh()
            except ClewError as error:
                log.warning("the index could not be updated: %s", error.message)
                return
            indexed, waiting = indexed + fresh.refreshed + max(0, waiting - fresh.pending), fresh.pending
            seen = max(seen, fresh.refreshed + fresh.pending)
            if not fresh.pending:
                break
            self._set(WatcherState.REBUILDING, fresh.pending)
            self._over.wait(AGAIN_SECONDS)
        if paths or indexed:
            ms = int((time.monotonic() - started) * 1000)
            self._events.append(WatchEvent(to_iso(now()), seen, indexed, ms, tuple(sorted(paths)[:MOST_PATHS])))
        self._set(WatcherState.IDLE)

    def _changes(self) -> Generator[set[str]]:
        """Changed paths as they are seen; an empty set now and then."""
        if not self._tree.polling:
            try:
                yield from self._native_changes()
                return
            except OSError as error:  # too many folders for the system, or it has no such service
                self._poll(str(error))
        else:
            self._poll("watcher.polling is set")
        while not self._over.wait(LOOK_SECONDS):
            yield set()

    def _native_changes(self) -> Generator[set[str]]:
        from watchfiles import watch  # loads its threads' runtime: only where files are watched

        root = str(self._tree.root.resolve())
        found = watch(
            root,
            watch_filter=None,
            debounce=50,
            step=20,
            stop_event=self._over,
            rust_timeout=int(LOOK_SECONDS * 1000),
            yield_on_timeout=True,
            raise_interrupt=False,
            force_polling=False,
            ignore_permission_denied=True,
        )
        with closing(found):
            for changes in found:
                paths = (os.path.relpath(path, root).replace(os.sep, "/") for _, path in changes)
                yield {path for path in paths if is_relevant(path, self._tree.ignored)}

    def _poll(self, reason: str) -> None:
        log.warning("the tree is swept every %.0f seconds instead of watched: %s", POLL_SECONDS, reason)
        self._status = structs.replace(self._status, mode="polling", reason=reason)

    def _set(self, state: WatcherState, pending: int = 0, *, written: bool = True) -> None:
        status = structs.replace(self._status, state=state, pending=pending, events=tuple(self._events))
        if status == self._status:
            return
        self._status = status
        if written:
            watch_state.write(self._tree.folder, status)
        with suppress(ClewError):
            self._report(status)


def is_relevant(path: str, ignored: Sequence[str]) -> bool:
    """Whether a change of a path is a reason to look: not what Clew and git write for themselves."""
    if path.startswith(".git/"):
        return path.startswith(_GIT) and not path.endswith(".lock")
    names = path.split("/")
    return not any(fnmatch(name, pattern) for name in names for pattern in ignored)
