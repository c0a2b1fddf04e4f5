"""Expressions as written, read as chains: a name, then members, calls and elements. Languages spell these alike.

`this.repo?.find(id)[0].save` is the name `this`, the members `repo` and `find`, a call, an element, the member `save`.
What is no chain (an operator, a literal, a condition) reads as nothing.
"""

import re
from collections.abc import Callable, Iterator

from clew.index.facts import Attr, Item, Made, Value

LONGEST = 400  # characters; a longer expression is data, or a program of its own
MOST_STEPS = 24

_BEFORE = re.compile(r"(?:\s|[&*!(]|\b(?:await|yield|new|try|mut|ref|unsafe|typeof|co_await|go|defer|throw|return)\b)*")
_NAME = re.compile(r"[@$]{0,2}[^\W\d]\w*(?:[!?](?![.=!?:])|(?<=this)@\w+)?")
_MEMBER = re.compile(r"\s*(?:\?\.|!!?\.|\?->|->|\.|::)\s*(?:<[^<>()]*>\s*)?#?([^\W\d]\w*(?:[!?](?![.=!?:]))?)")
_TYPE_ARGUMENTS = re.compile(r"\s*(?:::)?<[^<>]*(?:<[^<>]*(?:<[^<>]*>[^<>]*)*>[^<>]*)*>(?=\s*(?:[({]|::|\.|$))")
_LITERAL_KEY = re.compile(r"""^\s*(?:["'`]([^"'`]*)["'`]|:(\w+)|(\d+))\s*$""")
_OPENS = {"(": ")", "[": "]", "{": "}"}
_QUOTES = "\"'`"
_STRING = re.compile(r'''"""(?:[^"]|"(?!""))*"""|"(?:[^"\\\n]|\\.)*"''')
_NO_NAMES = frozenset("null nil true false undefined function if switch for while".split())
_CAST = re.compile(
    r"\((?:\(\s*([^\W\d][\w.]*)(?:<[^()]*>)?\s*\)\s*[\w.]+(?:\([^()]*\))?"
    r"|[\w.]+(?:\([^()]*\))?\s+as\??\s+([^\W\d][\w.]*)(?:<[^()]*>)?\??)\s*\)(?=\s*[.?!])"
)
_AFTER = re.compile(r"[\s)!?;]*(?:\bas\b[\s\w.<>\[\]|]*)?\)*")

_TYPE = re.compile(r"[^\W\d]\w*(?:\s*(?:\.|::|\\)\s*[^\W\d]\w*)*")
_NOT_TYPES = frozenset(
    "const let var val mut ref final static readonly struct enum class union unsigned signed inline dyn impl in out "
    "volatile restrict virtual public private protected internal async unsafe extern typename auto".split()
)


def read(text: str, named: Callable[[str], Value | None]) -> Value | None:
    """What an expression may be; `named` says what its first name is."""
    if text.isidentifier():
        return named(text) if text not in _NO_NAMES else None
    if len(text) > LONGEST:
        return None
    opening = _BEFORE.match(text)
    start = opening.end() if opening else 0
    makes = "new" in text[:start].split()
    value, at = _first(text, start, named)
    if value is None:
        return None
    for step, (kind, detail, end) in enumerate(_steps(text, at)):
        if step > MOST_STEPS:
            return None
        at = end
        if kind == "member":
            value = Made(value) if detail == "this" else Attr(value, detail)  # `Outer.this`
        elif kind == "item":
            value = Item(value, detail)
        elif kind == "call":
            value, makes = Made(value), False
    rest = _AFTER.match(text, at)
    if rest is not None and rest.end() < len(text):
        return None
    return Made(value) if makes else value


def moved(value: Value, first: Value) -> Value:
    """The chain with another start."""
    match value:
        case Attr(of, name):
            return Attr(moved(of, first), name)
        case Made(by):
            return Made(moved(by, first))
        case Item(of, key):
            return Item(moved(of, first), key)
    return first


def start(value: Value) -> Value:
    """What a chain starts with."""
    while True:
        match value:
            case Attr(of, _) | Item(of, _):
                value = of
            case Made(by):
                value = by
            case _:
                return value


def _first(text: str, start: int, named: Callable[[str], Value | None]) -> tuple[Value | None, int]:
    """What a chain starts with, and where that ends: a name, a string, or something cast to a type."""
    if text[0] == "(" and (cast := _CAST.match(text)):
        first, *rest = (cast[1] or cast[2]).split(".")
        value = named(first)
        for part in rest:
            value = Attr(value, part) if value is not None else None
        return Made(value) if value is not None else None, cast.end()
    if string := _STRING.match(text):
        kind = named("String")
        return Made(kind) if kind is not None else None, string.end()
    first_name = _NAME.match(text, start)
    if first_name is None or first_name.group() in _NO_NAMES:
        return None, start
    return named(first_name.group()), first_name.end()


def type_name(text: str) -> list[str]:
    """The parts of the first name in a written type: `Optional[pay.Card]` is Optional, `*pay.Card` is pay and Card."""
    for found in _TYPE.finditer(text):
        parts = [part.strip() for part in re.split(r"\.|::|\\", found.group())]
        if parts[0] not in _NOT_TYPES:
            return parts
    return []


def _steps(text: str, at: int) -> Iterator[tuple[str, str, int]]:
    called = False
    while at < len(text):
        if generic := _TYPE_ARGUMENTS.match(text, at):
            at = generic.end()
            yield "type", "", at
            continue
        if member := _MEMBER.match(text, at):
            at, called = member.end(), False
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
        elif opens == "{" and called:  # what stands behind the arguments belongs to the call
            yield "more", "", at
        else:  # a literal of a struct makes one, as a call does
            yield "call", "", at
        called = opens == "("


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
