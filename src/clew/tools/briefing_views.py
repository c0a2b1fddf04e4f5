"""The fields of a briefing."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from clew.model.search import Reason, RetrieverFailure
from clew.pack.slicing import CodeSlice
from clew.text.tokens import estimate
from clew.tools.freshness import NOTHING_YET
from clew.tools.memory_views import Blocker, ClaimOutcome, MemoryView, PlanView


class PackItem(Struct, frozen=True, omit_defaults=True):
    """An item of a pack. `form` is `line`, `elided` or `whole`; its code is empty where the pack's text holds it.

    Beside a text there is no `path`: `symbol` begins with it.
    """

    symbol: str
    path: str = ""
    first_line: int = 0
    last_line: int = 0
    chunk_id: str = ""
    kind: str = ""
    label: str = ""
    signature: str = ""
    section: str = ""
    form: str = ""
    reason: str = ""
    score: float = 0.0
    ppr_score: float = 0.0
    code: str = ""
    stale: bool = False
    reasons: tuple[Reason, ...] = ()


class NextItem(Struct, frozen=True):
    """An item that a larger budget would show next, and about how many tokens its whole code takes."""

    symbol: str
    tokens: int


class LeftOut(Struct, frozen=True, omit_defaults=True):
    """Items that did not fit, and about how many tokens they would take.

    `next` are the first of those items, if the pack is explained.
    """

    items: int
    tokens: int
    next: tuple[NextItem, ...] = ()


class SectionCost(NamedTuple):
    """The part of the budget used by a section; `lines` counts lines of code."""

    section: str
    items: int
    lines: int
    tokens: int


def section_costs(items: Sequence[PackItem]) -> list[SectionCost]:
    """In the order of their first items."""
    costs = []
    for section in dict.fromkeys(one.section for one in items):
        own = [one for one in items if one.section == section]
        lines = sum(not line.lstrip().startswith("… ") for one in own for line in one.code.splitlines())
        text = (
            f"{one.path}:{one.first_line}-{one.last_line} {one.reason}\n{one.code or one.signature}\n" for one in own
        )
        costs.append(SectionCost(section, len(own), lines, sum(map(estimate, text))))
    return costs


class CoreSymbol(Struct, frozen=True, omit_defaults=True):
    """A slice beside a text that has its code: which item it is, and which decisions and learnings are about it."""

    item: int
    relevant_decisions: tuple[int, ...] = ()
    relevant_learnings: tuple[int, ...] = ()
    valid_from: int | None = None


class DepEdge(Struct, frozen=True):
    """By which the graph leads to an item, as it was read."""

    source: str
    target: str
    kind: str
    path: str
    line: int
    confidence: float


class DepItems(Struct, frozen=True, omit_defaults=True):
    """The same beside a text: between which of the items; without the end that is none of them."""

    kind: str
    source: int | None = None
    target: int | None = None


class Briefing(Struct, frozen=True, omit_defaults=True):
    """A task's briefing: `text` goes into a prompt, `items` tell what code stands in it, the most important first.

    Beside a text, the fields of an answer do not say again what stands in that: numbers there are those of items,
    decisions and learnings, from 0 on. Where the format is JSON, the fields say it all. `ppr_scores`, by item, are told
    in the debug profile, and so is since when its core symbols are as they are: that is the store's, not the code's.
    `history` has what git says to a task that asks for the past, `services` the service map for one that asks how the
    parts of a system talk.
    """

    entry_point: str
    items: tuple[PackItem, ...]
    left_out: LeftOut
    token_estimate: int = 0
    about: str = ""
    notes: str = ""
    text: str = ""
    core_symbols: tuple[CodeSlice | CoreSymbol, ...] = ()
    dependencies: tuple[DepEdge | DepItems, ...] = ()
    decisions: tuple[MemoryView, ...] = ()
    learnings: tuple[MemoryView, ...] = ()
    episodes: tuple[MemoryView, ...] = ()
    active_blockers: tuple[Blocker, ...] = ()
    plan: PlanView | None = None
    claim: ClaimOutcome | None = None
    unknown_words: tuple[str, ...] = ()
    near: Mapping[str, tuple[str, ...]] = {}
    failed: tuple[RetrieverFailure, ...] = ()
    history: tuple[str, ...] = ()
    services: tuple[str, ...] = ()
    ppr_scores: dict[str, float] = {}

    def summary(self) -> str:
        if self.notes == NOTHING_YET:
            return self.notes
        about = f": {self.about}" if self.about else ""
        start = f"Start at {self.entry_point}{about}." if self.entry_point else "Nothing here matches the task."
        return f"{start} {self.notes}".rstrip()
