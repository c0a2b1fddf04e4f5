"""A queue of the processes that write a SQLite file: a lock of the operating system, which wakes them in order.

SQLite's own waiting polls with growing pauses: among many writers the last to come is the first served, and some wait
for half a minute. This lock only brings order; SQLite's own still excludes concurrent writers.
"""

import logging
import os
import sys
import threading
from contextlib import suppress
from pathlib import Path

if sys.platform != "win32":
    import fcntl


_SAFE = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_FLAGS = os.O_RDWR | os.O_CREAT | _SAFE


QUIET_SECONDS = 2.0  # of waiting, before a person is told

log = logging.getLogger(__name__)


class Turns:
    """The write queue of one connection. A process that ends gives up its turn."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = -1

    def take(self, seconds: float) -> None:
        """Wait for the turn, but for so long at most: SQLite then says whether the file is still locked."""
        if sys.platform == "win32":
            return  # SQLite's own waiting must do
        if self._file < 0:
            self._file = self._open()
        if self._file < 0:
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._wait(seconds)
        except OSError:  # a file system that has no such locks
            pass

    def give_back(self) -> None:
        if sys.platform != "win32" and self._file >= 0:
            with suppress(OSError):
                fcntl.flock(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _open(self) -> int:
        try:
            return os.open(self._path, _FLAGS, 0o666)
        except OSError:  # a full disk, a folder that cannot be written: no order then
            return -1

    def _wait(self, seconds: float) -> None:
        """In a thread, since the system's own wait cannot be limited; one that comes too late is for nobody."""
        file = self._file
        had = threading.Event()
        waiter = threading.Thread(target=_lock, args=(file, had), daemon=True)
        waiter.start()
        in_time = False
        try:
            in_time = had.wait(min(seconds, QUIET_SECONDS))
            if not in_time and seconds > QUIET_SECONDS:
                log.warning("%s: others are writing; waiting, for %.0f seconds at most", self._path, seconds)
                in_time = had.wait(seconds - QUIET_SECONDS)
        finally:
            if not in_time:  # or interrupted
                self._file = -1
                threading.Thread(target=_drop, args=(file, waiter), daemon=True).start()


def _lock(file: int, had: threading.Event) -> None:
    if sys.platform != "win32":
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX)
    had.set()


def _drop(file: int, waiter: threading.Thread) -> None:
    waiter.join()
    os.close(file)
