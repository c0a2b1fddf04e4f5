"""Why a match is there, in a few words: an answer tells them all, a briefing only what says most."""

from collections.abc import Sequence

from clew.model.search import Reason

MOST_WORDS = 6
LONGEST = 80  # characters
FULL_TEXT = "full_text"


def in_few_words(reasons: Sequence[Reason]) -> str:
    """By the retrievers that gave most of the score."""
    best = sorted(reasons, key=lambda one: -one.share)[:2]
    told = [_told(one) for one in best]
    if len(told) == 2 and len(told[0]) + len(told[1]) + 2 <= LONGEST and best[1].share >= best[0].share / 2:
        return "; ".join(told)
    return told[0] if told else "matches the task"


def _told(reason: Reason) -> str:
    if reason.retriever == FULL_TEXT:
        return f"says {_words(reason.detail)}"
    text = f"{reason.retriever.replace('_', ' ')}: {reason.detail}"
    return text if len(text) <= LONGEST else f"{text[:LONGEST].rsplit(' ', 1)[0]} …"


def _words(detail: str) -> str:
    """The words that were found, wherever in the unit; fields are told as `name: words; name: words`."""
    fields = (part.partition(": ")[2] or part for part in detail.split("; "))
    words = list(dict.fromkeys(word for field in fields for word in field.split()))
    more = f" +{len(words) - MOST_WORDS}" if len(words) > MOST_WORDS else ""
    return ", ".join(words[:MOST_WORDS]) + more
