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
_NEXT = {"compact": "balanced", "balanced": "debug"}


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


def render(envelope: Mapping[str, Any]) -> tuple[bytes, int]:
    """The answer as JSON, and what it costs; the estimate stands in the answer, so it counts itself."""
    body = msgspec.json.encode({**envelope, "_tokenEstimate": 0})
    tokens = estimate(body.decode()) + 2  # the zero becomes a number of a few digits
    return msgspec.json.encode({**envelope, "_tokenEstimate": tokens}), tokens


def fit(envelope: dict[str, Any], shape: Shape, budget: Budget) -> bytes:
    """The fullest version of an answer that the budget allows."""
    versions = _versions(envelope["data"], shape)
    if budget.limit is None:
        return render({**envelope, "data": versions[-1]})[0]
    best = None
    for data in versions:
        body, tokens = render({**envelope, "data": data})
        if tokens > budget.limit:  # so would every fuller one
            break
        best = body
    if best is None:
        advice = _NEXT.get(budget.profile, "debug")
        raise BudgetExceeded(
            f"what must be in this answer does not fit {budget.limit} tokens",
            f"Ask for profile {advice!r}, or a larger max_tokens.",
        )
    return best


def _versions(data: dict[str, Any], shape: Shape) -> list[dict[str, Any]]:
    """From the barest to the fullest: fields come by priority, the ranked list grows, the least important come last."""
    grown = shape.steps or (lambda whole: [whole])
    lean = [data, *_without(data, shape, (Priority.LOW,))][-1]
    steps = grown(lean)
    bare = _without(steps[0], shape, (Priority.MEDIUM, Priority.HIGH))
    return [*reversed(bare), *steps, *(grown(data)[-1:] if lean is not data else [])]


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
