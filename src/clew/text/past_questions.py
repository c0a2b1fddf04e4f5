"""Which words of a question ask for what changed lately, or for what changes often. Pure."""

import re
from enum import StrEnum

LONGEST = 2000  # characters that are looked at

RECENT = (
    r"\b(?:recent|latest|last)\s+(?:\w+\s+){0,2}?(?:changes?|commits?|work|edits?|updates?|fix\w*)\b"
    r"|\b(?:recently|lately)\b|\bwhat(?:'s|\s+has|\s+have|\s+was)?\s+(?:\w+\s+)?chang\w+\b|\bchanges?\s+(?:to|in|of)\b.*\bsince\b"
    r"|\bhistory\s+of\b"
)
_OFTEN = (
    r"\bchurn\w*|\bhot\s?spots?\b|\bmost\s+(?:often|frequently)\s+(?:changed|edited|modified|touched)\b"
    r"|\b(?:changes?|changed|edited|modified|touched)\s+(?:the\s+)?(?:most|(?:most\s+|very\s+)?(?:often|frequently))\b"
    r"|\b(?:frequently|often|most)[\s-](?:changed|changing|edited|modified|touched)\b"
)


class TimeSignal(StrEnum):
    """The part of the files' history that ranks them, if a question asks for it."""

    RECENCY = "recency"
    CHURN = "churn"


_SIGNALS = (
    (TimeSignal.CHURN, re.compile(_OFTEN, re.IGNORECASE)),
    (TimeSignal.RECENCY, re.compile(RECENT, re.IGNORECASE | re.DOTALL)),
)


def time_signal(text: str) -> TimeSignal | None:
    """The signal that a question asks for; None if none."""
    return next((signal for signal, pattern in _SIGNALS if pattern.search(text[:LONGEST])), None)
