"""Questions about a system: what a service offers and needs, what a change reaches, whether events and boundaries fit."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from clew.model.code import SCOPE
from clew.model.services import Endpoint, Entity, System
from clew.services.knowledge_graph import SHARED_FOLDERS, KnowledgeGraph


class ProvidedEndpoint(Struct, frozen=True):
    method: str
    path: str
    handler: str
    contract_id: str


class ConsumedEndpoint(Struct, frozen=True, omit_defaults=True):
    method: str
    path: str
    provider_service: str
    kind: str = "http"


class PublishedEvent(Struct, frozen=True):
    event_name: str
    channel: str


class ConsumedEvent(Struct, frozen=True):
    event_name: str
    publisher_service: str


class OwnedEntity(Struct, frozen=True):
    name: str
    fields: tuple[str, ...]


class ReferencedEntity(Struct, frozen=True):
    name: str
    owning_service: str
    fields: tuple[str, ...]


class ServiceView(Struct, frozen=True):
    """One service with everything that connects it."""

    service_name: str
    provided_endpoints: tuple[ProvidedEndpoint, ...]
    consumed_endpoints: tuple[ConsumedEndpoint, ...]
    events_published: tuple[PublishedEvent, ...]
    events_consumed: tuple[ConsumedEvent, ...]
    owned_entities: tuple[OwnedEntity, ...]
    referenced_entities: tuple[ReferencedEntity, ...]
    depends_on: tuple[str, ...]
    depended_on_by: tuple[str, ...]
    indirect: tuple[str, ...] = ()  # what it depends on further away
    notes: tuple[str, ...] = ()


def view(system: System, name: str, depth: int) -> ServiceView:
    endpoints = {one.id: one for one in system.endpoints}
    provided = tuple(ProvidedEndpoint(one.method, one.path, one.handler.rpartition(SCOPE)[2] or one.handler, one.contract) for one in system.endpoints if one.service == name)
    consumed = []
    for edge in system.edges:
        if edge.source == name and edge.kind in ("http", "grpc", "graphql"):
            known = endpoints.get(edge.endpoint)
            method, _, path = edge.label.partition(" ") if " " in edge.label else ("", "", edge.label)
            consumed.append(ConsumedEndpoint(known.method if known else method, known.path if known else path, edge.target, edge.kind))
    publishers: dict[str, list[str]] = defaultdict(list)
    consumers: dict[str, list[str]] = defaultdict(list)
    for use in system.events:
        (publishers if use.publishes else consumers)[use.event].append(use.service)
    entities = {one.name: one for one in system.entities}
    depends = _targets(system, name)
    return ServiceView(
        name,
        provided,
        tuple(dict.fromkeys(consumed)),
        tuple(PublishedEvent(use.event, use.channel) for use in system.events if use.service == name and use.publishes),
        tuple(ConsumedEvent(use.event, ", ".join(publishers.get(use.event, ()))) for use in system.events if use.service == name and not use.publishes),
        tuple(OwnedEntity(one.name, one.fields) for one in system.entities if one.owner == name),
        tuple(ReferencedEntity(one.entity, entities[one.entity].owner, entities[one.entity].fields) for one in system.references if one.service == name and one.entity in entities),
        depends,
        tuple(sorted({edge.source for edge in system.edges if edge.target == name})),
        _further(system, name, depends, depth),
        tuple(_notes(system, name, consumers, endpoints)),
    )


def _targets(system: System, name: str) -> tuple[str, ...]:
    return tuple(sorted({edge.target for edge in system.edges if edge.source == name and edge.kind != "event"}))


def _further(system: System, name: str, direct: tuple[str, ...], depth: int) -> tuple[str, ...]:
    seen, front = {name, *direct}, set(direct)
    for _ in range(depth - 1):
        front = {target for one in front for target in _targets(system, one)} - seen
        seen |= front
    return tuple(sorted(seen - {name, *direct}))


def _notes(system: System, name: str, consumers: Mapping[str, list[str]], endpoints: Mapping[str, Endpoint]) -> Iterable[str]:
    for use in system.events:
        if use.service == name and use.publishes:
            others = [one for one in consumers.get(use.event, ()) if one != name]
            if others:
                yield f"{', '.join(others)} {'consumes' if len(others) == 1 else 'consume'} {use.event}: keep its payload stable."
    callers: dict[str, set[str]] = defaultdict(set)
    for edge in system.edges:
        if edge.target == name and edge.endpoint in endpoints:
            callers[f"{endpoints[edge.endpoint].method} {endpoints[edge.endpoint].path}"].add(edge.source)
    for label, sources in sorted(callers.items()):
        yield f"{', '.join(sorted(sources))} {'calls' if len(sources) == 1 else 'call'} {label}: do not change it incompatibly."
    for edge in system.edges:
        if edge.source == name and edge.kind == "http" and edge.confidence < 0.6:
            yield f"The call of {edge.target} ({edge.label}) is only known from {edge.evidence.path}:{edge.evidence.line}."


# Events


class EventMatch(Struct, frozen=True):
    event_name: str
    channel: str
    publishers: tuple[str, ...]
    consumers: tuple[str, ...]


class EventCheck(Struct, frozen=True):
    orphaned_events: tuple[EventMatch, ...]
    unmatched_consumers: tuple[EventMatch, ...]
    matched_events: tuple[EventMatch, ...]
    total_events: int
    match_rate: float


def check_events(system: System, service: str = "") -> EventCheck:
    """Whether each event that is published is consumed, and the other way round."""
    sides: dict[str, tuple[str, set[str], set[str]]] = {}
    for use in system.events:
        _, publishers, consumers = sides.setdefault(use.event, (use.channel, set(), set()))
        (publishers if use.publishes else consumers).add(use.service)
    orphaned, unmatched, matched = [], [], []
    for event, (channel, publishers, consumers) in sorted(sides.items()):
        if service and service not in publishers | consumers:
            continue
        entry = EventMatch(event, channel, tuple(sorted(publishers)), tuple(sorted(consumers)))
        (matched if publishers and consumers else orphaned if publishers else unmatched).append(entry)
    total = len(orphaned) + len(unmatched) + len(matched)
    return EventCheck(tuple(orphaned), tuple(unmatched), tuple(matched), total, round(len(matched) / total, 4) if total else 1.0)


def dead_contracts(system: System) -> tuple[str, ...]:
    """Declared contracts whose service nobody calls and whose events nobody else uses."""
    called = {edge.target for edge in system.edges}
    return tuple(one.id for one in system.contracts if one.status != "implicit" and one.service not in called)


# Impact


class ServiceImpact(Struct, frozen=True):
    service_name: str
    impact_count: int
    impact_paths: tuple[tuple[str, ...], ...]


class ContractImpact(Struct, frozen=True):
    contract_id: str
    service_name: str
    endpoints_affected: tuple[str, ...]


class EntityImpact(Struct, frozen=True):
    entity_name: str
    owning_service: str


class CrossServiceImpact(Struct, frozen=True):
    source_node: str
    source_service: str
    impacted_services: tuple[ServiceImpact, ...]
    impacted_contracts: tuple[ContractImpact, ...]
    impacted_entities: tuple[EntityImpact, ...]
    total_impacted_nodes: int


def impact(graph: KnowledgeGraph, start: str, service: str, depth: int, lines_of: Callable[[str], tuple[int, int]]) -> CrossServiceImpact:
    """What a change of a node reaches in other services: through code that uses it, endpoints, events and entities."""
    affected = graph.walk(start, depth, forward=False) if start.startswith(("file::", "symbol::")) else {start: (0, None)}
    affected = {node: way for node, way in affected.items() if not node.startswith("service::") or node == start}
    if start.startswith("file::"):
        affected.update({edge.target: (1, edge) for edge in graph.outgoing(start) if edge.relation == "DEFINES_SYMBOL"})
    paths: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    reached: dict[str, set[str]] = defaultdict(set)

    def reach(name: str, path: tuple[str, ...]) -> None:
        if name and name != service:
            reached[name].update(path[1:])
            paths[name].append(path)

    endpoints = {edge.target for node in affected for edge in graph.outgoing(node) if edge.relation == "HANDLES_ENDPOINT"}
    if start.startswith("endpoint::"):
        endpoints.add(start)
    if start.startswith("contract::"):
        endpoints |= {edge.target for edge in graph.outgoing(start) if edge.relation == "EXPOSES_ENDPOINT"}
    if start.startswith("service::"):
        endpoints |= {one.id for one in graph.system.endpoints if one.service == service}
    for edge in graph.system.edges:
        if edge.target == service and edge.kind != "event" and (edge.endpoint in endpoints or start.startswith("service::")):
            reach(edge.source, tuple(dict.fromkeys((start, *((edge.endpoint,) if edge.endpoint else ()), f"service::{edge.source}"))))
    for node in affected:
        owner = graph.owner.get(node.partition(SCOPE)[2].partition(SCOPE)[0], "") if node.startswith(("file::", "symbol::")) else ""
        if owner and owner != service and not any(part in node for part in SHARED_FOLDERS):
            reach(owner, _way(affected, start, node))
    events = _events_in(graph, affected, start, service, lines_of)
    for use in graph.system.events:
        if use.event in events and use.service != service and (not use.publishes or start.startswith("event::")):
            reach(use.service, tuple(dict.fromkeys((start, f"event::{use.event}", f"service::{use.service}"))))
    entities = {edge.target for node in affected for edge in graph.outgoing(node) if edge.relation == "IMPLEMENTS_ENTITY"} | ({start} if start.startswith("domain_entity::") else set())
    for one in graph.system.references:
        if f"domain_entity::{one.entity}" in entities:
            reach(one.service, tuple(dict.fromkeys((start, f"domain_entity::{one.entity}", f"service::{one.service}"))))
    owners: Mapping[str, Entity] = {f"domain_entity::{one.name}": one for one in graph.system.entities}
    by_contract: dict[str, list[Endpoint]] = defaultdict(list)
    for endpoint in graph.system.endpoints:
        if endpoint.id in endpoints:
            by_contract[endpoint.contract].append(endpoint)
    services = [ServiceImpact(name, len(nodes), tuple(sorted(set(paths[name]), key=lambda path: (len(path), path))[:5])) for name, nodes in reached.items()]
    contracts = tuple(ContractImpact(contract, some[0].service, tuple(sorted(one.id for one in some))) for contract, some in sorted(by_contract.items()))
    touched = tuple(EntityImpact(owners[one].name, owners[one].owner) for one in sorted(entities) if one in owners)
    total = len({node for nodes in reached.values() for node in nodes} | (set(affected) - {start}) | endpoints | entities)
    return CrossServiceImpact(start, service, tuple(sorted(services, key=lambda one: (-one.impact_count, one.service_name))), contracts, touched, total)


def _way(affected: Mapping[str, tuple[int, object]], start: str, node: str) -> tuple[str, ...]:
    """The nodes from the start to one, by the edges that a walk took."""
    path = [node]
    while path[-1] != start:
        edge = affected[path[-1]][1]
        if edge is None:
            break
        source, target = edge.source, edge.target  # type: ignore[attr-defined]
        path.append(target if source == path[-1] else source)
    return tuple(reversed(path))


def _events_in(graph: KnowledgeGraph, affected: Mapping[str, object], start: str, service: str, lines_of: Callable[[str], tuple[int, int]]) -> set[str]:
    """The events that affected code publishes."""
    if start.startswith("event::"):
        return {start.removeprefix("event::")}
    found = set()
    for use in graph.system.events:
        if not use.publishes or use.service != service:
            continue
        if start.startswith("service::") or f"file::{use.evidence.path}" in affected:
            found.add(use.event)
            continue
        for node in affected:
            if node.startswith(f"symbol::{use.evidence.path}{SCOPE}"):
                first, last = lines_of(node.removeprefix("symbol::"))
                if first <= use.evidence.line <= last:
                    found.add(use.event)
    return found


# Boundaries


class MisplacedFile(Struct, frozen=True):
    file: str
    declared_service: str
    community_service: str
    confidence: float


class Coupling(Struct, frozen=True):
    service_a: str
    service_b: str
    cross_edges: int


class Boundaries(Struct, frozen=True):
    communities_detected: int
    services_declared: int
    alignment_score: float
    misplaced_files: tuple[MisplacedFile, ...]
    isolated_files: tuple[str, ...]
    service_coupling: tuple[Coupling, ...]


def boundaries(graph: KnowledgeGraph, resolution: float) -> Boundaries:
    """Whether files stand in the service that they are connected with."""
    community = graph.communities(resolution)
    members: dict[int, list[str]] = defaultdict(list)
    for path, number in community.items():
        members[number].append(path)
    misplaced = []
    for paths in members.values():
        counts = Counter(service for path in paths if (service := graph.owner.get(path)))
        if not counts:
            continue
        dominant, count = min(counts.items(), key=lambda one: (-one[1], one[0]))
        for path in paths:
            declared = graph.owner.get(path, "")
            if declared and declared != dominant:
                misplaced.append(MisplacedFile(path, declared, dominant, round(count / len(paths), 3)))
    coupling: Counter[tuple[str, str]] = Counter()
    for (one, other), _ in graph.file_edges().items():
        pair = sorted((graph.owner.get(one, ""), graph.owner.get(other, "")))
        if pair[0] and pair[0] != pair[1]:
            coupling[pair[0], pair[1]] += 1
    for edge in graph.system.edges:
        first, second = sorted((edge.source, edge.target))
        coupling[first, second] += 1
    owned = sorted(graph.owner)
    total = len(owned)
    return Boundaries(
        len(members),
        len(set(graph.owner.values())),
        round((total - len(misplaced)) / total, 4) if total else 1.0,
        tuple(sorted(misplaced, key=lambda one: (-one.confidence, one.file))),
        tuple(path for path in owned if path not in community and graph.whole.find(path) >= 0),
        tuple(Coupling(one, other, count) for (one, other), count in sorted(coupling.items(), key=lambda pair: (-pair[1], pair[0]))),
    )
