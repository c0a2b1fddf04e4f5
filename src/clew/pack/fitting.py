"""What was planned, cut to a budget: the longest beginning of its steps that fits as it is written."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from msgspec import Struct

MOST = 50_000  # tokens of a briefing that no budget was named for: D's 200,000 characters
LOOKED_ON = 60  # steps that are looked at after the first that costs too much
LEAST_LEFT = 40  # tokens; fewer are not worth a part of anything
BYTES_PER_TOKEN = 4  # where only the size of a text is known
LINE = 130  # bytes that an item takes beside its text


class Sized(Protocol):
    @property
    def section(self) -> Any: ...

    @property
    def size(self) -> int: ...


S = TypeVar("S", bound=Sized)
Step = tuple[int, Callable[[], S]]  # which entry, and what makes it as it stands from then on
Parts = Iterable[tuple[int, Iterator[Step[S]]]]  # by entry


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


def fitted(
    entries: Sequence[Sized], steps: Iterable[Step[S]], measure: Measure[S], parts: Parts[S] = ()
) -> Cut[S] | None:
    """Of all that may be shown, as step by step one of it is from then on; None if not even an empty pack fits.

    Where not all steps fit, what is left goes to `parts`: of each entry ever more of it.
    """
    empty: Cut[S] = _cut(entries, [])
    if (spent := measure.whole(empty) + measure.summary) > measure.limit:
        return empty if spent - measure.summary <= measure.limit else None
    begun, complete = _affordable(entries, steps, measure, spent, parts)
    whole = _cut(entries, begun, complete=complete, said=True)
    if measure.whole(whole) <= measure.limit:
        return whole

    def first(count: int) -> Cut[S]:
        return _cut(entries, begun[:count], said=True)

    too_many = bisect_left(range(len(begun)), True, key=lambda count: measure.whole(first(count)) > measure.limit)
    return first(too_many - 1) if too_many else empty


def _affordable(
    entries: Sequence[Sized], steps: Iterable[Step[S]], measure: Measure[S], spent: int, parts: Parts[S]
) -> tuple[list[tuple[int, S]], bool]:
    """Up to the first step that costs too much; with what is left, items that stand there already may still grow.

    And whether these are all.
    """
    bill = _Bill(measure, spent)
    missed, grown = 0, set[int]()
    for number, make in steps:
        if missed > LOOKED_ON:
            break
        if missed and (number not in bill.price or number in grown):  # nothing comes in any more, nor grows further
            missed += 1
        elif not bill.takes(number, make()):
            missed += 1
            grown.add(number)
    for number, own in parts if missed else ():
        if bill.left < LEAST_LEFT:
            break
        whole = entries[number].size
        for _, make in own if bill.sizes.get(number, whole) < whole else ():  # it stands there, and not all of it
            if not bill.takes(number, make()):
                break
    return bill.begun, not missed


class _Bill(Generic[S]):
    """What was taken, at which price."""

    def __init__(self, measure: Measure[S], spent: int) -> None:
        self.begun: list[tuple[int, S]] = []
        self.price: dict[int, int] = {}
        self.left = measure.limit - spent
        self._measure = measure
        self._sections: set[Any] = set()
        self.sizes: dict[int, int] = {}

    def takes(self, number: int, shown: S) -> bool:
        """Whether there is room for it. What stands there already only grows."""
        if shown.size <= self.sizes.get(number, -1):
            return True
        own = self._measure.item(shown)
        heading = 0 if shown.section in self._sections else self._measure.heading(shown.section)
        cost = own - self.price.get(number, 0) + heading
        if cost > self.left:
            return False
        self.left -= cost
        self.price[number] = own
        self.sizes[number] = shown.size
        self._sections.add(shown.section)
        self.begun.append((number, shown))
        return True


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
