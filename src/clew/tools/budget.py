"""Fitting an answer into its budget: fields go by priority, ranked lists by rank, strings never in the middle."""

from collections.abc import Callable, Mapping
from enum import IntEnum
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec import field as msgfield

from clew.model.errors import BudgetExceeded
from clew.text.tokens import estimate
from clew.tools.params import Profile

LIMITS: Mapping[str, int | None] = {"compact": 300, "balanced": 1200, "debug": None}
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


class Shape(Struct, frozen=True):
    """How a tool's answer may be shortened: a priority per field, and the steps in which a ranked list grows.

    `steps` yields ever longer versions of the data; the longest that fits is the answer, so that more budget
    never shows less.
    """

    priorities: Mapping[str, Priority] = msgfield(default_factory=dict)
    steps: Callable[[dict[str, Any]], list[dict[str, Any]]] | None = None


Chain = list[tuple[int, dict[str, Any]]]


def render(envelope: Mapping[str, Any]) -> tuple[bytes, int]:
    """The answer as JSON, and what it costs; the estimate stands in the answer, so it counts itself."""
    body = msgspec.json.encode({**envelope, "_tokenEstimate": 0})
    tokens = estimate(body.decode()) + 2  # the zero becomes a number of a few digits
    return msgspec.json.encode({**envelope, "_tokenEstimate": tokens}), tokens


def fit(envelope: dict[str, Any], shape: Shape, budget: Budget) -> bytes:
    """The fullest version of an answer that the budget allows: most of the ranked list first, then most fields."""
    chains = _chains(envelope["data"], shape)
    if budget.limit is None:
        return render({**envelope, "data": chains[0][-1][1]})[0]
    found = [best for chain in chains if (best := _longest(envelope, chain, budget.limit))]
    if not found:
        advice = _NEXT.get(budget.profile, "debug")
        raise BudgetExceeded(
            f"what must be in this answer does not fit {budget.limit} tokens",
            f"Ask for profile {advice!r}, or a larger max_tokens.",
        )
    return max(found, key=lambda best: best[0])[1]


def _longest(envelope: dict[str, Any], chain: Chain, limit: int) -> tuple[int, bytes] | None:
    best = None
    for step, data in chain:
        body, tokens = render({**envelope, "data": data})
        if tokens > limit:  # so would every fuller one
            break
        best = step, body
    return best


def _chains(data: dict[str, Any], shape: Shape) -> list[Chain]:
    """Ever fuller versions, each with how far its ranked list has come: with most fields, and with few.

    A long field of middling importance may leave no room for the list; then the list comes without it.
    """
    grown = shape.steps or (lambda whole: [whole])
    levels = [data, *_without(data, shape, (Priority.LOW, Priority.MEDIUM, Priority.HIGH))]
    lean = [data, *_without(data, shape, (Priority.LOW,))][-1]
    few = [data, *_without(data, shape, (Priority.LOW, Priority.MEDIUM))][-1]
    many = list(enumerate(grown(lean)))
    full = (many[-1][0], grown(data)[-1])
    return [[*many, full], [(-1, grown(levels[-1])[0]), *enumerate(grown(few))]]


def _without(data: dict[str, Any], shape: Shape, levels: tuple[Priority, ...]) -> list[dict[str, Any]]:
    """The data with ever fewer fields, level by level; what is gone is named."""
    versions = []
    for level in levels:
        gone = [name for name in data if shape.priorities.get(name, Priority.REQUIRED) == level]
        if gone:
            kept = {name: value for name, value in data.items() if name not in gone}
            data = {**kept, "left_out": [*data.get("left_out", []), *gone]}
            versions.append(data)
    return versions
