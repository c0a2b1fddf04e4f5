"""The changes that index runs made to a checkout, and all contents that a path had there."""

import msgspec

from clew.store.database import Database, Later, Where
from clew.store.together import together


class Changes:
    def __init__(self, db: Database, where: Where) -> None:
        self._db = db
        self._where = where._asdict()

    def first(self) -> int:
        """The first run that was completed: up to it, all is new and nothing has changed. 0 if there is none."""
        return int(next(iter(self._db.query("change_first", **self._where)))["tx"])

    def last(self) -> int:
        """The last run that is over; 0 if there is none."""
        return together(self._db, self.last_later)[0]

    def last_later(self) -> Later[int]:
        rows = self._db.later("change_last", **self._where)
        return lambda: int(rows()[0]["tx"])

    def latest(self) -> int:
        """The last run of any checkout of the project, over or not; 0 if there is none."""
        return together(self._db, self.latest_later)[0]

    def latest_later(self) -> Later[int]:
        rows = self._db.later("change_latest", project=self._where["project"])
        return lambda: int(rows()[0]["tx"])

    def commit(self, tx: int) -> str:
        """The commit that was checked out in the run, or in the last one before it; empty if unknown."""
        return next((str(row["commit_sha"]) for row in self._db.query("change_commit", tx=tx, **self._where)), "")

    def since(self, tx: int) -> list[str]:
        """The paths that later runs wrote anything about, sorted: content, deletion, a commit of it."""
        files = [row["file"] for row in self._db.query("change_files", tx=tx, **self._where)]
        numbers = msgspec.json.encode(files).decode()
        return sorted(row["path"] for row in self._db.query("change_paths", numbers=numbers, **self._where))

    def ever_held(self, path: str) -> set[bytes]:
        """The digests of all contents that a path ever had."""
        return {row["digest"] for row in self._db.query("change_held", path=path, **self._where)}

    def inside(self, path_from: str, path_to: str) -> list[tuple[str, bytes]]:
        """Paths of the current view that sort within a range, with their digests."""
        rows = self._db.query("change_folder", path_from=path_from, path_to=path_to, **self._where)
        return [(row["path"], row["digest"]) for row in rows]
