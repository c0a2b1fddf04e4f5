"""Summaries of services and of communities of files, as nodes: `ctx::service::…` and `ctx::community::…`."""

from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np

from clew.model.code import SCOPE
from clew.services.context_block import context_text
from clew.services.knowledge_graph import RELATIONS, GraphNode, KnowledgeGraph, NodeAttributes
from clew.services.questions import view
from clew.store.links import KINDS

SERVICE, COMMUNITY = "service_context", "community_summary"
TYPES = (SERVICE, COMMUNITY)
PREFIX = "ctx::"
_MOST_FILES = 5


def summaries(graph: KnowledgeGraph) -> dict[str, GraphNode]:
    """All summaries, by id."""
    return {one.id: one for one in (*_of_services(graph), *_of_communities(graph))}


def _of_services(graph: KnowledgeGraph) -> Iterator[GraphNode]:
    for one in graph.system.services:
        found = view(graph.system, one.name, 2)
        counts = NodeAttributes(
            context_type=SERVICE,
            node_count=len(found.provided_endpoints) + len(found.owned_entities) + len(found.events_published),
            edge_count=len(found.consumed_endpoints) + len(found.depends_on) + len(found.depended_on_by),
        )
        identifier = f"{PREFIX}service::{one.name}"
        place = one.evidence
        yield GraphNode(identifier, SERVICE, one.name, one.name, context_text(found), place.path, place.line, counts)


def _of_communities(graph: KnowledgeGraph) -> Iterator[GraphNode]:
    members: dict[int, list[str]] = defaultdict(list)
    community = graph.communities()
    for path, number in community.items():
        members[number].append(path)
    relations = _relations(graph, community)
    for number, paths in sorted(members.items()):
        services = Counter(graph.owner.get(path, "") for path in paths)
        owners = ", ".join(
            f"{name} ({count})" for name, count in sorted(services.items(), key=lambda one: (-one[1], one[0])) if name
        )
        central = sorted(paths, key=lambda path: (-graph.rank(path), path))[:_MOST_FILES]
        related = relations.get(number, Counter())
        told = ", ".join(
            f"{count} {name}" for name, count in sorted(related.items(), key=lambda one: (-one[1], one[0]))
        )
        text = (
            f"Community {number}: {len(paths)} files of {owners or 'no service'}. Key files: {', '.join(central)}. "
            f"Relationships: {told or 'none'}."
        )
        counts = NodeAttributes(context_type=COMMUNITY, node_count=len(paths), edge_count=sum(related.values()))
        yield GraphNode(f"{PREFIX}community::{number}", COMMUNITY, f"community {number}", "", text, attributes=counts)


def _relations(graph: KnowledgeGraph, community: dict[str, int]) -> dict[int, Counter[str]]:
    """How often which relation connects two files of a community."""
    edges = graph.whole.edges
    numbers = np.array([community.get(one.partition(SCOPE)[0], -1) for one in graph.whole.ids] or [-1], np.int64)
    source, target = numbers[edges.source], numbers[edges.target]
    inside = (source >= 0) & (source == target)
    pairs, counts = np.unique(np.stack([source[inside], edges.kind[inside]]), axis=1, return_counts=True)
    found: dict[int, Counter[str]] = defaultdict(Counter)
    for number, kind, count in zip(pairs[0], pairs[1], counts, strict=True):
        relation = RELATIONS.get(KINDS[int(kind)])
        if relation and relation != "DEFINES_SYMBOL":
            found[int(number)][relation] += int(count)
    return found
