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
    r"(?:\s|[&*!(]|::|\bnew\b(?!\()|\b(?:await|yield|try|mut|ref|unsafe|typeof|co_await|go|defer|throw|return)\b)*"
)
_NAME = re.compile(r"[@$]{0,2}[^\W\d][\w$]*(?:[!?](?![.=]))?")
_MEMBER = re.compile(r"\s*(?:\?\.|!\.|&\.|\?->|->|\.|::)\s*(?:<[^<>()]*>\s*)?#?([^\W\d][\w$]*(?:[!?](?![.=]))?)")
_TYPE_ARGUMENTS = re.compile(r"\s*(?:::)?<[^<>]*(?:<[^<>]*(?:<[^<>]*>[^<>]*)*>[^<>]*)*>(?=\s*(?:[({]|::|\.|$))")
_DOTTED = re.compile(r"[^\W\d][\w$]*(?:\.[^\W\d][\w$]*)*")
_ARROW = re.compile(r"(?:async\s*)?(?:\([^()]*\)|[\w$]+)\s*=>")
_LITERALS = frozenset("\"'`0123456789/")
_NOT_NAMES = frozenset("function class if switch case for while do else null nil true false undefined".split())
_LITERAL_KEY = re.compile(r"""^\s*(?:["'`]([^"'`]*)["'`]|:(\w+)|(\d+))\s*$""")
_OPENS = {"(": ")", "[": "]", "{": "}"}
_BRACKET_OR_STRING = re.compile(r"""[()\[\]{}]|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`""", re.DOTALL)
_COMMA_BRACKET_OR_STRING = re.compile(r"""[,(\[{]|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`""", re.DOTALL)
_AFTER = re.compile(r"[\s)!?;]*(?:\b(?:as|satisfies)\b[\s\w.<>\[\]|]*)?\)*")
_CAST = re.compile(r"\bas\s+([^\W\d]\w*)")
_ANYTHING = frozenset({"const", "any", "unknown", "never", "object", "asserts"})
_LAST_MEMBER = re.compile(r"(?:\.|->|::)\s*(#?[^\W\d][\w$]*[!?]?)\s*$")
_KEY = re.compile(r"""(?:([^\W\d]\w*)\s*(?::(?!:)|=(?![=>~]))|(?:["']([^"'\n]*)["']|:(\w+))\s*(?::(?!:)|=>))\s*""")
_ATTRIBUTE = re.compile(r"([^\W\d][\w-]*)=\{")

_TYPE = re.compile(r"[^\W\d]\w*(?:\s*(?:\.|::|\\)\s*[^\W\d]\w*)*")
_NAMELESS = ("{", "(", "[", '"', "'", "`")
_NOT_TYPES = frozenset(
    "const let var val mut ref final static readonly struct enum class union unsigned signed inline dyn impl in out "
    "volatile restrict virtual public private protected internal async unsafe extern typename auto".split()
)


def read(text: str, named: Callable[[str], Value | None]) -> Value | None:
    """What an expression may be; `named` says what its first name is."""
    if len(text) > LONGEST or text[:1] in _LITERALS or _ARROW.match(text):
        return None
    if _DOTTED.fullmatch(text):
        first, *members = text.split(".")
        known = named(first) if first not in _NOT_NAMES else None
        for member in members:
            known = Attr(known, member) if known is not None else None
        return known
    opening = _BEFORE.match(text)
    start = opening.end() if opening else 0
    before = text[:start]
    if "(" in before and not _closes_all(text, before.index("(")):
        return _read_group(text, before.index("("), named)
    makes = "new" in before.split()
    name = _NAME.match(text, start)
    value = named(name.group()) if name and name.group() not in _NOT_NAMES else None
    if name is None or value is None:
        return None
    return _follow(text, name.end(), value, named, makes=makes)


def is_word(text: str) -> bool:
    """Whether it looks like a name and is none."""
    return text in _NOT_NAMES


def is_bracketed(text: str) -> bool:
    """Whether an opening bracket holds the whole text, as far as there is any."""
    end = _closing(text, 0)
    return end < 0 or end == len(text) - 1


def elements(text: str) -> list[tuple[str, str]]:
    """The parts of a list, a table or an argument list, between its brackets, each with its key; "" where it has none.

    `{ pay, refund: undo }` are pay under its own name and undo under refund; of `<Card onPay={pay} />`, its attributes.
    """
    if text.startswith("<"):
        return _attributes(text)
    found: list[tuple[str, str]] = []
    for part in _parts(text):
        key = _KEY.match(part)
        if key:
            found.append((key[1] or key[2] or key[3], part[key.end() :].strip()))
        else:
            alone = text.startswith("{") and part.isidentifier()
            found.append((part if alone else "", part))
    return found


def element(text: str, containers: frozenset[str]) -> str:
    """What a written type holds many of: Card in `Card[]`, `Array<Card>`, `Map<string, Card>`; else ""."""
    text = text.strip().removeprefix("readonly ")
    if text.endswith("[]"):
        return text[:-2].strip("()")
    parts = type_name(text) if containers else []
    given = arguments(text) if parts and parts[-1] in containers else []
    return given[-1] if given else ""


def arguments(text: str) -> list[str]:
    """The type arguments of the first name: K and V of `Map<K, V>`."""
    _, _, inside = text.partition("<")
    parts: list[str] = []
    depth = start = 0
    for i, char in enumerate(inside):
        if char in "<([{":
            depth += 1
        elif char in ")]}" or (char == ">" and inside[i - 1 : i] not in "-="):
            depth -= 1
        if depth < 0 or (char == "," and not depth):
            parts.append(inside[start:i].strip())
            start = i + 1
            if depth < 0:
                break
    return parts


def last_member(text: str) -> str:
    """The last name of a chain, if it is one."""
    ends = _LAST_MEMBER.search(text)
    return ends[1] if ends else ""


def type_name(text: str) -> list[str]:
    """The parts of the first name in a written type: `Optional[pay.Card]` is Optional, `*pay.Card` is pay and Card."""
    if text[:1] in _NAMELESS:  # a type without a name
        return []
    for found in _TYPE.finditer(text):
        parts = [part.strip() for part in re.split(r"\.|::|\\", found.group())]
        if parts[0] not in _NOT_TYPES:
            return parts if parts[0] not in _ANYTHING else []
    return []


def _follow(
    text: str, at: int, value: Value, named: Callable[[str], Value | None], *, makes: bool = False
) -> Value | None:
    """What the steps of a chain lead to, from `at` on."""
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
    if (cast := _CAST.search(text, at)) and cast[1] not in _ANYTHING and (known := named(cast[1])) is not None:
        return Made(known)
    return Made(value) if makes else value


def _read_group(text: str, at: int, named: Callable[[str], Value | None]) -> Value | None:
    """`(await load()).first`: what stands in brackets, and the steps behind them."""
    end = _closing(text, at)
    inner = read(text[at + 1 : end], named) if end > 0 else None
    return _follow(text, end + 1, inner, named) if inner is not None else None


def _closes_all(text: str, at: int) -> bool:
    """Whether a bracket holds all the rest, so that it says nothing."""
    end = _closing(text, at)
    return end < 0 or not text[end + 1 :].strip(" \t\n;)")


def _attributes(text: str) -> list[tuple[str, str]]:
    found, at = [], 0
    while attribute := _ATTRIBUTE.search(text, at):
        end = _closing(text, attribute.end() - 1)
        if end < 0:
            break
        found.append((attribute[1], text[attribute.end() : end].strip()))
        at = end
    return found


def _parts(text: str) -> Iterator[str]:
    """What stands between the commas of a bracketed text; one that was cut off gives what is whole."""
    start = at = 1
    while found := _COMMA_BRACKET_OR_STRING.search(text, at):
        at = found.end()
        if found.group() == ",":
            yield text[start : found.start()].strip()
            start = at
        elif found.group() in _OPENS:
            at = _closing(text, found.start()) + 1
            if not at:
                return
    if last := text[start:-1].strip():
        yield last


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
