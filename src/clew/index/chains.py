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
_NAME = re.compile(r"[@$]{0,2}[^\W\d]\w*(?:[!?](?![.=]))?")
_MEMBER = re.compile(r"\s*(?:\?\.|!\.|\?->|->|\.|::)\s*(?:<[^<>()]*>\s*)?#?([^\W\d]\w*(?:[!?](?![.=]))?)")
_TYPE_ARGUMENTS = re.compile(r"\s*(?:::)?<[^<>]*(?:<[^<>]*(?:<[^<>]*>[^<>]*)*>[^<>]*)*>(?=\s*(?:[({]|::|\.|$))")
_LITERAL_KEY = re.compile(r"""^\s*(?:["'`]([^"'`]*)["'`]|:(\w+)|(\d+))\s*$""")
_OPENS = {"(": ")", "[": "]", "{": "}"}
_BRACKET_OR_STRING = re.compile(r"""[()\[\]{}]|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`""", re.DOTALL)
_QUALIFIED = re.compile(r"<\s*&?\s*(?:(?:mut|dyn)\s+)*([\w:]+)[^()]*?>(?=::)")  # `<Card as Gate>::charge`
_AFTER = re.compile(r"[\s)!?;]*(?:\bas\b[\s\w.<>\[\]|]*)?\)*")

_TYPE = re.compile(r"(?<!['\w])[^\W\d]\w*(?:\s*(?:\.|::|\\)\s*[^\W\d]\w*)*")
_NOT_TYPES = frozenset(
    "const let var val mut ref final static readonly struct enum class union unsigned signed inline dyn impl in out "
    "volatile restrict virtual public private protected internal async unsafe extern typename auto".split()
)
_NAMELESS = re.compile(
    r"[\s&*]*(?:(?:dyn|impl|extern|unsafe)\s+)*(?:(?:func|fn|Fn|FnMut|FnOnce)\s*[(<]|(?:struct|interface)\s*\{)"
)
_TYPE_PREFIX = re.compile(r"(?:[\s&*]|'\w+|\.\.\.|<-|(?:mut|dyn|impl|const|chan|for<[^<>]*>)(?!\w))*")
_WORD_BYTES = bytes(i for i in range(256) if i >= 128 or chr(i).isalnum() or i == ord("_"))


def read(text: str, named: Callable[[str], Value | None]) -> Value | None:
    """What an expression may be; `named` says what its first name is."""
    if len(text) > LONGEST:
        return None
    if text.isidentifier():  # even one that is a word of another language: `new(card)`
        return named(text)
    text = _QUALIFIED.sub(r"\1", text, count=1) if text.startswith("<") else text
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
        else:
            value, makes = Made(value), False
    rest = _AFTER.match(text, at)
    if rest is not None and rest.end() < len(text):
        return None
    return Made(value) if makes else value


def type_name(text: str) -> list[str]:
    """The parts of the first name in a written type: `Optional[pay.Card]` is Optional, `*pay.Card` is pay and Card."""
    if _NAMELESS.match(text):
        return []
    for found in _TYPE.finditer(text):
        parts = [part.strip() for part in re.split(r"\.|::|\\", found.group())]
        if parts[0] not in _NOT_TYPES:
            return parts
    return []


def element(text: str, containers: frozenset[str]) -> str:
    """What a written type holds many of: Card in `[]Card`, `map[string]Card`, `[Card; 3]`, `Vec<Card>`; else ""."""
    opening = _TYPE_PREFIX.match(text)
    bare = text[opening.end() :] if opening else text
    if opening and ("..." in opening.group() or "chan" in opening.group()):
        return bare
    if bare.startswith(("[", "map[")):
        end = _closing(bare, bare.index("["))
        return bare[end + 1 :].strip() or bare[1:end].partition(";")[0] if end > 0 else ""
    parts = type_name(bare) if containers else []
    given = arguments(bare) if parts and parts[-1] in containers else []
    return given[-1].rpartition("=")[2].strip() if given else ""  # `Iterator<Item = Card>`


def arguments(text: str) -> list[str]:
    """The type arguments of the first name: K and V of `HashMap<K, V>`."""
    _, _, inside = text.partition("<")
    parts: list[str] = []
    depth = start = 0
    for i, char in enumerate(inside):
        if char in "<([":
            depth += 1
        elif char in ")]" or (char == ">" and inside[i - 1 : i] != "-"):
            depth -= 1
        if depth < 0 or (char == "," and not depth):
            parts.append(inside[start:i].strip())
            start = i + 1
            if depth < 0:
                break
    return parts


def chain_start(source: bytes, at: int) -> int:
    """Where the chain starts whose last name starts at `at`: that of charge in `f(a.b(2).charge(1))` is at the a."""
    first = max(0, at - LONGEST)
    before = source[first:at].rstrip()
    while before.endswith((b".", b"::")) and not before.endswith(b".."):
        held = before.removesuffix(b".").removesuffix(b"::").rstrip()
        while held.endswith((b")", b"]")) and (opens := _opening(held)) >= 0:
            held = held[:opens]
        outer = held.rstrip(_WORD_BYTES)
        if outer == held:  # no name, but a literal or an operator
            return first + len(before.rstrip(b".:"))
        at, before = first + len(outer), outer.rstrip()
    return at


def _opening(before: bytes) -> int:
    """Where the bracket is opened that closes at the end; -1 if it is not."""
    depth = 0
    for i in range(len(before) - 1, -1, -1):
        if before[i] in b")]}":
            depth += 1
        elif before[i] in b"([{":
            depth -= 1
            if not depth:
                return i
    return -1


def _steps(text: str, at: int) -> Iterator[tuple[str, str, int]]:
    while at < len(text):
        if generic := _TYPE_ARGUMENTS.match(text, at):
            at = generic.end()
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
    wanted: list[str] = []
    for found in _BRACKET_OR_STRING.finditer(text, at):
        char = found.group()
        if char in _OPENS:
            wanted.append(_OPENS[char])
        elif wanted and char == wanted[-1]:
            wanted.pop()
            if not wanted:
                return found.start()
    return -1
