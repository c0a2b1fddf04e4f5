"""What git's history says of a checkout's files, at rest: one value per checkout, made for one commit."""

from collections.abc import Mapping

from clew.store.database import Database, Where
from clew.store.links import Shown
from clew.store.packing import pack, unpack

Together = Mapping[str, tuple[Shown, ...]]


class Histories:
    def __init__(self, db: Database, where: Where) -> None:
        self._db = db
        self._where = where._asdict()

    def tip(self) -> str:
        """The commit that it was made for; empty if none was."""
        return next((str(row["tip"]) for row in self._db.query("history_tip", **self._where)), "")

    def put(self, tip: str, together: Together) -> None:
        self._db.execute("history_put", tip=tip, data=pack(dict(together)), **self._where)

    def together(self) -> Together:
        """By file, those that changed with it."""
        for row in self._db.query("history_get", **self._where):
            return unpack(row["data"], dict[str, tuple[Shown, ...]])
        return {}
