"""What was planned, cut to a budget: the longest beginning of its steps that fits as it is written."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from msgspec import Struct

MOST = 50_000  # tokens of a briefing that no budget was named for: D's 200,000 characters
BYTES_PER_TOKEN = 4  # where only the size of a text is known
LINE = 130  # bytes that an item takes beside its text


class Sized(Protocol):
    @property
    def section(self) -> Any: ...

    @property
    def size(self) -> int: ...


S = TypeVar("S", bound=Sized)


class Step(NamedTuple, Generic[S]):
    """An entry becomes what `make` makes. `stages` are shorter forms, each longer than the one before."""

    entry: int
    make: Callable[[], S]
    stages: Callable[[], Iterable[Callable[[], S]]] = tuple


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
    return (Step(number, partial(_itself, part)) for number, part in enumerate(parts))


def least(entries: Sequence[Sized], measure: Measure[S]) -> int:
    """What a pack takes that shows nothing."""
    return measure.whole(_cut(entries, []))


def fitted(entries: Sequence[Sized], steps: Iterable[Step[S]], measure: Measure[S]) -> Cut[S] | None:
    """The longest beginning of the steps that fits; of the step after it, the longest stage that fits.

    Nothing behind that is shown: so a larger budget shows all that a smaller one does. None if not even an empty pack
    fits.
    """
    empty: Cut[S] = _cut(entries, [])
    if (spent := measure.whole(empty) + measure.summary) > measure.limit:
        return empty if spent - measure.summary <= measure.limit else None
    taken, begun, complete = _affordable(steps, measure, spent)
    if measure.whole(_cut(entries, begun, complete=complete, said=True)) <= measure.limit:
        return _cut(entries, begun, complete=complete, said=True)

    def first(count: int, *more: tuple[int, S]) -> Cut[S]:
        return _cut(entries, [*begun[:count], *more], said=True)

    too_many = bisect_left(range(len(begun)), True, key=lambda count: measure.whole(first(count)) > measure.limit)
    if not too_many:
        return empty
    best = first(too_many - 1)
    for stage in taken[too_many - 1].stages():
        longer = first(too_many - 1, (taken[too_many - 1].entry, stage()))
        if measure.whole(longer) > measure.limit:
            break
        best = longer
    return best


def _affordable(
    steps: Iterable[Step[S]], measure: Measure[S], spent: int
) -> tuple[list[Step[S]], list[tuple[int, S]], bool]:
    """By their prices: steps with what they made, and whether these are all."""
    bill = _Bill(measure, spent)
    taken: list[Step[S]] = []
    for step in steps:
        if (made := bill.pays(step.entry, step.make())) is None:
            for stage in step.stages():
                if (made := bill.pays(step.entry, stage())) is None:
                    break
                taken.append(step)
                bill.begun += made
            return taken, bill.begun, False
        taken += [step] * len(made)
        bill.begun += made
    return taken, bill.begun, True


class _Bill(Generic[S]):
    """What was taken, at which price."""

    def __init__(self, measure: Measure[S], spent: int) -> None:
        self.begun: list[tuple[int, S]] = []
        self._price: dict[int, int] = {}
        self._left = measure.limit - spent
        self._measure = measure
        self._sections: set[Any] = set()
        self._sizes: dict[int, int] = {}

    def pays(self, entry: int, shown: S) -> list[tuple[int, S]] | None:
        """What is added, None if there is no room for it. An entry only grows."""
        if shown.size <= self._sizes.get(entry, -1):
            return []
        own = self._measure.item(shown)
        heading = 0 if shown.section in self._sections else self._measure.heading(shown.section)
        cost = max(own - self._price.get(entry, 0), 0) + heading
        if cost > self._left:
            return None
        self._left -= cost
        self._price[entry] = max(own, self._price.get(entry, 0))
        self._sizes[entry] = shown.size
        self._sections.add(shown.section)
        return [(entry, shown)]


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
