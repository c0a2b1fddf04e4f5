"""The lease for indexing a tree: waited for, and kept alive by a heartbeat through long phases."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial

from clew.index.forked_work import thread_at_times
from clew.model.errors import Busy, ClewError, StoreLost
from clew.store.database import Database, Durability, Where
from clew.store.leases import INDEXING, Lease, Leases

HEARTBEAT_SECONDS = 3.0  # a scan, a long file or a snapshot may take longer than a lease lasts
RETRY_SECONDS = 0.1

Clock = Callable[[], int]


class IndexLease:
    def __init__(self, db: Database, where: Where, holder: str, now: Clock, name: str = INDEXING) -> None:
        self._db = db
        self._leases = Leases(db, where)
        self._holder = holder
        self._now = now
        self._name = name

    @contextmanager
    def hold(self, wait_seconds: float) -> Iterator[Lease]:
        """Wait for the lease and keep it. A holder that lost it with the server may take it again at once."""
        lease = self._wait(time.monotonic() + wait_seconds)
        over = threading.Event()
        try:
            with thread_at_times(partial(self._beat, lease, over)):
                try:
                    yield lease
                finally:
                    over.set()
        finally:
            with suppress(StoreLost):  # then it runs out
                self._leases.release(lease, self._now())

    def _wait(self, deadline: float) -> Lease:
        while (lease := self._leases.acquire(self._name, self._holder, self._now())) is None:
            if time.monotonic() >= deadline:
                raise Busy(f"another process ({self._leases.holder(self._name, self._now())}) is indexing this tree")
            time.sleep(RETRY_SECONDS)
        return lease

    def _beat(self, lease: Lease, over: threading.Event, working: AbstractContextManager[object]) -> None:
        while not over.wait(HEARTBEAT_SECONDS):
            try:
                with working, self._db.transaction(Durability.DERIVED):
                    self._leases.renew(lease, self._now())
            except StoreLost:
                continue
            except ClewError:  # the run's own next transaction meets the same, and says so
                return
