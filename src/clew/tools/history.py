"""The past: what changed between two times, and how a symbol came to be as it is."""

from collections.abc import Mapping
from typing import Annotated, Literal

from msgspec import Meta, Struct

from clew.engine import Engine, now
from clew.history.moments import Moments
from clew.model.time import to_iso
from clew.store.transactions import Transaction, TransactionFilter
from clew.tools.budget import Shape, grow_lists, only
from clew.tools.differences import DIFF_SHAPE, DiffRequest, DiffSince, diff
from clew.tools.freshness import count_of
from clew.tools.lifelines import BLAME_SHAPE, HISTORY_SHAPE, Start, SymbolBlame, SymbolHistory, blame, history
from clew.tools.params import ElementName, Limit, Moment, Text
from clew.tools.past_answers import SEARCH_SHAPE, HistoryRequest, HistorySearch, search_history
from clew.tools.registry import Effect, tool

# The transaction log: which runs wrote to the graph, when, for whom, and what they changed.

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
        files = count_of(newest.files_affected, "file", "files")
        return (
            f"{count_of(self.total, 'transaction', 'transactions')}{shown}. "
            f"The newest: {newest.type}{who} at {to_iso(newest.time)[:19]}Z, {files}."
        )


LOG_SHAPE = Shape(
    {},
    grow_lists(
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
    as_of: str = ""


def log(engine: Engine, request: LogRequest, now: int) -> TransactionLog:
    """The transactions of this checkout that match."""
    moments = Moments(engine.place.root, engine.transactions, lambda: now)
    times = [moments.find(one, agents=True).time for one in (request.until, request.as_of) if one]
    wanted = TransactionFilter(
        since=moments.find(request.since, agents=True).time if request.since else 0,
        until=min(times, default=now) + 1,
        agent=request.agent,
        types=tuple(_stored_type(one) for one in request.types),
    )
    found = engine.transactions.find(wanted, request.limit)
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


def _stored_type(name: str) -> str:
    name = name.strip().lower()
    return next((stored for stored, said in STORED_TYPES.items() if said == name), name)


Since = Annotated[
    str,
    Meta(max_length=200, description="A commit, tag, branch, HEAD~3, ISO time, '3 days ago', transaction or agent."),
]


@tool(
    Effect.READ,
    toolset="code",
    shape=DIFF_SHAPE,
    budgeted=True,
    dated=False,
    from_git=True,
    also="changes changed compare versions renamed moved breaking history commits",
)
def diff_since(
    engine: Engine,
    since: Since,
    until: Annotated[str, Meta(max_length=200, description="Likewise; by default, the files as they are.")] = "",
    types: Annotated[tuple[str, ...], Meta(description="Only these kinds: FILE, FUNCTION, CLASS …")] = (),
) -> DiffSince:
    """List symbols added, removed, renamed, moved and modified since a time; breaking changes first."""
    return diff(engine, DiffRequest(since, until, types), now())


@tool(
    Effect.READ,
    toolset="code",
    shape=LOG_SHAPE,
    budgeted=True,
    dated=False,
    also="audit trail log runs rebuilds edits GRAPH_TX activity",
)
def transactions(
    engine: Engine,
    since: Annotated[
        str, Meta(max_length=200, description="Only later ones: a time, commit, transaction or agent.")
    ] = "",
    until: Annotated[str, Meta(max_length=200, description="Only earlier ones, likewise.")] = "",
    agent: Annotated[str, Meta(max_length=200, description="Only those of this agent.")] = "",
    types: Annotated[
        tuple[str, ...],
        Meta(description="full_rebuild, incremental_rebuild, file_change, agent_edit, history_import, link."),
    ] = (),
    limit: Annotated[int, Meta(ge=1, le=1000, description="At most this many.")] = 20,
    as_of: Moment = "",
) -> TransactionLog:
    """List the runs that wrote to the graph, the newest first: type, agent, commit, files and duration."""
    return log(engine, LogRequest(since, until, agent, types, limit, as_of), now())


@tool(
    Effect.READ,
    toolset="code",
    shape=SEARCH_SHAPE,
    budgeted=True,
    dated=False,
    from_git=True,
    also="git commits log diff author who knows wrote when changed recent why regression blame expert",
)
def history_search(
    engine: Engine,
    query: Text,
    kind: Annotated[
        Literal["", "recent", "when", "who", "why"], Meta(description="What is asked; by default, as the words say.")
    ] = "",
    since: Annotated[str, Meta(max_length=200, description="Only commits after this time, commit or tag.")] = "",
    limit: Limit = 10,
    as_of: Moment = "",
) -> HistorySearch:
    """Ask git: recent changes to X, when X changed, why X is so, who knows X; commits with lines, authors."""
    tip = engine.past_states.commit_of(as_of)
    return search_history(engine, HistoryRequest(query, kind, since, limit, tip), now())


At = Annotated[str, Meta(max_length=200, description="Start at this commit, tag or branch; by default, HEAD.")]


@tool(
    Effect.READ,
    toolset="code",
    shape=HISTORY_SHAPE,
    budgeted=True,
    dated=False,
    from_git=True,
    also="log commits changes authors evolution when why introduced renamed moved regression",
)
def symbol_history(
    engine: Engine,
    element: ElementName,
    at: At = "",
    limit: Annotated[int, Meta(ge=1, le=10_000, description="At most this many changes.")] = 1000,
    formatting: Annotated[
        bool, Meta(description="In Python, too, list commits that changed only formatting or comments.")
    ] = False,
    as_of: Moment = "",
) -> SymbolHistory:
    """List the commits that changed a symbol, through renames and moves, with authors and memories."""
    return history(engine, element, Start.of(engine, at, as_of), limit, formatting=formatting)


@tool(
    Effect.READ,
    toolset="code",
    shape=BLAME_SHAPE,
    budgeted=True,
    dated=False,
    from_git=True,
    also="annotate author line who wrote praise",
)
def symbol_blame(engine: Engine, element: ElementName, at: At = "", as_of: Moment = "") -> SymbolBlame:
    """Show who wrote each line of a symbol, and why, through renames and moves."""
    return blame(engine, element, Start.of(engine, at, as_of))
