"""Memory: what agents saw, decided and did, kept and found again; and what is learned of it."""

from functools import partial
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, structs

from clew.engine import Engine, now
from clew.memory.contracts import describe_contracts, files_of, with_files
from clew.model.agents import Identity
from clew.model.errors import InvalidInput
from clew.model.memory import EpisodeDraft, EpisodeType, Outcome
from clew.tools.drift import seen_now, viewpoint
from clew.tools.knowledge_views import reflect_on_knowledge
from clew.tools.memories import (
    ADDED_SHAPE,
    RECALL_SHAPE,
    REFLECTED_SHAPE,
    EpisodeAdded,
    EpisodeRecall,
    Reflected,
    describe_added,
    describe_reflection,
    moment,
    past,
    recall_episodes,
)
from clew.tools.naming import ids_of, spelt_here
from clew.tools.params import Ids, KnownMoment, Limit, Moment, Text
from clew.tools.registry import Effect, tool

MOST_CONTENT = 20_000  # characters
MOST_METADATA = 100_000  # bytes as JSON
MOST_NOTES = 3  # that are told beside episodes
DECISION_PROXIMITY = 0.5  # what a decision is about counts more than what else an episode is about

Agent = Annotated[str, Meta(max_length=200, description="Who; by default the caller.")]
Session = Annotated[str, Meta(max_length=200, description="By default this connection.")]
Task = Annotated[str, Meta(max_length=200, description="Of this task.")]
Cut = Annotated[bool, Meta(description="false: up to limit.")]
Ranking = Annotated[Literal["measured", "formula"], Meta(description="measured: relevance first.")]


@tool(Effect.WRITE, shape=ADDED_SHAPE, also="store save record log write memory decision observation lesson")
def episode_add(
    engine: Engine,
    type: Annotated[EpisodeType, Meta(description="Each has its metadata.")],
    content: Annotated[str, Meta(min_length=1, max_length=MOST_CONTENT, description="What happened, in plain words.")],
    entities: Ids = (),
    task_id: Task = "",
    outcome: Annotated[Outcome, Meta(description="How it ended.")] = Outcome.UNKNOWN,
    metadata: Annotated[dict[str, Any], Meta(description=f"Required: {describe_contracts()}.")] = {},  # noqa: B006 - never changed
    sensitive: Annotated[bool, Meta(description="Leave it out of default queries.")] = False,
    occurred_at: Annotated[str, Meta(max_length=40, description="ISO 8601; by default now.")] = "",
    key: Annotated[str, Meta(max_length=200, description="Yours; adding it again adds nothing.")] = "",
    agent_id: Agent = "",
    session_id: Session = "",
    *,
    who: Identity,
) -> EpisodeAdded:
    """Remember what was seen, decided, edited, tested or went wrong, tied to the code it is about."""
    if (size := len(msgspec.json.encode(metadata))) > MOST_METADATA:
        raise InvalidInput(f"metadata has {size:,} bytes as JSON; at most {MOST_METADATA:,} are accepted")
    at = past(occurred_at, "occurred_at", now())
    clean = engine.new_scrubbing()
    told, more = clean.text(content), with_files(type, clean.fields(metadata), partial(spelt_here, engine))
    entities = ids_of(engine, entities)
    draft = EpisodeDraft(type, told, entities, task_id, outcome, more, sensitive, at, key)
    seen_now(engine, [*entities, *files_of(draft)])  # an edit is remembered with the code as it is after it
    return describe_added(engine.memory.journal.add(draft, who.with_ids(agent_id, session_id), now()), clean.count)


@tool(
    Effect.READ,
    shape=RECALL_SHAPE,
    budgeted=True,
    also="remember memory history past earlier lesson search look happened",
)
def episode_recall(
    engine: Engine,
    query: Text,
    agent_id: Annotated[str, Meta(max_length=200, description="Only of this agent.")] = "",
    task_id: Task = "",
    types: Annotated[tuple[EpisodeType, ...], Meta(description="Only of these types.")] = (),
    entities: Ids = (),
    limit: Limit = 5,
    since: Annotated[str, Meta(max_length=40, description="ISO 8601: nothing older.")] = "",
    now: Annotated[str, Meta(max_length=40, description="Age counts from here.")] = "",
    ranking: Ranking = "measured",
    include_sensitive: Annotated[bool, Meta(description="Also sensitive ones.")] = False,
    cut: Cut = True,
    as_of: Moment = "",
    known_as_of: KnownMoment = "",
    *,
    who: Identity,
) -> EpisodeRecall:
    """Find what agents saw, decided and did before, by words, age and code; with what became of that code."""
    from clew.memory.ranking import FORMULA, MEASURED  # numpy is heavy, and most tools do not need it
    from clew.memory.recall import RecallQuery

    at = viewpoint(engine, as_of, known_as_of)
    narrowed = agent_id or task_id or types or since
    notes = () if narrowed else engine.memory.notebook.find(query, who, MOST_NOTES, at)
    return recall_episodes(
        engine,
        RecallQuery(
            text=query,
            agent_id=agent_id,
            task_id=task_id,
            types=tuple(types),
            entities=ids_of(engine, entities),
            limit=limit,
            since=moment(since, "since"),
            now=moment(now, "now"),
            include_sensitive=include_sensitive,
            weights=FORMULA if ranking == "formula" else MEASURED,
            at=at,
        ),
        notes,
        cut=cut,
    )


@tool(Effect.READ, shape=RECALL_SHAPE, budgeted=True, also="decided why rationale reason choice chosen architecture")
def decision_query(
    engine: Engine,
    query: Text,
    affected_files: Annotated[tuple[str, ...], Meta(description="Files, folders or ids that it affects.")] = (),
    limit: Limit = 5,
    ranking: Ranking = "measured",
    as_of: Moment = "",
    known_as_of: KnownMoment = "",
    *,
    who: Identity,
) -> EpisodeRecall:
    """Find decisions, those about the given files or symbols first; with what became of that code."""
    from clew.memory.ranking import FORMULA, MEASURED  # as above
    from clew.memory.recall import RecallQuery

    weights = structs.replace(FORMULA if ranking == "formula" else MEASURED, proximity=DECISION_PROXIMITY)
    types, files = (EpisodeType.DECISION,), ids_of(engine, affected_files)
    at = viewpoint(engine, as_of, known_as_of)
    asked = RecallQuery(text=query, types=types, entities=files, limit=limit, weights=weights, at=at)
    notes = engine.memory.notebook.find(query, who, MOST_NOTES, at)
    return recall_episodes(engine, asked, notes)


@tool(Effect.WRITE, shape=REFLECTED_SHAPE, also="lesson learned retrospective pattern insight mistake")
def reflect(
    engine: Engine,
    task_id: Task = "",
    agent_id: Annotated[str, Meta(max_length=200, description="On this agent's episodes.")] = "",
    limit: Annotated[int, Meta(ge=1, le=1000, description="At most so many of the last episodes.")] = 20,
    session_id: Session = "",
    *,
    who: Identity,
) -> Reflected:
    """Look back on the last episodes: hotspots, failed decisions, re-reading; the sure become learnings."""
    from clew.memory.reflection import ReflectionSpan  # as above

    engine.refresh()
    span = ReflectionSpan(task_id, agent_id, limit)
    speaking = who.with_ids("", session_id)
    done = engine.memory.reflector.reflect(span, speaking, now())
    return describe_reflection(done, reflect_on_knowledge(engine, speaking))
