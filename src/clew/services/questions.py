"""Questions about a system: offers and needs of a service, the reach of a change, whether its parts fit."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping

from clew.model.code import SCOPE
from clew.model.services import Endpoint, EventUse, System
from clew.services.answers import (
    Boundaries,
    ConsumedEndpoint,
    ConsumedEvent,
    ContractImpact,
    Coupling,
    CrossServiceImpact,
    EntityImpact,
    EventCheck,
    EventMatch,
    MisplacedFile,
    OwnedEntity,
    ProvidedEndpoint,
    PublishedEvent,
    ReferencedEntity,
    ServiceImpact,
    ServiceView,
)
from clew.services.knowledge_graph import SHARED_FOLDERS, GraphEdge, KnowledgeGraph

MOST_PATHS = 5  # to one service
_CODE = ("file::", "symbol::")


def view(system: System, name: str, depth: int) -> ServiceView:
    endpoints = {one.id: one for one in system.endpoints}
    provided = tuple(
        ProvidedEndpoint(one.method, one.path, one.handler.rpartition(SCOPE)[2] or one.handler, one.contract)
        for one in system.endpoints
        if one.service == name
    )
    consumed = []
    for edge in system.edges:
        if edge.source == name and edge.kind in ("http", "grpc", "graphql"):
            known = endpoints.get(edge.endpoint)
            method, _, path = edge.label.partition(" ") if " " in edge.label else ("", "", edge.label)
            consumed.append(
                ConsumedEndpoint(
                    known.method if known else method, known.path if known else path, edge.target, edge.kind
                )
            )
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
        tuple(
            ConsumedEvent(use.event, ", ".join(publishers.get(use.event, ())))
            for use in system.events
            if use.service == name and not use.publishes
        ),
        tuple(OwnedEntity(one.name, one.fields) for one in system.entities if one.owner == name),
        tuple(
            ReferencedEntity(one.entity, entities[one.entity].owner, entities[one.entity].fields)
            for one in system.references
            if one.service == name and one.entity in entities
        ),
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


def _notes(
    system: System, name: str, consumers: Mapping[str, list[str]], endpoints: Mapping[str, Endpoint]
) -> Iterable[str]:
    for use in system.events:
        if use.service == name and use.publishes:
            others = [one for one in consumers.get(use.event, ()) if one != name]
            if others:
                verb = "consumes" if len(others) == 1 else "consume"
                yield f"{', '.join(others)} {verb} {use.event}: keep its payload stable."
    callers: dict[str, set[str]] = defaultdict(set)
    for edge in system.edges:
        if edge.target == name and edge.endpoint in endpoints:
            callers[f"{endpoints[edge.endpoint].method} {endpoints[edge.endpoint].path}"].add(edge.source)
    for label, sources in sorted(callers.items()):
        verb = "calls" if len(sources) == 1 else "call"
        yield f"{', '.join(sorted(sources))} {verb} {label}: do not change it incompatibly."
    for edge in system.edges:
        if edge.source == name and edge.kind == "http" and edge.confidence < 0.6:
            place = f"{edge.evidence.path}:{edge.evidence.line}"
            yield f"The call of {edge.target} ({edge.label}) is only known from {place}."


# Events


def check_events(system: System, service: str = "") -> EventCheck:
    """Whether each event that is published is consumed, and the other way round."""
    sides: dict[str, tuple[EventUse, set[str], set[str]]] = {}
    for use in system.events:
        _, publishers, consumers = sides.setdefault(use.event, (use, set(), set()))
        (publishers if use.publishes else consumers).add(use.service)
    orphaned: list[EventMatch] = []
    unmatched: list[EventMatch] = []
    matched: list[EventMatch] = []
    for event, (first, publishers, consumers) in sorted(sides.items()):
        if service and service not in publishers | consumers:
            continue
        entry = EventMatch(
            event,
            first.channel,
            tuple(sorted(publishers)),
            tuple(sorted(consumers)),
            first.evidence.path,
            first.evidence.line,
        )
        (matched if publishers and consumers else orphaned if publishers else unmatched).append(entry)
    total = len(orphaned) + len(unmatched) + len(matched)
    return EventCheck(
        tuple(orphaned), tuple(unmatched), tuple(matched), total, round(len(matched) / total, 4) if total else 1.0
    )


def dead_contracts(system: System) -> tuple[str, ...]:
    """Declared contracts of services that nobody calls, with events that no other service uses."""
    called = {edge.target for edge in system.edges}
    return tuple(one.id for one in system.contracts if one.status != "implicit" and one.service not in called)


# Impact


def impact(
    graph: KnowledgeGraph, start: str, service: str, depth: int, lines_of: Callable[[str], tuple[int, int]]
) -> CrossServiceImpact:
    """Nodes of other services that a change reaches: by code that uses the node, endpoints, events and entities."""
    return _Impact(graph, start, service, lines_of).trace(depth)


class _Impact:
    """Follows one change. `affected` is the code that uses the node, with the edge that led to each part."""

    def __init__(
        self, graph: KnowledgeGraph, start: str, service: str, lines_of: Callable[[str], tuple[int, int]]
    ) -> None:
        self.graph = graph
        self.start = start
        self.service = service
        self.lines_of = lines_of
        self.affected: dict[str, GraphEdge | None] = {start: None}
        self.paths: dict[str, set[tuple[str, ...]]] = defaultdict(set)

    def trace(self, depth: int) -> CrossServiceImpact:
        self._follow_code(depth)
        endpoints = self._endpoints()
        self._reach_callers(endpoints)
        self._reach_consumers()
        entities = self._entities()
        by_contract: dict[str, list[Endpoint]] = defaultdict(list)
        for endpoint in self.graph.system.endpoints:
            if endpoint.id in endpoints:
                by_contract[endpoint.contract].append(endpoint)
        contracts = tuple(
            ContractImpact(contract, some[0].service, tuple(sorted(one.id for one in some)))
            for contract, some in sorted(by_contract.items())
        )
        owners = {f"domain_entity::{one.name}": one for one in self.graph.system.entities}
        touched = tuple(EntityImpact(owners[one].name, owners[one].owner) for one in sorted(entities) if one in owners)
        reached = {node for ways in self.paths.values() for way in ways for node in way[1:]}
        total = len((reached | set(self.affected) | endpoints | entities) - {self.start})
        return CrossServiceImpact(self.start, self.service, tuple(self._services()), contracts, touched, total)

    def _services(self) -> list[ServiceImpact]:
        found = []
        for name, ways in self.paths.items():
            nodes = {node for way in ways for node in way[1:]}
            shortest = sorted(ways, key=lambda way: (len(way), way))[:MOST_PATHS]
            found.append(ServiceImpact(name, len(nodes), tuple(shortest)))
        return sorted(found, key=lambda one: (-one.impact_count, one.service_name))

    def _reach(self, service: str, *way: str) -> None:
        if service and service != self.service:
            self.paths[service].add(tuple(dict.fromkeys((self.start, *way))))

    def _follow_code(self, depth: int) -> None:
        if not self.start.startswith(_CODE):
            return
        inside = [edge for edge in self.graph.edges_from(self.start) if edge.relation == "DEFINES_SYMBOL"]
        self.affected.update((edge.target, edge) for edge in inside)
        for node in list(self.affected):
            walked = self.graph.walk(node, depth, forward=False)
            self.affected.update((other, edge) for other, (_, edge) in walked.items() if other not in self.affected)
        for node in [one for one in self.affected if not one.startswith(_CODE)]:
            del self.affected[node]
        for node in self.affected:
            owner = self.graph.owner.get(node.partition(SCOPE)[2].partition(SCOPE)[0], "")
            if owner != self.service and not any(part in node for part in SHARED_FOLDERS):
                self._reach(owner, *self._way(node))

    def _way(self, node: str) -> list[str]:
        """The nodes from the start to one, by the edges that the walk took."""
        way = [node]
        while (edge := self.affected.get(way[-1])) is not None and len(way) < len(self.affected):
            way.append(edge.target if edge.source == way[-1] else edge.source)
        return way[::-1]

    def _endpoints(self) -> set[str]:
        """The endpoints that affected code answers, or that the node stands for."""
        outgoing = [edge for node in self.affected for edge in self.graph.edges_from(node)]
        endpoints = {edge.target for edge in outgoing if edge.relation in ("HANDLES_ENDPOINT", "EXPOSES_ENDPOINT")}
        if self.start.startswith("service::"):
            endpoints |= {one.id for one in self.graph.system.endpoints if one.service == self.service}
        return endpoints | ({self.start} if self.start.startswith("endpoint::") else set())

    def _reach_callers(self, endpoints: set[str]) -> None:
        whole_service = self.start.startswith("service::")
        for edge in self.graph.system.edges:
            if edge.target == self.service and edge.kind != "event" and (edge.endpoint in endpoints or whole_service):
                self._reach(edge.source, *filter(None, (edge.endpoint, f"service::{edge.source}")))

    def _reach_consumers(self) -> None:
        own = self.start.removeprefix("event::") if self.start.startswith("event::") else ""
        uses = self.graph.system.events
        events = {use.event for use in uses if use.publishes and use.service == self.service and self._publishes(use)}
        for use in uses:
            if use.event == own or (use.event in events and not use.publishes):
                self._reach(use.service, f"event::{use.event}", f"service::{use.service}")

    def _publishes(self, use: EventUse) -> bool:
        """Whether affected code publishes an event."""
        if self.start.startswith("service::") or self.start == f"file::{use.evidence.path}":
            return True
        for node in self.affected:
            if node.startswith(f"symbol::{use.evidence.path}{SCOPE}"):
                first, last = self.lines_of(node.removeprefix("symbol::"))
                if first <= use.evidence.line <= last:
                    return True
        return False

    def _entities(self) -> set[str]:
        outgoing = [edge for node in self.affected for edge in self.graph.edges_from(node)]
        entities = {edge.target for edge in outgoing if edge.relation == "IMPLEMENTS_ENTITY"}
        if self.start.startswith("domain_entity::"):
            entities.add(self.start)
        for one in self.graph.system.references:
            if f"domain_entity::{one.entity}" in entities:
                self._reach(one.service, f"domain_entity::{one.entity}", f"service::{one.service}")
        return entities


# Boundaries


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
    for one, other in graph.file_edges:
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
        tuple(
            Coupling(one, other, count)
            for (one, other), count in sorted(coupling.items(), key=lambda pair: (-pair[1], pair[0]))
        ),
    )
