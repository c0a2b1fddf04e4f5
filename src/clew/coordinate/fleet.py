"""Coordination of the agents that share a project: tasks, claims and sessions in one place."""

import logging
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from clew.coordinate.claim_reconciliation import Settler
from clew.coordinate.claims import Clock, Desk, NewId
from clew.coordinate.hooks import SILENT, Seams, is_gone
from clew.coordinate.overview import Lookout
from clew.coordinate.tasks import Board
from clew.model.agents import Identity
from clew.model.errors import ClewError
from clew.runtime.settings import FleetSettings as Settings
from clew.store.claims import Claims, Sessions
from clew.store.database import Database, Where
from clew.store.tasks import Features

log = logging.getLogger(__name__)


class Fleet:
    def __init__(
        self, db: Database, where: Where, root: Path, settings: Settings, now: Clock, new_id: NewId,
        seams: Seams = SILENT,
    ) -> None:  # fmt: skip
        self._now = now
        self._heartbeat = heartbeat = int(settings.heartbeat_seconds * 1_000_000)
        self._sessions = Sessions(db, where)
        self.desk = Desk(db, where, root, now, new_id, heartbeat, seams)
        self.board = Board(db, where, self.desk, now, seams)
        self.lookout = Lookout(db, where, self.desk, now, heartbeat)
        self.claims = Claims(db, where)
        self.features = Features(db, where)
        self._settler = Settler(db, where, root, now)

    def settle_claims(self) -> None:
        """Reconcile claims after an index run. A failure does not fail the run; it is retried after the next one."""
        try:
            self._settler.settle()
        except ClewError as error:
            log.warning("claims were not settled: %s", error.message)

    def find_gone(self, holders: Iterable[Identity]) -> list[Identity]:
        """The holders that are gone."""
        return [one for one in holders if is_gone(self._sessions.get(one, self._now()), self._heartbeat)]

    def close(self) -> None:
        with suppress(ClewError):  # then their process tells, or their silence
            self.desk.leave()
