"""In which order items enter a context pack and grow: sections take turns, each by its share of the budget. Pure.

The order does not depend on the budget, so that a larger pack shows every item of a smaller one.
"""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import groupby

from msgspec import Struct

from clew.pack.fitting import LINE
from clew.pack.order import interleave
from clew.pack.request import PackRequest
from clew.pack.scoring import GRAPH_FIRST, SEEDS
from clew.pack.sections import SectionEntry

OPENING = 240  # bytes of an excerpt that an item enters with; it grows to its whole text in a later turn
PART = 1600  # bytes of the first seed that are shown before anything else: a small pack has code, and not only names

# Most is for the code that matches, shown whole, as in a briefing; fitted: docs/packs.md.
_USUAL = {
    SEEDS: 0.60, "callees": 0.09, "callers": 0.07, "usages": 0.05, "dataflow": 0.05, "imports": 0.03, "exports": 0.02,
    "tests": 0.05, "docs": 0.03, "related": 0.01,
}  # fmt: skip
# What depends on the seeds comes first. The best seed itself opens every pack.
_GRAPH_FIRST = {
    "callers": 0.28, "usages": 0.18, "tests": 0.14, "exports": 0.10, "dataflow": 0.10, SEEDS: 0.08, "callees": 0.04,
    "imports": 0.03, "docs": 0.03, "related": 0.02,
}  # fmt: skip


class ExcerptSize(StrEnum):
    """How much of an item is shown: its shortest form, its best lines, an opening, or all that it may have."""

    LEAST = "least"
    PART = "part"
    OPENING = "opening"
    WHOLE = "whole"


class SectionTurn(Struct, frozen=True):
    """`entry` is the place of an entry in the order in which they enter."""

    entry: int
    size: ExcerptSize


class TurnOrder(Struct, frozen=True):
    """Entries in the order in which they enter, at most as many as the request allows; and all of their turns."""

    entries: tuple[SectionEntry, ...]
    turns: tuple[SectionTurn, ...]


def shares(request: PackRequest) -> Mapping[str, float]:
    return _GRAPH_FIRST if request.intent in GRAPH_FIRST else _USUAL


def order_turns(ranked: Sequence[SectionEntry], request: PackRequest) -> TurnOrder:
    """`ranked` are in one order of rank, which each section keeps."""
    budgets, wanted = request.budgets, shares(request)
    queues: dict[str, Iterator[_Step | None]] = {name: iter(()) for name in wanted}
    by_section = sorted(ranked, key=lambda one: one.section)  # stable: the order of rank stays
    for name, some in groupby(by_section, key=lambda one: one.section):
        queues[name] = _grow(list(some), budgets.max_bytes_per_item)
    first = next((one for one in ranked if one.section == SEEDS), None)
    entries = [first] if first else []
    turns = [SectionTurn(0, ExcerptSize.LEAST), SectionTurn(0, ExcerptSize.PART)] if first else []
    places = {id(first): 0} if first else {}
    for step in interleave(queues, wanted, lambda step: step.cost):
        place = places.get(id(step.entry))
        if place is None:
            if len(entries) == budgets.max_items:
                continue
            place = places[id(step.entry)] = len(entries)
            entries.append(step.entry)
        turns.append(SectionTurn(place, step.size))
    return TurnOrder(tuple(entries), tuple(turns))


class _Step(Struct, frozen=True, eq=False):
    entry: SectionEntry
    size: ExcerptSize
    cost: int  # in bytes, more or less


def _grow(entries: Sequence[SectionEntry], most: int) -> Iterator[_Step | None]:
    """A section pays for its first step with its second: so each has an item before any has two."""
    owed = 0
    for number, step in enumerate(_steps(entries, most)):
        if number == 0:
            owed = step.cost
            yield _Step(step.entry, step.size, 0)
        else:
            yield _Step(step.entry, step.size, step.cost + owed)
            owed = 0


def _steps(entries: Sequence[SectionEntry], most: int) -> Iterator[_Step]:
    for entry in entries:
        size = min(entry.size, most)
        if size <= OPENING:
            yield _Step(entry, ExcerptSize.WHOLE, LINE + size)
        else:
            yield _Step(entry, ExcerptSize.OPENING, LINE + OPENING)
            yield _Step(entry, ExcerptSize.WHOLE, size - OPENING)
