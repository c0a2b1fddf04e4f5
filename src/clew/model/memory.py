"""Memory of agents: episodes, their subjects, and learnings from them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from clew.model.agents import Identity
from clew.model.time import FOREVER


class EpisodeType(StrEnum):
    OBSERVATION = "OBSERVATION"  # code was read, or the graph was asked
    DECISION = "DECISION"  # a technical choice that binds
    EDIT = "EDIT"  # code was changed
    TEST_RESULT = "TEST_RESULT"  # tests were run
    ERROR = "ERROR"  # something was not as expected
    REFLECTION = "REFLECTION"  # what several episodes together say
    LEARNING = "LEARNING"  # a lasting pattern


class Outcome(StrEnum):
    UNKNOWN = ""
    SUCCESS = "success"
    FAILURE = "failure"
    PARTIAL = "partial"


@dataclass(frozen=True, slots=True)
class Subject:
    """Code that a memory is about, as it was then; an empty digest: nothing of that id was known."""

    id: str
    digest: bytes = b""

    @property
    def is_known(self) -> bool:
        return bool(self.digest)


@dataclass(frozen=True, slots=True)
class EpisodeDraft:
    """An episode as its writer tells it."""

    type: EpisodeType
    content: str
    entities: tuple[str, ...] = ()
    task_id: str = ""
    outcome: Outcome = Outcome.UNKNOWN
    metadata: Mapping[str, object] = field(default_factory=dict)
    sensitive: bool = False
    occurred_at: int = 0  # 0: when it is recorded
    key: str = ""

    @property
    def is_automatic(self) -> bool:
        """Whether Clew recorded it by itself: a reflection, the end of a claim, or a closed task."""
        if self.type is EpisodeType.REFLECTION:
            return True
        claim = self.metadata.get("claim_id")
        return self.key == f"claim-{claim}" or bool(self.task_id and self.key.startswith(f"task-{self.task_id}-"))


@dataclass(frozen=True, slots=True)
class Episode:
    """`number` grows as episodes are recorded; `previous` is that of the one before it in its session, or 0.

    `previous_id` is only told of one that was just added.
    """

    number: int
    id: str
    who: Identity
    draft: EpisodeDraft
    recorded_at: int
    previous: int
    subjects: tuple[Subject, ...] = ()
    previous_id: str = field(default="", compare=False)

    @property
    def occurred_at(self) -> int:
        return self.draft.occurred_at


class NoteScope(StrEnum):
    """The readers of a note."""

    WORKING = "working"  # one agent in one session
    SHARED = "shared"  # all agents of the project
    USER = "user"  # all agents that work for the user, in any project: a preference


@dataclass(frozen=True, slots=True)
class AgentNote:
    """A short note. `who` wrote it, in the project `origin`; a named note is changed by its name.

    `became` gives the end of an old one: `changed`, `ended`, or the id of an episode.
    """

    id: str
    scope: NoteScope
    who: Identity
    content: str
    name: str = ""
    task: str = ""
    origin: str = ""
    revision: int = 1
    number: int = 0
    known_from: int = 0
    known_to: int = FOREVER
    became: str = ""
    subjects: tuple[Subject, ...] = ()

    @property
    def owner(self) -> str:
        """Its owner within its scope."""
        return owner(self.scope, self.who)


def owner(scope: NoteScope, who: Identity) -> str:
    return f"{len(who.agent_id)}:{who}" if scope is NoteScope.WORKING else ""


TOLD = "told"


@dataclass(frozen=True, slots=True)
class Learning:
    """`about` is its subject, `claim` its statement; `strength` counts how often it was learned.

    The claim of a learning that an agent wrote is `TOLD`; all others are from reflection.
    """

    id: str
    about: str
    claim: str
    content: str
    confidence: float
    evidence: tuple[str, ...]
    who: Identity = field(default_factory=Identity)
    task_id: str = ""
    strength: int = 1
    subjects: tuple[Subject, ...] = ()
    known_from: int = 0
    known_to: int = FOREVER
    superseded_by: str = ""

    @property
    def is_automatic(self) -> bool:
        return self.claim != TOLD
