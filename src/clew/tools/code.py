"""The code graph: what a thing is and what it has to do with others, how the graph stands, and which one is meant."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, Struct, field, structs
from msgspec.structs import replace

from clew.engine import Engine
from clew.graph.elements import Element, Elements
from clew.graph.naming import MOST_NAMED
from clew.graph.parts import LogicalSymbol, Things
from clew.graph.possible_callers import add_possible_callers
from clew.graph.surroundings import Past, Relation, surroundings, touching_then
from clew.graph.view import graph_hash, period
from clew.index.rules import refuse_newer
from clew.index.watch_state import WatcherState, WatchEvent
from clew.languages import plugins
from clew.languages.plugins import profile_of
from clew.model.agents import Identity
from clew.model.code import split_id
from clew.model.errors import ClewError, NotFound
from clew.model.run import LINK, LINKING_CPU_MS, Mode
from clew.model.search import Coverage
from clew.model.time import NOW, AsOf
from clew.model.words import NAMELESS, EdgeKind, Kind
from clew.retrieve.source_cache import changed_to
from clew.runtime.clock import now
from clew.store.transactions import RUNNING, Transaction
from clew.text import notifications
from clew.text.made import is_made
from clew.tools.budget import Priority, Shape
from clew.tools.caller_hints import CallerHints, find_caller_hints, find_reads
from clew.tools.communities import COMMUNITIES_SHAPE, CommunityList, communities
from clew.tools.explanation import (
    EXPLAIN_SHAPE,
    Choices,
    CodeExplain,
    Seen,
    make_explanation,
    related_slices,
    to_choose,
)
from clew.tools.freshness import NOTHING_TO_TELL, UNLINKED, FreshnessState, begun_by, count_of, freshly, to_state
from clew.tools.hybrid import HYBRID_SHAPE, HybridQuery, HybridSearch, Ranked, Weights, rank_hits
from clew.tools.naming import elements_for_question, split_by_meaning, symbols_for_text, viewpoint
from clew.tools.neighborhood import (
    NEIGHBORHOOD_SHAPE,
    GraphNeighborhood,
    edges_in,
    kinds_in,
    make_neighborhood,
    prefixed_id,
)
from clew.tools.params import ElementName, Limit, Moment, Text, Types, Weight
from clew.tools.project_map import MAP_SHAPE, ProjectMap
from clew.tools.project_map import project_map as map_of
from clew.tools.querying import GRAPH_QUERY_SHAPE, GraphQuery, Language, QueryRows, Reading, found_in, rows_of
from clew.tools.registry import Effect, tool
from clew.tools.retrieval import OVER_FETCHED, Sought, find_missed
from clew.tools.service_nodes import (
    NodeTypes,
    is_service_node,
    order_by_score,
    search_service_nodes,
    separate_types,
    service_named,
    service_neighborhood,
    service_reach,
)
from clew.tools.unindexed_files import find_failed_files
from clew.workspaces import Workspaces

if TYPE_CHECKING:
    from clew.graph.neighborhood import Reach


class VectorState(Struct, frozen=True):
    """How many chunks have a vector by the configured model; what other models made is in the store too."""

    model: str
    chunks: int
    chunks_total: int


class GraphHealth(Struct, frozen=True, omit_defaults=True):
    """`status` is empty, indexing, incomplete (a run was cut short) or ready. Times are UTC microseconds.

    `failed` files could not be read, for their permissions or another error. `watcherState` is that of the process
    which watches the files, if one does; `pendingChanges` are changed files that it has not indexed yet.
    `linkingCpuSeconds` is the cost of the last linking run in the background.
    """

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
    watcher_state: WatcherState = field(name="watcherState")
    pending_changes: int = field(name="pendingChanges")
    graph_hash: str = ""
    recent_events: tuple[WatchEvent, ...] = field(default=(), name="recentEvents")
    watcher_problem: str = field(default="", name="watcherProblem")
    vectors: VectorState | None = None
    warnings: tuple[str, ...] = ()
    failed: int = 0
    failed_files: tuple[str, ...] = ()
    progress: str = ""
    linking_cpu_seconds: float = field(default=0.0, name="linkingCpuSeconds")
    freshness: FreshnessState = NOTHING_TO_TELL

    def summary(self) -> str:
        said = f"{self.status}: {self.files} of {self.files_seen} files indexed, {self.symbols} symbols"
        if self.failed:
            more = ", …" if self.failed > len(self.failed_files) else ""
            which = f" ({', '.join(self.failed_files)}{more})" if self.failed_files else ""
            said += f"; {count_of(self.failed, 'file', 'files')} could not be read{which}"
        if self.linking_cpu_seconds:
            said += f"; the last linking in the background took {self.linking_cpu_seconds:.1f} CPU-seconds"
        said = f"{said}; {UNLINKED}" if self.freshness.seen else f"{said}. {self.freshness.unseen()}".rstrip()
        return f"{said} {self.progress}".rstrip()


class WorkspaceChange(Struct, frozen=True):
    project: str
    root: str
    status: str

    def summary(self) -> str:
        return f"Calls on this connection now go to {self.root} ({self.status})."


class Rebuild(Struct, frozen=True):
    """The run's transaction will have `transaction_id`; `waits_for` is that of a run which is under way."""

    status: str
    transaction_id: str
    mode: str
    waits_for: str

    def summary(self) -> str:
        said = f"A run in {self.mode} mode is {self.status}, as transaction {self.transaction_id}."
        return f"{said} It waits for one that is under way." if self.waits_for else said


@tool(
    Effect.READ,
    shape=EXPLAIN_SHAPE,
    also="callers callees references usages dependents impact breaks tests definition meaning symbol",
)
def code_explain(engine: Engine, element: ElementName, as_of: Moment = "") -> CodeExplain | Choices:
    """Explain a symbol or file: what it is, what it needs, and who calls or uses it, with confidences."""
    at = viewpoint(engine, as_of)
    found, fresh = freshly(
        engine, lambda: _explain(engine, element, at), lambda one: one.quoted_files() if at == NOW else ()
    )
    return structs.replace(found, freshness=fresh)


def _explain(engine: Engine, element: str, at: AsOf) -> CodeExplain | Choices:
    elements = Elements(engine.files, at)
    found, others = _asked_for(engine, elements, element)
    if len(found) > 1:
        return to_choose(element, found)
    return _explain_symbol(engine, elements, found[0], others)


def _asked_for(engine: Engine, elements: Elements, text: str) -> tuple[list[LogicalSymbol], tuple[str, ...]]:
    """The named symbols, or the best answer to a question; and the ids of other candidates."""
    try:
        return split_by_meaning(elements, text, symbols_for_text(engine, elements, text))
    except NotFound:
        if len(text.split()) < 2 or not (answers := elements_for_question(engine, elements, text)):
            raise
        best, *others = Things(engine.nodes, engine.links, elements).each([one.id for one in answers])
        return [best], tuple(one.element.id for one in others)


def _explain_symbol(engine: Engine, elements: Elements, thing: LogicalSymbol, also: tuple[str, ...]) -> CodeExplain:
    element, ids = thing.element, elements.inside(*thing.roots)
    name = "" if element.kind in NAMELESS else element.name.rpartition(".")[2]
    if elements.at == NOW:
        from clew.graph.edges import Current, edges_around  # numpy is heavy, and most tools do not need it

        corpus = engine.corpus()
        found = add_possible_callers(Current(corpus), elements, thing.ids, edges_around(corpus, ids, name))
    else:
        was = touching_then(engine.files, engine.links, elements.at, ids, name)
        found = add_possible_callers(Past(engine.files, engine.links, elements.at), elements, thing.ids, was)
    around = surroundings(thing.roots, found)
    slices = related_slices(around, elements, lambda others: _scores(engine, elements, thing.ids, others))
    led_to = around.callers if element.kind in (Kind.FUNCTION, Kind.METHOD) else _uses(element, around.dependents)
    is_alone = elements.at == NOW and not (led_to or around.candidates or around.unresolved)
    hidden = find_caller_hints(engine, thing, name) if is_alone else CallerHints()
    if not is_alone and elements.at == NOW and element.kind in (Kind.BLOCK, Kind.VARIABLE):
        hidden = find_reads(engine, thing)  # of a setting, one resolved read says nothing about the others
    told = _read_source(engine, elements, element)
    declared = _declarations(engine, elements, element) if name and elements.at == NOW else ()
    return make_explanation(
        thing, around, structs.replace(told, declared=declared, also=also, slices=slices, unseen=hidden)
    )


def _uses(element: Element, dependents: Iterable[Relation]) -> list[Relation]:
    """Dependents without exports; for an exported variable, also without its own file and prose."""
    uses = [one for one in dependents if one.relation != EdgeKind.EXPORTS]
    if element.kind is not Kind.VARIABLE or not element.exported:
        return uses
    return [
        one for one in uses if one.path != element.path and one.relation not in (EdgeKind.MENTIONS, EdgeKind.DOCUMENTS)
    ]


def _declarations(engine: Engine, elements: Elements, element: Element) -> tuple[str, ...]:
    """Where else it is declared, where its language has that."""
    if not profile_of(element.language).side:
        return ()
    named = [one for one, _ in engine.nodes.find_named(element.name.rpartition(".")[2], MOST_NAMED)]
    found = [elements.describe(one) for one in elements.declarations(element.id, named)]
    return tuple(f"{one.path}:{one.first_line}" for one in found)


def _scores(engine: Engine, elements: Elements, ids: Sequence[str], others: Iterable[str]) -> dict[str, float]:
    """How much of a walk from an element ends at others; of the past, nobody knows."""
    if elements.at != NOW:
        return {}
    from clew.graph.walk_graph import Web, shares, walk  # as above

    web = Web(engine.corpus())
    return shares(web, walk(web, dict.fromkeys(ids, 1 / len(ids))), others)


def _read_source(engine: Engine, elements: Elements, element: Element) -> Seen:
    path, scope = split_id(element.id)
    page = elements.page(path)
    if page is None:
        return Seen()
    span = page.symbols[scope].span if scope else None
    whole = engine.files.text(page.version.text)
    source = whole[span.start : span.end] if span else b""
    known = engine.files.known_at(path) if elements.at == NOW else None
    now = changed_to(engine.place.root, path, known) if known else None
    text = source if now is None or source in now else b""  # what no longer stands in the file is not quoted
    return Seen(
        period(engine.files, engine.nodes, page, scope, elements.at),
        text.decode("utf-8", "replace"),
        now is not None,
        is_made(whole),
        bool(page.symbols),
    )


@tool(Effect.READ, shape=NEIGHBORHOOD_SHAPE, also="related near connected neighbors graph walk")
def query_graph_neighborhood(
    engine: Engine,
    node_id: ElementName,
    radius: Annotated[int, Meta(ge=0, le=20, description="Steps to go.")] = 2,
    undirected: Annotated[bool, Meta(description="Follow edges both ways, not only as they lead.")] = True,
    filter_node_types: Types = "",
    filter_edge_types: Types = "",
    max_nodes: Annotated[int, Meta(ge=1, le=1000, description="At most this many nodes.")] = 50,
) -> GraphNeighborhood | Choices:
    """Show what lies around a node of the graph: nearest first, then by PageRank, with the edges between."""
    from clew.graph.neighborhood import Reach  # numpy is heavy, and most tools do not need it

    if is_service_node(node_id):
        around = service_reach(radius, undirected, filter_node_types, filter_edge_types, max_nodes)
        seen, fresh = freshly(
            engine, lambda: service_neighborhood(engine, node_id, around), lambda one: one.quoted_files()
        )
        return structs.replace(seen, freshness=fresh)
    reach = Reach(radius, undirected, max_nodes, kinds_in(filter_node_types), edges_in(filter_edge_types))
    found, fresh = freshly(engine, lambda: _around(engine, node_id, reach), lambda one: one.quoted_files())
    return structs.replace(found, freshness=fresh)


def _around(engine: Engine, node_id: str, reach: "Reach") -> GraphNeighborhood | Choices:
    from clew.graph.neighborhood import neighborhood  # as above

    elements = Elements(engine.files)
    found, _ = _asked_for(engine, elements, node_id)
    if len(found) > 1:
        return to_choose(node_id, found)
    graph, thing = engine.graph(), found[0]
    if graph.find(thing.element.id) < 0:
        raise NotFound(f"{thing.element.id} is not in the graph yet", "Try again when the index run is over.")
    return make_neighborhood(neighborhood(graph, thing, reach), thing, elements)


@tool(Effect.READ, shape=GRAPH_QUERY_SHAPE, budgeted=True, also="nodes callers callees")
def graph_query(
    engine: Engine,
    query: Text,
    language: Annotated[Language, Meta(description="natural: words; cypher, sql: read-only queries.")] = "natural",
    mode: Annotated[Reading, Meta(description="local: single nodes; global: the main parts; hybrid: both.")] = "local",
    limit: Limit = 10,
    types: Annotated[tuple[str, ...], Meta(description="Only these kinds: FUNCTION, CLASS, FILE …")] = (),
    as_of: Moment = "",
) -> GraphQuery | QueryRows:
    """Ask the graph in plain words: callers of X, what implements X, path from A to B, or what fits."""
    from clew.tools.global_query import parts_of  # few questions need these
    from clew.tools.structural import answer_structural

    if language != "natural":
        then = engine.at(as_of)
        rows, fresh = freshly(then, lambda: rows_of(then, language, query, limit), lambda one: one.quoted_files())
        return structs.replace(rows, freshness=fresh)
    at, sought = viewpoint(engine, as_of), Sought(query, limit, kinds_in(",".join(types)))
    if mode == "global":
        then = engine.at(as_of)
        found, fresh = freshly(then, lambda: parts_of(then, query, limit), lambda one: one.quoted_files())
        return structs.replace(found, freshness=fresh)
    found, fresh = freshly(
        engine,
        lambda: answer_structural(engine, sought, at) or found_in(engine, sought, at),
        lambda one: one.quoted_files() if at == NOW else (),
    )
    if mode == "hybrid":
        whole = parts_of(engine.at(as_of), query, limit)
        return structs.replace(
            found, freshness=fresh, communities=whole.communities, warnings=(*found.warnings, *whole.warnings)
        )
    return structs.replace(found, freshness=fresh)


@tool(Effect.READ, shape=COMMUNITIES_SHAPE, also="parts modules clusters overview architecture structure main leiden")
def community_list(
    engine: Engine,
    level: Annotated[int, Meta(ge=-1, le=8, description="0: the main parts; 1: their parts; -1: all.")] = 0,
    file: Annotated[str, Meta(max_length=2000, description="Only the communities of this file.")] = "",
    limit: Annotated[int, Meta(ge=1, le=1000, description="At most this many.")] = 50,
) -> CommunityList:
    """List the communities of files that use each other most: label, size, central members, relations."""
    found, fresh = freshly(engine, lambda: communities(engine, level, file, limit), lambda one: one.quoted_files())
    return structs.replace(found, freshness=fresh)


@tool(Effect.READ, shape=HYBRID_SHAPE, budgeted=True, also="semantic vector similar meaning central important")
def hybrid_search(
    engine: Engine,
    query: Text,
    n_results: Limit = 10,
    node_types: Types = "",
    service_name: Annotated[str, Meta(max_length=200, description="Only what belongs to this service.")] = "",
    anchor_node_id: Annotated[
        str, Meta(max_length=2000, description="Prefer what is near this node of the graph; else what is central.")
    ] = "",
    semantic_weight: Annotated[
        Weight, Meta(description="Of the retrieval: words, names, paths, history, and vectors if a model is set.")
    ] = 0.6,
    graph_weight: Annotated[Weight, Meta(description="Of steps to the anchor, or of PageRank.")] = 0.4,
) -> HybridSearch | Choices:
    """Search the nodes of the graph by what they say and by where they stand in it."""
    types = separate_types(node_types)
    sought = Sought(query, n_results, kinds_in(types.code))
    wanted = HybridQuery(sought, anchor_node_id, Weights(semantic_weight, graph_weight))
    by_service = bool(types.service or service_name) or is_service_node(anchor_node_id)
    ask = (
        (lambda: _hybrid_of_services(engine, wanted, types, service_name))
        if by_service
        else (lambda: _hybrid(engine, wanted))
    )
    found, fresh = freshly(engine, ask, lambda one: one.quoted_files())
    return structs.replace(found, freshness=fresh)


def _hybrid_of_services(engine: Engine, wanted: HybridQuery, types: NodeTypes, name: str) -> HybridSearch | Choices:
    """Nodes of services, and the code of one service or of all, ranked together."""
    service = service_named(engine, name) if name else ""
    nodes = search_service_nodes(engine, wanted, types.service, service) if types.service or types.is_any else ()
    code: tuple[Ranked, ...] = ()
    total = len(nodes)
    if types.code or types.is_any:
        # Some more, since the code of other services is left out afterwards.
        more = replace(wanted.sought, limit=wanted.sought.limit * OVER_FETCHED) if service else wanted.sought
        plain = replace(wanted, sought=more, anchor="" if is_service_node(wanted.anchor) else wanted.anchor)
        found = _hybrid(engine, plain)
        if not isinstance(found, HybridSearch):
            return found
        owner = engine.services.current().owner
        code = tuple(one for one in found.results if not service or owner.get(one.file_path) == service)
        total += found.total_matches
    best = order_by_score((*nodes, *code))[: wanted.sought.limit]
    return HybridSearch(tuple(best), wanted.sought.text, wanted.anchor, total)


def _hybrid(engine: Engine, wanted: HybridQuery) -> HybridSearch | Choices:
    from clew.graph.nearness import central, near_to  # numpy is heavy, and most tools do not need it

    elements = Elements(engine.files)
    anchors = _asked_for(engine, elements, wanted.anchor)[0] if wanted.anchor else []
    if len(anchors) > 1:
        return to_choose(wanted.anchor, anchors)
    results = engine.search(wanted.sought.to_query())
    graph = engine.graph()
    if anchors and graph.find(anchors[0].element.id) < 0:
        raise NotFound(f"{anchors[0].element.id} is not in the graph yet", "Try again when the index run is over.")
    measure = near_to(graph, anchors[0]) if anchors else central(graph)
    return HybridSearch(
        results=rank_hits(wanted.sought.nodes(results.hits), measure, wanted, elements),
        query=wanted.sought.text,
        anchor_node_id="".join(prefixed_id(one.element.id, one.element.kind) for one in anchors),
        total_matches=results.total,
        missed=find_missed(engine, results),
        failed=results.failed,
    )


@tool(Effect.WRITE, also="reindex refresh update scan files changed")
def graph_rebuild(
    engine: Engine,
    who: Identity,
    mode: Annotated[Mode, Meta(description="full reads every file again, incremental what changed.")] = (
        Mode.INCREMENTAL
    ),
) -> Rebuild:
    """Queue an index run in a process of its own; the answer names its transaction."""
    refuse_newer(engine.checkouts.state(engine.where).rules)  # what a person may, by `clew rebuild`
    engine.be_writable()
    queued = engine.runs.queue(mode, who)
    return Rebuild("queued" if queued.new else "queued already", queued.transaction, mode, queued.waits_for)


MOST_FAILED = 5  # files that are named
MOST_SHOWN_EVENTS = 5

_HEALTH_SHAPE = Shape(
    {
        "nodes_by_kind": Priority.MEDIUM,
        "edges_by_kind": Priority.LOW,
        "warnings": Priority.MEDIUM,
        "recentEvents": Priority.LOW,
        "failed": Priority.HIGH,
        "failed_files": Priority.MEDIUM,
        **dict.fromkeys(("project", "latest_tx_id", "latest_tx_timestamp", "tx_count"), Priority.HIGH),
    }
)


@tool(Effect.READ, shape=_HEALTH_SHAPE, also="status state progress size")
def graph_health(
    engine: Engine,
    with_hash: Annotated[bool, Meta(description="Also give the graph's SHA-256; reads all of it.")] = False,
) -> GraphHealth:
    """Say whether the index is ready, how much it holds, and what the last transaction did."""
    from clew.graph import edges as graph_edges  # numpy is heavy, and most tools do not need it

    fresh = engine.refresh(patient=with_hash)
    if with_hash and engine.catch_up():
        fresh = replace(fresh, linking=False)
    edges = graph_edges.counts(engine.corpus())
    nodes = engine.nodes.counts()
    coverage = engine.coverage()
    latest = next(iter(engine.transactions.latest(1)), None)
    linking = next(iter(engine.transactions.of_type(LINK, 1)), None)
    vectors, problems = _vectors(engine)
    watched = engine.watch_status()
    return GraphHealth(
        status=_status(engine),
        project=engine.project_id,
        files=coverage.indexed,
        files_seen=coverage.seen,
        failed=len(failed := find_failed_files(engine)),
        failed_files=failed[:MOST_FAILED],
        progress=_first_index(coverage, latest),
        linking_cpu_seconds=linking.counts.get(LINKING_CPU_MS, 0) / 1000 if linking else 0.0,
        symbols=sum(nodes.values()),
        edges=sum(edges.values()),
        latest_tx_id=latest.id if latest else "",
        latest_tx_timestamp=latest.started_at if latest else 0,
        latest_tx_status=_final_status(engine, latest.status) if latest else "",
        tx_count=engine.transactions.count(),
        nodes_by_kind=nodes,
        edges_by_kind=edges,
        watcher_state=watched.state,
        pending_changes=watched.pending,
        recent_events=watched.events[-MOST_SHOWN_EVENTS:],
        watcher_problem=watched.reason and f"polling: {watched.reason}",
        graph_hash=graph_hash(engine.db, engine.where) if with_hash else "",
        vectors=vectors,
        warnings=(*plugins.warnings(plugins.offered_languages()), *problems),
        freshness=to_state(fresh, 0, begun_by(engine, fresh)),
    )


def _first_index(coverage: Coverage, latest: Transaction | None) -> str:
    """How far the first index is, while it is made; empty otherwise."""
    done, total = coverage.indexed, coverage.seen
    if not (coverage.partial and latest) or done >= total:
        return ""
    left = notifications.seconds_left(done, total, (now() - latest.started_at) / 1_000_000)
    told = notifications.advances(done, total, left)
    return f"{told} {notifications.usable(done)}" if done >= notifications.USABLE_FILES else told


def _final_status(engine: Engine, status: str) -> str:
    """How a run ended; one that was killed has not said so, and the next one will."""
    return "interrupted" if status == RUNNING and not engine.coverage().indexing else status


def _vectors(engine: Engine) -> tuple[VectorState | None, tuple[str, ...]]:
    """The state of the vectors, and the embedder's error if there is one."""
    try:
        meaning = engine.meaning
    except ClewError as problem:
        return None, (f"{problem.code}: {problem.message}. {problem.hint}",)
    if meaning is None or meaning.semantic.is_quick:  # nobody makes such vectors in advance
        return None, ()
    filled = meaning.state()
    return VectorState(meaning.model, filled.chunks, filled.total), ()


@tool(Effect.READ, connection=True, also="switch change open repository folder directory")
def graph_set_workspace(
    workspaces: Workspaces,
    workspace_root: Annotated[str, Meta(min_length=1, description="Directory of the project.")],
) -> WorkspaceChange:
    """Make another project the default of this connection."""
    engine = workspaces.select(workspace_root)
    return WorkspaceChange(engine.project_id, str(engine.place.root), _status(engine))


def _status(engine: Engine) -> str:
    coverage = engine.coverage()
    if coverage.indexing:
        return "indexing"
    if not coverage.indexed:
        return "empty"
    state = engine.checkouts.state(engine.where)
    return "ready" if state.linked else "linking" if state.behind else "incomplete"


@tool(
    Effect.READ, shape=MAP_SHAPE, budgeted=True, also="overview map summary onboarding start entry points orientation"
)
def project_map(engine: Engine) -> ProjectMap:
    """Show the repository on one page: parts, entry points, central code, hotspots, where to start."""
    found, fresh = freshly(engine, lambda: map_of(engine), lambda one: one.quoted_files())
    return structs.replace(found, freshness=fresh)
