"""A plan cut to a budget: the longest beginning of its steps that fits as it is rendered."""

from collections.abc import Callable
from typing import NamedTuple

from msgspec import Struct

from clew.pack.briefing import LINE, Plan
from clew.pack.items import Noted, Section, Shown

MOST = 50_000  # tokens of a pack that no budget was named for: D's 200,000 characters
LOOKED_ON = 60  # steps that are looked at after the first that costs too much
BYTES_PER_TOKEN = 4  # where only the size of a text is known


class Cut(Struct, frozen=True):
    """What stands in a pack, and what does not: how many items, and about how many tokens more everything would take.

    `said`: there is room for the summary.
    """

    shown: tuple[Shown | Noted, ...]
    left_items: int
    left_tokens: int
    said: bool

    def note(self) -> str:
        """What was left out, in a line; nothing if nothing was."""
        if not self.left_tokens:
            return ""
        items = f"{self.left_items} more item{'s' if self.left_items != 1 else ''}, " if self.left_items else ""
        return f"Left out: {items}about {self.left_tokens:,} tokens."


class Measure(Struct, frozen=True):
    """What may be spent. Prices of parts never sum up to less than the whole costs, which is asked for in the end."""

    limit: int
    item: Callable[[Shown | Noted], int]
    heading: Callable[[Section], int]
    summary: int
    whole: Callable[[Cut], int]


def fitted(plan: Plan, measure: Measure) -> Cut | None:
    """None if not even an empty pack fits."""
    empty = _cut(plan, _Begun([], complete=False), said=False)
    if (spent := measure.whole(empty)) > measure.limit:
        return None
    said = spent + measure.summary <= measure.limit
    begun = _affordable(plan, measure, spent + measure.summary) if said else _Begun([], complete=False)
    while True:
        cut = _cut(plan, begun, said=said)
        if measure.whole(cut) <= measure.limit:
            return cut
        said = said and bool(begun.steps)
        begun = _Begun(begun.steps[:-1], complete=False)


class _Begun(NamedTuple):
    """Steps of a plan from the first on; `complete` if these are all."""

    steps: list[tuple[int, Shown | Noted]]
    complete: bool


def _affordable(plan: Plan, measure: Measure, spent: int) -> _Begun:
    """Up to the first step that costs too much; with what is left, items that stand there already may still grow."""
    price: dict[int, int] = {}
    sections: set[Section] = set()
    steps: list[tuple[int, Shown | Noted]] = []
    missed = 0
    for number, shown in plan.steps():
        section = shown.section
        own = measure.item(shown)
        cost = own - price.get(number, 0) + (0 if section in sections else measure.heading(section))
        if spent + cost > measure.limit or (missed and number not in price):
            missed += 1
            if missed > LOOKED_ON:
                break
            continue
        spent += cost
        price[number] = own
        sections.add(section)
        steps.append((number, shown))
    return _Begun(steps, complete=not missed)


def _cut(plan: Plan, begun: _Begun, *, said: bool) -> Cut:
    state = dict(begun.steps)
    shown = tuple(state[number] for number in sorted(state))
    if begun.complete:
        return Cut(shown, 0, 0, said)
    taken = sum(LINE + one.size for one in shown)
    everything = sum(LINE + entry.size for entry in plan.entries)
    left = max(everything - taken, 0) // BYTES_PER_TOKEN
    return Cut(shown, len(plan.entries) - len(shown), left, said)
