"""The service graph as nodes and edges, joined with the code graph: B's node types, edge types and ids.

Nodes of services are made once; those of code are looked up in the code graph when a walk comes to them.
"""

import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import msgspec
import numpy as np
from msgspec import Struct

from clew.graph.algorithms.push import pagerank
from clew.graph.full_graph import FullGraph
from clew.model.code import EXTERNAL, SCOPE
from clew.model.services import Endpoint, Entity, Service, System
from clew.model.words import EdgeKind, Kind
from clew.services.findings import is_generated
from clew.services.frameworks import NAME_SUFFIXES
from clew.store.adjacency import Array
from clew.store.links import KINDS

SHARED_FOLDERS = ("shared/", "common/", "utils/", "lib/", "helpers/")
RELATIONS = {
    EdgeKind.CONTAINS: "DEFINES_SYMBOL",
    EdgeKind.DEFINES: "DEFINES_SYMBOL",
    EdgeKind.IMPORTS: "IMPORTS",
    EdgeKind.CALLS: "CALLS",
    EdgeKind.INHERITS: "INHERITS",
    EdgeKind.IMPLEMENTS: "IMPLEMENTS",
    EdgeKind.USES: "USES",
}
_BY_CONTRACT = ("GRPC", "GRAPHQL")  # methods of endpoints whose handlers are named after them
_TYPES = frozenset({str(Kind.CLASS), str(Kind.INTERFACE)})


class NodeAttributes(Struct, frozen=True, omit_defaults=True):
    """The attributes of the node types of services; those of other types are empty."""

    domain: str = ""
    description: str = ""
    stack: str = ""
    estimated_loc: int = 0
    contract_id: str = ""
    contract_type: str = ""
    version: str = ""
    status: str = ""
    method: str = ""
    endpoint_path: str = ""
    handler_symbol: str = ""
    entity_name: str = ""
    owning_service: str = ""
    fields_json: str = ""
    event_name: str = ""
    channel: str = ""
    context_type: str = ""
    node_count: int = 0
    edge_count: int = 0


NO_ATTRIBUTES = NodeAttributes()


class GraphNode(Struct, frozen=True, omit_defaults=True):
    """One node with properties beyond its id."""

    id: str
    node_type: str
    name: str
    service_name: str = ""
    text: str = ""  # what a search compares
    path: str = ""
    line: int = 0
    attributes: NodeAttributes = NO_ATTRIBUTES


class GraphEdge(Struct, frozen=True, omit_defaults=True):
    source: str
    target: str
    relation: str
    via_endpoint: str = ""
    line: int = 0


class KnowledgeGraph:
    """All nodes and edges of the services and the code of one project."""

    def __init__(self, system: System, owner: Mapping[str, str], whole: FullGraph) -> None:
        self.system = system
        self.owner = owner
        self.whole = whole
        self.nodes: dict[str, GraphNode] = {}
        self._communities: dict[float, dict[str, int]] = {}
        self._out: dict[str, list[GraphEdge]] = defaultdict(list)
        self._in: dict[str, list[GraphEdge]] = defaultdict(list)
        self._add_services()
        self._add_contracts()
        self._add_events()
        self._add_entities()
        for one in self.system.edges:
            self._add(
                GraphEdge(
                    f"service::{one.source}", f"service::{one.target}", "SERVICE_CALLS", one.endpoint, one.evidence.line
                )
            )

    def _add(self, edge: GraphEdge) -> None:
        known = self._out[edge.source]
        if edge not in known:
            known.append(edge)
            self._in[edge.target].append(edge)

    def _node(self, node: GraphNode) -> None:
        self.nodes.setdefault(node.id, node)

    def _add_services(self) -> None:
        for one in self.system.services:
            stack = ", ".join(one.stack)
            domain = one.domain or one.role
            text = f"Service: {one.name}. Domain: {domain}. Description: {one.description}. Stack: {stack}."
            told = NodeAttributes(
                domain=domain,
                description=one.description,
                stack=msgspec.json.encode(one.stack).decode(),
                estimated_loc=one.estimated_loc,
            )
            place = one.evidence
            self._node(
                GraphNode(f"service::{one.name}", "service", one.name, one.name, text, place.path, place.line, told)
            )

    def _add_contracts(self) -> None:
        for one in self.system.contracts:
            text = f"Contract: {one.type} v{one.version} for {one.service}. Status: {one.status}."
            told = NodeAttributes(contract_id=one.id, contract_type=one.type, version=one.version, status=one.status)
            place = one.evidence
            self._node(
                GraphNode(f"contract::{one.id}", "contract", one.id, one.service, text, place.path, place.line, told)
            )
            self._add(GraphEdge(f"service::{one.service}", f"contract::{one.id}", "PROVIDES_CONTRACT"))
        for endpoint in self.system.endpoints:
            text = f"Endpoint: {endpoint.method} {endpoint.path} on {endpoint.service}."
            self._node(
                GraphNode(
                    endpoint.id,
                    "endpoint",
                    f"{endpoint.method} {endpoint.path}",
                    endpoint.service,
                    text,
                    endpoint.evidence.path,
                    endpoint.evidence.line,
                    NodeAttributes(
                        method=endpoint.method,
                        endpoint_path=endpoint.path,
                        description=endpoint.summary,
                        handler_symbol=f"symbol::{handler}" if (handler := self.handler(endpoint)) else "",
                    ),
                )
            )
            self._add(GraphEdge(f"contract::{endpoint.contract}", endpoint.id, "EXPOSES_ENDPOINT"))
            if handler:
                self._add(GraphEdge(f"symbol::{handler}", endpoint.id, "HANDLES_ENDPOINT"))

    def handler(self, endpoint: Endpoint) -> str:
        """The id of the symbol that answers an endpoint: in the same file, else the only one of its service."""
        if not endpoint.handler:
            return ""
        if self.whole.find(endpoint.handler) >= 0:
            return endpoint.handler
        found = [
            one
            for name in _spellings(endpoint)
            for one in self._by_name.get(name, ())
            if self.owner.get(one.partition(SCOPE)[0], "") == endpoint.service
            and not (endpoint.method in _BY_CONTRACT and is_generated(one.partition(SCOPE)[0]))
        ]
        near = [one for one in found if one.partition(SCOPE)[0] == endpoint.handler.partition(SCOPE)[0]] or found
        return near[0] if len(near) == 1 else ""

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        wanted = {name for one in self.system.endpoints for name in _spellings(one)}
        for one, kind in zip(self.whole.ids, self.whole.kinds, strict=True):
            name = one.rpartition(SCOPE)[2]
            if name in wanted and kind != str(Kind.EXTERNAL):
                found[name].append(one)
        return found

    def _add_events(self) -> None:
        for one in self.system.events:
            self._node(
                GraphNode(
                    f"event::{one.event}",
                    "event",
                    one.event,
                    "",
                    f"Event: {one.event} on channel {one.channel}.",
                    one.evidence.path,
                    one.evidence.line,
                    NodeAttributes(event_name=one.event, channel=one.channel),
                )
            )
            self._add(
                GraphEdge(
                    f"service::{one.service}",
                    f"event::{one.event}",
                    "PUBLISHES_EVENT" if one.publishes else "CONSUMES_EVENT",
                    line=one.evidence.line,
                )
            )

    def _add_entities(self) -> None:
        types: dict[str, list[str]] = defaultdict(list)
        for one, kind in zip(self.whole.ids, self.whole.kinds, strict=True):
            if kind in _TYPES:
                types[_type_name(one.rpartition(SCOPE)[2])].append(one)
        for entity in self.system.entities:
            node = f"domain_entity::{entity.name}"
            self._node(
                GraphNode(
                    node,
                    "domain_entity",
                    entity.name,
                    entity.owner,
                    _entity_text(entity),
                    entity.evidence.path,
                    entity.evidence.line,
                    NodeAttributes(
                        entity_name=entity.name,
                        description=entity.description,
                        owning_service=entity.owner,
                        fields_json=msgspec.json.encode(entity.fields).decode(),
                    ),
                )
            )
            self._add(GraphEdge(f"service::{entity.owner}", node, "OWNS_ENTITY"))
            for symbol in types.get(_type_name(entity.name), ()):
                if self.owner.get(symbol.partition(SCOPE)[0]):
                    self._add(GraphEdge(f"symbol::{symbol}", node, "IMPLEMENTS_ENTITY"))
        for reference in self.system.references:
            self._add(
                GraphEdge(
                    f"service::{reference.service}",
                    f"domain_entity::{reference.entity}",
                    "REFERENCES_ENTITY",
                    line=reference.evidence.line,
                )
            )
        for relation in self.system.relations:
            self._add(
                GraphEdge(
                    f"domain_entity::{relation.source}", f"domain_entity::{relation.target}", "DOMAIN_RELATIONSHIP"
                )
            )

    # Walking

    def find(self, node_id: str) -> GraphNode | None:
        """A node by its id; files and symbols also without their prefix."""
        if node_id in self.nodes:
            return self.nodes[node_id]
        if node_id.startswith("ctx::"):
            return self.summaries.get(node_id)
        plain = node_id.removeprefix("file::").removeprefix("symbol::")
        if self.whole.find(plain) >= 0 and not plain.startswith(EXTERNAL):
            path, _, scope = plain.partition(SCOPE)
            kind = "symbol" if scope else "file"
            return GraphNode(f"{kind}::{plain}", kind, scope or path, self.owner.get(path, ""), "", path)
        if node_id in {one.name for one in self.system.services}:
            return self.nodes[f"service::{node_id}"]
        return None

    @cached_property
    def summaries(self) -> dict[str, GraphNode]:
        """Summaries of services and communities: they are searched and shown, but are no part of the graph."""
        from clew.services.summaries import summaries  # it needs this module

        return summaries(self)

    def edges_from(self, node: str) -> list[GraphEdge]:
        if node.startswith("ctx::"):
            return [GraphEdge(node, other, "SUMMARIZES") for other in self._summarized_nodes(node)]
        return [*self._out.get(node, ()), *self._code(node, outgoing=True)]

    def edges_to(self, node: str) -> list[GraphEdge]:
        return [*self._in.get(node, ()), *self._code(node, outgoing=False)]

    def _summarized_nodes(self, node: str) -> list[str]:
        kind, _, name = node.removeprefix("ctx::").partition(SCOPE)
        if kind == "service":
            return [f"service::{name}"]
        return [f"file::{path}" for path, number in self.communities().items() if str(number) == name]

    def _code(self, node: str, *, outgoing: bool) -> Iterator[GraphEdge]:
        if node.startswith("service::"):
            if outgoing:
                yield from (
                    GraphEdge(node, f"file::{path}", "CONTAINS_FILE")
                    for path in self._files.get(node.removeprefix("service::"), ())
                )
            return
        if not node.startswith(("file::", "symbol::")):
            return
        plain = node.partition(SCOPE)[2]
        if node.startswith("file::") and not outgoing and (service := self.owner.get(plain)):
            yield GraphEdge(f"service::{service}", node, "CONTAINS_FILE")
        place = self.whole.find(plain)
        if place < 0:
            return
        edges = self.whole.edges
        near = edges.source if outgoing else edges.target
        order = None if outgoing else self._by_target
        first = int(np.searchsorted(near if order is None else self._targets, place, "left"))
        last = int(np.searchsorted(near if order is None else self._targets, place, "right"))
        seen = set()
        for at in range(first, last):
            edge = at if order is None else int(order[at])
            relation = RELATIONS.get(KINDS[int(edges.kind[edge])])
            other = self.whole.ids[int((edges.target if outgoing else edges.source)[edge])]
            if relation is None or other.startswith(EXTERNAL) or (other, relation) in seen:
                continue
            seen.add((other, relation))
            name = f"symbol::{other}" if SCOPE in other else f"file::{other}"
            yield (
                GraphEdge(node, name, relation, line=int(edges.line[edge]))
                if outgoing
                else GraphEdge(name, node, relation, line=int(edges.line[edge]))
            )

    @cached_property
    def _files(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for path, service in self.owner.items():
            found[service].append(path)
        return found

    @cached_property
    def _by_target(self) -> Array:
        return np.argsort(self.whole.edges.target, kind="stable")

    @cached_property
    def _targets(self) -> Array:
        return self.whole.edges.target[self._by_target]

    def walk(
        self, start: str, depth: int, *, forward: bool = True, backward: bool = True, most: int = 20_000
    ) -> dict[str, tuple[int, GraphEdge | None]]:
        """Nodes around a node, nearest first, with the distance and the edge that led to each."""
        reached: dict[str, tuple[int, GraphEdge | None]] = {start: (0, None)}
        queue = deque([start])
        while queue and len(reached) < most:
            node = queue.popleft()
            distance = reached[node][0]
            if distance >= depth:
                continue
            steps = [(edge.target, edge) for edge in self.edges_from(node)] if forward else []
            steps += [(edge.source, edge) for edge in self.edges_to(node)] if backward else []
            for other, edge in steps:
                if other not in reached:
                    reached[other] = distance + 1, edge
                    queue.append(other)
        return reached

    # Measures

    @cached_property
    def pagerank(self) -> Mapping[str, float]:
        """Of the services' own nodes, over services and code together."""
        own = sorted(self.nodes)
        base = len(self.whole.ids)
        places = {one: base + at for at, one in enumerate(own)}
        source, target = [], []
        for some in self._out.values():
            for edge in some:
                ends = [
                    places.get(
                        one, self.whole.find(one.partition(SCOPE)[2]) if one.startswith(("symbol::", "file::")) else -1
                    )
                    for one in (edge.source, edge.target)
                ]
                if min(ends) >= 0:
                    source.append(ends[0])
                    target.append(ends[1])
        for path, service in sorted(self.owner.items()):
            if (at := self.whole.find(path)) >= 0:
                source.append(places[f"service::{service}"])
                target.append(at)
        edges = self.whole.edges
        weights = np.concatenate([edges.confidence.astype(np.float64) / 1000, np.ones(len(source))])
        ranks = pagerank(
            base + len(own),
            np.concatenate([edges.source, np.array(source, np.int64)]),
            np.concatenate([edges.target, np.array(target, np.int64)]),
            weights,
        )
        return {one: float(ranks[places[one]]) for one in own}

    def rank(self, place: str) -> float:
        """The PageRank of a file or symbol in the code graph."""
        at = self.whole.find(place)
        return float(self.whole.pagerank[at]) if at >= 0 else 0.0

    @cached_property
    def community_of(self) -> Mapping[str, int]:
        """The community of each node of services, and of each file. A file that nothing connects is a community of its
        own; a service belongs to that of most of its files."""
        found = dict(self.communities())
        free = max(found.values(), default=-1) + 1
        for path in sorted(one for one in self.whole.ids if SCOPE not in one and not one.startswith(EXTERNAL)):
            if path not in found:
                found[path], free = free, free + 1
        of_service: dict[str, int] = {}
        for service in sorted(one.name for one in self.system.services):
            counts = Counter(found[path] for path in self._files.get(service, ()) if path in found)
            if counts:
                of_service[service] = min(counts.items(), key=lambda one: (-one[1], one[0]))[0]
            else:
                of_service[service], free = free, free + 1
        found.update({f"service::{name}": number for name, number in of_service.items()})
        for node in self.nodes.values():
            if node.id not in found:
                service = node.service_name or next(
                    (edge.source.removeprefix("service::") for edge in self._in.get(node.id, ())), ""
                )
                found[node.id] = of_service.get(service, free)
        return found

    def counts(self) -> tuple[dict[str, int], dict[str, int]]:
        """Nodes and edges by type."""
        nodes: dict[str, int] = defaultdict(int)
        for one in self.nodes.values():
            nodes[one.node_type] += 1
        for one_id, kind in zip(self.whole.ids, self.whole.kinds, strict=True):
            if kind != str(Kind.EXTERNAL) and not one_id.startswith(EXTERNAL):
                nodes["symbol" if SCOPE in one_id else "file"] += 1
        edges: dict[str, int] = defaultdict(int)
        for some in self._out.values():
            for edge in some:
                edges[edge.relation] += 1
        edges["CONTAINS_FILE"] = len(self.owner)
        for number, kind in enumerate(KINDS):
            if kind in RELATIONS and (count := int((self.whole.edges.kind == number).sum())):
                edges[RELATIONS[kind]] += count
        return dict(sorted(nodes.items())), dict(sorted(edges.items()))

    @cached_property
    def file_edges(self) -> dict[tuple[str, str], int]:
        """How many references lead from one file to another."""
        edges = self.whole.edges
        paths = (
            np.array([_file_number(one, self._file_places) for one in self.whole.ids], np.int64)
            if self.whole.ids
            else np.zeros(0, np.int64)
        )
        counted = [number for number, kind in enumerate(KINDS) if kind not in (EdgeKind.CONTAINS, EdgeKind.DEFINES)]
        chosen = np.isin(edges.kind, counted)
        source, target = paths[edges.source[chosen]], paths[edges.target[chosen]]
        real = (source >= 0) & (target >= 0) & (source != target)
        pairs, counts = np.unique(np.stack([source[real], target[real]]), axis=1, return_counts=True)
        names = self._file_names
        return {(names[int(a)], names[int(b)]): int(n) for a, b, n in zip(pairs[0], pairs[1], counts, strict=True)}

    @cached_property
    def _file_names(self) -> list[str]:
        return [one for one in self.whole.ids if SCOPE not in one and not one.startswith(EXTERNAL)]

    @cached_property
    def _file_places(self) -> dict[str, int]:
        return {one: at for at, one in enumerate(self._file_names)}

    def communities(self, resolution: float = 1.0) -> dict[str, int]:
        """The community of each file that has any connection, by Leiden with a fixed seed."""
        if resolution not in self._communities:
            self._communities[resolution] = self._leiden(resolution)
        return self._communities[resolution]

    def _leiden(self, resolution: float) -> dict[str, int]:
        from graspologic_native import leiden  # only few questions need it

        pairs: dict[tuple[str, str], float] = defaultdict(float)
        for (one, other), count in self.file_edges.items():
            pairs[min(one, other), max(one, other)] += count
        if not pairs:
            return {}
        edges = [(one, other, weight) for (one, other), weight in sorted(pairs.items())]
        _, found = leiden(edges, None, resolution, 0.001, 2, True, 42)
        return dict(sorted(found.items()))


def _spellings(endpoint: Endpoint) -> tuple[str, ...]:
    """The names that a handler may have: languages write a contract's `GetCart` as `getCart` or `get_cart`."""
    name = endpoint.handler.rpartition(SCOPE)[2]
    if endpoint.method not in _BY_CONTRACT or not name:
        return (name,)
    snake = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
    return tuple(dict.fromkeys((name, name[0].lower() + name[1:], snake, f"resolve_{snake}")))


def _file_number(node: str, places: Mapping[str, int]) -> int:
    return places.get(node.partition(SCOPE)[0], -1)


def _type_name(name: str) -> str:
    for suffix in NAME_SUFFIXES:
        if name.endswith(suffix) and len(name) > len(suffix):
            name = name.removesuffix(suffix)
            break
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _entity_text(entity: Entity) -> str:
    fields = ", ".join(entity.fields)
    return (
        f"Domain Entity: {entity.name}. Description: {entity.description}. Owned by: {entity.owner}. Fields: {fields}."
    )


def by_name(services: Sequence[Service], name: str) -> Service | None:
    """A service by its name, or by one of the names that others call it by."""
    lowered = name.removeprefix("service::").lower()
    return next((one for one in services if one.name.lower() == lowered), None) or next(
        (one for one in services if lowered in {alias.lower() for alias in one.aliases}), None
    )
