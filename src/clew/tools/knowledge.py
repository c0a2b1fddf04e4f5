"""Knowledge: who and what there is, what happened when, what caused what, and which facts hold."""

import re
from typing import Annotated

from msgspec import Meta

from clew.engine import Engine
from clew.model.agents import Identity
from clew.model.time import FOREVER
from clew.tools.knowledge_views import (
    KNOWLEDGE_ADDED_SHAPE,
    Confidence,
    Key,
    KnowledgeAdded,
    Named,
    Phrase,
    ScopeOfKnowledge,
    Sensitive,
    Sentence,
    Until,
    When,
    WriteOptions,
    moment_of,
    write,
)
from clew.tools.params import AgentId, SessionId
from clew.tools.registry import Effect, tool

MOST_QUOTED = 300  # characters of an episode that is named as a cause
_COMMIT = re.compile(r"[0-9a-f]{7,40}")
Words = Annotated[str, Meta(max_length=4000, description="In a sentence or two.")]


@tool(Effect.WRITE, shape=KNOWLEDGE_ADDED_SHAPE, also="person service component team node knowledge graph name alias")
def add_entity(
    engine: Engine,
    name: Phrase,
    type: Annotated[str, Meta(max_length=100, description="Such as person, service, file.")] = "",
    aliases: Annotated[
        tuple[Annotated[str, Meta(min_length=1, max_length=500)], ...],
        Meta(max_length=50, description="Its other names."),
    ] = (),
    description: Words = "",
    scope: ScopeOfKnowledge = "project",
    sensitive: Sensitive = False,
    key: Key = "",
    agent_id: AgentId = "",
    session_id: SessionId = "",
    *,
    who: Identity,
) -> KnowledgeAdded:
    """Record a person, service, symbol or other thing; a known name completes what is there."""
    options = WriteOptions(scope, sensitive, key, agent_id, session_id)
    texts = {"name": name, "type": type, "description": description}
    return write(
        engine, who, options, texts, aliases,
        lambda batch, main, told, also: batch.entity(told["name"], told["type"], also, told["description"], main),
    )  # fmt: skip


@tool(Effect.WRITE, shape=KNOWLEDGE_ADDED_SHAPE, also="happened occurrence incident meeting timeline release when")
def add_event(
    engine: Engine,
    description: Sentence,
    occurred_at: When,
    entities: Named = (),
    scope: ScopeOfKnowledge = "project",
    sensitive: Sensitive = False,
    key: Key = "",
    agent_id: AgentId = "",
    session_id: SessionId = "",
    *,
    who: Identity,
) -> KnowledgeAdded:
    """Record that something happened at a time, with the entities it involves."""
    at = moment_of(occurred_at, "occurred_at")
    options = WriteOptions(scope, sensitive, key, agent_id, session_id)
    return write(
        engine, who, options, {"description": description}, entities,
        lambda batch, main, told, named: batch.event(told["description"], at, named, main),
    )  # fmt: skip


@tool(Effect.WRITE, shape=KNOWLEDGE_ADDED_SHAPE, also="idea topic principle pattern definition term glossary")
def add_concept(
    engine: Engine,
    name: Phrase,
    description: Words = "",
    entities: Named = (),
    scope: ScopeOfKnowledge = "project",
    sensitive: Sensitive = False,
    key: Key = "",
    agent_id: AgentId = "",
    session_id: SessionId = "",
    *,
    who: Identity,
) -> KnowledgeAdded:
    """Record an idea with its description, and the entities it describes; search starts from these."""
    options = WriteOptions(scope, sensitive, key, agent_id, session_id)
    return write(
        engine, who, options, {"name": name, "description": description}, entities,
        lambda batch, main, told, named: batch.concept(told["name"], told["description"], named, main),
    )  # fmt: skip


@tool(Effect.WRITE, shape=KNOWLEDGE_ADDED_SHAPE, also="true since until valid triple subject predicate object changed")
def add_fact(
    engine: Engine,
    subject: Phrase,
    predicate: Phrase,
    object: Annotated[str, Meta(min_length=1, max_length=2000, description="What the predicate says of it.")],
    valid_from: When,
    valid_to: Until = "",
    subject_entity: Annotated[str, Meta(max_length=500, description="Entity it is about; default: subject.")] = "",
    scope: ScopeOfKnowledge = "project",
    sensitive: Sensitive = False,
    key: Key = "",
    agent_id: AgentId = "",
    session_id: SessionId = "",
    *,
    who: Identity,
) -> KnowledgeAdded:
    """Record what is true from when; for a single-valued predicate, it ends the fact before it."""
    start, end = moment_of(valid_from, "valid_from"), moment_of(valid_to, "valid_to", FOREVER)
    options = WriteOptions(scope, sensitive, key, agent_id, session_id)
    texts = {"subject": subject, "predicate": predicate, "object": object, "subject_entity": subject_entity}
    return write(
        engine, who, options, texts, (),
        lambda batch, main, told, _: batch.fact(
            told["subject"], told["predicate"], told["object"], start, end, told["subject_entity"], main
        ),
    )  # fmt: skip


@tool(Effect.WRITE, shape=KNOWLEDGE_ADDED_SHAPE, also="why because reason led to root cause consequence")
def add_causal_link(
    engine: Engine,
    cause: Annotated[str, Meta(min_length=1, max_length=4000, description="In words, or its id.")],
    effect: Annotated[str, Meta(min_length=1, max_length=4000, description="Likewise.")],
    confidence: Confidence = 1.0,
    entities: Named = (),
    events: Annotated[
        tuple[Annotated[str, Meta(min_length=1, max_length=4000)], ...],
        Meta(max_length=100, description="Ids or exact descriptions of events."),
    ] = (),
    scope: ScopeOfKnowledge = "project",
    sensitive: Sensitive = False,
    key: Key = "",
    agent_id: AgentId = "",
    session_id: SessionId = "",
    *,
    who: Identity,
) -> KnowledgeAdded:
    """Record that one thing led to another, with the entities it affects and the events it refers to."""
    options = WriteOptions(scope, sensitive, key, agent_id, session_id)
    cause, effect = (_describe(engine, one, sensitive=sensitive) for one in (cause, effect))
    return write(
        engine, who, options, {"cause": cause, "effect": effect}, entities,
        lambda batch, main, told, named: batch.causal_link(
            told["cause"], told["effect"], confidence, named, events, main
        ),
    )  # fmt: skip


def _describe(engine: Engine, text: str, *, sensitive: bool) -> str:
    """An episode or a commit that is named by its id, in its words; a sensitive one only in a sensitive link."""
    spelt = text.strip()
    if (episode := engine.episodes.get(spelt)) is not None and (sensitive or not episode.draft.sensitive):
        return f"{' '.join(episode.draft.content.split())[:MOST_QUOTED]} (episode {episode.id})"
    if _COMMIT.fullmatch(spelt) and (subject := _subject_of(engine, spelt)):
        return f"{subject} (commit {spelt[:12]})"
    return text


def _subject_of(engine: Engine, commit: str) -> str:
    """The first line of a commit's message; empty if git does not know it."""
    from clew.index.history import git  # few name commits

    return git.subject_of(engine.place.root, commit)


@tool(Effect.WRITE, shape=KNOWLEDGE_ADDED_SHAPE, also="relation relationship depends uses knows edge connect")
def link_entities(
    engine: Engine,
    source: Annotated[str, Meta(min_length=1, max_length=500, description="Name or id of an entity.")],
    target: Annotated[str, Meta(min_length=1, max_length=500, description="Likewise.")],
    relation: Phrase,
    confidence: Confidence = 1.0,
    scope: ScopeOfKnowledge = "project",
    sensitive: Sensitive = False,
    key: Key = "",
    agent_id: AgentId = "",
    session_id: SessionId = "",
    *,
    who: Identity,
) -> KnowledgeAdded:
    """Record how two entities are related; unknown names become entities."""
    options = WriteOptions(scope, sensitive, key, agent_id, session_id)
    return write(
        engine, who, options, {"relation": relation}, (source, target),
        lambda batch, main, told, named: batch.relation(named[0], named[1], told["relation"], confidence, main),
    )  # fmt: skip
