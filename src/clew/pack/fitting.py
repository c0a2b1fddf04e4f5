"""Cuts a plan to a budget: the longest prefix of its steps that fits once it is rendered."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
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


class FillStep(NamedTuple, Generic[S]):
    """The next form of an entry. `stages` are shorter forms, each longer than the one before, made as they are read."""

    entry: int
    shown: S
    stages: Iterable[S] = ()


class Cut(Struct, Generic[S], frozen=True):
    """The shown items, the number of omitted ones, and about how many tokens more everything would take.

    `said`: there is room for the summary.
    """

    shown: tuple[S, ...]
    left_items: int
    left_tokens: int
    said: bool

    def note(self) -> str:
        """The omissions in a line; empty if there are none."""
        if not self.left_tokens:
            return ""
        items = f"{self.left_items} more item{'s' if self.left_items != 1 else ''}, " if self.left_items else ""
        return f"Left out: {items}about {self.left_tokens:,} tokens."


class Measure(Generic[S]):
    """The limit, and the cost of the rendered whole, in tokens.

    Prices of parts prevent rendering too much: their sum is never below the cost of the whole, except for parts
    without a price.
    """

    limit: int
    summary: int = 0

    def whole(self, cut: Cut[S]) -> int:
        raise NotImplementedError

    def item(self, shown: S) -> int:
        return 0

    def heading(self, section: Any) -> int:
        return 0


def at_once(parts: Iterable[S]) -> Iterator[FillStep[S]]:
    """Steps for parts that have a single form."""
    return (FillStep(number, part) for number, part in enumerate(parts))


def least(entries: Sequence[Sized], measure: Measure[S]) -> int:
    """The cost of an empty pack."""
    return measure.whole(_cut(entries, []))


def fit_steps(entries: Sequence[Sized], steps: Iterable[FillStep[S]], measure: Measure[S]) -> Cut[S] | None:
    """The longest beginning of the steps that fits; of the step after it, the longest stage that fits.

    Nothing behind that is shown: so a larger budget shows all that a smaller one does. None if not even an empty pack
    fits.
    """
    empty: Cut[S] = _cut(entries, [])
    if (spent := measure.whole(empty) + measure.summary) > measure.limit:
        return empty if spent - measure.summary <= measure.limit else None
    filling = _Filling(entries, measure, spent)
    filling.take(steps)
    return filling.cut(empty)


class _Filling(Generic[S]):
    """The steps taken so far, and their price.

    Prices are slightly too high: if one does not fit, the remaining room is measured.
    """

    def __init__(self, entries: Sequence[Sized], measure: Measure[S], spent: int) -> None:
        self._entries = entries
        self._measure = measure
        self._left = measure.limit - spent
        self._taken: list[FillStep[S]] = []
        self._shown: list[tuple[int, S]] = []
        self._price: dict[int, int] = {}
        self._sizes: dict[int, int] = {}
        self._sections: set[Any] = set()
        self._complete = False

    def take(self, steps: Iterable[FillStep[S]]) -> None:
        for step in steps:
            if not self._takes(step, step.shown):
                for stage in step.stages:
                    if not self._takes(step, stage):
                        return
                return
        self._complete = True

    def cut(self, empty: Cut[S]) -> Cut[S]:
        """As much of it as fits as a whole."""
        measure = self._measure
        whole = _cut(self._entries, self._shown, complete=self._complete, said=True)
        if measure.whole(whole) <= measure.limit:
            return whole

        def first(count: int, *more: tuple[int, S]) -> Cut[S]:
            return _cut(self._entries, [*self._shown[:count], *more], said=True)

        counts = range(len(self._shown))
        too_many = bisect_left(counts, True, key=lambda count: measure.whole(first(count)) > measure.limit)
        if not too_many:
            return empty
        best, step = first(too_many - 1), self._taken[too_many - 1]
        for stage in step.stages:
            longer = first(too_many - 1, (step.entry, stage))
            if measure.whole(longer) > measure.limit:
                break
            best = longer
        return best

    def _takes(self, step: FillStep[S], shown: S) -> bool:
        """Whether there is room for it. An entry only grows."""
        entry = step.entry
        if shown.size <= self._sizes.get(entry, -1):
            return True
        own = max(self._measure.item(shown), self._price.get(entry, 0))
        cost = own - self._price.get(entry, 0)
        if shown.section not in self._sections:
            cost += self._measure.heading(shown.section)
        if cost > self._left:
            self._left = self._measure.limit - self._measure.whole(_cut(self._entries, self._shown, said=True))
            if cost > self._left:
                return False
        self._left -= cost
        self._price[entry] = own
        self._sizes[entry] = shown.size
        self._sections.add(shown.section)
        self._taken.append(step)
        self._shown.append((entry, shown))
        return True


def _cut(entries: Sequence[Sized], steps: list[tuple[int, S]], *, complete: bool = False, said: bool = False) -> Cut[S]:
    state = dict(steps)
    shown = tuple(state[number] for number in sorted(state))
    if complete:
        return Cut(shown, 0, 0, said)
    taken = sum(LINE + one.size for one in shown)
    everything = sum(LINE + entry.size for entry in entries)
    left = max(everything - taken, LINE * (len(entries) - len(shown))) // BYTES_PER_TOKEN
    return Cut(shown, len(entries) - len(shown), left, said)
