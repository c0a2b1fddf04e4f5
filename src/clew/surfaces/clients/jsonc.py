"""JSON with comments, edited in place: everything outside of the changed member keeps its bytes.

Comments and trailing commas are read, as editors and agents write them.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

_TRIVIA = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null")
_DEEPEST = 100

Path = tuple[str, ...]


class JsonBroken(ValueError):
    """The text is not JSON, or a value that should hold others does not."""


class JsonNode(NamedTuple):
    """A value and where it lies in the text; `start` of a member is that of its key."""

    value: Any
    start: int
    end: int
    items: tuple["JsonNode", ...] = ()
    keys: tuple[str, ...] = ()
    comma: int = -1  # behind the last member, if there is one too many


def read(text: str) -> Any:
    """The value; an empty text is an empty object."""
    return _parse(text).value


def _parse(text: str) -> JsonNode:
    start = _skip(text, 1 if text.startswith("\ufeff") else 0)
    if start == len(text):
        return JsonNode({}, start, start)
    node = _value(text, start, 0)
    if _skip(text, node.end) != len(text):
        raise JsonBroken(f"more follows after the value, at character {node.end}")
    return node


def _skip(text: str, at: int) -> int:
    found = _TRIVIA.match(text, at)
    return found.end() if found else at


def _value(text: str, at: int, depth: int) -> JsonNode:
    if depth > _DEEPEST:
        raise JsonBroken("values are nested too deeply")
    opening = text[at : at + 1]
    if opening in ("{", "["):
        return _container(text, at, depth)
    if found := (_STRING if opening == '"' else _SCALAR).match(text, at):
        try:
            return JsonNode(json.loads(found[0]), at, found.end())
        except ValueError as error:
            raise JsonBroken(f"{error.args[0]}, at character {at}") from error
    raise JsonBroken(f"a value is expected at character {at}")


def _container(text: str, at: int, depth: int) -> JsonNode:
    is_object, closing = text[at] == "{", "}" if text[at] == "{" else "]"
    items, keys, here, comma = list[JsonNode](), list[str](), _skip(text, at + 1), -1
    while text[here : here + 1] != closing:
        if items and comma < 0:
            raise JsonBroken(f"a comma is missing at character {here}")
        start = here
        if is_object:
            key = _STRING.match(text, here)
            here = _skip(text, key.end()) if key else here
            if key is None or text[here : here + 1] != ":":
                raise JsonBroken(f"a key is expected at character {here}")
            keys.append(json.loads(key[0]))
            here = _skip(text, here + 1)
        item = _value(text, here, depth + 1)
        items.append(item._replace(start=start))
        here, comma = _skip(text, item.end), -1
        if text[here : here + 1] == ",":
            comma, here = here, _skip(text, here + 1)
    values = [item.value for item in items]
    value = dict(zip(keys, values, strict=True)) if is_object else values
    return JsonNode(value, at, here + 1, tuple(items), tuple(keys), comma)


def put(text: str, path: Path, value: Any) -> str:
    """The text with the value at this path; objects on the way are made where they are missing."""
    node = _parse(text)
    if node.start == node.end:
        made = _write_value(_nest(path, value), "", "  ", "\n")
        return f"{text}{made}\n"
    for depth, key in enumerate(path):
        if not isinstance(node.value, dict):
            raise JsonBroken(f"{'.'.join(path[:depth]) or 'the file'} is not an object")
        if key not in node.keys:
            return _insert(text, node, _nest(path[depth + 1 :], value), key)
        node = node.items[len(node.keys) - 1 - node.keys[::-1].index(key)]
    start = _value_start(text, node)
    return (
        f"{text[:start]}{_write_value(value, _indent(text, node.start), _unit(text), _newline(text))}{text[node.end :]}"
    )


def append(text: str, path: Path, value: Any) -> str:
    """The text with the value as last item of the list at this path, which is made if it is missing."""
    node = _find(_parse(text), path)
    if node is None:
        return put(text, path, [value])
    if not isinstance(node.value, list):
        raise JsonBroken(f"{'.'.join(path)} is not a list")
    return _insert(text, node._replace(start=_value_start(text, node)), value)


def remove(text: str, path: tuple[str | int, ...], *, with_empty: int = 0) -> str:
    """The text without the value at this path; of the containers that are empty then, the last `with_empty` go too."""
    *above, last = path
    parent = _find(_parse(text), tuple(above))
    if parent is None:
        return text
    number = last if isinstance(last, int) else parent.keys.index(last) if last in parent.keys else -1
    if not 0 <= number < len(parent.items):
        return text
    if len(parent.items) == 1 and with_empty and above:
        return remove(text, tuple(above), with_empty=with_empty - 1)
    return _cut(text, parent, number)


def _cut(text: str, parent: JsonNode, number: int) -> str:
    """A member with the comma and the white space that belong to it; comments stay."""
    item = parent.items[number]
    if number + 1 < len(parent.items):
        comma = text.index(",", _skip(text, item.end))
        following = parent.items[number + 1].start
        return text[: item.start] + text[following if not text[comma + 1 : following].strip() else comma + 1 :]
    if number:
        previous = parent.items[number - 1].end
        comma = text.index(",", _skip(text, previous))
        kept = text[previous:comma] + text[comma + 1 : item.start].rstrip()
        return text[:previous] + (kept if kept.strip() else "") + text[item.end :]
    opening, closing = _value_start(text, parent) + 1, parent.end - 1
    end = parent.comma + 1 if parent.comma >= 0 else item.end
    kept = text[opening : item.start].rstrip() + text[end:closing]
    return text[:opening] + (kept if kept.strip() else "") + text[closing:]


def _insert(text: str, parent: JsonNode, value: Any, key: str | None = None) -> str:
    newline, unit = _newline(text), _unit(text)
    opening, closing = _value_start(text, parent), parent.end - 1
    named = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    if not parent.items:
        outer = _indent(text, opening)
        written = f"{newline}{outer}{unit}{named}{_write_value(value, outer + unit, unit, newline)}{newline}{outer}"
        inside = text[opening + 1 : closing]
        return text[: opening + 1] + inside.rstrip() + written + text[closing:]
    last = parent.items[-1]
    in_lines = "\n" in text[opening : last.start]
    inner = _indent(text, last.start) if in_lines else ""
    written = _write_value(value, inner, unit, newline) if in_lines else json.dumps(value, ensure_ascii=False)
    gap = f"{newline}{inner}" if in_lines else " "
    behind = max(last.end, parent.comma + 1)
    trailing = text[behind:closing]
    kept = trailing.rstrip()
    comma = "" if parent.comma >= 0 else ","
    if "//" in kept and not in_lines:
        gap = newline
    return f"{text[:behind]}{comma}{kept}{gap}{named}{written}{trailing[len(kept) :]}{text[closing:]}"


def _find(node: JsonNode, path: tuple[str | int, ...]) -> JsonNode | None:
    for key in path:
        if isinstance(key, int):
            if not 0 <= key < len(node.items):
                return None
            node = node.items[key]
        elif key in node.keys:
            node = node.items[node.keys.index(key)]
        else:
            return None
    return node


def _value_start(text: str, node: JsonNode) -> int:
    """The start of the value of a member, whose node begins with its key."""
    if isinstance(node.value, dict | list) and text[node.start] not in "{[":
        return _after_key(text, node.start)
    if not isinstance(node.value, dict | list) and (key := _STRING.match(text, node.start)) and key.end() < node.end:
        return _after_key(text, node.start)
    return node.start


def _after_key(text: str, start: int) -> int:
    key = _STRING.match(text, start)
    return _skip(text, _skip(text, key.end() if key else start) + 1)


def _nest(path: Path, value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value


def _write_value(value: Any, indent: str, unit: str, newline: str) -> str:
    return json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", f"{newline}{indent}")


def _indent(text: str, at: int) -> str:
    """The white space that the line of a character begins with."""
    start = text.rfind("\n", 0, at) + 1
    line = text[start:at].lstrip("\ufeff")
    return line[: len(line) - len(line.lstrip())]


def _unit(text: str) -> str:
    """One step of indentation, as the file has it."""
    return next(_indents(text), "  ")


def _indents(text: str) -> Iterator[str]:
    for found in re.finditer(r"\n([ \t]+)[\"\[{]", text):
        yield "\t" if found[1][0] == "\t" else found[1]


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
