"""Recording knowledge: nodes and the links between them, each call in one transaction.

A name that is known means the entity that is there; an unknown one makes an entity, which the answer reports.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct, structs

from clew.knowledge import intervals, names
from clew.knowledge.catalog import KnowledgeCatalog, KnowledgeReader, revise
from clew.knowledge.intervals import DatedFact, Succession
from clew.model.errors import InvalidInput, NotFound
from clew.model.knowledge import (
    KnowledgeBody,
    KnowledgeKind,
    KnowledgeRecord,
    KnowledgeScope,
    KnowledgeSource,
    owner_in,
)
from clew.model.memory import Subject
from clew.model.time import FOREVER

MOST_ORIGINS = 16  # sources that one record lists


class WriteContext(Struct, frozen=True):
    """Who writes, for whom, from which source. `code` gives the symbols and files that names stand for."""

    reader: KnowledgeReader
    now: int
    scope: KnowledgeScope = KnowledgeScope.PROJECT
    sensitive: bool = False
    key: str = ""
    origin: KnowledgeSource = KnowledgeSource()
    code: Mapping[str, Subject] = {}
    single_valued: frozenset[str] = frozenset()
    multi_valued: frozenset[str] = frozenset()

    @property
    def owner(self) -> str:
        return owner_in(self.scope, self.reader.who, self.reader.user)


class ResolvedName(Struct, frozen=True):
    """The entity that a name was resolved to, and why."""

    name: str
    id: str
    evidence: str
    created: bool = False


class KnowledgeWritten(Struct, frozen=True):
    """What a call recorded. `created` is False if the node was known and was confirmed or completed."""

    id: str
    kind: KnowledgeKind
    created: bool
    entities: tuple[ResolvedName, ...] = ()
    links: tuple[str, ...] = ()
    valid_to: int = FOREVER
    ended: tuple[str, ...] = ()
    ended_by: str = ""
    conflicts: tuple[str, ...] = ()
    other_ids: tuple[str, ...] = ()


class KnowledgeBatch:
    """The rows of one transaction; each is visible to the next at once."""

    def __init__(self, catalog: KnowledgeCatalog, context: WriteContext, new_id: Callable[[], str]) -> None:
        self.rows: list[KnowledgeRecord] = []
        self._catalog = catalog
        self._context = context
        self._new_id = new_id
        self._reader = structs.replace(context.reader, sensitive=True)
        self._origin = context.origin
        self._object_keys: dict[str, str] = {}  # until an entity is added or merged

    @property
    def catalog(self) -> KnowledgeCatalog:
        return self._catalog

    @property
    def now(self) -> int:
        return self._context.now

    def begin_source(self, origin: KnowledgeSource) -> None:
        """The source of what is added from now on."""
        self._origin = origin

    def code_in(self, spoken: Iterable[str]) -> list[Subject]:
        """The symbols and files that names stand for."""
        return [self._context.code[name] for name in spoken if name in self._context.code]

    def entity(
        self, name: str, type: str = "", aliases: Sequence[str] = (), description: str = "", id: str = ""
    ) -> KnowledgeWritten:
        """Add an entity, or complete the one that is known by that name and is not of another type."""
        name = _require(name, "name")
        found = self._find(name)
        if found and type and found[0].body.type and names.fold(type) != names.fold(found[0].body.type):
            found = None
        if found is None:
            record = self._new(KnowledgeKind.ENTITY, self._entity_body(name, type, aliases, description), id=id)
            return KnowledgeWritten(record.id, KnowledgeKind.ENTITY, created=True)
        old, _ = found
        spelt = [one for one in (name, *map(names.clean, aliases)) if one and one not in (old.body.name, old.id)]
        added = tuple(dict.fromkeys([*old.body.aliases, *spelt]))
        self._confirm(old, aliases=added, type=type or old.body.type, description=description or old.body.description)
        return KnowledgeWritten(old.id, KnowledgeKind.ENTITY, created=False)

    def event(self, description: str, occurred_at: int, entities: Iterable[str] = (), id: str = "") -> KnowledgeWritten:
        description = _require(description, "description")
        known = self._find_alike(KnowledgeKind.EVENT, description, occurred_at)
        record = known or self._new(
            KnowledgeKind.EVENT, self._body(description=description), valid_from=occurred_at, id=id
        )
        if known:
            self._confirm(known)
        resolved, links = self._join(record, KnowledgeKind.INVOLVES, entities)
        return KnowledgeWritten(record.id, KnowledgeKind.EVENT, known is None, resolved, links)

    def concept(self, name: str, description: str = "", entities: Iterable[str] = (), id: str = "") -> KnowledgeWritten:
        name = _require(name, "name")
        known = self._find_alike(KnowledgeKind.CONCEPT, name)
        record = known or self._new(KnowledgeKind.CONCEPT, self._body(name=name, description=description), id=id)
        if known:
            self._confirm(known, description=description or known.body.description)
        resolved, links = self._join(record, KnowledgeKind.REPRESENTS, entities)
        return KnowledgeWritten(record.id, KnowledgeKind.CONCEPT, known is None, resolved, links)

    def fact(
        self, subject: str, predicate: str, value: str, valid_from: int, valid_to: int = FOREVER,
        subject_entity: str = "", id: str = "", confidence: float = 1.0, one_value: bool = False,
    ) -> KnowledgeWritten:  # fmt: skip
        """Add a fact, placed among the known ones of its subject and predicate."""
        subject, predicate = _require(subject, "subject"), _require(predicate, "predicate")
        value = _require(value, "object")
        if valid_to <= valid_from:
            raise InvalidInput("valid_to is not after valid_from", "A fact holds from valid_from up to valid_to.")
        entity = self._resolve(subject_entity or subject)
        about = subject_entity or subject
        known = [one for one in self._catalog.facts(about, predicate, self._reader) if self._is_beside(one)]
        about_object = self._find(value)
        dated = DatedFact(
            id or self._new_id(), self._object_key(value), valid_from, valid_to, self._context.reader.who.agent_id
        )
        placed = intervals.place(
            dated, [self._as_dated(one) for one in known], single_valued=one_value or self._is_single(predicate)
        )
        if placed.repeats:
            old = self._catalog.current[placed.repeats]
            self._confirm(old)
            _, links = self._join(old, KnowledgeKind.INVOLVES, [entity.id])
            return KnowledgeWritten(old.id, KnowledgeKind.FACT, False, (entity,), links, old.valid_to)
        body = self._body(subject=subject, predicate=predicate, object=value, stated_to=valid_to, confidence=confidence)
        record = self._new(KnowledgeKind.FACT, body, valid_from, placed.valid_to, id=dated.id)
        for ended, end in placed.ends:
            old = self._catalog.current[ended]
            why = f"ended by {record.id}" if end > old.valid_from else f"corrected by {record.id}"
            self._put(revise(old, self._context.now, valid_to=end, reason=why))
        joined = [entity.id, *([about_object[0].id] if about_object else [])]
        _, links = self._join(record, KnowledgeKind.INVOLVES, joined)
        return KnowledgeWritten(
            record.id, KnowledgeKind.FACT, True, (entity,), links, placed.valid_to,
            tuple(one for one, _ in placed.ends), placed.ended_by, placed.conflicts,
        )  # fmt: skip

    def end_fact(self, subject: str, predicate: str, value: str, at: int) -> KnowledgeWritten:
        """A known fact no longer holds from a time on; an unknown one is not recorded."""
        wanted = self._object_key(value)
        for old in self._catalog.facts(subject, predicate, self._reader):
            if (
                self._is_beside(old)
                and self._object_key(old.body.object) == wanted
                and old.valid_from < at < old.valid_to
            ):
                self._put(revise(old, self._context.now, valid_to=at, stated_to=at, reason="no longer true"))
                return KnowledgeWritten(old.id, KnowledgeKind.FACT, created=False, valid_to=at, ended=(old.id,))
        raise NotFound(f"no fact says that {subject!r} {predicate} {value!r}, so none ends", "")

    def causal_link(
        self, cause: str, effect: str, confidence: float = 1.0, entities: Iterable[str] = (),
        events: Iterable[str] = (), id: str = "",
    ) -> KnowledgeWritten:  # fmt: skip
        cause, effect = _require(cause, "cause"), _require(effect, "effect")
        happened = [self._event(one) for one in events]
        nodes = [self._cause(one) for one in (cause, effect)]
        if nodes[0].id == nodes[1].id:
            raise InvalidInput("cause and effect are the same", "Describe what led to what.")
        link, created = self._link(KnowledgeKind.CAUSES, nodes[0].id, nodes[1].id, "", confidence, id=id)
        resolved = tuple(map(self._resolve, dict.fromkeys(entities)))
        links = [self._link(KnowledgeKind.AFFECTS, node.id, one.id)[0].id for node in nodes for one in resolved] + [
            self._link(KnowledgeKind.REFERS_TO, node.id, one.id)[0].id for node in nodes for one in happened
        ]
        return KnowledgeWritten(
            link.id, KnowledgeKind.CAUSES, created, resolved, tuple(links), other_ids=tuple(one.id for one in nodes)
        )

    def relation(
        self, source: str, target: str, relation: str, confidence: float = 1.0, id: str = ""
    ) -> KnowledgeWritten:
        relation = _require(relation, "relation")
        ends = [self._resolve(_require(one, side)) for one, side in ((source, "source"), (target, "target"))]
        if ends[0].id == ends[1].id:
            raise InvalidInput(
                f"source and target are the same entity, {ends[0].id}", "Name two entities; see entity_lookup."
            )
        link, created = self._link(KnowledgeKind.RELATES, ends[0].id, ends[1].id, relation, confidence, id=id)
        return KnowledgeWritten(link.id, KnowledgeKind.RELATES, created, tuple(ends))

    def merge(self, source: str, target: str, evidence: str, reason: str = "") -> KnowledgeRecord:
        """Two entities are one: the second stands for the first from now on. `forget` of the merge undoes it."""
        body = self._body(source=source, target=target, relation=evidence, reason=reason)
        return self._new(KnowledgeKind.MERGE, body)

    def end(self, record: KnowledgeRecord, reason: str) -> list[str]:
        """End a record with what hangs on it: its links, and the facts, events and causes that are about it alone."""
        done = [record.id]
        links = self._catalog.links(record.id, self._reader)
        self._put(revise(record, self._context.now, ended=True, reason=reason))
        for link, other in links:
            if link.id not in self._catalog.current:
                continue
            self._put(revise(link, self._context.now, ended=True, reason=reason))
            done.append(link.id)
            hanging = self._catalog.current.get(other)
            if hanging and record.kind is KnowledgeKind.ENTITY and self._hangs_on(link, hanging, record.id):
                done += self.end(hanging, reason)
        if record.kind is KnowledgeKind.FACT:
            self._reopen(record)
        return done

    def strengthen(self, record: KnowledgeRecord, confidence: float, reason: str) -> None:
        """Change how sure a link or node is."""
        strength = record.body.strength + (confidence >= record.body.confidence)
        self._put(revise(record, self._context.now, confidence=confidence, strength=strength, reason=reason))

    def rate(self, id: str, *, helpful: bool) -> KnowledgeRecord:
        """Keep a rating until the next reflection."""
        return self._new(KnowledgeKind.FEEDBACK, self._body(target=id, confidence=float(helpful)))

    def finish(self, record: KnowledgeRecord, reason: str) -> None:
        """End a record that nothing hangs on."""
        self._put(revise(record, self._context.now, ended=True, reason=reason))

    def take_back(self, record: KnowledgeRecord, before: KnowledgeRecord | None, reason: str) -> None:
        """Put a record back to an earlier row; without one, it ends."""
        if before is None:
            self.finish(record, reason)
            return
        row = structs.replace(before, key="", known_from=self._context.now, revision=record.revision + 1)
        self._put(structs.replace(row, body=structs.replace(before.body, reason=reason)))

    def _hangs_on(self, link: KnowledgeRecord, other: KnowledgeRecord, id: str) -> bool:
        if link.body.source != other.id or other.kind is KnowledgeKind.ENTITY:
            return False
        if other.kind is KnowledgeKind.FACT:
            return names.fold(other.body.subject) in self._spellings(id) or not self._catalog.links(
                other.id, self._reader
            )
        return not self._catalog.links(other.id, self._reader)

    def _spellings(self, id: str) -> set[str]:
        rows = self._catalog.rows(id)
        body = rows[-1].body if rows else KnowledgeBody()
        return {names.fold(one) for one in (body.name, *body.aliases)}

    def _reopen(self, gone: KnowledgeRecord) -> None:
        """Facts that a forgotten one had ended hold again, as far as the others of their predicate allow."""
        known = self._catalog.facts(gone.body.subject, gone.body.predicate, self._reader)
        held = [one for one in known if self._is_beside(one) and one.valid_from < one.valid_to]
        for one in held:
            later = [other.valid_from for other in held if other.valid_from > one.valid_from]
            end = min([one.body.stated_to, *later])
            if end != one.valid_to and one.valid_to == gone.valid_from:
                self._put(revise(one, self._context.now, valid_to=end, reason=f"{gone.id} was forgotten"))

    def _entity_body(self, name: str, type: str, aliases: Iterable[str], description: str) -> KnowledgeBody:
        code = self._context.code.get(name, Subject(""))
        also = tuple(dict.fromkeys(one for one in map(names.clean, aliases) if one and one != name))
        return self._body(
            name=name, type=type, aliases=also, description=description, code=code.id, digest=code.digest.hex()
        )

    def _resolve(self, name: str) -> ResolvedName:
        """The entity of an id or a name; an unknown name makes one."""
        name = _require(name, "entity")
        if found := self._find(name):
            return ResolvedName(name, found[0].id, found[1])
        return ResolvedName(name, self.entity(name).id, "new", created=True)

    def _find(self, name: str) -> tuple[KnowledgeRecord, str] | None:
        match = self._catalog.find_entity(names.clean(name), self._reader, wide=self._probe())
        return (match.record, match.evidence) if match else None

    def _probe(self) -> KnowledgeRecord:
        context = self._context
        return KnowledgeRecord(
            "", KnowledgeKind.ENTITY, KnowledgeBody(), context.reader.who, context.scope, context.owner
        )

    def _event(self, text: str) -> KnowledgeRecord:
        found = self._catalog.find_node(KnowledgeKind.EVENT, text, self._reader)
        if found is None:
            raise NotFound(f"events: no event has the id or description {text[:80]!r}", "Add it first: add_event.")
        return found

    def _cause(self, text: str) -> KnowledgeRecord:
        known = self._find_alike(KnowledgeKind.CAUSE, text)
        return known or self._new(KnowledgeKind.CAUSE, self._body(description=text))

    def _find_alike(self, kind: KnowledgeKind, text: str, occurred_at: int | None = None) -> KnowledgeRecord | None:
        """The node of the same words, in the same scope and, of events, at the same time."""
        found = self._catalog.find_node(kind, text, self._reader)
        if found is None or not self._is_beside(found):
            return None
        return found if occurred_at is None or found.valid_from == occurred_at else None

    def _is_beside(self, record: KnowledgeRecord) -> bool:
        """Whether a record is in the scope that is written to: others' records are not changed from here."""
        context = self._context
        own = context.scope, context.owner, context.sensitive
        return (record.scope, record.owner, record.sensitive) == own

    def _join(
        self, record: KnowledgeRecord, kind: KnowledgeKind, entities: Iterable[str]
    ) -> tuple[tuple[ResolvedName, ...], tuple[str, ...]]:
        resolved = tuple(map(self._resolve, dict.fromkeys(entities)))
        targets = dict.fromkeys(one.id for one in resolved)
        return resolved, tuple(self._link(kind, record.id, target)[0].id for target in targets)

    def _link(
        self, kind: KnowledgeKind, source: str, target: str, relation: str = "", confidence: float = 1.0, id: str = ""
    ) -> tuple[KnowledgeRecord, bool]:
        known = self._catalog.find_link(kind, source, target, relation)
        if known and self._is_beside(known):
            if confidence > known.body.confidence or kind in (KnowledgeKind.RELATES, KnowledgeKind.CAUSES):
                self._confirm(known, confidence=max(confidence, known.body.confidence))
            return self._catalog.current[known.id], False
        body = self._body(source=source, target=target, relation=relation, confidence=confidence)
        return self._new(kind, body, id=id), True

    def _confirm(self, record: KnowledgeRecord, **changes: object) -> None:
        """A duplicate is not lost: it confirms the record, once per source, and completes it."""
        if not self._is_beside(record):
            return
        origin = self._origin
        sources = (record.body.origin, *record.body.origins)
        if origin != KnowledgeSource() and origin not in sources and len(sources) < MOST_ORIGINS:
            changes["origins"] = (*record.body.origins, origin)
            changes["strength"] = record.body.strength + 1
        elif record.who.agent_id != self._context.reader.who.agent_id:
            changes["strength"] = record.body.strength + 1
        row = revise(record, self._context.now, **changes)
        if row.body != record.body:
            self._put(structs.replace(row, body=structs.replace(row.body, reason="confirmed")))

    def _body(self, **fields: object) -> KnowledgeBody:
        return KnowledgeBody(origin=self._origin, **fields)  # type: ignore[arg-type]  # fields of the struct

    def _new(
        self, kind: KnowledgeKind, body: KnowledgeBody, valid_from: int = 0, valid_to: int = FOREVER, id: str = ""
    ) -> KnowledgeRecord:
        context = self._context
        record = KnowledgeRecord(
            id=id or self._new_id(), kind=kind, body=body, who=context.reader.who, scope=context.scope,
            owner=context.owner, sensitive=context.sensitive, valid_from=valid_from, valid_to=valid_to,
            known_from=context.now,
        )  # fmt: skip
        return self._put(record)

    def _put(self, record: KnowledgeRecord) -> KnowledgeRecord:
        numbered = structs.replace(record, number=self._catalog.last + 1)
        if record.kind in (KnowledgeKind.ENTITY, KnowledgeKind.MERGE):
            self._object_keys.clear()
        self._catalog.take(numbered)
        self.rows.append(numbered)
        return numbered

    def _as_dated(self, fact: KnowledgeRecord) -> DatedFact:
        return DatedFact(fact.id, self._object_key(fact.body.object), fact.valid_from, fact.valid_to, fact.who.agent_id)

    def _object_key(self, object: str) -> str:
        """Objects are compared as entities where they are some."""
        key = self._object_keys.get(object)
        if key is None:
            found = self._find(object)
            key = found[0].id if found else names.singular(names.fold(object)) or object
            self._object_keys[object] = key
        return key

    def _is_single(self, predicate: str) -> bool:
        spelt = names.predicate(predicate)
        if spelt in self._context.multi_valued:
            return False
        if spelt in self._context.single_valued or spelt in SINGLE_VALUED:
            return True
        stated = [
            Succession(names.fold(one.body.subject), names.fold(one.body.object), one.valid_from, one.body.stated_to)
            for one in self._catalog.with_predicate(predicate)
            if self._is_beside(one)
        ]
        return intervals.is_learned_single(stated)


# Predicates whose subject has one object at a time, as `names.predicate` spells them.
SINGLE_VALUED = frozenset(
    {
        "version", "at version", "current version",
        "runs version", "pinned to", "status", "state", "owner", "owned by",
        "maintainer", "maintained by", "led by", "lead", "assigned to", "assignee",
        "lives in", "lives at",
        "located in", "based in", "works at", "works for", "employed by", "employer",
        "job", "job title", "role", "title",
        "ceo", "manager", "reports to", "managed by", "married to", "spouse", "age", "name", "email", "phone",
        "address", "default", "default value", "value", "set to", "timeout", "limit", "retry limit", "max retries",
        "port", "url", "license", "price", "plan", "deadline", "due on", "priority", "primary database", "deployed to",
        "hosted on", "deployed on", "default branch", "language", "favorite color", "favourite colour", "prefers",
        "birthday", "born in", "born on", "located at", "current job", "lives with",
    }
)  # fmt: skip


def _require(text: str, field: str) -> str:
    cleaned = " ".join(text.split()) if field != "description" else text.strip()
    if not cleaned:
        raise InvalidInput(f"{field} is empty", "Give it as text.")
    return cleaned
