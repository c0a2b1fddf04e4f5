"""The code graph: how it stands, and which project is meant."""

from typing import Annotated

from msgspec import Meta, Struct

from clew.engine import Engine, Workspaces
from clew.runtime import paths
from clew.tools.budget import Priority, Shape
from clew.tools.registry import Effect, tool


class GraphHealth(Struct, frozen=True):
    """`status` is empty, indexing, incomplete (a run was cut short) or ready. Times are UTC microseconds."""

    status: str
    project: str
    files: int
    files_seen: int
    symbols: int
    edges: int
    latest_tx_id: str
    latest_tx_timestamp: int
    latest_tx_status: str
    tx_count: int
    nodes_by_kind: dict[str, int]
    edges_by_kind: dict[str, int]

    def summary(self) -> str:
        return f"{self.status}: {self.files} of {self.files_seen} files indexed, {self.symbols} symbols."


class Workspace(Struct, frozen=True):
    project: str
    root: str
    status: str

    def summary(self) -> str:
        return f"Calls on this connection now go to {self.root} ({self.status})."


@tool(Effect.READ, shape=Shape({"nodes_by_kind": Priority.MEDIUM, "edges_by_kind": Priority.LOW}))
def graph_health(engine: Engine) -> GraphHealth:
    """Say whether the index is ready, how much it holds, and what the last transaction did."""
    from clew.graph import edges as graph_edges  # numpy is heavy, and most tools do not need it

    nodes, edges = engine.nodes.counts(), graph_edges.counts(engine.corpus())
    coverage = engine.coverage()
    latest = next(iter(engine.transactions.latest(1)), None)
    return GraphHealth(
        status=_status(engine),
        project=engine.project_id,
        files=coverage.indexed,
        files_seen=coverage.seen,
        symbols=sum(nodes.values()),
        edges=sum(edges.values()),
        latest_tx_id=latest.id if latest else "",
        latest_tx_timestamp=latest.started_at if latest else 0,
        latest_tx_status=latest.status if latest else "",
        tx_count=engine.transactions.count(),
        nodes_by_kind=nodes,
        edges_by_kind=edges,
    )


@tool(Effect.READ, connection=True)
def graph_set_workspace(
    workspaces: Workspaces,
    workspace_root: Annotated[str, Meta(min_length=1, description="Directory of the project.")],
) -> Workspace:
    """Make another project the default of this connection."""
    engine = workspaces.select(paths.named(workspace_root))
    return Workspace(engine.project_id, str(engine.place.root), _status(engine))


def _status(engine: Engine) -> str:
    coverage = engine.coverage()
    if coverage.indexing:
        return "indexing"
    if not coverage.indexed:
        return "empty"
    return "ready" if engine.checkouts.state(engine.where).linked else "incomplete"
