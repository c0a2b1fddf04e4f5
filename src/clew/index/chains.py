"""Expressions as written, read as chains: a name, then members, calls and elements. Languages spell these alike.

`this.repo?.find(id)[0].save` is the name `this`, the members `repo` and `find`, a call, an element, the member `save`.
What is no chain (an operator, a literal, a condition) reads as nothing.
"""

import re
from collections.abc import Callable, Iterator

from clew.index.facts import Attr, Item, Made, Value

LONGEST = 400  # characters; a longer expression is data, or a program of its own
MOST_STEPS = 24

_BEFORE = re.compile(
    r"(?:\s|[&*!(]|::|\b(?:await|yield|new|try|mut|ref|unsafe|typeof|co_await|go|defer|throw|return)\b(?=\s))*"
)
_NAME = re.compile(r"[@$]{0,2}\\?[^\W\d]\w*(?:\\[^\W\d]\w*)*(?:[!?](?![.=-]))?")
_MEMBER = re.compile(
    r"\s*(?:\?\.|!\.|\?->|->|\.|::)\s*(?:<[^<>()]*>\s*|template\s+)?[#$]?([^\W\d]\w*(?:[!?](?![.=-]))?)"
)
_TYPE_ARGUMENTS = re.compile(r"\s*(?:::)?<[^<>]*(?:<[^<>]*(?:<[^<>]*>[^<>]*)*>[^<>]*)*>(?=\s*(?:[({]|::|\.|$))")
_LITERAL_KEY = re.compile(r"""^\s*(?:["'`]([^"'`]*)["'`]|:(\w+)|(\d+))\s*$""")
_OPENS = {"(": ")", "[": "]", "{": "}"}
_PATH = re.compile(r"(?:new\s+)?(?:::|\\|[^\W\d]\w*\s*(?:<[^()]*>)?(?:::|\\))")
_QUOTES = "\"'`"
_AFTER = re.compile(r"[\s)!?;]*(?:\bas\b[\s\w.<>\[\]|]*)?\)*")

_TYPE = re.compile(r"\\?[^\W\d]\w*(?:\s*(?:\.|::|\\)\s*[^\W\d]\w*)*")
_NOT_TYPES = frozenset(
    "const let var val mut ref final static readonly struct enum class union unsigned signed inline dyn impl in out "
    "volatile restrict virtual public private protected internal async unsafe extern typename auto".split()
)


def read(text: str, named: Callable[[str], Value | None]) -> Value | None:
    """What an expression may be; `named` says what its first name is."""
    if len(text) > LONGEST:
        return None
    opening = _BEFORE.match(text)
    start = opening.end() if opening else 0
    makes = "new" in text[:start].split()
    first = _NAME.match(text, start)
    value = named(first.group()) if first else None
    if first is None or value is None:
        return None
    at = first.end()
    for step, (kind, detail, end) in enumerate(_steps(text, at)):
        if step > MOST_STEPS:
            return None
        at = end
        if kind == "member":
            value = Attr(value, detail)
        elif kind == "item":
            value = Item(value, detail)
        elif kind == "call":
            value, makes = Made(value), False
    rest = _AFTER.match(text, at)
    if rest is not None and rest.end() < len(text):
        return None
    return Made(value) if makes else value


def is_path(text: str) -> bool:
    """Whether an expression begins with a type or a namespace: `pay::Card`."""
    return _PATH.match(text) is not None


def type_name(text: str) -> list[str]:
    """The parts of the first name in a written type: `Optional[pay.Card]` is Optional, `*pay.Card` is pay and Card."""
    for found in _TYPE.finditer(text):
        parts = [part.strip() for part in re.split(r"\.|::|\\", found.group())]
        if parts[0] not in _NOT_TYPES:
            return parts
    return []


def _steps(text: str, at: int) -> Iterator[tuple[str, str, int]]:
    while at < len(text):
        if generic := _TYPE_ARGUMENTS.match(text, at):
            at = generic.end()
            yield "types", "", at
            continue
        if member := _MEMBER.match(text, at):
            at = member.end()
            yield "member", member.group(1), at
            continue
        while at < len(text) and text[at] in " \t\n!?" and not text.startswith("?.", at):
            at += 1
        if at >= len(text) or text[at] not in _OPENS:
            return
        end = _closing(text, at)
        if end < 0:
            return
        inside, opens, at = text[at + 1 : end], text[at], end + 1
        if opens == "[":
            key = _LITERAL_KEY.match(inside)
            yield "item", (key[1] or key[2] or key[3] or "") if key else "", at
        else:  # a literal of a struct makes one, as a call does
            yield "call", "", at


def _closing(text: str, at: int) -> int:
    """Where the bracket at `at` is closed; -1 if it is not."""
    wanted = [_OPENS[text[at]]]
    i = at + 1
    while i < len(text):
        char = text[i]
        if char in _QUOTES:
            i = text.find(char, i + 1)
            if i < 0:
                return -1
        elif char in _OPENS:
            wanted.append(_OPENS[char])
        elif char == wanted[-1]:
            wanted.pop()
            if not wanted:
                return i
        i += 1
    return -1
