"""What was planned, cut to a budget: the longest beginning of its steps that fits as it is written."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from msgspec import Struct

MOST = 50_000  # tokens of a briefing that no budget was named for: D's 200,000 characters
LOOKED_ON = 60  # steps that are looked at after the first that costs too much
BYTES_PER_TOKEN = 4  # where only the size of a text is known
LINE = 130  # bytes that an item takes beside its text


class Sized(Protocol):
    @property
    def section(self) -> Any: ...

    @property
    def size(self) -> int: ...


S = TypeVar("S", bound=Sized)
Step = tuple[int, Callable[[], S]]  # which entry, and what makes it as it stands from then on


class Cut(Struct, Generic[S], frozen=True):
    """What stands in a pack, and what does not: how many items, and about how many tokens more everything would take.

    `said`: there is room for the summary.
    """

    shown: tuple[S, ...]
    left_items: int
    left_tokens: int
    said: bool

    def note(self) -> str:
        """What was left out, in a line; nothing if nothing was."""
        if not self.left_tokens:
            return ""
        items = f"{self.left_items} more item{'s' if self.left_items != 1 else ''}, " if self.left_items else ""
        return f"Left out: {items}about {self.left_tokens:,} tokens."


class Measure(Struct, Generic[S], frozen=True):
    """What may be spent, and what the whole costs as it is written.

    Prices of parts keep what is too much from being written at all: they never sum up to less than the whole costs, but
    for parts without a price.
    """

    limit: int
    whole: Callable[[Cut[S]], int]
    item: Callable[[S], int] = lambda _: 0
    heading: Callable[[Any], int] = lambda _: 0
    summary: int = 0


def at_once(parts: Iterable[S]) -> Iterator[Step[S]]:
    """The steps of what is shown as it is."""
    return ((number, partial(_itself, part)) for number, part in enumerate(parts))


def least(entries: Sequence[Sized], measure: Measure[S]) -> int:
    """What a pack takes that shows nothing."""
    return measure.whole(_cut(entries, []))


def fitted(entries: Sequence[Sized], steps: Iterable[Step[S]], measure: Measure[S]) -> Cut[S] | None:
    """Of all that may be shown, as step by step one of it is from then on; None if not even an empty pack fits."""
    empty: Cut[S] = _cut(entries, [])
    if (spent := measure.whole(empty) + measure.summary) > measure.limit:
        return empty if spent - measure.summary <= measure.limit else None
    begun, complete = _affordable(steps, measure, spent)
    whole = _cut(entries, begun, complete=complete, said=True)
    if measure.whole(whole) <= measure.limit:
        return whole

    def first(count: int) -> Cut[S]:
        return _cut(entries, begun[:count], said=True)

    too_many = bisect_left(range(len(begun)), True, key=lambda count: measure.whole(first(count)) > measure.limit)
    return first(too_many - 1) if too_many else empty


def _affordable(steps: Iterable[Step[S]], measure: Measure[S], spent: int) -> tuple[list[tuple[int, S]], bool]:
    """Up to the first step that costs too much; with what is left, items that stand there already may still grow.

    And whether these are all.
    """
    price: dict[int, int] = {}
    sections: set[Any] = set()
    begun: list[tuple[int, S]] = []
    missed, grown = 0, set[int]()
    for number, make in steps:
        if missed > LOOKED_ON:
            break
        if missed and (number not in price or number in grown):  # nothing comes in any more, nor grows further
            missed += 1
            continue
        shown = make()
        own = measure.item(shown)
        cost = own - price.get(number, 0) + (0 if shown.section in sections else measure.heading(shown.section))
        if spent + cost > measure.limit:
            missed += 1
            grown.add(number)
            continue
        spent += cost
        price[number] = own
        sections.add(shown.section)
        begun.append((number, shown))
    return begun, not missed


def _itself(part: S) -> S:
    return part


def _cut(entries: Sequence[Sized], steps: list[tuple[int, S]], *, complete: bool = False, said: bool = False) -> Cut[S]:
    state = dict(steps)
    shown = tuple(state[number] for number in sorted(state))
    if complete:
        return Cut(shown, 0, 0, said)
    taken = sum(LINE + one.size for one in shown)
    everything = sum(LINE + entry.size for entry in entries)
    left = max(everything - taken, LINE * (len(entries) - len(shown))) // BYTES_PER_TOKEN
    return Cut(shown, len(entries) - len(shown), left, said)
