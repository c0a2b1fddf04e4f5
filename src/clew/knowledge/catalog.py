"""All knowledge of a project in memory: current records by id, by name and by their links. Made of the log's rows.

It holds every record; each question is limited to those that its caller may read.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct, structs

from clew.knowledge import names
from clew.knowledge.names import NameMatch
from clew.model.agents import Identity
from clew.model.knowledge import KnowledgeKind, KnowledgeRecord, KnowledgeScope, is_readable
from clew.model.time import FOREVER, NOW, AsOf


class KnowledgeReader(Struct, frozen=True):
    """Who asks: the records of other users, agents and sessions do not exist for the caller."""

    who: Identity = Identity()
    user: str = ""
    sensitive: bool = False

    def may_read(self, record: KnowledgeRecord) -> bool:
        if record.sensitive and not self.sensitive:
            return False
        return record.scope is KnowledgeScope.PROJECT or is_readable(record, self.who, self.user)


class EntityMatch(Struct, frozen=True):
    """An entity that a name means, and why; `others` are further entities that it may mean as well."""

    record: KnowledgeRecord
    evidence: str
    confidence: float
    others: tuple[str, ...] = ()


class KnowledgeCatalog:
    def __init__(self) -> None:
        self.current: dict[str, KnowledgeRecord] = {}
        self.revisions: dict[str, list[KnowledgeRecord]] = {}  # of records that were changed
        self.last = 0
        self._log: list[KnowledgeRecord] = []
        self._sourced: dict[str, None] = {}
        self._coded: dict[str, None] = {}
        self._names: defaultdict[str, list[str]] = defaultdict(list)
        self._links: defaultdict[str, list[str]] = defaultdict(list)  # ids of links by node, both directions
        self._merged: dict[str, str] = {}
        self._facts: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        self._predicates: defaultdict[str, list[str]] = defaultdict(list)
        self._texts: defaultdict[tuple[KnowledgeKind, str], list[str]] = defaultdict(list)

    def take(self, record: KnowledgeRecord) -> None:
        """Add a row of the log; rows come in order."""
        self.last = record.number
        self._log.append(record)
        if record.kind is KnowledgeKind.PURGE:
            return
        old = self.current.pop(record.id, None)
        if old is not None:
            self.revisions.setdefault(record.id, [old]).append(record)
        elif record.id in self.revisions:
            self.revisions[record.id].append(record)
        if record.body.ended:
            if record.kind is KnowledgeKind.MERGE:
                self._merged.pop(record.body.source, None)
            return
        self.current[record.id] = record
        if old is None or old.body.aliases != record.body.aliases or old.body.name != record.body.name:
            self._file(record)

    def _file(self, record: KnowledgeRecord) -> None:
        body = record.body
        if record.kind is KnowledgeKind.ENTITY:
            if body.code:
                self._coded[record.id] = None
            for name in (body.name, *body.aliases):
                for key in names.keys(name):
                    _append(self._names[key], record.id)
        elif record.kind is KnowledgeKind.FACT:
            spelt = names.predicate(body.predicate)
            _append(self._facts[names.fold(body.subject), spelt], record.id)
            _append(self._predicates[spelt], record.id)
            if body.origin.episode:
                self._sourced[record.id] = None
        elif record.kind is KnowledgeKind.MERGE:
            self._merged[body.source] = body.target
        elif record.is_link:
            _append(self._links[body.source], record.id)
            _append(self._links[body.target], record.id)
        else:
            _append(self._texts[record.kind, names.fold(record.title)], record.id)

    def at(self, at: AsOf) -> "KnowledgeCatalog":
        """The catalog as it was known at a time; itself for the present."""
        if at.known >= NOW.known:
            return self
        past = KnowledgeCatalog()
        for record in self._log:
            if record.known_from <= at.known:
                past.take(record)
        return past

    def changes_since(self, number: int) -> Iterator[tuple[KnowledgeRecord, bool]]:
        """Rows after a number, oldest first, and whether each ends its record."""
        start = bisect_right(self._log, number, key=lambda record: record.number)
        for record in self._log[start:]:
            yield record, record.body.ended

    def all_ids(self) -> list[str]:
        """Every record, also ended ones, in the order of their first rows."""
        return list(dict.fromkeys(record.id for record in self._log))

    def rows(self, id: str) -> list[KnowledgeRecord]:
        """All rows of a record, the first one first."""
        if id in self.revisions:
            return self.revisions[id]
        return [self.current[id]] if id in self.current else []

    def resolve_id(self, id: str) -> str:
        """The id of the entity that another was merged into."""
        meant, seen = id, {id}
        while meant in self._merged and self._merged[meant] not in seen:
            meant = self._merged[meant]
            seen.add(meant)
        return meant

    def absorbed_by(self, id: str) -> list[str]:
        """Entities that were merged into one."""
        return [one for one in sorted(self._merged) if one != id and self.resolve_id(one) == id]

    def get(self, id: str, reader: KnowledgeReader) -> KnowledgeRecord | None:
        found = self.current.get(self.resolve_id(id))
        return found if found and reader.may_read(found) else None

    def nodes(self, reader: KnowledgeReader) -> Iterator[KnowledgeRecord]:
        """Readable nodes, in the order of their ids; merged ones are left out."""
        for key in sorted(self.current):
            record = self.current[key]
            if record.is_node and key not in self._merged and reader.may_read(record):
                yield record

    def find_entity(
        self, name: str, reader: KnowledgeReader, *, wide: KnowledgeRecord | None = None
    ) -> EntityMatch | None:
        """The entity of an id or a name; the match with the best evidence, then the oldest.

        `wide`: only entities that every reader of that record may read.
        """
        by_id = self.get(name, reader)
        if by_id is not None and by_id.kind is KnowledgeKind.ENTITY:
            return EntityMatch(by_id, "its id", 1.0)
        found: dict[str, tuple[NameMatch, KnowledgeRecord]] = {}
        for filed in dict.fromkeys(one for key in names.keys(name) for one in self._names.get(key, ())):
            record = self.get(filed, reader)
            own = self.current.get(filed)
            if record is None or own is None or not reader.may_read(own) or not _is_as_wide(record, wide):
                continue
            match = _best_match(name, own)
            if match and (record.id not in found or match.confidence > found[record.id][0].confidence):
                found[record.id] = match, record
        ordered = sorted(found.values(), key=lambda one: (-one[0].confidence, one[1].known_from, one[1].id))
        if not ordered:
            return None
        match, record = ordered[0]
        equal = tuple(other.id for fit, other in ordered[1:] if fit.confidence == match.confidence)
        if equal and match is names.QUALIFIED:
            return None  # several things end in that name: nothing says which is meant
        return EntityMatch(record, match.evidence, match.confidence, equal)

    def names_beside(self, name: str, reader: KnowledgeReader) -> tuple[str, ...]:
        """All names of the readable entities that have this one, as a name or as an alias."""
        spoken: dict[str, None] = {}
        for filed in dict.fromkeys(one for key in names.keys(name) for one in self._names.get(key, ())):
            own = self.current.get(filed)
            if own is not None and reader.may_read(own) and _best_match(name, own):
                record = self.get(filed, reader) or own
                spoken.update(
                    (one, None) for entity in (own, record) for one in (entity.body.name, *entity.body.aliases)
                )
        return tuple(spoken)

    def find_node(self, kind: KnowledgeKind, text: str, reader: KnowledgeReader) -> KnowledgeRecord | None:
        """The readable node of a kind with this id, or else this description."""
        by_id = self.get(text, reader)
        if by_id is not None and by_id.kind is kind:
            return by_id
        wanted = [self.get(filed, reader) for filed in self._texts.get((kind, names.fold(text)), ())]
        return next((one for one in wanted if one is not None), None)

    def facts(self, subject: str, predicate: str, reader: KnowledgeReader) -> list[KnowledgeRecord]:
        """Current facts of a subject and predicate, whatever their time, in the order of recording.

        The subject is an id or a name; aliases of its entity count.
        """
        match = self.find_entity(subject, reader)
        known = [match.record, *(self.current[one] for one in self.absorbed_by(match.record.id))] if match else []
        spoken = dict.fromkeys([subject, *(name for one in known for name in (one.body.name, *one.body.aliases))])
        spelt = names.predicate(predicate)
        filed = dict.fromkeys(one for name in spoken for one in self._facts.get((names.fold(name), spelt), ()))
        found = [self.current[one] for one in filed if one in self.current]
        return sorted((one for one in found if reader.may_read(one)), key=lambda one: (one.known_from, one.id))

    def with_predicate(self, predicate: str) -> list[KnowledgeRecord]:
        found = (self.current.get(filed) for filed in self._predicates.get(names.predicate(predicate), ()))
        return [one for one in found if one is not None]

    def about_code(self, reader: KnowledgeReader, at: int) -> Iterator[tuple[KnowledgeRecord, KnowledgeRecord]]:
        """Entities that are code, each with a fact that holds or a cause that affects it, in the order of recording."""
        kinds = (KnowledgeKind.INVOLVES, KnowledgeKind.AFFECTS)
        for filed in self._coded:
            entity = self.get(filed, reader)
            for _, other in self.links(filed, reader, kinds) if entity is not None and entity.body.code else ():
                record = self.current[other]
                holds = record.kind is KnowledgeKind.FACT and record.valid_from <= at < record.valid_to
                if entity is not None and (holds or record.kind is KnowledgeKind.CAUSE):
                    yield entity, record

    def facts_with_source(self) -> Iterator[KnowledgeRecord]:
        """Current facts that were taken from an episode."""
        for filed in self._sourced:
            record = self.current.get(filed)
            if record is not None:
                yield record

    def links(
        self, id: str, reader: KnowledgeReader, kinds: Iterable[KnowledgeKind] = ()
    ) -> list[tuple[KnowledgeRecord, str]]:
        """Readable links of a node with the node at their other end, in the order of recording."""
        wanted = frozenset(kinds)
        own = [id, *self.absorbed_by(id)] if self._merged else [id]
        found = []
        for link in dict.fromkeys(one for node in own for one in self._links.get(node, ())):
            record = self.current.get(link)
            if record is None or (wanted and record.kind not in wanted) or not reader.may_read(record):
                continue
            source, target = self.resolve_id(record.body.source), self.resolve_id(record.body.target)
            other = target if source == self.resolve_id(id) else source
            if other != self.resolve_id(id) and (end := self.current.get(other)) and reader.may_read(end):
                found.append((record, other))
        return sorted(found, key=lambda one: (one[0].known_from, one[0].number, one[0].id))

    def find_link(self, kind: KnowledgeKind, source: str, target: str, relation: str) -> KnowledgeRecord | None:
        """The link of that kind between two nodes."""
        spelt = names.predicate(relation)
        links = (self.current.get(filed) for filed in self._links.get(source, ()))
        alike = (one for one in links if one and one.kind is kind and names.predicate(one.body.relation) == spelt)
        return next((one for one in alike if (one.body.source, one.body.target) == (source, target)), None)

    def counts(self, reader: KnowledgeReader) -> Mapping[KnowledgeKind, int]:
        """Readable current records by kind."""
        found = dict.fromkeys(KnowledgeKind, 0)
        for record in self.current.values():
            if reader.may_read(record):
                found[record.kind] += 1
        return found

    def valid_to(self, fact: KnowledgeRecord) -> int:
        return fact.valid_to if fact.kind is KnowledgeKind.FACT else FOREVER


def _append(ids: list[str], id: str) -> None:
    if id not in ids[-1:]:
        ids.append(id)


def _best_match(name: str, record: KnowledgeRecord) -> NameMatch | None:
    own = names.compare(name, record.body.name)
    also = [found for alias in record.body.aliases if (found := names.compare(name, alias))]
    aliases = [names.ALIAS if one in (names.EXACT, names.CASE) else one for one in also]
    return max([*([own] if own else []), *aliases], key=lambda one: one.confidence, default=None)


def _is_as_wide(record: KnowledgeRecord, wide: KnowledgeRecord | None) -> bool:
    if wide is None or record.scope is KnowledgeScope.PROJECT:
        return True
    return (record.scope, record.owner) == (wide.scope, wide.owner)


def revise(record: KnowledgeRecord, now: int, **changes: object) -> KnowledgeRecord:
    """The next row of a record; `changes` are of its body, besides `valid_from` and `valid_to`."""
    times = {name: changes.pop(name) for name in ("valid_from", "valid_to") if name in changes}
    body = structs.replace(record.body, **changes)
    return structs.replace(record, body=body, key="", known_from=now, revision=record.revision + 1, **times)
