"""Reasons for a match, in a few words: an answer shows them all, a briefing only the strongest."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from clew.model.code import Span
from clew.model.search import Reason
from clew.retrieve.question import lexicon

MOST_WORDS = 6
LONGEST = 80  # characters
FULL_TEXT, SYMBOL = "full_text", "symbol"
NAMED = "named "
POINTS = "the task points at line "
_LINES = re.compile(r"lines \d+-\d+")  # of the passage that has them
_AT = re.compile(r"[^\n]+:\d+")  # a place that a stack trace names


def in_few_words(reasons: Sequence[Reason], name: str = "", span: Span | None = None) -> str:
    """By the retrievers that gave most of the score; `name` is that of the match, which may be written otherwise."""
    best = sorted(reasons, key=lambda one: -one.share)[:2]
    told = [_describe_location(one, span) or _as_written(_describe_reason(one), name) for one in best]
    if len(told) == 2 and len(told[0]) + len(told[1]) + 2 <= LONGEST and best[1].share >= best[0].share / 2:
        return "; ".join(told)
    return told[0] if told else "matches the task"


def _describe_reason(reason: Reason) -> str:
    known = _SAID.get(reason.retriever)
    text = known(reason.detail) if known else f"{reason.retriever.replace('_', ' ')}: {reason.detail}"
    return text if len(text) <= LONGEST else f"{text[:LONGEST].rsplit(' ', 1)[0]} …"


def _describe_location(reason: Reason, span: Span | None) -> str:
    """The line that a trace names; the match already shows its path, and the trace may be of another release."""
    line = int(reason.detail.rpartition(":")[2]) if reason.retriever == SYMBOL and _AT.fullmatch(reason.detail) else 0
    elsewhere = " of another version" if span and not span.first <= line <= span.last else ""
    return f"{POINTS}{line}{elsewhere}" if line else ""


def _words(detail: str) -> str:
    """The words that were found, wherever in the unit; fields are told as `name: words; name: words`."""
    parts = (part for part in detail.split("; ") if not _LINES.fullmatch(part))
    fields = (part.partition(": ")[2] or part for part in parts)
    words = _whole(dict.fromkeys(word for field in fields for word in field.split()))
    more = f" +{len(words) - MOST_WORDS}" if len(words) > MOST_WORDS else ""
    return f"says {', '.join(words[:MOST_WORDS])}{more}"


def _whole(words: Iterable[str]) -> list[str]:
    """Without those that are only parts of others: of inherit, from and inherit_from, the last."""
    terms = {word: frozenset(lexicon().terms(word)) for word in words}
    joined = [one for one in terms.values() if len(one) > 1]
    return [word for word, own in terms.items() if not any(own < other for other in joined)]


def _as_written(told: str, name: str) -> str:
    """Of a name in other letters than the task's, both: a function `handler` is no class `Handler`."""
    asked = told.removeprefix(NAMED)
    is_other = told.startswith(NAMED) and asked != name and asked.lower() == name.lower()
    return f"{NAMED}{name}, the task says {asked}" if is_other else told


def _name_task(detail: str) -> str:
    return detail.replace("words of it", "words of the task")


# What built-in retrievers say, as it is read without knowing their names.
_SAID: Mapping[str, Callable[[str], str]] = {
    FULL_TEXT: _words,
    SYMBOL: _name_task,
    "path": lambda detail: f"path says {', '.join(_whole(detail.split()))}",
    "git_history": lambda detail: detail,
    "semantic": lambda detail: detail.partition(" (")[0],
    "summary": lambda detail: f"its summary says {', '.join(_whole(detail.split()))}",
}
