"""The items of a task briefing, in sections: each grows from one line to its whole code. Notes are its memories."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, Self

from msgspec import Struct

from clew.model.agents import Identity
from clew.model.code import Edge
from clew.model.fleet import TaskStep
from clew.model.search import Reason
from clew.model.words import Kind
from clew.pack.request import Intent

if TYPE_CHECKING:
    from clew.memory.subjects import SubjectState


class Section(StrEnum):
    """Where an item stands, in the order of a text. Related are further matches, each in a line until there is room.

    Blockers are claims of other agents on the shown code.
    """

    BLOCKERS = "blockers"
    PLAN = "plan"
    CORE = "core"
    RELATED = "related"
    DEPENDENCIES = "dependencies"
    TESTS = "tests"
    DOCUMENTS = "documents"
    DECISIONS = "decisions"
    LEARNINGS = "learnings"
    EPISODES = "episodes"


class Manner(Struct, frozen=True):
    """How an intent shapes a pack: the share of each section, and the largest size of a unit that is shown whole.

    A longer unit is elided, and grows once everything else is included.
    """

    shares: Mapping[Section, float]
    whole_up_to: int  # bytes


class Item(Struct, frozen=True):
    """Something that may stand in a pack, told without its text; the reason is in a few words, `reasons` are all."""

    id: str
    chunk_id: str
    path: str
    first_line: int
    last_line: int
    kind: Kind
    language: str
    label: str
    section: Section
    reason: str
    score: float
    ppr_score: float
    reasons: tuple[Reason, ...]
    edge: Edge | None = None  # by which the graph leads to it

    @property
    def place(self) -> str:
        return f"{self.path}:{self.first_line}-{self.last_line}"


class ShownItem(Struct, frozen=True):
    """An item as it stands in a pack: by its signature in a line, as long as there is no code."""

    item: Item
    title: str
    code: str = ""
    elided: bool = True
    stale: bool = False

    @property
    def section(self) -> Section:
        return self.item.section

    @property
    def size(self) -> int:
        return len(self.code.encode())


CURRENT = "current"


class Fate(Struct, frozen=True, omit_defaults=True):
    """State of the code that a memory is about: current, changed, moved or gone; unknown if the id was unknown when
    it was written.

    `now` is its present id; `changed` is set if it was moved and changed.
    """

    id: str
    state: str
    now: str = ""
    changed: bool = False

    @classmethod
    def of(cls, one: "SubjectState") -> Self:
        return cls(one.id, str(one.drift), one.now, one.changed)


class Note(Struct, frozen=True):
    """A record of an agent in a pack: an episode, a learning, a task's plan, or a conflicting claim.

    `title` is one line, `text` the full text if there is more. `state` describes the state of its code, `beside` is
    the item that it is shown with, if any, `at` its time in UTC microseconds. Steps are those of a plan, whose status
    is its `outcome`.
    """

    id: str
    section: Section
    kind: str
    title: str
    text: str = ""
    reason: str = ""
    state: str = ""
    fates: tuple[Fate, ...] = ()
    score: float = 0.0
    agent_id: str = ""
    session_id: str = ""
    task_id: str = ""
    at: int = 0
    outcome: str = ""
    beside: str = ""
    steps: tuple[TaskStep, ...] = ()
    next_step: str = ""
    waits_for: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        return len(self.text.encode())


class Noted(Struct, frozen=True):
    """A note as it stands in a pack: in a line, or in full."""

    note: Note
    full: bool = False

    @property
    def section(self) -> Section:
        return self.note.section

    @property
    def size(self) -> int:
        return self.note.size if self.full else 0


# Shares of the room. Memory has A §1.1's slots; most of the rest is for code, and what is told in lines has little.
_CODE = {
    Section.CORE: 0.575,
    Section.RELATED: 0.01,
    Section.DEPENDENCIES: 0.015,
    Section.TESTS: 0.03,
    Section.DOCUMENTS: 0.02,
}
_MEMORY = {Section.DECISIONS: 0.20, Section.PLAN: 0.10, Section.EPISODES: 0.05}
_AROUND = {**_CODE, Section.CORE: 0.27, Section.RELATED: 0.07, Section.DEPENDENCIES: 0.25, Section.TESTS: 0.03}
_USUAL = Manner({**_CODE, **_MEMORY}, whole_up_to=24_000)
_WIDE = Manner({**_AROUND, **_MEMORY}, whole_up_to=2400)
_ASKED = Manner({**_AROUND, Section.RELATED: 0.05, Section.DEPENDENCIES: 0.35, **_MEMORY}, whole_up_to=2400)
# Who asks how something works wants the code that answers, and need not see what a change of it would touch.
EXPLAINING = Manner(
    {**_CODE, Section.CORE: 0.55, Section.DEPENDENCIES: 0.02, Section.TESTS: 0.01, **_MEMORY}, whole_up_to=24_000
)
_BRIEF = Manner({**_CODE, **_MEMORY}, whole_up_to=480)

MANNERS: Mapping[Intent, Manner] = {
    "answer": _USUAL,
    "debug": _USUAL,
    "refactor": _WIDE,
    "impact": _ASKED,
    "summarize": _BRIEF,
    "contract": _BRIEF,
}


class FromMemory(Struct, frozen=True):
    """The agent and the task, by default the caller's current one. Kinds that are not requested are not read."""

    who: Identity = Identity()
    task_id: str = ""
    decisions: bool = True
    episodes: bool = True
    learnings: bool = True


class CodeNotes(Protocol):
    """Notes about code, looked up by id once that code enters the pack."""

    def in_the_way(self, node: str) -> Sequence[Note]:
        """Claims of others on it."""

    def about(self, node: str) -> Sequence[Note]:
        """Learnings about it."""


class _NoCodeNotes:
    def in_the_way(self, node: str) -> Sequence[Note]:
        return ()

    def about(self, node: str) -> Sequence[Note]:
        return ()


class Memories(Struct, frozen=True, eq=False):
    """Memories for one pack, the best of each kind first."""

    plan: tuple[Note, ...] = ()
    decisions: tuple[Note, ...] = ()
    episodes: tuple[Note, ...] = ()
    learned: tuple[Note, ...] = ()
    code: CodeNotes = _NoCodeNotes()


NO_MEMORIES = Memories()
