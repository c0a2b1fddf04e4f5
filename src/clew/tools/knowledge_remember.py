"""Keeping texts with what they say, and telling which answers were right."""

import re
from collections.abc import Sequence
from typing import Annotated, NamedTuple

from msgspec import Meta, Struct, structs

from clew.engine import Engine, new_id, now
from clew.knowledge.extraction import TextKnowledge, extract
from clew.knowledge.remembering import RememberedText, TextToRemember, code_names, record_text
from clew.knowledge.writing import KnowledgeBatch
from clew.model.agents import Identity
from clew.model.errors import ClewError, NotFound
from clew.model.knowledge import KnowledgeScope, KnowledgeSource
from clew.model.memory import EpisodeDraft, EpisodeType
from clew.model.time import to_iso
from clew.tools.budget import Priority, Shape
from clew.tools.fleet_views import describe_redaction
from clew.tools.freshness import count_of
from clew.tools.knowledge_views import (
    Key,
    ScopeOfKnowledge,
    Sensitive,
    WriteOptions,
    chat_model,
    code_of,
    moment_of,
    reader_of,
    write_context,
)
from clew.tools.params import AgentId, SessionId
from clew.tools.registry import Effect, tool

_COMMIT = re.compile(r"[0-9a-f]{7,40}")
_PLACE = re.compile(r"(?P<path>[\w./-]+\.\w{1,8}):(?P<line>\d{1,7})")
_PERSON = re.compile(r"[A-Z][\w.'-]*(?: [A-Z][\w.'-]*){0,3}")


class RememberedView(Struct, frozen=True, omit_defaults=True):
    """What `remember` kept: the text as an episode, and what it says as knowledge that names that episode.

    `known` if the text was kept before under the same key.
    """

    episode_id: str = ""
    entities: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    ended: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    extracted_by: str = "rules"
    problems: tuple[str, ...] = ()
    scrubbed: int = 0
    known: bool = False

    def summary(self) -> str:
        parts = (
            (len(self.entities), "entity", "entities"),
            (len(self.facts), "fact", "facts"),
            (len(self.causes), "cause", "causes"),
            (len(self.events), "event", "events"),
        )
        found = ", ".join(count_of(*part) for part in parts if part[0]) or "no statement was found in it"
        ended = f" {count_of(len(self.ended), 'earlier fact ends', 'earlier facts end')}." if self.ended else ""
        facts = count_of(len(self.conflicts), "fact", "facts")
        against = f" It contradicts {facts}; both are kept." if self.conflicts else ""
        failed = f" {self.problems[0]}" if self.problems else ""
        if self.known:
            return f"Known already, as {self.episode_id}."
        return f"Kept: {found}.{ended}{against}{failed}{describe_redaction(self.scrubbed)}"


REMEMBERED_SHAPE = Shape(
    {
        "entities": Priority.LOW,
        "causes": Priority.MEDIUM,
        "events": Priority.MEDIUM,
        "facts": Priority.MEDIUM,
        "problems": Priority.HIGH,
    }
)


class GivenText(NamedTuple):
    """A text as a caller gives it."""

    text: str
    occurred_at: str = ""
    source: str = ""
    key: str = ""


class _Prepared(NamedTuple):
    one: TextToRemember
    origin: KnowledgeSource
    extracted_by: str
    problems: tuple[str, ...]
    key: str
    scrubbed: int


@tool(
    Effect.WRITE,
    toolset="knowledge",
    shape=REMEMBERED_SHAPE,
    also="store save note memory learn text message extract conversation",
)
def remember(
    engine: Engine,
    text: Annotated[str, Meta(min_length=1, max_length=100_000, description="What to keep, in plain words.")],
    occurred_at: Annotated[str, Meta(max_length=60, description="ISO 8601 time of the text; default now.")] = "",
    source: Annotated[str, Meta(max_length=500, description="Episode id, commit, path:line, or who said it.")] = "",
    scope: ScopeOfKnowledge = "project",
    sensitive: Sensitive = False,
    key: Key = "",
    agent_id: AgentId = "",
    session_id: SessionId = "",
    *,
    who: Identity,
) -> RememberedView:
    """Keep a text and what it says: names, facts with their times, events and causes."""
    options = WriteOptions(scope, sensitive, key, agent_id, session_id)
    given = [GivenText(text, occurred_at, source, key)]
    return remember_texts(engine, who.with_ids(agent_id, session_id), options, given)[0]


def remember_texts(
    engine: Engine, who: Identity, options: WriteOptions, given: Sequence[GivenText]
) -> list[RememberedView]:
    """Several texts in one transaction, in their order."""
    engine.be_writable()
    at = now()
    prepared = [_prepare(engine, one, at) for one in given]
    code = code_of(engine, [name for one in prepared for name in code_names(one.one.said)])
    context = structs.replace(write_context(engine, who, options, code=code), now=at)

    def work(batch: KnowledgeBatch) -> list[RememberedView]:
        return [_keep(engine, batch, who, options, one) for one in prepared]

    return engine.knowledge.write_all(context, work)


def _prepare(engine: Engine, given: GivenText, at: int) -> _Prepared:
    """Scrub a text and take it apart, by the configured model or by rules."""
    clean = engine.new_scrubbing()
    text = clean.text(given.text)
    occurred = moment_of(given.occurred_at, "occurred_at", at)
    origin = _source(engine, clean.text(given.source))
    speaker = origin.note if _PERSON.fullmatch(origin.note) else ""
    said, by, problems = _extract(engine, text, occurred, speaker)
    key = given.key or f"remember-{new_id()}"  # so that a repeated commit adds no second episode
    return _Prepared(TextToRemember(text, occurred, said), origin, by, problems, key, clean.count)


def _extract(engine: Engine, text: str, at: int, speaker: str) -> tuple[TextKnowledge, str, tuple[str, ...]]:
    model = chat_model(engine)
    if model is not None:
        from clew.knowledge.model_steps import extract_by_model  # few configure one

        try:
            return extract_by_model(model, text, to_iso(at)), f"model {model.model}", ()
        except ClewError as error:
            return extract(text, at, speaker), "rules", (f"Rules took the text apart: {error.message}.",)
    return extract(text, at, speaker), "rules", ()


def _source(engine: Engine, text: str) -> KnowledgeSource:
    spelt = text.strip()
    if not spelt:
        return KnowledgeSource()
    if engine.episodes.get(spelt) is not None:
        return KnowledgeSource(episode=spelt)
    if _COMMIT.fullmatch(spelt):
        return KnowledgeSource(commit=spelt)
    if place := _PLACE.fullmatch(spelt):
        return KnowledgeSource(path=place["path"], line=int(place["line"]))
    return KnowledgeSource(note=spelt)


def _keep(
    engine: Engine, batch: KnowledgeBatch, who: Identity, options: WriteOptions, prepared: _Prepared
) -> RememberedView:
    one, origin = prepared.one, prepared.origin
    if options.scope == KnowledgeScope.PROJECT and not origin.episode:
        code = tuple(dict.fromkeys(subject.id for subject in batch.code_in(one.said.entities)))
        draft = EpisodeDraft(
            EpisodeType.OBSERVATION, one.text, code, sensitive=options.sensitive, occurred_at=one.occurred_at,
            key=prepared.key, metadata={"source": origin.note} if origin.note else {},
        )  # fmt: skip
        episode = engine.memory.journal.add(draft, who, batch.now)
        if episode.recorded_at != batch.now:
            return RememberedView(episode.id, known=True)
        origin = structs.replace(origin, episode=episode.id)
    if options.scope != KnowledgeScope.PROJECT:
        origin = structs.replace(origin, quote=one.text)  # no episode keeps a private text
    batch.begin_source(origin)
    return _view(record_text(batch, one, KnowledgeScope(options.scope)), origin, prepared)


def _view(done: RememberedText, origin: KnowledgeSource, prepared: _Prepared) -> RememberedView:
    return RememberedView(
        episode_id=origin.episode,
        entities=done.entities,
        facts=tuple(one.id for one in done.facts),
        causes=tuple(one.id for one in done.causes),
        events=tuple(one.id for one in done.events),
        ended=tuple(dict.fromkeys(id_ for one in done.facts for id_ in one.ended)),
        conflicts=tuple(dict.fromkeys(id_ for one in done.facts for id_ in one.conflicts)),
        extracted_by=prepared.extracted_by,
        problems=(*prepared.problems, *(f"Left out: {one}." for one in done.refused)),
        scrubbed=prepared.scrubbed,
    )


class FeedbackKept(Struct, frozen=True, omit_defaults=True):
    """The records that were rated; `reflect` uses the ratings."""

    rated: tuple[str, ...]
    helpful: bool
    unknown: tuple[str, ...] = ()

    def summary(self) -> str:
        strange = f" Not known: {', '.join(self.unknown[:5])}." if self.unknown else ""
        word = "helpful" if self.helpful else "not helpful"
        return f"{count_of(len(self.rated), 'record', 'records')} rated as {word}; `reflect` takes it up.{strange}"


@tool(Effect.WRITE, toolset="knowledge", also="confirm right wrong useful rating thumbs answer correct")
def feedback(
    engine: Engine,
    ids: Annotated[
        tuple[Annotated[str, Meta(min_length=1, max_length=200)], ...],
        Meta(min_length=1, max_length=100, description="Of items of an answer."),
    ],
    helpful: Annotated[bool, Meta(description="Whether they answered the question.")] = True,
    agent_id: AgentId = "",
    session_id: SessionId = "",
    *,
    who: Identity,
) -> FeedbackKept:
    """Rate items of an answer; `reflect` strengthens what helped and weakens what misled."""
    engine.be_writable()
    speaking = who.with_ids(agent_id, session_id)
    reader = reader_of(engine, speaking, sensitive=True)
    known = engine.knowledge.read(lambda catalog: [one for one in ids if catalog.get(one, reader)])
    unknown = tuple(one for one in ids if one not in known and engine.episodes.get(one) is None)
    if not known and unknown:
        raise NotFound(f"no item has the id {unknown[0]!r}", "Give ids of items of an answer of recall.")
    context = write_context(engine, speaking, WriteOptions(agent_id=agent_id, session_id=session_id))
    engine.knowledge.write_all(context, lambda batch: [batch.rate(one, helpful=helpful) for one in known])
    return FeedbackKept(tuple(known), helpful, unknown)
