"""Fitting an answer into its budget: fields go by priority, ranked lists by rank, strings never in the middle."""

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from functools import partial
from itertools import islice
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from msgspec import Struct
from msgspec import field as msgfield

from clew.model.errors import BudgetExceeded
from clew.runtime.deadline import in_time
from clew.text.escaping import json_text
from clew.text.tokens import estimate
from clew.tools.metering import Meter, Rows, with_own_size
from clew.tools.params import Profile

LIMITS: Mapping[str, int | None] = {"compact": 300, "balanced": 1200, "debug": None}
OMITTED = "fields_left_out"
_NEXT = {"compact": "balanced", "default": "balanced", "balanced": "debug"}


class Priority(IntEnum):
    """Which fields go first when an answer is too long; a required one never goes."""

    LOW = 0
    MEDIUM = 1
    HIGH = 2
    REQUIRED = 3


class Budget(Struct, frozen=True):
    """`limit` is in tokens of the whole rendered answer; None is unbounded."""

    profile: Profile | Literal["default"]
    limit: int | None


Row = dict[str, Any]
Form = Callable[[Row], Row]
Steps = Callable[[Row], Iterable[Row]]


class Shape(Struct, frozen=True):
    """How a tool's answer may be shortened: a priority per field, and the steps in which a ranked list grows.

    `steps` yields ever longer versions of the data; the longest that fits is the answer, so that more budget
    never shows less. A version may be gone when the next one is there: its lists grow in place. `concise` drops what
    few callers need, such as offsets and the parts of a score, unless they asked for `explain` or the debug profile.
    `pages` names the lists of which a caller may leave out the first rows, to read on where an answer ended: of each
    list, or `in_sequence`, of all lists one after the other, in the order in which an answer is filled.
    """

    priorities: Mapping[str, Priority] = msgfield(default_factory=dict)
    steps: Steps | None = None
    concise: Form | None = None
    pages: tuple[str, ...] = ()
    in_sequence: bool = False


def grow_lists(
    *names: str, forms: Mapping[str, Sequence[Form]] = MappingProxyType({}), in_turns: Sequence[str] = ()
) -> Steps:
    """Steps for lists of rows, the first list first, row by row; of what is left out, how many are told.

    Those `in_turns` come first, a row of each in turn.

    Where a list has `forms`, each fuller than the one before, all rows of all lists come in the first of them; then,
    from the first row on again, in the next, and at last whole.
    """

    def steps(data: Row) -> Iterator[Row]:
        shown = {name: Rows() for name in names if name in data}
        yield _with_rows(data, shown)
        for name, place in in_time(_in_order({name: len(data[name]) for name in shown}, in_turns)):
            first = forms[name][0] if name in forms else _whole
            shown[name].put(place, first(data[name][place]))
            yield _with_rows(data, shown)
        for name in filter(forms.__contains__, shown):
            for form in (*forms[name][1:], _whole):
                for place, row in enumerate(in_time(data[name])):
                    shown[name].put(place, form(row))
                    yield _with_rows(data, shown)

    return steps


def _in_order(lengths: Mapping[str, int], in_turns: Sequence[str]) -> Iterator[tuple[str, int]]:
    """The rows of lists, by list and place: a row of each in turn, then the other lists one after the other."""
    turns = [name for name in in_turns if name in lengths]
    for place in range(max((lengths[name] for name in turns), default=0)):
        yield from ((name, place) for name in turns if place < lengths[name])
    for name in lengths:
        yield from ((name, place) for place in range(lengths[name]) if name not in turns)


def _whole(row: Row) -> Row:
    return row


def only(*fields: str) -> Form:
    """A row by a few of its fields."""
    return lambda row: {name: row[name] for name in fields if name in row}


def grow_rows(short: tuple[str, ...], rows: str = "results") -> Steps:
    """Steps for a ranked list: row by row, each by a few fields alone; then, from the best on again, in full."""
    return grow_lists(rows, forms={rows: (only(*short),)})


def _with_rows(data: Row, shown: Mapping[str, Rows]) -> Row:
    left = {f"{name}_left_out": rest for name, rows in shown.items() if (rest := len(data[name]) - len(rows))}
    return {**data, **shown, **left}


Chain = Callable[[], Iterator[tuple[int, Row]]]  # made as far as it is asked for: a list may be very long


def render(envelope: Mapping[str, Any]) -> tuple[bytes, int]:
    """The answer as JSON, and what it costs; the estimate stands in the answer, so it counts itself."""
    body = json_text({**envelope, "_tokenEstimate": 0})
    tokens = with_own_size(estimate(body.decode()))
    return json_text({**envelope, "_tokenEstimate": tokens}), tokens


def fit(envelope: dict[str, Any], shape: Shape, budget: Budget, *, wrote: bool = False) -> bytes:
    """The fullest version of an answer that the budget allows.

    Of what `wrote` something, what must be told is told in any case: after an error it would be done once more.
    """
    grown = shape.steps or (lambda whole: [whole])
    if budget.limit is None:
        return _render(envelope, _last(grown(envelope["data"])))
    rich, lean = _chains(envelope["data"], shape, grown)
    fewer = _price_versions(envelope, lean, budget.limit)
    best = _best(_price_versions(envelope, rich, budget.limit), fewer, budget.limit)
    if best is None and wrote:
        best = fewer[0]
    if best is None:
        advice = _NEXT.get(budget.profile, "debug")
        raise BudgetExceeded(
            f"what must be in this answer does not fit {budget.limit} tokens",
            f"Ask for profile {advice!r}, or for max_tokens={fewer[0].tokens} at least.",
        )
    _, data = next(islice(best.chain(), best.number, None))
    return _render(envelope, data)


def _render(envelope: Mapping[str, Any], data: Row) -> bytes:
    return render({**envelope, "data": data})[0]


class _Priced(NamedTuple):
    chain: Chain
    number: int
    step: int
    tokens: int


def _price_versions(envelope: dict[str, Any], versions: Chain, limit: int) -> list[_Priced]:
    """The versions of a chain that fit, and the first that does not: so would every fuller one."""
    found: list[_Priced] = []
    meter = Meter(envelope)
    for number, (step, data) in enumerate(versions()):
        found.append(_Priced(versions, number, step, meter.tokens(data)))
        if found[-1].tokens > limit:
            break
    return found


def _best(rich: list[_Priced], lean: list[_Priced], limit: int) -> _Priced | None:
    """With all fields, as soon as some budget up to this one gives them as much of the list as without.

    From there on it stays so: else a little more budget would trade a field for one more item, and show less.
    """
    price = {one.step: one.tokens for one in lean}
    fields = [one for one in rich if one.tokens <= limit]
    is_listing = 1 in price  # all fields and nothing of the list say less than few of them and its first
    if any(price.get(one.step + 1, math.inf) > one.tokens for one in fields if one.step or not is_listing):
        return fields[-1]
    fitting = [one for one in lean if one.tokens <= limit]
    return fitting[-1] if fitting else None


def _chains(data: Row, shape: Shape, grown: Steps) -> tuple[Chain, Chain]:
    """Ever fuller versions, each with how far its ranked list has come: with most fields, and with few.

    A long field of middling importance may leave no room for the list; then the list comes without it.
    """
    levels = [data, *_without(data, shape, (Priority.LOW, Priority.MEDIUM, Priority.HIGH))]
    lean = [data, *_without(data, shape, (Priority.LOW,))][-1]
    few = [data, *_without(data, shape, (Priority.LOW, Priority.MEDIUM))][-1]

    def fewer() -> Iterator[tuple[int, Row]]:
        yield -1, next(iter(grown(levels[-1])))
        yield from enumerate(grown(few))

    return partial(_add_last_step, grown, lean, data), fewer


def _add_last_step(grown: Steps, lean: Row, data: Row) -> Iterator[tuple[int, Row]]:
    """With most fields; at last with all of them."""
    step = 0
    for step, one in enumerate(grown(lean)):
        yield step, one
    yield step, _last(grown(data))


def _last(steps: Iterable[Row]) -> Row:
    return deque(steps, maxlen=1)[0]


def _without(data: dict[str, Any], shape: Shape, levels: tuple[Priority, ...]) -> list[dict[str, Any]]:
    """The data with ever fewer fields, level by level, and how many are omitted."""
    versions = []
    for level in levels:
        gone = [name for name in data if shape.priorities.get(name, Priority.REQUIRED) == level]
        if gone:
            kept = {name: value for name, value in data.items() if name not in gone}
            data = {**kept, OMITTED: data.get(OMITTED, 0) + len(gone)}
            versions.append(data)
    return versions
