"""Knowledge that agents record: entities, events, concepts, causes and facts, and the links between them.

Each record is one row of a log. A change of a record is a further row with the same id; no row is ever changed.
"""

from enum import StrEnum

from msgspec import Struct

from clew.model.agents import Identity
from clew.model.time import FOREVER


class KnowledgeKind(StrEnum):
    ENTITY = "entity"
    EVENT = "event"
    CONCEPT = "concept"
    CAUSE = "cause"
    FACT = "fact"
    RELATES = "E_RELATES"  # entity to entity
    CAUSES = "CAUSES"  # cause to cause
    INVOLVES = "X_INVOLVES"  # event or fact to entity
    REPRESENTS = "X_REPRESENTS"  # concept to entity
    AFFECTS = "X_AFFECTS"  # cause to entity
    REFERS_TO = "X_REFERS_TO"  # cause to event
    MERGE = "merge"  # source and target are the same thing
    FEEDBACK = "feedback"  # a rating of a record: confidence 1 helped, 0 misled
    PURGE = "purge"  # rows before this one were erased: readers begin anew


NODES = frozenset(
    {KnowledgeKind.ENTITY, KnowledgeKind.EVENT, KnowledgeKind.CONCEPT, KnowledgeKind.CAUSE, KnowledgeKind.FACT}
)
LINKS = frozenset(KnowledgeKind) - NODES - {KnowledgeKind.MERGE, KnowledgeKind.FEEDBACK, KnowledgeKind.PURGE}


class KnowledgeScope(StrEnum):
    """The readers of a record."""

    PROJECT = "project"
    USER = "user"
    AGENT = "agent"
    SESSION = "session"


class KnowledgeSource(Struct, frozen=True, omit_defaults=True):
    """Where a record was taken from: an episode, a commit, or a document or file with its line."""

    episode: str = ""
    commit: str = ""
    path: str = ""
    line: int = 0
    quote: str = ""
    note: str = ""


class KnowledgeBody(Struct, frozen=True, omit_defaults=True):
    """The contents of a record; each kind uses some of the fields.

    `code` is the id of the symbol or file that an entity is, `digest` that code's digest at the time, in hex.
    `strength` counts how often a record was confirmed. `stated_to` is the end that the writer gave a fact; its
    `valid_to` may be earlier. `ended` marks the last row of a record, `reason` why the row was written.
    """

    name: str = ""
    type: str = ""
    aliases: tuple[str, ...] = ()
    description: str = ""
    code: str = ""
    digest: str = ""
    subject: str = ""
    predicate: str = ""
    object: str = ""
    stated_to: int = FOREVER
    source: str = ""
    target: str = ""
    relation: str = ""
    confidence: float = 1.0
    strength: int = 1
    origin: KnowledgeSource = KnowledgeSource()
    origins: tuple[KnowledgeSource, ...] = ()  # further ones, of confirmations
    ended: bool = False
    reason: str = ""


class KnowledgeRecord(Struct, frozen=True):
    """A row of the log. `valid_from` is when an event occurred or a fact began to be true; 0 for what has no time."""

    id: str
    kind: KnowledgeKind
    body: KnowledgeBody
    who: Identity
    scope: KnowledgeScope = KnowledgeScope.PROJECT
    owner: str = ""
    sensitive: bool = False
    key: str = ""
    valid_from: int = 0
    valid_to: int = FOREVER
    known_from: int = 0
    revision: int = 1
    number: int = 0

    @property
    def is_node(self) -> bool:
        return self.kind in NODES

    @property
    def is_link(self) -> bool:
        return self.kind in LINKS

    @property
    def text(self) -> str:
        """Its words, for search."""
        body = self.body
        if self.kind is KnowledgeKind.FACT:
            return f"{body.subject} {body.predicate} {body.object}"
        return " ".join(filter(None, (body.name, *body.aliases, body.type, body.description)))

    @property
    def title(self) -> str:
        """The record in one line."""
        if self.kind is KnowledgeKind.FACT:
            return f"{self.body.subject} {self.body.predicate} {self.body.object}"
        return self.body.name or self.body.description


def is_readable(record: KnowledgeRecord, who: Identity, user: str) -> bool:
    """Whether a record is in a scope that the caller may read."""
    return record.scope is KnowledgeScope.PROJECT or record.owner == owner_in(record.scope, who, user)


def owner_in(scope: KnowledgeScope, who: Identity, user: str) -> str:
    """The owner of a record of that scope."""
    if scope is KnowledgeScope.USER:
        return user
    if scope is KnowledgeScope.AGENT:
        return who.agent_id
    return f"{len(who.agent_id)}:{who}" if scope is KnowledgeScope.SESSION else ""
