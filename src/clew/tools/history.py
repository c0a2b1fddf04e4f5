"""The past: what changed between two times, and how a symbol came to be as it is."""

from typing import Annotated

from msgspec import Meta

from clew.engine import Engine, now
from clew.tools.differences import DIFF_SHAPE, DiffRequest, DiffSince, diff
from clew.tools.registry import Effect, tool

Since = Annotated[
    str,
    Meta(max_length=200, description="A commit, tag, branch, HEAD~3, ISO time, '3 days ago', transaction or agent."),
]


@tool(
    Effect.READ,
    toolset="code",
    shape=DIFF_SHAPE,
    budgeted=True,
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
