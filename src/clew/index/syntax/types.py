"""Written types: their names, element types and arguments."""

import re
from functools import lru_cache

from clew.index.syntax.chains import closing_bracket

_TYPE = re.compile(r"(?<!['\w])\\?\$*[^\W\d][\w$]*(?:\s*(?:\.|::|\\)\s*\$*[^\W\d][\w$]*)*")
_JOINTS = re.compile(r"\.|::|\\")
_NOT_TYPES = frozenset(
    "const let var val mut ref final static readonly struct enum class union unsigned signed inline dyn impl in out "
    "volatile restrict virtual public private protected internal async unsafe extern typename auto null "
    "undefined".split()
)
ANYTHING = frozenset({"const", "any", "unknown", "never", "object", "asserts"})  # types that tell nothing
_BEFORE_MEMBER = re.compile(r"<[^<>]*>(?=(?:[^<>]*>)?\s*(?:::|\.\w))")  # `List<Card>::Iterator` is the Iterator of List
_NAMELESS_STARTS = ("{", "(", '"', "'", "`")
_NAMELESS = re.compile(
    r"[\s&*]*(?:(?:dyn|impl|extern|unsafe)\s+)*(?:(?:func|fn|Fn|FnMut|FnOnce)\s*[(<]|(?:struct|interface)\s*\{)"
)
_ASKED = re.compile(r"\(?(?:any|some)\s+(?=[A-Z])")  # `any Payer`, `(any Payer)?` of Swift
_BRACKETED = re.compile(r"\*?\w+\.[A-Z]\w*\[(?=[\w*])")  # of Go, by a type of a package
_BOUND = re.compile(r"^\w+\s*=(?!>)\s*")  # `Iterator<Item = Card>`, and not `Array<() => void>`
_KEYED = re.compile(r"^[^:\[\]]*(?<!:):(?!:)\s*")  # `[String: Card]` of Swift
_LOOKED_UP = re.compile(r"(\S.*?)\[\s*[\"'](\w+)[\"']\s*\]")
_TYPE_PREFIX = re.compile(r"(?:[\s&*]|'\w+|\.\.\.|<-|(?:mut|dyn|impl|const|readonly|chan|for<[^<>]*>)(?!\w))*")


@lru_cache(maxsize=4096)  # code says `String` again and again
def type_name(text: str) -> tuple[str, ...]:
    """The parts of the first name in a written type: `Optional[pay.Card]` is Optional, `*pay.Card` is pay and Card."""
    if asked := _ASKED.match(text):
        text = text[asked.end() :]
    if text.lstrip(" \t\n|")[:1] in _NAMELESS_STARTS or _NAMELESS.match(text):
        return ()
    while "<" in text and (plain := _BEFORE_MEMBER.sub("", text)) != text:
        text = plain
    for found in _TYPE.finditer(text):
        parts = tuple(map(str.strip, _JOINTS.split(found.group())))
        if parts[0] not in _NOT_TYPES or found.group().startswith(f"{parts[0]}."):  # a package may be called so
            return parts if parts[0] not in ANYTHING else ()
    return ()


def names(text: str, transparent: frozenset[str]) -> list[tuple[str, ...]]:
    """The names of a written type; of a transparent one, those of its arguments: `Partial<Card & Gate>`."""
    parts = type_name(text)
    if not parts or parts[-1] not in transparent:
        return [parts] if parts else []
    held = (arguments(text) or [text.partition("<")[2]])[0]  # the rest, where the text was cut off
    return [found for part in arguments(f"<{held}>", "&") for found in names(part, transparent)]


def element(text: str, containers: frozenset[str]) -> str:
    """The element type of a written container type: Card in `[]Card`, `map[string]Card`, `[Card; 3]`, `Card[]`,
    `Vec<Card>`."""
    opening = _TYPE_PREFIX.match(text)
    bare = text[opening.end() :] if opening else text
    if opening and ("..." in opening.group() or "chan" in opening.group()):
        return bare
    if bare.startswith(("[", "map[")):
        end = closing_bracket(bare, bare.index("["))
        behind = bare[end + 1 :].strip(" \t\n?!")
        return behind or _KEYED.sub("", bare[1:end].partition(";")[0]) if end > 0 else ""
    if bare.endswith("[]"):
        return bare[:-2].strip("()")
    parts = type_name(bare) if containers else ()
    given = arguments(bare) if parts and parts[-1] in containers else []
    return _BOUND.sub("", given[-1]) if given else ""


def looked_up(text: str) -> re.Match[str] | None:
    """A type and the member of it that is meant: `Shop["bank"]`."""
    return _LOOKED_UP.fullmatch(text) if text.endswith("]") else None


def stood_for(text: str) -> str:
    """The type that a wrapper stands for: Card in `Future<Output = Card>`."""
    given = [one for one in arguments(text) if not one.startswith("'")]
    return _BOUND.sub("", given[0]) if given else ""


def put_into(text: str, transparent: frozenset[str]) -> str:
    """The first type argument: Card in `Padded<'a, Card>`, and in `Arc<Padded<Card>>`."""
    given, parts = [one for one in arguments(text) if not one.startswith("'")], type_name(text)
    if not given or not parts or parts[-1] not in transparent:
        return given[0] if given else ""
    return put_into(given[0], transparent)


def arguments(text: str, between: str = ",") -> list[str]:
    """The type arguments of the first name: K and V of `HashMap<K, V>`, or `pay.Pair[K, V]`."""
    _, _, inside = text.partition("[" if _BRACKETED.match(text) else "<")
    parts: list[str] = []
    depth = start = 0
    for i, char in enumerate(inside):
        if char in "<([{":
            depth += 1
        elif char in ")]}" or (char == ">" and inside[i - 1 : i] not in ("-", "=")):
            depth -= 1
        if depth < 0 or (char == between and not depth):
            parts.append(inside[start:i].strip())
            start = i + 1
            if depth < 0:
                break
    return parts
