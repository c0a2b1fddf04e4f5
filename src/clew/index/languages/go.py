"""Go: what a query cannot tell."""

import re
from typing import TYPE_CHECKING

from clew.index.chains import closing

if TYPE_CHECKING:
    from tree_sitter import Node

_VERSION = re.compile(r"v\d+")
_VERSION_BEHIND = re.compile(r"\.v\d+$")
_MAKES = re.compile(r"(?:new|make|append)\(")
_TYPE = re.compile(r"\*?\s*([^\W\d]\w*(?:\.[^\W\d]\w*)?)\s*(?:\[[^{}()]*\])?")
_OF_THE_LANGUAGE = re.compile(r"^go[-.]|[-.]go$")


def is_exported(node: "Node", before: bytes, name: str) -> bool:
    return name[:1].isupper()


def package_name(module: str) -> str:
    """What a package is most likely called: `gopkg.in/yaml.v3` is yaml, `github.com/mattn/go-isatty/v2` is isatty."""
    parts = module.split("/")
    last = parts[-2] if len(parts) > 1 and _VERSION.fullmatch(parts[-1]) else parts[-1]
    return _OF_THE_LANGUAGE.sub("", _VERSION_BEHIND.sub("", last)).replace("-", "_")


def spelled(text: str) -> str:
    """An expression as other languages would have it: `new(Card).Pay` and `found.(*Card).Pay` are `Card{}.Pay`.

    What is appended to stays what it is. Nothing is said of what has no name, as in `found.(interface{ Pay() })`.
    """
    if ".(" in text and (asserted := _asserted(text)):
        at, end = asserted
        return _object_of(text[at + 2 : end], text[end + 1 :])
    if _MAKES.match(text) and (end := closing(text, text.index("("))) > 0:
        given = text[text.index("(") + 1 : end]
        if text[0] == "a":
            return spelled(_first(given) + text[end + 1 :])
        return _object_of(given if text[0] == "n" else _first(given), text[end + 1 :])
    return text


def _asserted(text: str) -> tuple[int, int] | None:
    """Where the last type that the expression itself is asserted to be stands, and where it ends."""
    at = text.rfind(".(")
    while at >= 0:
        end = closing(text, at + 1)
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
    """The first of what a call is given."""
    depth = 0
    for i, char in enumerate(given):
        if char == "," and not depth:
            return given[:i].strip()
        depth += (char in "([{") - (char in ")]}")
    return given.strip()
