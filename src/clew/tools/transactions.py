"""The transaction log: which runs wrote to the graph, when, for whom, and what they changed."""

from collections.abc import Mapping

from msgspec import Struct

from clew.engine import Engine
from clew.history.moments import Moments
from clew.model.time import to_iso
from clew.store.transactions import Transaction, TransactionFilter
from clew.tools.budget import Shape, listing, only
from clew.tools.freshness import counted

MOST_FILES = 20  # of one transaction
STORED_TYPES = {"refresh": "file_change"}  # the record's words, and those of callers


class TransactionEntry(Struct, frozen=True, omit_defaults=True):
    """`type`: full_rebuild, incremental_rebuild, file_change, agent_edit, history_import or link."""

    id: str
    type: str
    time: int
    status: str
    duration_ms: float
    files_affected: int
    files: tuple[str, ...] = ()
    counts: Mapping[str, int] = {}
    agent: str = ""
    session: str = ""
    commit: str = ""


class TransactionLog(Struct, frozen=True):
    """The newest first."""

    total: int
    transactions: tuple[TransactionEntry, ...]

    def summary(self) -> str:
        if not self.transactions:
            return "No transactions match." if self.total else "No transactions are recorded."
        newest = self.transactions[0]
        shown = "" if len(self.transactions) == self.total else f", {len(self.transactions)} shown"
        who = f" by {newest.agent}" if newest.agent else ""
        files = counted(newest.files_affected, "file", "files")
        return (
            f"{counted(self.total, 'transaction', 'transactions')}{shown}. "
            f"The newest: {newest.type}{who} at {to_iso(newest.time)[:19]}Z, {files}."
        )


LOG_SHAPE = Shape(
    {},
    listing(
        "transactions",
        forms={
            "transactions": (
                only("id", "type", "time", "status", "files_affected", "agent"),
                only(
                    "id",
                    "type",
                    "time",
                    "status",
                    "files_affected",
                    "agent",
                    "session",
                    "commit",
                    "duration_ms",
                    "counts",
                ),
            )
        },
    ),
    pages=("transactions",),
)


class LogRequest(Struct, frozen=True):
    since: str = ""
    until: str = ""
    agent: str = ""
    types: tuple[str, ...] = ()
    limit: int = 20


def log(engine: Engine, request: LogRequest, now: int) -> TransactionLog:
    """The transactions of this checkout that match."""
    moments = Moments(engine.place.root, engine.transactions, lambda: now)
    wanted = TransactionFilter(
        since=moments.find(request.since, agents=True).time if request.since else 0,
        until=moments.find(request.until, agents=True).time + 1 if request.until else now + 1,
        agent=request.agent,
        types=tuple(_stored(one) for one in request.types),
    )
    found = engine.transactions.matching(wanted, request.limit)
    return TransactionLog(engine.transactions.count_matching(wanted), tuple(_entry(engine, one) for one in found))


def _entry(engine: Engine, one: Transaction) -> TransactionEntry:
    files = engine.transactions.files_of(one.tx, MOST_FILES)
    return TransactionEntry(
        id=one.id,
        type=STORED_TYPES.get(one.type, one.type),
        time=one.started_at,
        status=one.status,
        duration_ms=round(one.duration / 1000, 1),
        files_affected=len(files) if len(files) < MOST_FILES else engine.nodes.files_of_run(one.tx),
        files=tuple(files),
        counts=one.counts,
        agent=one.author.agent,
        session=one.author.session,
        commit=one.commit,
    )


def _stored(name: str) -> str:
    name = name.strip().lower()
    return next((stored for stored, said in STORED_TYPES.items() if said == name), name)
