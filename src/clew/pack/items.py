"""What a task briefing is made of: items in sections, which grow from a line to their whole code."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from clew.model.code import Edge
from clew.model.search import Reason
from clew.model.words import Kind
from clew.pack.request import Intent


class Section(StrEnum):
    """Where an item stands. Related are further matches, each in a line until there is room for its code."""

    CORE = "core"
    RELATED = "related"
    DEPENDENCIES = "dependencies"
    DECISIONS = "decisions"
    PLAN = "plan"
    EPISODES = "episodes"


class Manner(Struct, frozen=True):
    """How an intent shapes a pack: what each section may take, and up to which size a unit is whole in its turn.

    A longer unit is elided, and grows once everything is there.
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


class Shown(Struct, frozen=True):
    """An item as it stands in a pack: by its signature in a line, as long as there is no code."""

    item: Item
    title: str
    code: str = ""
    elided: bool = True
    stale: bool = False


# A §1.1's slots; further matches share with what the best ones depend on. By five repositories of the fit part, a line
# for each further file brings a sixth more of the changed files into 1,000 tokens, and costs little of their code.
_CODE = {Section.CORE: 0.40, Section.RELATED: 0.125, Section.DEPENDENCIES: 0.125}
_MEMORY = {Section.DECISIONS: 0.20, Section.PLAN: 0.10, Section.EPISODES: 0.05}
_AROUND = {Section.CORE: 0.25, Section.RELATED: 0.10, Section.DEPENDENCIES: 0.30}
_USUAL = Manner({**_CODE, **_MEMORY}, whole_up_to=6000)
_WIDE = Manner({**_AROUND, **_MEMORY}, whole_up_to=2400)
_BRIEF = Manner({**_CODE, **_MEMORY}, whole_up_to=480)

MANNERS: Mapping[Intent, Manner] = {
    "answer": _USUAL,
    "debug": _USUAL,
    "refactor": _WIDE,
    "impact": _WIDE,
    "summarize": _BRIEF,
    "contract": _BRIEF,
}
