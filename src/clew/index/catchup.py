"""Linking that no question waited for: all files anew, while others go on editing and asking.

What is found holds for the contents that were looked at. Only if they are still the same is it stored, for which the
turn is taken, and then in a moment; else it begins again.
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from clew.index import git
from clew.index.linkage import Ahead, Linkage
from clew.index.tree import Tree
from clew.index.turn import Clock, Turn
from clew.model.errors import Busy
from clew.model.run import LINK
from clew.store.checkouts import Checkouts, CheckoutState
from clew.store.database import Database, Durability
from clew.store.extracts import Extracts
from clew.store.files import Files
from clew.store.leases import INDEXING, LINKING, Lease, Leases, this_process
from clew.store.links import Links
from clew.store.transactions import Author, Transactions

QUIET_SECONDS = 1.0  # without a change, before it is worth beginning
MOST_BEGINNINGS = 20  # then the next question starts another
PATIENCE = 60.0  # seconds, for those who refresh a few files
POLITE = 10  # steps of priority that others come first by


class CatchUp:
    def __init__(self, db: Database, tree: Tree, now: Clock, new_id: Callable[[], str]) -> None:
        self._db = db
        self._tree = tree
        self._now = now
        self._new_id = new_id
        self._checkouts = Checkouts(db)
        self._files = Files(db, tree.where)
        self._leases = Leases(db, tree.where)
        self._transactions = Transactions(db, tree.where)
        self._lease: Lease | None = None

    def run(self, wait_seconds: float) -> None:
        """Until no edge is behind, or too much changes meanwhile. Who else does this is waited for so long."""
        with suppress(Busy), self._turn(LINKING).taken(wait_seconds):
            for _ in range(MOST_BEGINNINGS):
                state = self._when_quiet()
                if not state.behind or self._caught_up(state.stamp):
                    return

    def _when_quiet(self) -> CheckoutState:
        before = self._state()
        while True:
            time.sleep(QUIET_SECONDS)
            state = self._state()
            if state.stamp == before.stamp:
                return state
            before = state

    def _caught_up(self, stamp: str) -> bool:
        extracts, links = Extracts(self._db, self._tree.where), Links(self._db, self._tree.where)
        linkage = Linkage(extracts, links, self._derived, self._change)
        ahead = linkage.ahead(self._files.contents(), lambda: self._state().stamp == stamp)
        return ahead is not None and self._keep(linkage, ahead, stamp)

    def _keep(self, linkage: Linkage, ahead: Ahead, stamp: str) -> bool:
        started = time.monotonic()
        with self._turn(INDEXING).taken(PATIENCE) as self._lease:
            if self._state().stamp != stamp:
                return False
            head = git.head(self._tree.root)
            author, commit = Author(), head.sha if head else ""
            record = self._transactions.start(self._new_id(), LINK, commit, author, self._now())
            linkage.keep(ahead, record.started_at)
            with self._derived():
                self._checkouts.link(self._tree.where)
            took = int((time.monotonic() - started) * 1_000_000)
            self._transactions.end(record.id, "completed", took, {"linked": len(ahead.links)})
        return True

    def _turn(self, name: str) -> Turn:
        return Turn(self._db, self._tree.where, this_process(self._new_id()), self._now, name)

    def _state(self) -> CheckoutState:
        return self._checkouts.state(self._tree.where)

    def _change(self, files: int) -> None:
        self._checkouts.change(self._tree.where, self._new_id(), files)

    @contextmanager
    def _derived(self) -> Iterator[None]:
        assert self._lease is not None
        with self._db.transaction(Durability.DERIVED):
            self._leases.renew(self._lease, self._now())
            yield


def step_back() -> None:
    """Let others go first, where a machine can: nobody waits for this."""
    if hasattr(os, "nice"):
        os.nice(POLITE)
