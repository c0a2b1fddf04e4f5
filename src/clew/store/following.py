"""Keeps the in-memory state of a long-lived process up to date with commits of other processes.

Only speed depends on it: a question always asks the store for the current state.
"""

import threading
import time
from collections.abc import Callable
from contextlib import suppress

from clew.model.errors import ClewError
from clew.store.database import Database

COALESCE_SECONDS = 0.1  # commits come in rows; one refresh serves them all
REST = 5  # times as long as a refresh took, before the next: the work of those who commit goes first
RETRY_SECONDS = 1.0
LOOK_SECONDS = 0.5  # how long a wait may last before it is seen that nobody needs it any more


class Follower:
    """A thread that calls `refresh` soon after each commit of others, until it is closed."""

    def __init__(self, db: Database, refresh: Callable[[], None]) -> None:
        self._db = db
        self._refresh = refresh
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="clew-follower", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._over.set()
        self._thread.join()

    def _follow(self) -> None:
        while not self._over.is_set():
            with suppress(ClewError):  # a server that is away, a file that is gone: questions say so, we try again
                self._listen()
            self._over.wait(RETRY_SECONDS)

    def _listen(self) -> None:
        with self._db.listen() as news:
            self._refresh()  # what came before we listened
            while not self._over.is_set():
                if not news(LOOK_SECONDS):
                    continue
                self._over.wait(COALESCE_SECONDS)
                news(0)
                started = time.monotonic()
                self._refresh()
                self._over.wait(REST * (time.monotonic() - started))
