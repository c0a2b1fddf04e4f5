"""Reading knowledge: search, views of the graph and their union, and answers to questions."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import msgspec
from msgspec import Meta

from clew.engine import Engine, now
from clew.knowledge.catalog import KnowledgeCatalog
from clew.knowledge.intent import Intent, ViewName, make_plan
from clew.model.agents import Identity
from clew.model.errors import InvalidInput
from clew.model.knowledge import LINKS, NODES, KnowledgeKind
from clew.model.time import FIRST, FOREVER, NOW, AsOf, to_iso
from clew.tools.budget import Shape
from clew.tools.drift import viewpoint
from clew.tools.knowledge_answers import (
    CAUSAL_SHAPE,
    EXPANDED_SHAPE,
    INSTRUCTION,
    MATCHES_SHAPE,
    MERGED_SHAPE,
    CausalView,
    ClearedGraph,
    ExpandedView,
    ForgottenKnowledge,
    KnowledgeRow,
    KnowledgeStatistics,
    LinearContext,
    MergedView,
    SemanticMatches,
    merged_rows,
    node_rows,
    row_of,
)
from clew.tools.knowledge_views import (
    Sensitive,
    WriteOptions,
    conflicts_of,
    moment_of,
    reader_of,
    write_context,
)
from clew.tools.params import AgentId, KnownMoment, Limit, Moment, SessionId, Text
from clew.tools.registry import Effect, tool

if TYPE_CHECKING:
    from clew.knowledge.merging import MergedNode
    from clew.knowledge.search import Near
    from clew.knowledge.views import KnowledgeStep, KnowledgeView, ViewRequest

    _Grow = Callable[[ViewRequest, Sequence[str]], KnowledgeView]

SHOWN = 8  # nodes of a view that are shown beside its handle
Seeds = Annotated[
    tuple[Annotated[str, Meta(min_length=1, max_length=500)], ...],
    Meta(min_length=1, max_length=100, description="Ids or names of entities, such as seed_entity_ids."),
]
Depth = Annotated[int, Meta(ge=0, le=10, description="Number of steps; default: as configured.")] | None
Handle = Annotated[str, Meta(min_length=1, max_length=100, description="Handle from an earlier call.")]
IntentName = Annotated[
    Literal["WHY", "WHEN", "WHO", "WHAT", "EXPLORE"], Meta(description="Determines weights and order.")
]
About = Annotated[str, Meta(max_length=10_000, description="The question; similar nodes come first.")]
Past = Annotated[bool, Meta(description="Include facts that are no longer true.")]


def knowledge_at(engine: Engine, as_of: str, known_as_of: str) -> tuple[int, AsOf]:
    """The moment at which facts must hold, and the viewpoint."""
    at = viewpoint(engine, as_of, known_as_of)
    return (now() if at.valid >= NOW.valid else at.valid), at


@tool(Effect.READ, toolset="knowledge", shape=MATCHES_SHAPE, also="find nodes concept similar vector graph seed")
def semantic_search(
    engine: Engine,
    query: Text,
    limit: Annotated[int, Meta(ge=1, le=100, description="Default: as configured.")] | None = None,
    min_score: Annotated[float, Meta(ge=0, le=1, description="Default: as configured.")] | None = None,
    include_sensitive: Sensitive = False,
    as_of: Moment = "",
    known_as_of: KnownMoment = "",
    agent_id: AgentId = "",
    session_id: SessionId = "",
    *,
    who: Identity,
) -> SemanticMatches:
    """Find recorded knowledge by words and meaning; returns seed entities for expansion."""
    from clew.knowledge.recall import find_seeds  # numpy is heavy, and most tools do not need it
    from clew.knowledge.views import ViewRequest, is_shown

    settings, reader = (
        engine.config.magma,
        reader_of(engine, who.with_ids(agent_id, session_id), sensitive=include_sensitive),
    )
    floor = settings.min_semantic_score if min_score is None else min_score
    at, view = knowledge_at(engine, as_of, known_as_of)

    def find(catalog: KnowledgeCatalog) -> SemanticMatches:
        past = catalog.at(view)
        hits = engine.knowledge.search.find(past, reader, query, limit or settings.semantic_top_k, near_of(engine))
        request = ViewRequest(past, reader, hits.similarity, at, settings.max_nodes_per_view)
        found = [(one, past.get(one.id, reader)) for one in hits.matches]
        held = [(one, record) for one, record in found if record and is_shown(request, record)]
        rows = [
            row_of(record, score=one.score, why=f"matches {', '.join(one.words)}" if one.words else one.how)
            for one, record in held
        ]
        seeds = tuple(find_seeds(past, reader, hits, floor))
        return SemanticMatches(
            seeds, len(seeds), INSTRUCTION, tuple(one for one in rows if one.score >= floor),
            tuple(one for one in rows if one.score < floor)[:3],
        )  # fmt: skip

    return engine.knowledge.read(find)


@tool(Effect.READ, toolset="knowledge", shape=EXPANDED_SHAPE, also="who relations related neighbours facts about")
def entity_lookup(
    engine: Engine,
    entities: Seeds,
    depth: Depth = None,
    query: About = "",
    include_past: Past = False,
    include_sensitive: Sensitive = False,
    as_of: Moment = "",
    known_as_of: KnownMoment = "",
    agent_id: AgentId = "",
    session_id: SessionId = "",
    *,
    who: Identity,
) -> ExpandedView:
    """Show the relations, facts and concepts of entities, up to a depth."""
    from clew.knowledge.views import expand_entities

    steps = engine.config.magma.entity_depth if depth is None else depth
    asked = _Asked(entities, query, include_past, include_sensitive, as_of, known_as_of)
    return _expand(
        engine, who.with_ids(agent_id, session_id), asked, lambda request, seeds: expand_entities(request, seeds, steps)
    )


@tool(Effect.READ, toolset="knowledge", shape=EXPANDED_SHAPE, also="when events timeline happened between dates")
def temporal_expand(
    engine: Engine,
    entities: Seeds,
    since: Annotated[str, Meta(max_length=60, description="ISO 8601: only events since then.")] = "",
    until: Annotated[str, Meta(max_length=60, description="ISO 8601: only events before then.")] = "",
    depth: Depth = None,
    query: About = "",
    include_sensitive: Sensitive = False,
    as_of: Moment = "",
    known_as_of: KnownMoment = "",
    agent_id: AgentId = "",
    session_id: SessionId = "",
    *,
    who: Identity,
) -> ExpandedView:
    """Show events of entities within a time range, and events of related entities."""
    from clew.knowledge.views import expand_events

    steps = engine.config.magma.temporal_depth if depth is None else depth
    start, end = moment_of(since, "since", FIRST), moment_of(until, "until", FOREVER)
    if end <= start:
        raise InvalidInput("until is not after since", "Give the earlier time as since.")
    asked = _Asked(entities, query, True, include_sensitive, as_of, known_as_of, start, end)
    return _expand(
        engine, who.with_ids(agent_id, session_id), asked, lambda request, seeds: expand_events(request, seeds, steps)
    )


@tool(Effect.READ, toolset="knowledge", shape=CAUSAL_SHAPE, also="why cause effect reason root consequence chain")
def causal_expand(
    engine: Engine,
    entities: Seeds,
    depth: Depth = None,
    query: About = "",
    include_sensitive: Sensitive = False,
    as_of: Moment = "",
    known_as_of: KnownMoment = "",
    agent_id: AgentId = "",
    session_id: SessionId = "",
    *,
    who: Identity,
) -> CausalView:
    """Show causes and effects linked to entities, upstream and downstream, each with its path."""
    from clew.knowledge.views import CausalDirection, expand_causes

    steps = engine.config.magma.causal_depth if depth is None else depth
    asked = _Asked(entities, query, True, include_sensitive, as_of, known_as_of)
    grown = _grow(
        engine,
        who.with_ids(agent_id, session_id),
        asked,
        lambda request, seeds: expand_causes(request, seeds, steps),
        most=None,
    )
    view, rows, handle, unknown = grown
    return CausalView(
        handle,
        tuple(one for one in rows if not one.direction and one.kind == KnowledgeKind.CAUSE),
        tuple(one for one in rows if one.direction == CausalDirection.UPSTREAM),
        tuple(one for one in rows if one.direction == CausalDirection.DOWNSTREAM),
        tuple(one for one in rows if not one.direction and one.kind == KnowledgeKind.EVENT),
        len(view.nodes), view.seeds, unknown, view.stopped, view.skipped,
    )  # fmt: skip


@tool(Effect.READ, toolset="knowledge", shape=MERGED_SHAPE, also="combine union rank views handles")
def subgraph_merge(
    engine: Engine,
    handles: Annotated[
        tuple[Annotated[str, Meta(min_length=1, max_length=100)], ...],
        Meta(min_length=1, max_length=10, description="Handles from entity_lookup, temporal_expand and causal_expand."),
    ],
    intent: IntentName = "EXPLORE",
    query: Annotated[str, Meta(max_length=10_000, description="Also add the nodes that match this query.")] = "",
    limit: Limit = 20,
    include_sensitive: Sensitive = False,
    as_of: Moment = "",
    known_as_of: KnownMoment = "",
    agent_id: AgentId = "",
    session_id: SessionId = "",
    *,
    who: Identity,
) -> MergedView:
    """Merge views by their handles, weighted by intent; nodes in several views come first."""
    from clew.knowledge.merging import merge_views
    from clew.knowledge.views import KnowledgeView, ViewNode

    settings, reader = (
        engine.config.magma,
        reader_of(engine, who.with_ids(agent_id, session_id), sensitive=include_sensitive),
    )
    planned = make_plan(Intent(intent), "given")
    views = [engine.knowledge.find_view(one, now()) for one in handles]

    _, viewed = knowledge_at(engine, as_of, known_as_of)

    def merge(present: KnowledgeCatalog) -> MergedView:
        catalog = present.at(viewed)
        own = list(views)
        if query:
            hits = engine.knowledge.search.find(catalog, reader, query, settings.semantic_top_k, near_of(engine))
            nodes = tuple(
                ViewNode(one.id, one.score, 0) for one in hits.matches if one.score >= settings.min_semantic_score
            )
            own.append(KnowledgeView(ViewName.SEMANTIC, nodes))
        merged = [
            one for one in merge_views(own, planned.weights, settings.multi_view_boost) if catalog.get(one.id, reader)
        ]
        kept = tuple(ViewNode(one.id, one.score, 0, _path_of(one), one.direction) for one in merged)
        handle = engine.knowledge.keep_view(KnowledgeView(ViewName.SEMANTIC, kept), now(), writable=engine.writable)
        weights = {str(name): weight for name, weight in planned.weights.items()}
        return MergedView(handle, intent, merged_rows(catalog, reader, merged[:limit]), len(merged), weights)

    return engine.knowledge.read(merge)


@tool(Effect.READ, toolset="knowledge", shape=Shape(), capped=True, also="format text prompt context lines")
def linearize_context(
    engine: Engine,
    handle: Handle,
    intent: IntentName = "EXPLORE",
    max_nodes: Annotated[int, Meta(ge=1, le=1000, description="Maximum number of nodes; default: 30.")] = 30,
    include_sensitive: Sensitive = False,
    as_of: Moment = "",
    known_as_of: KnownMoment = "",
    agent_id: AgentId = "",
    session_id: SessionId = "",
    *,
    who: Identity,
) -> LinearContext:
    """Render a view or merged graph as text, ordered by intent."""
    from clew.knowledge.linearize import linearize
    from clew.knowledge.merging import merge_views

    reader = reader_of(engine, who.with_ids(agent_id, session_id), sensitive=include_sensitive)
    view = engine.knowledge.find_view(handle, now())

    _, viewed = knowledge_at(engine, as_of, known_as_of)

    def write_lines(present: KnowledgeCatalog) -> LinearContext:
        catalog = present.at(viewed)
        merged = [one for one in merge_views([view], {view.name: 1.0}, 1.0) if catalog.get(one.id, reader)]
        shown = merged[:max_nodes]
        text = "\n".join(linearize(catalog, reader, shown, Intent(intent)))
        return LinearContext(text, intent, len(shown), len(merged))

    return engine.knowledge.read(write_lines)


@tool(Effect.READ, toolset="knowledge", also="count size entities facts conflicts knowledge graph")
def get_statistics(
    engine: Engine,
    as_of: Moment = "",
    known_as_of: KnownMoment = "",
    agent_id: AgentId = "",
    session_id: SessionId = "",
    *,
    who: Identity,
) -> KnowledgeStatistics:
    """Count recorded knowledge by kind: current, ended and conflicting facts."""
    reader = reader_of(engine, who.with_ids(agent_id, session_id), sensitive=True)
    at, viewed = knowledge_at(engine, as_of, known_as_of)

    def count(present: KnowledgeCatalog) -> KnowledgeStatistics:
        catalog = present.at(viewed)
        counts = catalog.counts(reader)
        readable = [one for one in catalog.current.values() if reader.may_read(one)]
        facts = [one for one in readable if one.kind is KnowledgeKind.FACT]
        holding = [one for one in facts if one.valid_from <= at < one.valid_to]
        times = [one.known_from for one in readable]
        return KnowledgeStatistics(
            {str(kind): counts[kind] for kind in KnowledgeKind if kind in NODES},
            {str(kind): counts[kind] for kind in KnowledgeKind if kind in LINKS},
            len(holding), len(facts) - len(holding), len(conflicts_of(engine, holding)),
            counts[KnowledgeKind.MERGE], tuple(engine.config.magma.single_valued),
            to_iso(min(times)) if times else "", to_iso(max(times)) if times else "",
        )  # fmt: skip

    return engine.knowledge.read(count)


@tool(Effect.WRITE, toolset="knowledge", also="delete all reset erase empty knowledge graph")
def clear_graph(
    engine: Engine,
    confirm: Annotated[str, Meta(max_length=100, description="The project's id, to confirm; empty: only count.")] = "",
    agent_id: AgentId = "",
    session_id: SessionId = "",
    *,
    who: Identity,
) -> ClearedGraph:
    """Remove all knowledge visible to you, after an export; code and episodes are kept."""
    from clew.knowledge.export import export_records  # seldom asked for

    reader = reader_of(engine, who.with_ids(agent_id, session_id), sensitive=True)
    readable = engine.knowledge.read(lambda catalog: sum(map(reader.may_read, catalog.current.values())))
    if confirm != engine.project_id:
        if confirm:
            raise InvalidInput(f"confirm is {confirm!r}, not the id of this project", f"It is {engine.project_id!r}.")
        return ClearedGraph(readable, confirm=engine.project_id)
    engine.be_writable()
    file = export_records(engine.place, engine.knowledge.log.every(), reader, now())
    engine.knowledge.clear(reader)
    return ClearedGraph(
        readable,
        file.relative_to(engine.place.root).as_posix() if file.is_relative_to(engine.place.root) else file.name,
    )


@tool(Effect.WRITE, toolset="knowledge", also="delete remove undo merge wrong outdated fact entity")
def forget(
    engine: Engine,
    id: Annotated[str, Meta(min_length=1, max_length=200, description="Id of the record, link or merge.")],
    reason: Annotated[str, Meta(max_length=500, description="Reason; stored with the record.")] = "",
    agent_id: AgentId = "",
    session_id: SessionId = "",
    *,
    who: Identity,
) -> ForgottenKnowledge:
    """Withdraw a record or reflection with all that derives from it; facts it ended are valid again."""
    engine.be_writable()
    clean = engine.new_scrubbing()
    options = WriteOptions(sensitive=True, agent_id=agent_id, session_id=session_id)
    context = write_context(engine, who.with_ids(agent_id, session_id), options)
    undone = engine.knowledge.undo(f"reflection {id}", context)
    ended = undone or engine.knowledge.forget(id, context, clean.text(reason) or "forgotten")
    return ForgottenKnowledge(id, tuple(ended))


class _Grown(NamedTuple):
    view: "KnowledgeView"
    rows: tuple[KnowledgeRow, ...]
    handle: str
    unknown: tuple[str, ...]


class _Asked(msgspec.Struct, frozen=True):
    """The parameters that tools of views share."""

    entities: Sequence[str]
    query: str
    past: bool
    sensitive: bool
    as_of: str
    known_as_of: str
    since: int = FIRST
    until: int = FOREVER


def _expand(engine: Engine, who: Identity, asked: _Asked, grow: "_Grow") -> ExpandedView:
    view, rows, handle, unknown = _grow(engine, who, asked, grow, most=SHOWN)
    return ExpandedView(handle, str(view.name), rows, len(view.nodes), view.seeds, unknown, view.stopped, view.skipped)


def _grow(engine: Engine, who: Identity, asked: _Asked, grow: "_Grow", most: int | None) -> "_Grown":
    from clew.knowledge.views import ViewRequest

    reader = reader_of(engine, who, sensitive=asked.sensitive)
    at, viewed = knowledge_at(engine, asked.as_of, asked.known_as_of)

    def expand(catalog: KnowledgeCatalog) -> _Grown:
        known = catalog.at(viewed)
        found = {name: known.find_entity(name, reader) for name in asked.entities}
        seeds = list(dict.fromkeys(one.record.id for one in found.values() if one))
        hits = engine.knowledge.search.find(known, reader, asked.query, 1) if asked.query else None
        similarity = hits.similarity if hits else (lambda _: 0.0)
        request = ViewRequest(
            known, reader, similarity, at, engine.config.magma.max_nodes_per_view, asked.past, asked.since, asked.until
        )
        view = grow(request, seeds)
        handle = engine.knowledge.keep_view(view, now(), writable=engine.writable)
        unknown = tuple(name for name, one in found.items() if one is None)
        return _Grown(view, node_rows(known, reader, view.nodes[:most], view), handle, unknown)

    return engine.knowledge.read(expand)


def _path_of(node: "MergedNode") -> "tuple[KnowledgeStep, ...]":
    """The causal path to a node, or else any."""
    return node.paths.get(ViewName.CAUSAL) or next(filter(None, node.paths.values()), ())


def near_of(engine: Engine) -> "Near | None":
    """Nearness in meaning, by whichever model there is."""
    return engine.meaning.semantic.near if engine.meaning else None
