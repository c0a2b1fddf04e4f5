"""The service graph: which services there are, how they talk, and what a change of one means for the others."""

import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar, get_args

from msgspec import Meta, Struct, structs

from clew.engine import Engine, now
from clew.model.errors import InvalidInput, NotFound, Unavailable
from clew.model.services import Sighting
from clew.services.answers import (
    Boundaries,
    BuilderContext,
    CrossServiceImpact,
    EventCheck,
    ReviewedViolation,
    ServiceView,
    Violation,
)
from clew.services.breaking import ServiceChange
from clew.text.escaping import line as in_line
from clew.tools.budget import Priority, Shape, grow_lists, only
from clew.tools.freshness import NOTHING_TO_TELL, FreshnessState, count_of, freshly
from clew.tools.registry import Effect, tool

if TYPE_CHECKING:
    from clew.services.reader import Owned, ServiceReader

ServiceName = Annotated[str, Meta(max_length=500, description="A service, by its name or another that it goes by.")]
EdgeName = Literal[
    "http", "grpc", "graphql", "event", "import", "database", "messaging", "discovery", "configuration", "monitoring",
    "identity", "network",
]  # fmt: skip
EDGE_KINDS = get_args(EdgeName)
Kinds = Annotated[tuple[EdgeName, ...], Meta(max_length=20, description="Only these kinds.")]
A = TypeVar("A", bound=Struct)


class ListedService(Struct, frozen=True, omit_defaults=True):
    """`path` is the folder of its source; empty for what only runs as an image."""

    name: str
    path: str
    stack: tuple[str, ...]
    evidence: Sighting
    role: str
    description: str = ""
    aliases: tuple[str, ...] = ()
    ports: tuple[int, ...] = ()
    endpoints: int = 0
    confidence: float = 1.0


class ServiceList(Struct, frozen=True, omit_defaults=True):
    services: tuple[ListedService, ...]
    problems: tuple[str, ...] = ()
    freshness: FreshnessState = NOTHING_TO_TELL

    def summary(self) -> str:
        if not self.services:
            advice = "Name them in context.toml under [services] folders."
            return " ".join(["No services were found.", advice, *self.problems, self.freshness.unseen()]).rstrip()
        own = sum(1 for one in self.services if one.path)
        said = f"{count_of(len(self.services), 'service', 'services')}, {own} with source here."
        return " ".join([said, *self.problems, self.freshness.unseen()]).rstrip()

    def quoted_files(self) -> Iterable[str]:
        """Files that the answer tells lines of."""
        return {one.evidence.path for one in self.services}


class ListedEdge(Struct, frozen=True, omit_defaults=True):
    """`source` uses `target`; of an event, it publishes what the target consumes."""

    source: str
    target: str
    kind: str
    label: str
    evidence: Sighting
    confidence: float
    endpoint: str = ""


class ServiceEdges(Struct, frozen=True, omit_defaults=True):
    """`unresolved` counts requests and events whose address or name is not known: each may be a missing edge."""

    edges: tuple[ListedEdge, ...]
    unresolved: int = 0
    freshness: FreshnessState = NOTHING_TO_TELL

    def summary(self) -> str:
        kinds = sorted({one.kind for one in self.edges})
        said = f"{count_of(len(self.edges), 'connection', 'connections')} between services" + (
            f" ({', '.join(kinds)})." if kinds else "."
        )
        unresolved = (
            f" The target of {count_of(self.unresolved, 'request or event', 'requests or events')} is not known."
            if self.unresolved
            else ""
        )
        return f"{said}{unresolved} {self.freshness.unseen()}".rstrip()

    def quoted_files(self) -> Iterable[str]:
        """Files that the answer tells lines of."""
        return {one.evidence.path for one in self.edges}


class ServiceContext(ServiceView, frozen=True, omit_defaults=True):
    """What a builder of a service must know of the others. `indirect` are services that it depends on further away."""

    context_text: str = ""
    freshness: FreshnessState = NOTHING_TO_TELL

    def summary(self) -> str:
        parts = (
            count_of(len(self.provided_endpoints), "endpoint", "endpoints"),
            f"calls {count_of(len(self.consumed_endpoints), 'endpoint', 'endpoints')} of others",
            f"depends on {', '.join(self.depends_on) or 'nothing'}",
            f"used by {', '.join(self.depended_on_by) or 'nobody'}",
        )
        return f"{self.service_name}: {'; '.join(parts)}. {self.freshness.unseen()}".rstrip()


class ServiceEventCheck(EventCheck, frozen=True, omit_defaults=True):
    """`orphaned_events` are published and never consumed, `unmatched_consumers` the other way round.
    `dead_contracts` are declared by services that nobody is known to call."""

    dead_contracts: tuple[str, ...] = ()
    unresolved: int = 0
    freshness: FreshnessState = NOTHING_TO_TELL

    def summary(self) -> str:
        if not self.total_events:
            return f"No events are published or consumed. {self.freshness.unseen()}".rstrip()
        matched, orphaned, unmatched = map(len, (self.matched_events, self.orphaned_events, self.unmatched_consumers))
        lacking = f"{orphaned} without a consumer, {unmatched} without a publisher"
        events = count_of(self.total_events, "event", "events")
        return f"{events}: {matched} matched, {lacking}. {self.freshness.unseen()}".rstrip()


class CrossServiceImpactAnswer(CrossServiceImpact, frozen=True, omit_defaults=True):
    """`impact_paths` lead from the node to the service. More than 10 impacted nodes raise a fix's priority by one."""

    raises_priority: bool = False
    freshness: FreshnessState = NOTHING_TO_TELL

    def summary(self) -> str:
        names = ", ".join(one.service_name for one in self.impacted_services) or "no other service"
        place = f"{self.source_node} ({self.source_service or 'of no service'})"
        nodes = count_of(self.total_impacted_nodes, "node", "nodes")
        return f"A change of {place} affects {names}; {nodes} in all. {self.freshness.unseen()}".rstrip()


class ServiceBoundaries(Boundaries, frozen=True, omit_defaults=True):
    """Communities are found by what files use of each other (Leiden, fixed seed). `isolated_files` use nothing here."""

    freshness: FreshnessState = NOTHING_TO_TELL

    def summary(self) -> str:
        services = count_of(self.services_declared, "service", "services")
        communities = count_of(self.communities_detected, "community", "communities")
        aligned = f"{self.alignment_score:.0%} of files are in the service that they are connected with"
        misplaced = f"{len(self.misplaced_files)} are not"
        return f"{services} and {communities} of files; {aligned}, {misplaced}. {self.freshness.unseen()}".rstrip()


class ServiceChanges(Struct, frozen=True, omit_defaults=True):
    """Breaking changes first. `breaks` names the services that use what is gone."""

    changes: tuple[ServiceChange, ...]
    breaking: int
    since: str = ""
    until: str = ""
    freshness: FreshnessState = NOTHING_TO_TELL

    def summary(self) -> str:
        said = count_of(len(self.changes), "change", "changes")
        broken = sorted({name for one in self.changes if one.breaking for name in one.breaks})
        breaks = f" They break {', '.join(broken)}." if broken else ""
        return f"{said} between services, {self.breaking} breaking.{breaks} {self.freshness.unseen()}".rstrip()


class KnowledgeGraphBuild(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """`errors` names the inputs and files that could not be read: the rest counts. `from_snapshot` if nothing was built
    anew."""

    success: bool
    node_count: int
    edge_count: int
    node_types: dict[str, int]
    edge_types: dict[str, int]
    community_count: int
    build_time_ms: int
    services_indexed: tuple[str, ...]
    errors: tuple[str, ...]
    built_at: int = 0
    from_snapshot: bool = False

    def summary(self) -> str:
        services = count_of(len(self.services_indexed), "service", "services")
        communities = count_of(self.community_count, "community", "communities")
        before = " Built in the last 300 seconds." if self.from_snapshot else ""
        counts = (
            f"{self.node_count} nodes, {self.edge_count} edges, {services}, {communities}; {self.build_time_ms} ms."
        )
        return " ".join([f"{counts}{before}", *self.errors])


class BuilderContexts(Struct, frozen=True, omit_defaults=True):
    """One context for each service, for the configuration of its builder."""

    contexts: tuple[BuilderContext, ...]
    problems: tuple[str, ...] = ()
    freshness: FreshnessState = NOTHING_TO_TELL

    def summary(self) -> str:
        names = ", ".join(one.service_name for one in self.contexts) or "no service"
        return " ".join([f"Context for {names}.", *self.problems, self.freshness.unseen()]).rstrip()


class ViolationReview(Struct, frozen=True, omit_defaults=True):
    """The violations in their order; `left` counts those that are not suppressed."""

    reviewed: tuple[ReviewedViolation, ...]
    left: int
    freshness: FreshnessState = NOTHING_TO_TELL

    def summary(self) -> str:
        raised = sum(1 for one in self.reviewed if one.raised)
        counts = f"{self.left} left, {len(self.reviewed) - self.left} suppressed, {raised} of higher priority"
        return (
            f"{count_of(len(self.reviewed), 'violation', 'violations')}: {counts}. {self.freshness.unseen()}".rstrip()
        )


BUILDERS_SHAPE = Shape(
    {"problems": Priority.HIGH, "freshness": Priority.LOW},
    grow_lists("contexts", forms={"contexts": (only("service_name", "path", "depends_on", "depended_on_by"),)}),
    pages=("contexts",),
)
REVIEW_SHAPE = Shape(
    {"freshness": Priority.LOW},
    grow_lists("reviewed", forms={"reviewed": (only("violation", "suppressed", "reason", "priority"),)}),
    pages=("reviewed",),
)
BUILD_SHAPE = Shape(
    {
        "errors": Priority.HIGH,
        "node_types": Priority.MEDIUM,
        "edge_types": Priority.MEDIUM,
        "services_indexed": Priority.LOW,
        "built_at": Priority.LOW,
    }
)
CHANGES_SHAPE = Shape(
    {"since": Priority.LOW, "until": Priority.LOW, "freshness": Priority.LOW},
    grow_lists("changes", forms={"changes": (only("kind", "service", "subject", "breaking", "breaks"),)}),
    pages=("changes",),
)
LIST_SHAPE = Shape(
    {"problems": Priority.HIGH, "freshness": Priority.LOW},
    grow_lists("services", forms={"services": (only("name", "path", "role"),)}),
    pages=("services",),
)
EDGES_SHAPE = Shape(
    {"unresolved": Priority.HIGH, "freshness": Priority.LOW},
    grow_lists("edges", forms={"edges": (only("source", "target", "kind", "label"),)}),
    pages=("edges",),
)
CONTEXT_SHAPE = Shape(
    {
        "provided_endpoints": Priority.MEDIUM,
        "events_published": Priority.MEDIUM,
        "events_consumed": Priority.MEDIUM,
        "owned_entities": Priority.LOW,
        "referenced_entities": Priority.MEDIUM,
        "consumed_endpoints": Priority.HIGH,
        "context_text": Priority.HIGH,
        "indirect": Priority.LOW,
        "freshness": Priority.LOW,
    }
)
EVENTS_SHAPE = Shape(
    {"dead_contracts": Priority.MEDIUM, "freshness": Priority.LOW},
    grow_lists("orphaned_events", "unmatched_consumers", "matched_events"),
    pages=("orphaned_events", "unmatched_consumers", "matched_events"),
    in_sequence=True,
)
IMPACT_SHAPE = Shape(
    {"freshness": Priority.LOW},
    grow_lists(
        "impacted_services",
        "impacted_contracts",
        "impacted_entities",
        forms={"impacted_services": (only("service_name", "impact_count"),)},
    ),
    pages=("impacted_services", "impacted_contracts", "impacted_entities"),
    in_sequence=True,
)
_BOUNDARIES = ("misplaced_files", "service_coupling", "isolated_files")
BOUNDARIES_SHAPE = Shape({"freshness": Priority.LOW}, grow_lists(*_BOUNDARIES), pages=_BOUNDARIES, in_sequence=True)


@tool(
    Effect.READ,
    shape=LIST_SHAPE,
    budgeted=True,
    also="microservices system map components deployments containers topology",
)
def service_list(
    engine: Engine,
    role: Annotated[str, Meta(max_length=50, description="Only this role: service, database, broker, gateway …")] = "",
) -> ServiceList:
    """List the services of the project, found in deployments, manifests and code, each with its place."""
    return _fresh(engine, lambda: _list_names(engine, role))


def _list_names(engine: Engine, role: str) -> ServiceList:
    system = _current_system(engine).system
    counts: dict[str, int] = {}
    for one in system.endpoints:
        counts[one.service] = counts.get(one.service, 0) + 1
    rows = [
        ListedService(
            one.name,
            one.path,
            one.stack,
            one.evidence,
            one.role,
            one.description,
            one.aliases,
            one.ports,
            counts.get(one.name, 0),
            one.confidence,
        )
        for one in system.services
        if not role or one.role == role
    ]
    return ServiceList(tuple(rows), system.problems)


@tool(
    Effect.READ,
    shape=EDGES_SHAPE,
    budgeted=True,
    also="rpc grpc kafka topics http requests microservices dataflow",
)
def service_edges(engine: Engine, service_name: ServiceName = "", kinds: Kinds = ()) -> ServiceEdges:
    """List how services talk: HTTP, gRPC, events, databases, each with the line that shows it."""
    return _fresh(engine, lambda: _edges(engine, service_name, kinds))


def _edges(engine: Engine, service_name: str, kinds: tuple[str, ...]) -> ServiceEdges:
    system = _current_system(engine).system
    name = _find_service_name(engine, service_name) if service_name else ""
    rows = [
        ListedEdge(one.source, one.target, one.kind, one.label, one.evidence, one.confidence, one.endpoint)
        for one in system.edges
        if (not name or name in (one.source, one.target)) and (not kinds or one.kind in kinds)
    ]
    return ServiceEdges(tuple(rows), system.unresolved)


@tool(Effect.READ, shape=CONTEXT_SHAPE, budgeted=True, also="service interface api builder brief contract endpoints")
def get_service_context(
    engine: Engine,
    service_name: ServiceName,
    include_consumed_apis: Annotated[bool, Meta(description="APIs that it calls.")] = True,
    include_provided_apis: Annotated[bool, Meta(description="APIs that it offers.")] = True,
    include_events: Annotated[bool, Meta(description="Events that it publishes and consumes.")] = True,
    include_entities: Annotated[bool, Meta(description="Entities that it owns and references.")] = True,
    include_dependencies: Annotated[bool, Meta(description="Services on either side of it.")] = True,
    max_depth: Annotated[int, Meta(ge=1, le=10, description="Steps of indirect dependencies.")] = 2,
    context_tokens: Annotated[int, Meta(ge=100, le=100_000, description="Budget of `context_text`.")] = 2000,
) -> ServiceContext:
    """Brief the builder of a service: endpoints it offers and consumes, events, entities, dependencies."""
    include = (include_consumed_apis, include_provided_apis, include_events, include_entities, include_dependencies)
    return _fresh(engine, lambda: _context(engine, service_name, include, max_depth, context_tokens))


def _context(engine: Engine, service_name: str, include: tuple[bool, ...], depth: int, tokens: int) -> ServiceContext:
    from clew.services.context_block import context_text
    from clew.services.questions import view

    consumed, provided, events, entities, dependencies = include
    shown = view(_current_system(engine).system, _find_service_name(engine, service_name), depth)
    shown = structs.replace(
        shown,
        provided_endpoints=shown.provided_endpoints if provided else (),
        consumed_endpoints=shown.consumed_endpoints if consumed else (),
        events_published=shown.events_published if events else (),
        events_consumed=shown.events_consumed if events else (),
        owned_entities=shown.owned_entities if entities else (),
        referenced_entities=shown.referenced_entities if entities else (),
        depends_on=shown.depends_on if dependencies else (),
        depended_on_by=shown.depended_on_by if dependencies else (),
        indirect=shown.indirect if dependencies else (),
    )
    text = context_text(shown, tokens, in_line)  # it has the notes
    return ServiceContext(**structs.asdict(structs.replace(shown, notes=())), context_text=text)


@tool(Effect.READ, shape=BUILDERS_SHAPE, budgeted=True, also="agents.md claude.md instructions builders pipeline")
def get_builder_contexts(
    engine: Engine,
    service_names: Annotated[tuple[ServiceName, ...], Meta(max_length=1000, description="None: all with source.")] = (),
    context_tokens: Annotated[int, Meta(ge=100, le=100_000, description="Budget of each context.")] = 2000,
) -> BuilderContexts:
    """Give each service's builder its context: for a configuration, CLAUDE.md or AGENTS.md."""
    return _fresh(engine, lambda: _builders(engine, service_names, context_tokens))


def _builders(engine: Engine, wanted: tuple[str, ...], tokens: int) -> BuilderContexts:
    from clew.services.context_block import builder_context

    system = _current_system(engine).system
    names = [_find_service_name(engine, one) for one in wanted] or [one.name for one in system.services if one.path]
    return BuilderContexts(tuple(builder_context(system, one, tokens, in_line) for one in names), system.problems)


@tool(
    Effect.READ,
    shape=REVIEW_SHAPE,
    budgeted=True,
    also="false positives dead handlers suppress severity fix quality gate",
)
def review_violations(
    engine: Engine,
    violations: Annotated[
        tuple[Violation, ...],
        Meta(max_length=5000, description="Findings with code, file_path, event_name, contract_id, priority …"),
    ],
    max_depth: Annotated[int, Meta(ge=1, le=10, description="Steps through code.")] = 3,
) -> ViolationReview:
    """Check findings of dead events and contracts against other services, and rank all by reach."""
    return _fresh(engine, lambda: _review_violations(engine, violations, max_depth))


def _review_violations(engine: Engine, violations: tuple[Violation, ...], depth: int) -> ViolationReview:
    from clew.services.context_block import review
    from clew.services.questions import impact

    graph = engine.service_graph()
    known: dict[str, CrossServiceImpact | None] = {}

    def impact_of(path: str) -> CrossServiceImpact | None:
        if path not in known:
            node = graph.find(path)
            known[path] = impact(graph, node.id, node.service_name, depth, engine.services.lines) if node else None
        return known[path]

    found = tuple(review(graph, violations, impact_of))
    return ViolationReview(found, sum(1 for one in found if not one.suppressed))


@tool(Effect.READ, shape=IMPACT_SHAPE, budgeted=True, also="blast radius other services consumers contracts break")
def find_cross_service_impact(
    engine: Engine,
    node_id: Annotated[
        str, Meta(max_length=2000, description="A file, symbol, endpoint, event, entity or service, by id.")
    ],
    max_depth: Annotated[int, Meta(ge=1, le=10, description="Steps through code.")] = 3,
) -> CrossServiceImpactAnswer:
    """Show what a change of a file, symbol, endpoint or event means for other services, and why."""
    return _fresh(engine, lambda: _impact(engine, node_id, max_depth))


def _impact(engine: Engine, node_id: str, depth: int) -> CrossServiceImpactAnswer:
    from clew.services.questions import impact

    if not node_id.strip():
        raise InvalidInput("node_id is empty", "Give an id such as src/pay.py::charge or event::order.created.")
    graph = engine.service_graph()
    node = graph.find(node_id)
    if node is None:
        raise NotFound(
            f"{node_id} is not in the service graph",
            "Give an id such as src/pay.py::charge, endpoint::orders::GET::/orders or event::order.created.",
        )
    service = node.service_name or next(
        (use.service for use in graph.system.events if use.publishes and f"event::{use.event}" == node.id), ""
    )
    found = impact(graph, node.id, service, depth, engine.services.lines)
    raises = found.total_impacted_nodes > 10
    return CrossServiceImpactAnswer(**structs.asdict(found), raises_priority=raises)


@tool(
    Effect.READ,
    shape=BOUNDARIES_SHAPE,
    budgeted=True,
    also="architecture coupling misplaced cohesion communities modules",
)
def validate_service_boundaries(
    engine: Engine,
    resolution: Annotated[float, Meta(gt=0, le=10, description="Below 1: larger communities; above: smaller.")] = 1.0,
) -> ServiceBoundaries:
    """Check whether files stand in the service that they are connected with, and how services are coupled."""
    return _fresh(engine, lambda: _boundaries(engine, resolution))


def _boundaries(engine: Engine, resolution: float) -> ServiceBoundaries:
    from clew.services.questions import boundaries

    found = boundaries(engine.service_graph(), resolution)
    return ServiceBoundaries(**structs.asdict(found))


@tool(
    Effect.READ,
    shape=EVENTS_SHAPE,
    budgeted=True,
    also="dead events handlers topics queues publishers consumers orphaned",
)
def check_cross_service_events(engine: Engine, service_name: ServiceName = "") -> ServiceEventCheck:
    """Check that every published event has a consumer, and every consumed one a publisher."""
    return _fresh(engine, lambda: _events(engine, service_name))


def _events(engine: Engine, service_name: str) -> ServiceEventCheck:
    from clew.services.questions import check_events, dead_contracts

    system = _current_system(engine).system
    found = check_events(system, _find_service_name(engine, service_name) if service_name else "")
    return ServiceEventCheck(
        **structs.asdict(found), dead_contracts=dead_contracts(system), unresolved=system.unresolved
    )


@tool(
    Effect.READ,
    shape=CHANGES_SHAPE,
    budgeted=True,
    dated=False,
    also="breaking api contract compatibility diff removed",
)
def service_changes(
    engine: Engine,
    since: Annotated[str, Meta(max_length=200, description="A commit, tag, branch, HEAD~3 or ISO time.")],
    until: Annotated[str, Meta(max_length=200, description="Likewise; by default, the files as they are.")] = "",
) -> ServiceChanges:
    """List what changed in endpoints, fields, events and services, and which consumers break."""
    return _fresh(engine, lambda: _changes(engine, since, until))


def _changes(engine: Engine, since: str, until: str) -> ServiceChanges:
    from clew.services.breaking import changes

    if not since.strip():
        raise InvalidInput("since is empty", "Name a commit, tag, branch or time.")
    old = engine.at(since)
    new = engine.at(until) if until else engine
    found = changes(_current_system(old).system, _current_system(new).system)
    return ServiceChanges(tuple(found), sum(1 for one in found if one.breaking), old.as_of, new.as_of)


SuppliedJson = Annotated[str, Meta(max_length=20_000_000)]


@tool(
    Effect.READ,
    shape=BUILD_SHAPE,
    writes_if="service_interfaces_json service_map_json domain_model_json contracts_json",
    also="rebuild service graph statistics nodes edges",
)
def build_knowledge_graph(
    engine: Engine,
    project_name: Annotated[
        str, Meta(max_length=200, description="Accepted for compatibility; the project is the one that is asked.")
    ] = "",
    force_rebuild: Annotated[
        bool, Meta(description="False: counts of a build in the last 300 seconds are answered as they were.")
    ] = True,
    service_interfaces_json: Annotated[
        SuppliedJson, Meta(description="Interfaces by service, as JSON; kept until replaced, {} removes them.")
    ] = "",
    service_map_json: Annotated[SuppliedJson, Meta(description="Services, likewise.")] = "",
    domain_model_json: Annotated[SuppliedJson, Meta(description="Entities and relationships, likewise.")] = "",
    contracts_json: Annotated[SuppliedJson, Meta(description="Contracts with their specifications, likewise.")] = "",
) -> KnowledgeGraphBuild:
    """Build the service graph and count its nodes and edges; it also keeps itself up to date without this."""
    from clew.services.builds import GraphBuild

    given = {
        "service_interfaces_json": service_interfaces_json,
        "service_map_json": service_map_json,
        "domain_model_json": domain_model_json,
        "contracts_json": contracts_json,
    }
    supplied = {name: text for name, text in given.items() if text.strip()}
    reader = _reader(engine)
    builds = reader.builds
    if not force_rebuild and not supplied and (kept := builds.recent(now())) is not None:
        return KnowledgeGraphBuild(success=True, from_snapshot=True, **structs.asdict(kept))
    began = time.perf_counter()
    engine.refresh()
    engine.require_index()
    if supplied:
        engine.be_writable()
        engine.place.prepare_home()
        reader.supplied.replace(supplied)
    reader.forget()
    graph = engine.service_graph()
    nodes, edges = graph.counts()
    build = GraphBuild(
        sum(nodes.values()),
        sum(edges.values()),
        nodes,
        edges,
        len(set(graph.communities().values())),
        int((time.perf_counter() - began) * 1000),
        tuple(one.name for one in graph.system.services),
        graph.system.problems,
        now(),
    )
    builds.keep(build)
    return KnowledgeGraphBuild(success=True, **structs.asdict(build))


# Access


def _fresh(engine: Engine, ask: Callable[[], A]) -> A:
    engine.require_index()
    found, fresh = freshly(
        engine, ask, lambda one: one.quoted_files() if isinstance(one, (ServiceList, ServiceEdges)) else ()
    )
    return structs.replace(found, freshness=fresh)


def _reader(engine: Engine) -> "ServiceReader":
    if not engine.config.services.enabled:
        raise Unavailable("the service graph is switched off", "Set enabled to true under [services].")
    return engine.services


def _current_system(engine: Engine) -> "Owned":
    return _reader(engine).current()


def _find_service_name(engine: Engine, name: str) -> str:
    from difflib import get_close_matches

    from clew.services.knowledge_graph import by_name

    services = _current_system(engine).system.services
    if not name.strip():
        raise InvalidInput("service_name is empty", "service_list lists the services.")
    found = by_name(services, name)
    if found is None:
        near = get_close_matches(name, [one.name for one in services], n=3)
        hint = f"Did you mean {', '.join(near)}?" if near else "service_list lists the services."
        raise NotFound(f"there is no service {name!r}", hint)
    return found.name
