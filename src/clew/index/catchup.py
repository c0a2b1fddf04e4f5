"""Deferred work: sweeping all of a large tree, linking all files anew, and reading new commits, while other processes
edit and ask.

A result is valid for the contents that were read. It is stored only if these are unchanged, under a short lease; else
the work is repeated a few times.
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Protocol

from clew.index.history import git
from clew.index.history.commit_history import CommitHistory
from clew.index.index_lease import Clock, IndexLease
from clew.index.link_stage import LinkedAhead, LinkStage
from clew.index.rules import rules_of
from clew.index.working_tree import WorkingTree
from clew.model.errors import Busy
from clew.model.run import LINK, LINKING_CPU_MS
from clew.store import heads
from clew.store.checkouts import Checkouts, CheckoutState
from clew.store.database import Database, Durability
from clew.store.extracts import Extracts
from clew.store.files import Files
from clew.store.histories import Histories
from clew.store.leases import INDEXING, LINKING, Lease, Leases, this_process
from clew.store.links import Links
from clew.store.transactions import Author, Transactions

QUIET_SECONDS = 1.0  # without a change, before it is worth beginning
MOST_SECONDS = 10.0  # to wait for that
MOST_BEGINNINGS = 4  # in vain; then nobody else may index until it is done
PATIENCE = 60.0  # seconds, for those who refresh a few files
POLITE = 19  # steps of priority that others come first by: the most there are


class Refresh(Protocol):
    """Index changed files; if `patient`, sweep the whole tree."""

    def __call__(self, *, patient: bool) -> object: ...


class CatchUp:
    def __init__(self, db: Database, tree: WorkingTree, now: Clock, new_id: Callable[[], str]) -> None:
        self._db = db
        self._tree = tree
        self._now = now
        self._new_id = new_id
        self._checkouts = Checkouts(db)
        self._files = Files(db, tree.where)
        self._leases = Leases(db, tree.where)
        self._transactions = Transactions(db, tree.where)
        self._lease: Lease | None = None
        self._patience = PATIENCE
        self._cpu_before = time.process_time()

    def run(self, wait_seconds: float, refresh: Refresh | None = None) -> None:
        """Until no edge is stale; with `refresh`, until nothing else is. Waits for another process that does the
        same."""
        with suppress(Busy), self._turn(LINKING).hold(wait_seconds):
            if refresh:
                refresh(patient=True)
                self._remember()
            if not self._state().behind:
                return
            for _ in range(MOST_BEGINNINGS):
                state = self._when_quiet()
                if not self._is_ours(state) or self._try_to_catch_up(state):
                    return
            self._catch_up_under_lease()

    def read_commits(self, wait_seconds: float) -> None:
        """Read the messages of new commits; Busy, if another process indexes for longer than that."""
        self._patience = wait_seconds
        self._remember()

    def _remember(self) -> None:
        """The turn is taken for a moment, to store it."""
        head, histories = git.head(self._tree.root), Histories(self._db, self._tree.where)
        if head is not None and histories.is_behind(head.sha):
            past = CommitHistory(self._tree.root, histories, self._tree.config)
            past.remember(head.sha, frozenset(self._files.current()), self._under_lease)

    @contextmanager
    def _under_lease(self) -> Iterator[None]:
        with self._turn(INDEXING).hold(self._patience) as self._lease, self._derived_transaction():
            yield

    def _is_ours(self, state: CheckoutState) -> bool:
        """Files read with another configuration or release are not linked here."""
        return state.behind and state.rules == rules_of(self._tree.config)

    def _when_quiet(self) -> CheckoutState:
        """If it never is, after a while."""
        deadline = time.monotonic() + MOST_SECONDS
        before = self._state()
        while True:
            time.sleep(QUIET_SECONDS)
            state = self._state()
            if state.stamp == before.stamp or time.monotonic() > deadline:
                return state
            before = state

    def _try_to_catch_up(self, state: CheckoutState) -> bool:
        """Whether it was done before anybody changed anything."""
        linkage = self._linkage()
        try:
            ahead = linkage.link_ahead(self._files.contents(), lambda: self._state().stamp == state.stamp)
        except KeyError:  # a file went while all were taken
            if self._state().stamp == state.stamp:
                raise
            return False
        if ahead is None:
            return False
        with self._turn(INDEXING).hold(PATIENCE) as self._lease:
            return self._state().stamp == state.stamp and self._keep(linkage, ahead)

    def _catch_up_under_lease(self) -> None:
        """Somebody edits all the time: once, they are kept waiting."""
        with self._turn(INDEXING).hold(PATIENCE) as self._lease:
            linkage, state = self._linkage(), self._state()
            if not self._is_ours(state):
                return
            if ahead := linkage.link_ahead(self._files.contents(), lambda: True):
                self._keep(linkage, ahead)

    def _linkage(self) -> LinkStage:
        extracts, links = Extracts(self._db, self._tree.where), Links(self._db, self._tree.where)
        return LinkStage(self._db, extracts, links, self._derived_transaction, self._change)

    def _keep(self, linkage: LinkStage, ahead: LinkedAhead) -> bool:
        started, head = time.monotonic(), git.head(self._tree.root)
        record = self._transactions.start(self._new_id(), LINK, head.sha if head else "", Author(), self._now())
        status = "failed"
        try:
            linkage.store_ahead(ahead, record.started_at)
            linkage.finish(lambda: self._checkouts.link(self._tree.where))
            self._renew_snapshot()
            status = "completed"
        finally:
            spent = int((time.process_time() - self._cpu_before) * 1000)  # with attempts that were given up
            counts = {"linked": ahead.different, LINKING_CPU_MS: spent}
            took = int((time.monotonic() - started) * 1_000_000)
            self._transactions.end(record.id, status, took, counts)
        return True

    def _renew_snapshot(self) -> None:
        """If so many links are others now that questions would make do with much that is laid over it."""
        folder = heads.folder(self._tree.snapshots, self._tree.where)
        if heads.is_crowded(folder, self._state(), self._files.totals().files):
            from clew.store.corpus import Corpora  # numpy is heavy, and this is seldom so

            with suppress(OSError):  # questions make do, and the next run tries again
                Corpora(self._db, self._tree.where, self._tree.snapshots).renew()

    def _turn(self, name: str) -> IndexLease:
        return IndexLease(self._db, self._tree.where, this_process(self._new_id()), self._now, name)

    def _state(self) -> CheckoutState:
        return self._checkouts.state(self._tree.where)

    def _change(self, files: int) -> None:
        self._checkouts.change(self._tree.where, self._new_id(), files)

    @contextmanager
    def _derived_transaction(self) -> Iterator[None]:
        assert self._lease is not None
        with self._db.transaction(Durability.DERIVED):
            self._leases.renew(self._lease, self._now())
            yield


def step_back() -> None:
    """Let others go first, where a machine can: nobody waits for this."""
    if hasattr(os, "nice"):
        os.nice(POLITE)
