"""Methods that are named in a text or a symbol: `[$this, 'charge']` of PHP, `method(:charge)` of Ruby."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node

_PATTERNS = {
    "php": re.compile(
        rb"(?:\[|\barray\s*+\()\s*+(?P<of>\$this|(?:self|static|[A-Z]\w*+)(?=::class))(?:::class)?\s*+,"
        rb"\s*+(?P<quote>['\"])(?P<name>\w++)(?P=quote)\s*+[\])]"
    ),
    "ruby": re.compile(
        rb"(?<![\w.@$:])(?:(?P<of>self)\.)?(?:method|send|__send__|public_send)[ (]:(?P<name>\w++[?!]?)"
    ),
}
_NO_CODE = ("comment", "string", "heredoc", "text")
SELF = "self"


class Callable(NamedTuple):
    at: int
    of: str
    name: str


def callables(language: str, source: bytes, root: "Node") -> Iterator[Callable]:
    """Named members with their receivers and places; without a receiver, of the object itself."""
    pattern = _PATTERNS.get(language)
    for match in pattern.finditer(source) if pattern else ():
        node = root.descendant_for_byte_range(match.start(), match.start() + 1)
        if node is not None and not node.type.startswith(_NO_CODE):
            yield Callable(match.start(), (match["of"] or SELF.encode()).decode(), match["name"].decode())
