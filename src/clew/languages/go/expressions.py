"""Go: facts that a query cannot extract."""

import re
from typing import TYPE_CHECKING

from clew.index.syntax.chains import closing_bracket

if TYPE_CHECKING:
    from tree_sitter import Node

_VERSION = re.compile(r"v\d+")
_VERSION_BEHIND = re.compile(r"\.v\d+$")
_NAMED = re.compile(r"([^\W\d]\w*)\s+(?=\S)")
_NO_NAMES = frozenset("chan func interface map struct".split())
_STRUCT = re.compile(r"\s*\**\s*struct\s*(?=\{)")
_FIELD = re.compile(r"([^\W\d]\w*(?:\s*,\s*[^\W\d]\w*)*)\s+([^`\"/]*[^`\"/\s])")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_HOLDS = re.compile(r"(?:(?:\[[^\[\]]*\]|map\[[\w.*]+\])\**)+")
_MAKES = ("new(", "make(", "append(")
_TYPE = re.compile(r"\*?\s*([^\W\d]\w*(?:\.[^\W\d]\w*)?)\s*(?:\[[^{}()]*\])?")
_ASSERTED = re.compile(r"new\(\s*([^\W\d]\w*)|\(\s*\*\s*([^\W\d]\w*)|&?\s*([^\W\d]\w*)\s*[({\[]")
_OF_THE_LANGUAGE = re.compile(r"^go[-.]|[-.]go$")


def is_exported(node: "Node", before: bytes, name: str) -> bool:
    return name[:1].isupper()


def package_name(module: str) -> str:
    """The likely name of a package: `gopkg.in/yaml.v3` is yaml, `github.com/mattn/go-isatty/v2` is isatty."""
    parts = module.split("/")
    last = parts[-2] if len(parts) > 1 and _VERSION.fullmatch(parts[-1]) else parts[-1]
    return _OF_THE_LANGUAGE.sub("", _VERSION_BEHIND.sub("", last)).replace("-", "_")


def normalise_expression(text: str) -> str:
    """An expression in common notation: `new(Card).Pay` and `found.(*Card).Pay` are `Card{}.Pay`.

    `append` returns its first argument. Anonymous types are unknown, as in `found.(interface{ Pay() })`.
    """
    if "(" not in text:
        return text
    if ".(" in text and (asserted := _type_assertion(text)):
        at, end = asserted
        return _object_of(text[at + 2 : end], text[end + 1 :])
    if text.startswith(_MAKES) and (end := closing_bracket(text, text.index("("))) > 0:
        given = text[text.index("(") + 1 : end]
        if text[0] == "a":
            return normalise_expression(_first(given) + text[end + 1 :])
        return _object_of(given if text[0] == "n" else _first(given), text[end + 1 :])
    return text


def asserted_type(text: str) -> str:
    """The type of the same package whose value is given to `_`: `disk` of `(*disk)(nil)`, `&disk{}` or `new(disk)`."""
    said = _ASSERTED.match(text)
    return next(filter(None, said.groups()), "") if said else ""


def literal_type(text: str) -> str:
    """The type of a literal that holds many: `[]Card` of `[]Card{one, two}`."""
    held = _HOLDS.match(text)
    if not held:
        return ""
    nameless = _STRUCT.match(text, held.end())
    end = closing_bracket(text, nameless.end()) + 1 if nameless else text.find("{", held.end())
    return text[:end] if end > 0 and text.startswith("{", end) else ""


def _type_assertion(text: str) -> tuple[int, int] | None:
    """Where the last type that the expression itself is asserted to be stands, and where it ends."""
    at = text.rfind(".(")
    while at >= 0:
        end = closing_bracket(text, at + 1)
        if end > 0 and _is_level(text[end + 1 :]):
            return at, end
        at = text.rfind(".(", 0, at)
    return None


def _is_level(text: str) -> bool:
    return all(text.count(opens) == text.count(closes) for opens, closes in ("()", "[]", "{}"))


def _object_of(written: str, steps: str) -> str:
    named = _TYPE.fullmatch(written.strip())
    return f"{named[1]}{{}}{steps}" if named else ""


def _first(given: str) -> str:
    """The first argument of a call."""
    return parts_of(given)[0]


def parts_of(text: str, ends: str = ",") -> list[str]:
    """The parts between commas, except inside brackets."""
    parts, depth, start = [], 0, 0
    for i, char in enumerate(text):
        if char in ends and not depth:
            parts.append(text[start:i].strip())
            start = i + 1
        depth += (char in "([{") - (char in ")]}")
    return [*parts, text[start:].strip()]


def results_of(written: str) -> list[str]:
    """The result types of a function, one by one: twice Card for `(first, last Card)`."""
    is_whole = written.endswith(")")
    inside = _COMMENT.sub("", written[1 : -1 if is_whole else None])
    parts = [part for part in parts_of(inside)[: None if is_whole else -1] if part]
    named = [found if (found := _NAMED.match(part)) and found[1] not in _NO_NAMES else None for part in parts]
    if not any(named):
        return parts
    types: list[str] = []
    for part, name in zip(reversed(parts), reversed(named), strict=True):
        types.append(part[name.end() :] if name else types[-1] if types else "")
    return types[::-1]


def fields_of(written: str) -> list[tuple[str, str]]:
    """The members of a struct that has no name, with their types; of one that is cut off, as far as it is there."""
    if not (opening := _STRUCT.match(written)):
        return []
    end = closing_bracket(written, opening.end())
    inside = _COMMENT.sub("", written[opening.end() + 1 : end if end > 0 else len(written)])
    lines = parts_of(inside, "\n;")[: None if end > 0 else -1]
    found = [field for line in lines if (field := _FIELD.match(line))]
    return [(name.strip(), field[2]) for field in found for name in field[1].split(",")]
