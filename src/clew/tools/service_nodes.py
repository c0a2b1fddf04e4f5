"""Services, contracts, endpoints, events and entities as nodes of the graph: their neighborhood, and searching them."""

import math
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from clew.engine import Engine
from clew.model.code import SCOPE
from clew.model.errors import InvalidInput, NotFound
from clew.tools.hybrid import DIGITS, HybridQuery, Ranked
from clew.tools.neighborhood import GraphNeighborhood, Link, Node

if TYPE_CHECKING:
    from clew.services.knowledge_graph import GraphNode, KnowledgeGraph

CONTEXT_TYPES = ("service_context", "community_summary")
SERVICE_TYPES = ("service", "contract", "endpoint", "domain_entity", "event", *CONTEXT_TYPES)
NODE_PREFIXES = (*SERVICE_TYPES[:5], "ctx")
TIE = 0.05  # scores that lie so near count as alike: then the PageRank decides
SERVICE_EDGES = (
    "CONTAINS_FILE", "PROVIDES_CONTRACT", "EXPOSES_ENDPOINT", "HANDLES_ENDPOINT", "OWNS_ENTITY", "REFERENCES_ENTITY",
    "IMPLEMENTS_ENTITY", "PUBLISHES_EVENT", "CONSUMES_EVENT", "SERVICE_CALLS", "DOMAIN_RELATIONSHIP",
)  # fmt: skip
CODE_EDGES = ("DEFINES_SYMBOL", "IMPORTS", "CALLS", "INHERITS", "IMPLEMENTS", "USES")
STEPS = 6  # from an anchor that are counted


class ServiceNode(Node, frozen=True, omit_defaults=True, kw_only=True):
    """A node of services with the attributes of its type."""

    service_name: str = ""
    community_id: int = -1
    domain: str = ""
    description: str = ""
    stack: str = ""
    estimated_loc: int = 0
    contract_id: str = ""
    contract_type: str = ""
    version: str = ""
    status: str = ""
    method: str = ""
    path: str = ""
    handler_symbol: str = ""
    entity_name: str = ""
    owning_service: str = ""
    fields_json: str = ""
    event_name: str = ""
    channel: str = ""
    context_type: str = ""
    node_count: int = 0
    edge_count: int = 0


class NodeTypes(Struct, frozen=True):
    """What a list of node types names: kinds of code, separated by commas, and types of services' nodes."""

    code: str
    service: frozenset[str]

    @property
    def is_any(self) -> bool:
        return not self.code and not self.service


def separate_types(words: str) -> NodeTypes:
    named = [word.strip() for word in words.split(",") if word.strip()]
    service = frozenset(word.lower() for word in named if word.lower() in SERVICE_TYPES)
    return NodeTypes(",".join(word for word in named if word.lower() not in SERVICE_TYPES), service)


def is_service_node(node: str) -> bool:
    return node.partition("::")[0] in NODE_PREFIXES


class ServiceReach(Struct, frozen=True):
    """How far a neighborhood goes, and what of it is taken; no types are all."""

    radius: int
    undirected: bool
    most: int
    types: frozenset[str]
    edges: frozenset[str]


def service_reach(radius: int, undirected: bool, types: str, edges: str, most: int) -> ServiceReach:
    wanted = frozenset(word.strip().lower() for word in types.split(",") if word.strip())
    followed = frozenset(word.strip().upper() for word in edges.split(",") if word.strip())
    known = frozenset((*SERVICE_TYPES[:5], "file", "symbol"))
    if strange := sorted(wanted - known):
        raise InvalidInput(f"{strange[0]!r} is no type of node", f"It may be {', '.join(sorted(known))}.")
    if strange := sorted(followed - {*SERVICE_EDGES, *CODE_EDGES}):
        raise InvalidInput(
            f"{strange[0]!r} is no type of edge", f"It may be {', '.join((*SERVICE_EDGES, *CODE_EDGES))}."
        )
    return ServiceReach(radius, undirected, most, wanted, followed)


def service_neighborhood(engine: Engine, node_id: str, reach: ServiceReach) -> GraphNeighborhood:
    """What lies around a service, contract, endpoint, event or entity: nearest first, then by PageRank."""
    graph = engine.service_graph()
    center = graph.find(node_id)
    if center is None:
        raise NotFound(f"{node_id} is not in the service graph", "service_list and service_edges list its parts.")
    reached = graph.walk(center.id, reach.radius, backward=reach.undirected)
    ranks = graph.pagerank
    near = [
        (distance, -ranks.get(one, 0.0), one)
        for one, (distance, _) in reached.items()
        if one != center.id and (not reach.types or one.partition("::")[0] in reach.types)
    ]
    taken = [one for *_, one in sorted(near)[: reach.most]]
    inside = {center.id, *taken}
    links = sorted(
        {
            (edge.source, edge.target, edge.relation, edge.line)
            for one in inside
            for edge in graph.edges_from(one)
            if edge.target in inside and (not reach.edges or edge.relation in reach.edges)
        }
    )
    return GraphNeighborhood(
        center_node=_node(graph, center.id, 0),
        nodes=tuple(_node(graph, one, reached[one][0]) for one in taken),
        edges=tuple(Link(source, target, relation, line=line) for source, target, relation, line in links),
        total_nodes_in_neighborhood=len(near) + 1,
        truncated=len(near) > len(taken),
    )


def _node(graph: "KnowledgeGraph", node_id: str, distance: int) -> Node:
    found = graph.find(node_id)
    kind = node_id.partition("::")[0]
    if found is None:
        return Node(id=node_id, distance=distance, node_type=kind)
    is_code = found.node_type in ("file", "symbol")
    told = structs.asdict(found.attributes)
    return ServiceNode(
        id=found.id,
        node_type=found.node_type,
        kind=found.node_type,
        name=found.name,
        distance=distance,
        pagerank=graph.rank(found.id.partition(SCOPE)[2]) if is_code else graph.pagerank.get(found.id, 0.0),
        summary=found.text,
        file_path=found.path,
        first_line=found.line,
        service_name=found.service_name,
        community_id=graph.community_of.get(found.path if is_code else found.id, -1),
        path=told.pop("endpoint_path"),
        **told,
    )


def service_named(engine: Engine, name: str) -> str:
    """The service that a caller names."""
    from clew.services.knowledge_graph import by_name

    found = by_name(engine.service_graph().system.services, name)
    if found is None:
        raise NotFound(f"there is no service {name!r}", "service_list lists the services.")
    return found.name


def search_service_nodes(
    engine: Engine, wanted: HybridQuery, types: frozenset[str], service: str
) -> tuple[Ranked, ...]:
    """The nodes of services that answer best: by their words, and by their distance to an anchor or their PageRank."""
    graph = engine.service_graph()
    known = [*graph.nodes.values(), *(graph.summaries.values() if types & set(CONTEXT_TYPES) else ())]
    nodes = [
        one for one in known if (not types or one.node_type in types) and (not service or _is_of(graph, one, service))
    ]
    scores = _word_scores(wanted.sought.text, nodes)
    anchor = graph.find(wanted.anchor) if wanted.anchor else None
    reached = graph.walk(anchor.id, STEPS) if anchor else {}
    beyond = max((distance for distance, _ in reached.values()), default=0) + 1
    highest = max((graph.pagerank.get(one.id, 0.0) for one in graph.nodes.values()), default=0.0) or 1.0
    found = []
    for one in nodes:
        if one.id not in scores:
            continue
        distance = reached[one.id][0] if one.id in reached else beyond
        near = 1 - distance / beyond if anchor else graph.pagerank.get(one.id, 0.0) / highest
        score = wanted.weights.semantic * scores[one.id] + wanted.weights.graph * near
        found.append(
            Ranked(
                node_id=one.id,
                score=round(score, DIGITS),
                distance=distance if anchor else -1,
                node_type=one.node_type,
                semantic_score=round(scores[one.id], DIGITS),
                graph_score=round(near, DIGITS),
                kind=one.node_type,
                name=one.name,
                pagerank=graph.pagerank.get(one.id, 0.0),
                summary=one.text,
                file_path=one.path,
                first_line=one.line,
            )
        )
    return tuple(order_by_score(found)[: wanted.sought.limit])


def order_by_score(found: Iterable[Ranked]) -> list[Ranked]:
    """Best first. Scores within `TIE` of the best of a group count as alike, and the more central node comes first."""
    groups: list[list[Ranked]] = []
    for one in sorted(found, key=lambda one: (-one.score, one.node_id)):
        if groups and groups[-1][0].score - one.score <= TIE:
            groups[-1].append(one)
        else:
            groups.append([one])
    return [one for group in groups for one in sorted(group, key=lambda one: (-one.pagerank, -one.score, one.node_id))]


def _is_of(graph: "KnowledgeGraph", node: "GraphNode", service: str) -> bool:
    if node.service_name:
        return node.service_name == service
    return any(edge.source == f"service::{service}" for edge in graph.edges_to(node.id))


def _word_scores(question: str, nodes: list["GraphNode"]) -> dict[str, float]:
    """How much of a question's words each node has, rare ones counting more; from 0 to 1."""
    from clew.text.terms import distinct_words

    asked = distinct_words(question.encode())
    texts = {one.id: distinct_words(f"{one.name} {one.text}".encode()) for one in nodes}
    frequency = Counter(word for words in texts.values() for word in words)
    weights = {word: math.log(1 + (len(nodes) + 1) / (frequency[word] + 0.5)) for word in asked}
    total = sum(weights.values()) or 1.0
    scores = {one: sum(weights[word] for word in asked & words) / total for one, words in texts.items()}
    return {one: score for one, score in scores.items() if score > 0}
