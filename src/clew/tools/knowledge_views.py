"""Knowledge as tools answer it, and the parameters that its tools share."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Literal

from msgspec import Meta, Struct, structs

from clew.engine import Engine, new_id, now
from clew.knowledge import names
from clew.knowledge.catalog import KnowledgeReader
from clew.knowledge.intervals import DatedFact, find_conflicts
from clew.knowledge.reflecting import KnowledgeReflection, reflect_on
from clew.knowledge.writing import SINGLE_VALUED, KnowledgeBatch, KnowledgeWritten, WriteContext
from clew.model.agents import Identity
from clew.model.errors import InvalidInput
from clew.model.knowledge import KnowledgeKind, KnowledgeRecord, KnowledgeScope, KnowledgeSource
from clew.model.memory import Subject
from clew.model.time import FOREVER, from_iso, to_iso
from clew.tools.budget import Priority, Shape
from clew.tools.fleet_views import describe_redaction
from clew.tools.freshness import count_of
from clew.tools.naming import ids_of
from clew.tools.params import AgentId, SessionId

if TYPE_CHECKING:
    from clew.text.chat import ChatModel

ScopeOfKnowledge = Annotated[
    Literal["project", "user", "agent", "session"], Meta(description="Who may read it: all, or only that one.")
]
Sensitive = Annotated[bool, Meta(description="Leave it out of default queries.")]
Key = Annotated[str, Meta(max_length=200, description="Yours; adding it again adds nothing.")]
Named = Annotated[
    tuple[Annotated[str, Meta(min_length=1, max_length=500)], ...],
    Meta(max_length=100, description="Names or ids of entities; unknown names are added."),
]
Phrase = Annotated[str, Meta(min_length=1, max_length=500, description="A name or a few words.")]
Sentence = Annotated[str, Meta(min_length=1, max_length=4000, description="In a sentence or two.")]
When = Annotated[str, Meta(min_length=1, max_length=60, description="ISO 8601 time.")]
Until = Annotated[str, Meta(max_length=60, description="ISO 8601 time; empty: open.")]
Confidence = Annotated[float, Meta(ge=0, le=1, description="How sure it is, from 0 to 1.")]


NO_SOURCE = KnowledgeSource()


class WriteOptions(Struct, frozen=True):
    """The parameters that all write tools share."""

    scope: str = "project"
    sensitive: bool = False
    key: str = ""
    agent_id: AgentId = ""
    session_id: SessionId = ""


class NamedEntity(Struct, frozen=True, omit_defaults=True):
    """The entity that a name was resolved to, and why; `created` if there was none."""

    name: str
    id: str
    evidence: str
    created: bool = False


class KnowledgeAdded(Struct, frozen=True, omit_defaults=True):
    """What was recorded. `created` is False if it was known, and was confirmed or completed.

    `ended` are facts that end where this one begins, `ended_by` one that ends this one, `conflicts` facts of others
    that contradict it: both are kept. `related_ids` are the cause and the effect of a causal link.
    """

    id: str
    kind: str
    created: bool
    entities: tuple[NamedEntity, ...] = ()
    links: int = 0
    valid_to: str = ""
    ended: tuple[str, ...] = ()
    ended_by: str = ""
    conflicts: tuple[str, ...] = ()
    related_ids: tuple[str, ...] = ()
    code: str = ""
    scrubbed: int = 0

    def summary(self) -> str:
        done = "Added" if self.created else "Known already, confirmed:"
        new = [one.name for one in self.entities if one.created]
        made = f" New {count_of(len(new), 'entity', 'entities')}: {', '.join(new[:5])}." if new else ""
        ended = f" {count_of(len(self.ended), 'earlier fact ends', 'earlier facts end')} there." if self.ended else ""
        short = f" It ends at {self.valid_to}, where a later one begins." if self.ended_by else ""
        against = f" It contradicts {', '.join(self.conflicts)}; both are kept." if self.conflicts else ""
        return f"{done} {self.kind} {self.id}.{made}{ended}{short}{against}{describe_redaction(self.scrubbed)}"


KNOWLEDGE_ADDED_SHAPE = Shape(
    {"entities": Priority.MEDIUM, "links": Priority.LOW, "ended": Priority.MEDIUM, "related_ids": Priority.MEDIUM}
)


def reader_of(engine: Engine, who: Identity, *, sensitive: bool = False) -> KnowledgeReader:
    return KnowledgeReader(who, engine.name_of_user(who.user), sensitive)


def added_view(written: KnowledgeWritten, code: str, scrubbed: int) -> KnowledgeAdded:
    return KnowledgeAdded(
        id=written.id,
        kind=str(written.kind),
        created=written.created,
        entities=tuple(NamedEntity(one.name, one.id, one.evidence, one.created) for one in written.entities),
        links=len(written.links),
        valid_to=to_iso(written.valid_to) if written.valid_to < FOREVER else "",
        ended=written.ended,
        ended_by=written.ended_by,
        conflicts=written.conflicts,
        related_ids=written.other_ids,
        code=code,
        scrubbed=scrubbed,
    )


def write(
    engine: Engine,
    who: Identity,
    options: WriteOptions,
    texts: Mapping[str, str],
    entities: Iterable[str],
    work: Callable[[KnowledgeBatch, str, Mapping[str, str], tuple[str, ...]], KnowledgeWritten],
    origin: KnowledgeSource = NO_SOURCE,
) -> KnowledgeAdded:
    """Scrub the texts, find the code that entities are, and record what `work` adds."""
    engine.be_writable()
    clean = engine.new_scrubbing()
    told = {name: clean.text(text) for name, text in texts.items()}
    named = tuple(clean.text(one) for one in entities)
    speaking = who.with_ids(options.agent_id, options.session_id)
    code = code_of(engine, [*named, told.get("name", ""), told.get("subject", "")])
    context = write_context(engine, speaking, options, origin, code)
    written = engine.knowledge.write(context, lambda batch, main: work(batch, main, told, named))
    about = code.get(told.get("name", "") or told.get("subject", ""))
    return added_view(written, about.id if about else "", clean.count)


def write_context(
    engine: Engine,
    who: Identity,
    options: WriteOptions,
    origin: KnowledgeSource = NO_SOURCE,
    code: Mapping[str, Subject] | None = None,
) -> WriteContext:
    settings = engine.config.magma
    return WriteContext(
        reader=reader_of(engine, who, sensitive=options.sensitive),
        now=now(),
        scope=KnowledgeScope(options.scope),
        sensitive=options.sensitive,
        key=options.key,
        origin=origin,
        code=code or {},
        single_valued=frozenset(map(names.predicate, settings.single_valued)),
        multi_valued=frozenset(map(names.predicate, settings.multi_valued)),
    )


def code_of(engine: Engine, spoken: Iterable[str]) -> dict[str, Subject]:
    """The symbols and files that names stand for, if they stand for one."""
    asked = [one for one in dict.fromkeys(spoken) if one and names.is_code(one)]
    found = {}
    for name in asked:
        (subject,) = engine.memory.code.subjects(ids_of(engine, [name]))
        if subject.is_known:
            found[name] = subject
    return found


def chat_model(engine: Engine) -> "ChatModel | None":
    """The configured model; None without one."""
    settings = engine.config.magma
    if not settings.base_url:
        return None
    from clew.text.chat import ChatModel  # few configure one

    return ChatModel(settings.base_url, settings.model, settings.api_key_variable, settings.timeout_ms)


def reflect_on_knowledge(engine: Engine, who: Identity) -> KnowledgeReflection | None:
    """Apply ratings, merge duplicates and find contradictions; None where there was nothing to do."""
    at = now()
    context = write_context(engine, who, WriteOptions())
    reader = structs.replace(context.reader, sensitive=True)
    id_ = new_id()

    def work(batch: KnowledgeBatch) -> KnowledgeReflection:
        catalog = batch.catalog
        holding = [one for one in catalog.nodes(reader) if one.kind is KnowledgeKind.FACT]
        holding = [one for one in holding if one.valid_from <= at < one.valid_to]
        return reflect_on(batch, catalog, reader, id_, conflicts_of(engine, holding))

    done = engine.knowledge.write_all(context, work)
    return None if done.is_empty else done


def conflicts_of(engine: Engine, facts: Sequence[KnowledgeRecord]) -> list[tuple[KnowledgeRecord, KnowledgeRecord]]:
    """Pairs of facts that cannot both hold."""
    settings = engine.config.magma
    single = SINGLE_VALUED | set(map(names.predicate, settings.single_valued))
    single -= set(map(names.predicate, settings.multi_valued))
    by_subject: dict[tuple[str, str], list[KnowledgeRecord]] = {}
    for one in facts:
        spelt = names.predicate(one.body.predicate)
        if spelt in single:
            by_subject.setdefault((names.fold(one.body.subject), spelt), []).append(one)
    records = {one.id: one for one in facts}
    dated = (
        [
            DatedFact(
                one.id, names.singular(names.fold(one.body.object)), one.valid_from, one.valid_to, one.who.agent_id
            )
            for one in group
        ]
        for group in by_subject.values()
    )
    return [(records[a.id], records[b.id]) for group in dated for a, b in find_conflicts(group)]


def moment_of(text: str, name: str, default: int = 0) -> int:
    """Microseconds of a time; the default if none is given."""
    if not text.strip():
        return default
    try:
        return from_iso(text)
    except ValueError:
        raise InvalidInput(
            f"{name} is {text!r}, which is no time", "Write it as 2026-01-31 or 2026-01-31T12:00:00Z."
        ) from None
