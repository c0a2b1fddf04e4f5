"""The audit trail: one record per run that wrote, with its changes."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from clew.model.errors import IndexMissing
from clew.model.run import AGENT_EDIT, REFRESH
from clew.store.database import Database, Row, Where
from clew.store.outage import outlast
from clew.store.packing import from_json

RUNNING = "running"  # the status of one that is open


class Author(Struct, frozen=True):
    """The agent and session on whose behalf a run writes."""

    agent: str = ""
    session: str = ""


class Transaction(Struct, frozen=True):
    tx: int
    id: str
    type: str
    author: Author
    commit: str
    status: str
    started_at: int
    duration: int
    counts: Mapping[str, int]


class TransactionFilter(Struct, frozen=True):
    """Those that started in a half-open period, by one agent if it is named, of some types if any are."""

    since: int
    until: int
    agent: str = ""
    types: tuple[str, ...] = ()

    def parameters(self) -> dict[str, object]:
        names = msgspec.json.encode(self.types).decode()
        return {"start": self.since, "ends": self.until, "agent": self.agent, "names": names}


class Transactions:
    def __init__(self, db: Database, where: Where) -> None:
        self._db = db
        self._where = where._asdict()

    def start(self, id: str, type: str, commit: str, author: Author, now: int) -> Transaction:
        """Open a record, and mark the records that killed runs left open.

        Its time is later than every earlier one's, even if the clock was set back.
        """
        return outlast(self._db, lambda: self._start(id, type, commit, author, now))

    def _start(self, id: str, type: str, commit: str, author: Author, now: int) -> Transaction:
        project = self._where["project"]
        with self._db.transaction():
            self._db.execute("project_lock", project=project)
            self._db.execute("tx_abandon", id=id, **self._where)
            self._db.execute(
                "tx_start", id=id, type=type, commit_sha=commit, agent=author.agent, session=author.session,
                started_at=now, **self._where,
            )  # fmt: skip
            started = self._db.later("tx_get", project=project, id=id)
        return _to_transaction(started()[0])

    def end(self, id: str, status: str, duration: int, counts: Mapping[str, int]) -> None:
        encoded = msgspec.json.encode(dict(sorted(counts.items()))).decode()
        outlast(self._db, lambda: self._end(id, status, duration, encoded))

    def _end(self, id: str, status: str, duration: int, counts: str) -> None:
        project = self._where["project"]
        with self._db.transaction():
            self._db.execute("tx_end", project=project, id=id, status=status, duration=duration, counts=counts)

    def get(self, id: str) -> Transaction:
        return _to_transaction(next(iter(self._db.query("tx_get", project=self._where["project"], id=id))))

    def has(self, id: str) -> bool:
        return any(self._db.query("tx_get", project=self._where["project"], id=id))

    def require(self, root: Path) -> None:
        """Raise if no run was ever made, or if the last one failed; both for a tree of which nothing is indexed."""
        latest = self.latest(1)
        if not latest:
            raise IndexMissing(f"{root} has no index")
        if latest[0].status == "failed":
            raise IndexMissing(f"{root} has no index: its last run failed", "`clew index` says why.")

    def latest(self, limit: int) -> list[Transaction]:
        return [_to_transaction(row) for row in self._db.query("tx_latest", limit=limit, **self._where)]

    def first(self) -> Transaction | None:
        """The oldest one of this checkout."""
        return next((_to_transaction(row) for row in self._db.query("tx_first", **self._where)), None)

    def find(self, wanted: TransactionFilter, limit: int) -> list[Transaction]:
        """The newest first."""
        rows = self._db.query("tx_matching", limit=limit, **wanted.parameters(), **self._where)
        return [_to_transaction(row) for row in rows]

    def count_matching(self, wanted: TransactionFilter) -> int:
        return int(next(iter(self._db.query("tx_count_matching", **wanted.parameters(), **self._where)))["n"])

    def files_of(self, tx: int, limit: int) -> list[str]:
        """The paths that a transaction wrote versions of."""
        return [row["path"] for row in self._db.query("tx_files", tx=tx, limit=limit, **self._where)]

    def attribute(self, author: Author, after: int, last: int, paths: Sequence[str]) -> None:
        """What changed these paths between two transactions, and nobody has signed, was this agent's edit."""
        self._db.execute(
            "tx_attribute", type=AGENT_EDIT, was=REFRESH, agent=author.agent, session=author.session, after=after,
            last=last, names=msgspec.json.encode(list(paths)).decode(), **self._where,
        )  # fmt: skip

    def of_type(self, type: str, limit: int) -> list[Transaction]:
        """The newest transactions of a type in this checkout."""
        rows = self._db.query("tx_of_type", type=type, limit=limit, **self._where)
        return [_to_transaction(row) for row in rows]

    def last_by(self, agent: str) -> Transaction | None:
        """The newest transaction of an agent, in whichever checkout."""
        rows = self._db.query("tx_last_by", agent=agent, project=self._where["project"])
        return next((_to_transaction(row) for row in rows), None)

    def between(self, start: int, end: int, limit: int) -> list[Transaction]:
        """Those that started in a half-open period, the newest first."""
        rows = self._db.query("tx_between", start=start, ends=end, limit=limit, **self._where)
        return [_to_transaction(row) for row in rows]

    def count(self) -> int:
        return int(next(iter(self._db.query("tx_count", **self._where)))["n"])


def _to_transaction(row: Row) -> Transaction:
    return Transaction(
        tx=row["tx"],
        id=row["id"],
        type=row["type"],
        author=Author(row["agent"], row["session"]),
        commit=row["commit_sha"],
        status=row["status"],
        started_at=row["started_at"],
        duration=row["duration"],
        counts=from_json(row["counts"], dict[str, int]),
    )
