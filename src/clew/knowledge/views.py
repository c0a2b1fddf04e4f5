"""Views of the knowledge graph, grown from seeds: relations of entities, events in time, causes and effects.

Each step scores a node by the weight of the edge that leads to it and by its similarity to the question; the best few
of each step are followed. Every node carries the path that led to it. Pure: same catalog and seeds, same views.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct

from clew.knowledge.catalog import KnowledgeCatalog, KnowledgeReader
from clew.knowledge.intent import ViewName
from clew.model.knowledge import KnowledgeKind, KnowledgeRecord
from clew.model.time import FIRST, FOREVER

BEAM = 10  # nodes that are followed from each step
EDGE_SHARE, SIMILARITY_SHARE = 0.6, 0.4  # of the score of a step

RELATIONS = (KnowledgeKind.RELATES, KnowledgeKind.INVOLVES, KnowledgeKind.REPRESENTS)


class CausalDirection(StrEnum):
    NONE = ""
    UPSTREAM = "upstream"  # a cause of what the seeds affect
    DOWNSTREAM = "downstream"


class KnowledgeStep(Struct, frozen=True):
    """A link on the way to a node: from which node, by which kind of link."""

    source: str
    kind: str
    weight: float


class ViewNode(Struct, frozen=True, omit_defaults=True):
    """A node of a view: its score, its distance from the seeds, and the path from one of them."""

    id: str
    score: float
    depth: int
    path: tuple[KnowledgeStep, ...] = ()
    direction: CausalDirection = CausalDirection.NONE


class KnowledgeView(Struct, frozen=True, omit_defaults=True):
    """Nodes, best first. `stopped` if it reached its limit, `skipped` says why there is none."""

    name: ViewName
    nodes: tuple[ViewNode, ...] = ()
    seeds: tuple[str, ...] = ()
    stopped: bool = False
    skipped: str = ""


class ViewRequest(NamedTuple):
    """Input of a view: the readable part of a catalog at a time, with the bounds of the views."""

    catalog: KnowledgeCatalog
    reader: KnowledgeReader
    similarity: Callable[[str], float]
    at: int
    limit: int
    past: bool = False
    since: int = FIRST
    until: int = FOREVER


class _Reached(NamedTuple):
    """A node that a step leads to, and the link."""

    record: KnowledgeRecord
    kind: str
    weight: float
    direction: CausalDirection = CausalDirection.NONE


_Step = Callable[[KnowledgeRecord, CausalDirection], Iterator[_Reached]]


def expand_entities(request: ViewRequest, seeds: Sequence[str], depth: int) -> KnowledgeView:
    """Relations of entities, with the facts and concepts about them."""

    def step(record: KnowledgeRecord, _: CausalDirection) -> Iterator[_Reached]:
        if record.kind not in (KnowledgeKind.ENTITY, KnowledgeKind.FACT):
            return
        for link, other in request.catalog.links(record.id, request.reader, RELATIONS):
            node = request.catalog.get(other, request.reader)
            if node is not None and node.kind is not KnowledgeKind.EVENT and is_shown(request, node):
                yield _Reached(node, str(link.kind), _weight(link))

    return _grow(request, ViewName.ENTITY, seeds, depth, step)


def expand_events(request: ViewRequest, seeds: Sequence[str], depth: int) -> KnowledgeView:
    """Events that involve the entities, then further entities of these events, and their events.

    A step of `depth` leads from entities to their events and on to the entities of these.
    """

    def step(record: KnowledgeRecord, _: CausalDirection) -> Iterator[_Reached]:
        for link, other in request.catalog.links(record.id, request.reader, (KnowledgeKind.INVOLVES,)):
            node = request.catalog.get(other, request.reader)
            if node is None:
                continue
            if record.kind is KnowledgeKind.EVENT:
                if node.kind is KnowledgeKind.ENTITY:
                    yield _Reached(node, str(link.kind), 0.5 * _weight(link))
            elif node.kind is KnowledgeKind.EVENT and request.since <= node.valid_from < request.until:
                yield _Reached(node, str(link.kind), _weight(link))

    grown = _grow(request, ViewName.TEMPORAL, seeds, 2 * depth - 1 if depth else 0, step)
    events = [one for one in grown.nodes if _kind(request, one.id) is KnowledgeKind.EVENT]
    reason = grown.skipped or ("" if events else "no events involve the seeds")
    return KnowledgeView(grown.name, tuple(events), grown.seeds, grown.stopped, reason)


def expand_causes(request: ViewRequest, seeds: Sequence[str], depth: int, nodes: Sequence[str] = ()) -> KnowledgeView:
    """Causal nodes that affect the entities, with their causes upstream and their effects downstream.

    `nodes` are causal nodes to start from besides those.
    """
    first: dict[str, _Reached] = {}
    paths: dict[str, tuple[KnowledgeStep, ...]] = {}
    for id_ in nodes:
        node = request.catalog.get(id_, request.reader)
        if node is not None and node.kind is KnowledgeKind.CAUSE and node.id not in first:
            first[node.id] = _Reached(node, "match", 1.0)
            paths[node.id] = ()
    for seed in seeds:
        entity = request.catalog.get(seed, request.reader)
        for link, other in request.catalog.links(seed, request.reader, (KnowledgeKind.AFFECTS,)):
            node = request.catalog.get(other, request.reader)
            if entity is not None and node is not None and other not in first:
                first[other] = _Reached(node, str(link.kind), _weight(link))
                paths[other] = (KnowledgeStep(entity.id, str(link.kind), _weight(link)),)

    def step(record: KnowledgeRecord, direction: CausalDirection) -> Iterator[_Reached]:
        for link, other in request.catalog.links(record.id, request.reader, (KnowledgeKind.CAUSES,)):
            node = request.catalog.get(other, request.reader)
            leads = (
                CausalDirection.DOWNSTREAM
                if request.catalog.resolve_id(link.body.source) == record.id
                else CausalDirection.UPSTREAM
            )
            if node is not None and direction in (CausalDirection.NONE, leads):
                yield _Reached(node, str(link.kind), _weight(link), leads)
        for link, other in request.catalog.links(record.id, request.reader, (KnowledgeKind.REFERS_TO,)):
            event = request.catalog.get(other, request.reader)
            if event is not None and event.kind is KnowledgeKind.EVENT:
                yield _Reached(event, str(link.kind), 0.8 * _weight(link), direction)

    if not seeds and not first:
        return KnowledgeView(ViewName.CAUSAL, skipped="no seeds")
    if not first:
        return KnowledgeView(ViewName.CAUSAL, (), tuple(seeds), skipped="no causes affect the seeds")
    begun = {key: ViewNode(key, _step_score(request, node), len(paths[key]), paths[key]) for key, node in first.items()}
    matched = {key: node for key, node in begun.items() if not node.path}
    reached = _spread(request, ViewName.CAUSAL, tuple(seeds), matched, depth, step)
    rest = {key: node for key, node in begun.items() if key not in {one.id for one in reached.nodes}}
    if not rest or reached.stopped:
        return reached
    found = {one.id: one for one in reached.nodes}
    for further in _spread(request, ViewName.CAUSAL, tuple(seeds), rest, depth, step).nodes:
        found.setdefault(further.id, further)
    ordered = tuple(sorted(found.values(), key=_order))
    return KnowledgeView(ViewName.CAUSAL, ordered[: request.limit], tuple(seeds), len(ordered) >= request.limit)


def is_shown(request: ViewRequest, record: KnowledgeRecord) -> bool:
    """Whether a fact holds at the time of the question; facts that ended are shown only if asked for."""
    if record.kind is not KnowledgeKind.FACT:
        return True
    if record.valid_from >= record.valid_to:
        return False  # corrected: it never held
    if request.past:
        return record.valid_from <= request.at
    return record.valid_from <= request.at < record.valid_to


def _grow(request: ViewRequest, name: ViewName, seeds: Sequence[str], depth: int, step: _Step) -> KnowledgeView:
    known = [one for seed in dict.fromkeys(seeds) if (one := request.catalog.get(seed, request.reader))]
    if not known:
        return KnowledgeView(name, skipped="no seeds")
    begun = {one.id: ViewNode(one.id, 1.0, 0) for one in known}
    grown = _spread(request, name, tuple(begun), begun, depth, step)
    rest = tuple(node for node in grown.nodes if node.depth or _kind(request, node.id) is not KnowledgeKind.ENTITY)
    kept = rest if name is not ViewName.ENTITY else grown.nodes
    return KnowledgeView(name, kept, grown.seeds, grown.stopped, grown.skipped)


def _spread(
    request: ViewRequest, name: ViewName, seeds: tuple[str, ...], begun: Mapping[str, ViewNode], depth: int, step: _Step
) -> KnowledgeView:
    """Follow the best nodes of each step until nothing is new, the depth or the limit is reached."""
    found = dict(_first(begun.values(), request.limit))
    edge = sorted(found.values(), key=_order)[:BEAM]
    stopped = len(found) >= request.limit
    for _ in range(depth):
        reached: dict[str, ViewNode] = {}
        for node in edge:
            record = request.catalog.get(node.id, request.reader)
            for one in step(record, node.direction) if record else ():
                score = round(node.score * _step_score(request, one), 6)
                before = reached.get(one.record.id)
                if one.record.id not in found and (before is None or score > before.score):
                    path = (*node.path, KnowledgeStep(node.id, one.kind, one.weight))
                    reached[one.record.id] = ViewNode(one.record.id, score, node.depth + 1, path, one.direction)
        new = sorted(reached.values(), key=_order)[: request.limit - len(found)]
        stopped = stopped or len(reached) > len(new)
        found.update((node.id, node) for node in new)
        edge = new[:BEAM]
        if not edge or len(found) >= request.limit:
            break
    ordered = tuple(sorted(found.values(), key=_order))
    return KnowledgeView(name, ordered, seeds, stopped or len(found) >= request.limit)


def _first(nodes: Iterable[ViewNode], limit: int) -> Iterator[tuple[str, ViewNode]]:
    for node in sorted(nodes, key=_order)[:limit]:
        yield node.id, node


def _step_score(request: ViewRequest, one: _Reached) -> float:
    return EDGE_SHARE * one.weight + SIMILARITY_SHARE * request.similarity(one.record.id)


def _weight(link: KnowledgeRecord) -> float:
    """How sure a link is; each confirmation halves the remaining doubt."""
    doubt = (1 - link.body.confidence) / 2 ** min(link.body.strength - 1, 10)
    return float(round(1 - doubt, 6))


def _kind(request: ViewRequest, id_: str) -> KnowledgeKind | None:
    record = request.catalog.get(id_, request.reader)
    return record.kind if record else None


def _order(node: ViewNode) -> tuple[float, int, str]:
    return -node.score, node.depth, node.id
