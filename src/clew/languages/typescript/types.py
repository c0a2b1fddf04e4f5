"""Types of TypeScript that are one of several, or several at once: each of them by itself, as it would be written."""

import re
from itertools import pairwise

from clew.index.syntax.chains import closing_bracket
from clew.index.syntax.types import arguments

_NOTHING = frozenset("null undefined void never true false any unknown object {}".split())
_SPREAD = frozenset(
    "Promise Awaited Readonly Partial Required NonNullable Array ReadonlyArray Set ReadonlySet WeakSet Map ReadonlyMap "
    "WeakMap Record Iterable AsyncIterable".split()
)
_YIELDING = frozenset(
    "Generator AsyncGenerator Iterator AsyncIterator IterableIterator AsyncIterableIterator".split()
)  # the first that they name is what going through them gives
_FIELD = re.compile(r"\s*(?:readonly\s+)?(?:([\w$]+)|\[[^\]]*\])\??\s*:\s*(\S.*)", re.DOTALL)  # or any, by its key
_LABEL = re.compile(r"[\w$]+\??\s*:\s*")


def alternatives(text: str) -> list[str]:
    """`(Card | Gate)[] | null` is `Card[]` or `Gate[]`."""
    text = text.strip().lstrip("|").strip()
    if "|" not in text and "&" not in text and not text.startswith(tuple(_YIELDING)):
        return [text]
    parts = _split(text)
    if len(parts) > 1:
        told = [part for part in parts if part not in _NOTHING and part[:1] not in "\"'`"]
        return [one for part in told for one in alternatives(part)]
    if text.endswith("[]"):
        return [f"{one}[]" for one in alternatives(_bare(text[:-2].removeprefix("readonly ").strip()))]
    name, given = text.partition("<")[0].strip(), arguments(text)
    if given and name in _YIELDING:
        return alternatives(f"Iterable<{given[0]}>")
    if given and name in _SPREAD:
        return [f"{name}<{', '.join([*given[:-1], one])}>" for one in alternatives(given[-1])]
    return [text]


def fields_of(text: str) -> list[tuple[str, str]]:
    """The members of a type that has no name, with their types: `{ bank: Bank; limit?: number }`, `[Card, Gate]`."""
    text = text.strip().removeprefix("readonly ")
    if text.startswith("[") and closing_bracket(text, 0) == len(text) - 1:
        parts = [_LABEL.sub("", part.strip()).rstrip("?") for part in _members(text[1:-1])]
        return [(str(place), part) for place, part in enumerate(parts) if part] if len(parts) > 1 else []
    if not text.startswith("{") or (end := closing_bracket(text, 0)) < 0 or end < len(text) - 1:
        return []
    found = [field for line in _members(text[1:end]) if (field := _FIELD.match(line))]
    return [(field[1] or "", field[2]) for field in found]


def _members(text: str) -> list[str]:
    """The parts between line ends or commas outside of brackets."""
    ends, depth = [-1], 0
    for at, (before, char) in enumerate(zip(f" {text}", text, strict=False)):
        depth += (char in "<([{") - (char in ")]}" or (char == ">" and before != "="))
        if char in "\n;," and not depth:
            ends.append(at)
    return [text[start + 1 : end] for start, end in pairwise([*ends, len(text)])]


def _bare(text: str) -> str:
    return text[1:-1] if text.startswith("(") and text.endswith(")") else text


def _split(text: str) -> list[str]:
    """Split at operators outside of brackets; a function type or a condition is one part."""
    parts, depth, quote = [""], 0, ""
    for before, char in zip(f" {text}", text, strict=False):
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'`":
            quote = char
        elif char in "<([{":
            depth += 1
        elif char in ")]}" or (char == ">" and before != "="):
            depth -= 1
        elif not depth and (char == "?" or (char == "=" and parts[-1].rstrip().endswith(")"))):
            return [text]
        if char in "|&" and not depth and not quote:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts if part.strip()]
