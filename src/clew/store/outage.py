"""Waiting for a database server that went away: work that may be done twice is done again when it is back."""

import time
from collections.abc import Callable
from typing import TypeVar

from clew.model.errors import StoreLost
from clew.store.database import Database

T = TypeVar("T")

PATIENCE = 30.0  # seconds; a restart or a failover takes less
FIRST_PAUSE = 0.05
LONGEST_PAUSE = 1.0


def outlast(db: Database, work: Callable[[], T]) -> T:
    """Do the work; if the server is lost on the way, do it again from its start.

    Only for work that is the same done twice: a commit whose answer was lost may have been made. Inside of a
    transaction nothing can be done again but all of it, by whoever began it.
    """
    return work() if db.within() else repeated(work, PATIENCE)


def repeated(work: Callable[[], T], patience: float) -> T:
    deadline = time.monotonic() + patience
    pause = FIRST_PAUSE
    while True:
        try:
            return work()
        except StoreLost:
            if time.monotonic() + pause > deadline:
                raise
        time.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)


class Uninterrupted:
    """Work that must not go on over a gap: a server that crashed may have lost what was committed last."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._before = db.interruptions()

    def check(self) -> None:
        if self._db.interruptions() != self._before:
            raise StoreLost("the server went away in the middle of the work")
