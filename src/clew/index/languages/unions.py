"""Types of TypeScript that are one of several: each of them by itself, as it would be written."""

from clew.index.syntax.types import arguments

_NOTHING = frozenset("null undefined void never true false any unknown object {}".split())
_SPREAD = frozenset(
    "Promise Awaited Readonly Partial Required NonNullable Array ReadonlyArray Set ReadonlySet WeakSet Map ReadonlyMap "
    "WeakMap Record Iterable AsyncIterable".split()
)
_YIELDING = frozenset(
    "Generator AsyncGenerator Iterator AsyncIterator IterableIterator AsyncIterableIterator".split()
)  # the first that they name is what going through them gives


def alternatives(text: str) -> list[str]:
    """`(Card | Gate)[] | null` is `Card[]` or `Gate[]`."""
    text = text.strip().lstrip("|").strip()
    if "|" not in text and not text.startswith(tuple(_YIELDING)):
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


def _bare(text: str) -> str:
    return text[1:-1] if text.startswith("(") and text.endswith(")") else text


def _split(text: str) -> list[str]:
    """At the bars that stand in no brackets; what is a function or a condition as a whole is one."""
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
        if char == "|" and not depth and not quote:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts if part.strip()]
