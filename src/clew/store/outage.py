"""Waiting for a database server that went away: work that may be done twice is done again when it is back."""

import time
from collections.abc import Callable
from typing import TypeVar

from clew.model.errors import StoreLost
from clew.runtime.deadline import check
from clew.store.database import Database

T = TypeVar("T")

PATIENCE = 30.0  # seconds; a restart or a failover takes less
FIRST_PAUSE = 0.05
LONGEST_PAUSE = 1.0


def outlast(db: Database, work: Callable[[], T]) -> T:
    """Do the work; if the server is lost on the way, repeat it from its start.

    Only for idempotent work: a commit may have succeeded although its answer was lost. Inside a transaction, only the
    caller that began it can repeat it.
    """
    return work() if db.within() else repeat(work, PATIENCE)


def repeat(work: Callable[[], T], patience: float) -> T:
    deadline = time.monotonic() + patience
    pause = FIRST_PAUSE
    while True:
        try:
            return work()
        except StoreLost:
            if time.monotonic() + pause > deadline:
                raise
        check()
        time.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)


class Uninterrupted:
    """Work that must not continue after an outage: a crashed server may have lost the latest commits."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._before = db.interruptions()

    def check(self) -> None:
        if self._db.interruptions() != self._before:
            raise StoreLost("the server went away in the middle of the work")
