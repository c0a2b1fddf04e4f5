"""The past: what changed between two times, and how a symbol came to be as it is."""

from typing import Annotated, Literal

from msgspec import Meta

from clew.engine import Engine, now
from clew.tools.differences import DIFF_SHAPE, DiffRequest, DiffSince, diff
from clew.tools.lifelines import BLAME_SHAPE, HISTORY_SHAPE, SymbolBlame, SymbolHistory, blame, history
from clew.tools.params import ElementName, Limit, Text
from clew.tools.past_answers import SEARCH_SHAPE, HistorySearch, search_history
from clew.tools.registry import Effect, tool
from clew.tools.transactions import LOG_SHAPE, LogRequest, TransactionLog, log

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
) -> TransactionLog:
    """List the runs that wrote to the graph, the newest first: type, agent, commit, files and duration."""
    return log(engine, LogRequest(since, until, agent, types, limit), now())


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
) -> HistorySearch:
    """Ask git: recent changes to X, when X changed, why X is so, who knows X; commits with lines, authors."""
    return search_history(engine, query, kind, since, limit, now())


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
) -> SymbolHistory:
    """List the commits that changed a symbol, through renames and moves, with authors and memories."""
    return history(engine, element, at, limit, formatting=formatting)


@tool(
    Effect.READ,
    toolset="code",
    shape=BLAME_SHAPE,
    budgeted=True,
    dated=False,
    from_git=True,
    also="annotate author line who wrote praise",
)
def symbol_blame(engine: Engine, element: ElementName, at: At = "") -> SymbolBlame:
    """Show who wrote each line of a symbol, and why, through renames and moves."""
    return blame(engine, element, at)
