"""Index runs in their own processes. Questions start one at a time; explicit requests get one per mode."""

import math
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from clew.model.agents import Identity
from clew.model.errors import ClewError
from clew.model.run import Mode, Queued
from clew.store.leases import BEGINNING, INDEXING, LINKING, Leases, this_process
from clew.store.transactions import RUNNING, Transactions

if TYPE_CHECKING:
    from clew.runtime.detached_process import Apart
    from clew.runtime.place import ProjectPaths

AT_MOST_EVERY = 5.0  # seconds between runs that questions start


class Child(NamedTuple):
    """A process that indexes, and the transaction it will write."""

    process: "Apart"
    transaction: str
    mode: Mode


class Runs:
    """Runs that this process started. They outlive it."""

    def __init__(
        self,
        place: "ProjectPaths",
        transactions: Transactions,
        leases: Leases,
        now: Callable[[], int],
        new_id: Callable[[], str],
    ) -> None:
        self._root, self._part = place.root, place.part
        self._transactions = transactions
        self._leases = leases
        self._now = now
        self._new_id = new_id
        self._starting = threading.Lock()
        self._started_at = self._linked_at = -math.inf
        self.children: list[Child] = []
        self.linker: Apart | None = None

    def start(self) -> None:
        """Index, with standard streams of its own; not while the last one runs or has only just been started."""
        with self._starting:
            if self._started_at + AT_MOST_EVERY > time.monotonic() or self.are_there():
                return
            self._started_at = time.monotonic()
            child = self._start(Mode.INCREMENTAL)
            if not self._transactions.latest(1):
                with suppress(ClewError):  # then another process does not hear of it before it has begun
                    self._leases.acquire(BEGINNING, this_process(child.transaction, child.process.pid), self._now())

    def link(self) -> None:
        """Start the work that questions do not wait for: sweep, link, read commits. Does nothing while another
        process does it."""
        with self._starting:
            runs = self.linker is not None and self.linker.poll() is None  # who is not asked stays, as a shadow
            if runs or self._linked_at + AT_MOST_EVERY > time.monotonic() or self._leases.holder(LINKING, self._now()):
                return
            self._linked_at = time.monotonic()
            from clew.runtime.detached_process import Apart  # as below

            self.linker = Apart(self._root, "index", "--catch-up", part=self._part)

    def queue(self, mode: Mode, who: Identity) -> Queued:
        """Start a run on demand. A run that still waits serves all requests; one at work may have missed an edit."""
        with self._starting:
            waits_for = self._under_way()
            self.are_there()
            waiting = [one for one in self.children if one.mode is mode and not self._transactions.has(one.transaction)]
            child = waiting[0] if waiting else self._start(mode, who)
        return Queued(child.transaction, waits_for, new=not waiting)

    def are_there(self) -> bool:
        self.children = [child for child in self.children if child.process.poll() is None]
        return bool(self.children)

    def _start(self, mode: Mode, who: Identity | None = None) -> Child:
        from clew.runtime.detached_process import Apart  # most questions start none

        transaction = self._new_id()
        full = ["--full"] if mode is Mode.FULL else []
        asked = ["--for", *(one.replace("\0", "") for one in (who.agent_id, who.session_id))] if who else []
        process = Apart(self._root, "index", "--transaction", transaction, *asked, *full, part=self._part)
        self.children.append(Child(process, transaction, mode))
        return self.children[-1]

    def _under_way(self) -> str:
        """The transaction of the run that holds the lease, if there is one."""
        if not self._leases.holder(INDEXING, self._now()):
            return ""
        return next((one.id for one in self._transactions.latest(1) if one.status == RUNNING), "")
