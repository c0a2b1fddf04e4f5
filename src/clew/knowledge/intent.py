"""The intent of a question: why, when, who, what, or to explore; with depths and weights of the views. Pure."""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple


class Intent(StrEnum):
    WHY = "WHY"
    WHEN = "WHEN"
    WHO = "WHO"
    WHAT = "WHAT"
    EXPLORE = "EXPLORE"


class ViewName(StrEnum):
    SEMANTIC = "semantic"
    ENTITY = "entity"
    TEMPORAL = "temporal"
    CAUSAL = "causal"


class ViewDepths(NamedTuple):
    entity: int
    temporal: int
    causal: int


class QuestionPlan(NamedTuple):
    """How to answer a question; `reason` names the words that decided, `asks_past` whether ended facts are wanted."""

    intent: Intent
    depths: ViewDepths
    weights: Mapping[ViewName, float]
    reason: str
    asks_past: bool = False
    planned_by: str = "rules"


DEPTHS: Mapping[Intent, ViewDepths] = {
    Intent.WHY: ViewDepths(1, 1, 3),
    Intent.WHEN: ViewDepths(1, 3, 1),
    Intent.WHO: ViewDepths(3, 1, 1),
    Intent.WHAT: ViewDepths(3, 1, 1),
    Intent.EXPLORE: ViewDepths(2, 2, 2),
}


def _weights(semantic: float, entity: float, temporal: float, causal: float) -> Mapping[ViewName, float]:
    return dict(zip(ViewName, (semantic, entity, temporal, causal), strict=True))


WEIGHTS: Mapping[Intent, Mapping[ViewName, float]] = {
    Intent.WHY: _weights(0.05, 0.05, 0.2, 0.7),
    Intent.WHEN: _weights(0.1, 0.1, 0.7, 0.1),
    Intent.WHO: _weights(0.3, 0.6, 0.05, 0.05),
    Intent.WHAT: _weights(0.3, 0.6, 0.05, 0.05),
    Intent.EXPLORE: _weights(0.25, 0.25, 0.25, 0.25),
}

_RULES: tuple[tuple[Intent, str], ...] = (
    (Intent.WHY, r"\bwhy\b|\bhow come\b|\bwhat (?:caused|led to|made|is the (?:reason|cause|rationale))\b"),
    (Intent.WHY, r"\b(?:reasons?|rationale|causes?|motivation) (?:for|of|behind|to)\b"),
    (Intent.WHY, r"\bcaused by\b|\bconsequences? of\b"),
    (Intent.WHY, r"\bwhat (?:happens|breaks|changes) if\b|\broot cause\b|\beffects? of\b"),
    (Intent.WHEN, r"\bwhen\b|\bwhat (?:time|date|day|year|month)\b|\bhow long\b"),
    (Intent.WHEN, r"\b(?:which|what) (?:year|month|day|week|date)\b|\btimeline\b|\bhow (?:recently|often)\b"),
    (Intent.WHEN, r"\b(?:happened|occurred|changed) (?:on|in|before|after|between|during|since)\b"),
    (Intent.WHO, r"\bwho(?:se|m)?\b|\b(?:which|what) (?:person|people|team|engineer|owner|agent|author)\b"),
    (Intent.EXPLORE, r"\b(?:tell me|everything|all (?:we know|that is known)|overview|summar\w+|explore|related to)\b"),
    (Intent.EXPLORE, r"\bwhat (?:do we|do you|is) know\w* (?:about|of)\b|\bhow (?:is|are) \w+ (?:and|related)\b"),
    (Intent.WHAT, r"\bwhat\b|\bwhich\b|\bwhere\b|\bhow\b|\bis\b|\bare\b|\bdo(?:es)?\b|\bdid\b|\bcan\b"),
)  # fmt: skip
RULES = tuple((intent, re.compile(rule, re.IGNORECASE)) for intent, rule in _RULES)
_SURE_PAST = re.compile(
    r"\b(?:previous(?:ly)?|formerly|used to|originally|at first|initially|history|over time|in the past|former|"
    r"no longer|before)\b",
    re.IGNORECASE,
)


def plan(question: str) -> QuestionPlan:
    """By the first rule that fits; without one, to explore."""
    asks_past = bool(_SURE_PAST.search(question))
    for intent, rule in RULES:
        if found := rule.search(question):
            return make_plan(intent, f"{found[0].lower()!r} asks {intent}", asks_past=asks_past)
    return make_plan(Intent.EXPLORE, "no question word", asks_past=asks_past)


def make_plan(intent: Intent, reason: str, *, asks_past: bool = False, planned_by: str = "rules") -> QuestionPlan:
    return QuestionPlan(intent, DEPTHS[intent], WEIGHTS[intent], reason, asks_past, planned_by)
