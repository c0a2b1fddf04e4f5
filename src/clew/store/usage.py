"""The cost of each question: written in small batches, so that a question does not wait for the disk."""

import threading
from collections.abc import Iterable

from msgspec import Struct, json, structs

from clew.model.errors import ClewError, InvalidInput
from clew.model.search import NO_SEARCHES, SearchCounts
from clew.store.database import Database, Row, Where
from clew.store.outage import outlast

LATEST = 1000  # questions whose retrievers' times are averaged
MOST_WAITING = 32  # uses that are written together; the rest at closing


class Use(Struct, frozen=True):
    id: str
    at: int
    op: str
    agent: str
    latency: int
    tokens: int
    hits: int
    searching: SearchCounts = NO_SEARCHES
    spared: int = 0  # tokens of code that the session had been sent before


class UseSummary(Struct, frozen=True):
    calls: int
    latency: float
    tokens: float


class Usage:
    def __init__(self, db: Database, where: Where) -> None:
        self._db = db
        self._project = where.project

    def put(self, uses: Iterable[Use]) -> None:
        rows = [_row(use) | {"project": self._project} for use in uses]
        outlast(self._db, lambda: self._put(rows))

    def _put(self, rows: list[dict[str, object]]) -> None:
        with self._db.transaction():
            self._db.execute_many("usage_put", rows)

    def summary(self, op: str) -> UseSummary:
        row = next(iter(self._db.query("usage_summary", project=self._project, op=op)))
        return UseSummary(row["calls"], float(row["latency"]), float(row["tokens"]))

    def since(self, moment: int) -> list[Use]:
        """The oldest first."""
        rows = self._db.query("usage_since", project=self._project, since=moment)
        return [_to_use(r) for r in rows]

    def forget(self, before: int) -> None:
        with self._db.transaction():
            self._db.execute("usage_forget", project=self._project, before=before)

    def search_counts(self) -> SearchCounts:
        """Of all questions; the times of retrievers, of the latest."""
        row = next(iter(self._db.query("usage_rankings", project=self._project)))
        total = SearchCounts(int(row["rankings"]), int(row["cached"]))
        for one in self._db.query("usage_retrievers", project=self._project, limit=LATEST):
            total = total.plus(SearchCounts(spent=json.decode(one["retrievers"], type=dict[str, tuple[int, int]])))
        return total

    def latest(self, limit: int) -> list[Use]:
        rows = self._db.query("usage_latest", project=self._project, limit=limit)
        return [_to_use(r) for r in rows]


def _to_use(r: Row) -> Use:
    return Use(r["id"], r["at"], r["op"], r["agent"], r["latency"], r["tokens"], r["hits"], spared=r["spared"])


def _row(use: Use) -> dict[str, object]:
    row, counts = structs.asdict(use), use.searching
    del row["searching"]
    spent = json.encode(dict(counts.spent)).decode() if counts.spent else ""
    return row | {"rankings": counts.rankings, "cached": counts.cached, "retrievers": spent}


class UsageLog:
    """Collects uses from any thread."""

    def __init__(self, usage: Usage) -> None:
        self._usage = usage
        self._lock = threading.Lock()
        self._waiting: list[Use] = []

    def add(self, use: Use) -> None:
        with self._lock:
            self._waiting.append(use)
            full = len(self._waiting) >= MOST_WAITING
        if full:
            self.flush()

    def flush(self) -> None:
        with self._lock:
            waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        try:
            self._usage.put(waiting)
        except InvalidInput:  # nor would it fit the next time
            raise
        except ClewError:
            with self._lock:  # for the next try, as many as may wait
                self._waiting = [*waiting, *self._waiting][:MOST_WAITING]
            raise
