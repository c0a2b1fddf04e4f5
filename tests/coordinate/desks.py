"""A desk with a clock that stands still until a test moves it."""

from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from clew.coordinate.claims import Desk
from clew.coordinate.hooks import SILENT, Seams
from clew.model.agents import Identity
from clew.store.database import Database, Where

BEN_ELSEWHERE = Identity("ben", "2")
ROOT = Path("/somewhere")


@dataclass(slots=True)
class Clock:
    now: int

    def __call__(self) -> int:
        return self.now


def a_desk(db: Database, where: Where, clock: Clock, *, heartbeat: int = 0, seams: Seams = SILENT) -> Desk:
    return Desk(db, where, ROOT, clock, lambda: str(uuid4()), heartbeat, seams)
