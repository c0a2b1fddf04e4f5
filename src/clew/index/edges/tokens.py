"""What the code of a language without a reader of its own refers to: identifiers in the text of each definition.

A token counts if the tree says that it is an identifier, nothing nearer than the file binds its name, and it is not
what is called. Where other files' names are seen without an import, one that nothing binds counts too.
"""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from clew.index.facts import Def, Free, Name, Value
from clew.index.languages.language import Language
from clew.index.lines import Lines
from clew.index.parse import Outline
from clew.index.places import Places
from clew.model.code import SCOPE

if TYPE_CHECKING:
    from tree_sitter import Node

SHARING = frozenset("go java kotlin scala csharp php swift c cpp bash".split())  # see `resolve/visible.py`
Named = Callable[[str, str], Value | None]

OWN = "Self"  # the type around, in Rust
MOST_PARTS = 3  # of a chain of names: behind them stand members of objects

_CHAIN = re.compile(rb"([^\W\d][\w$]*+)(?:(?:\.|::|\\)[^\W\d][\w$]*+)*+")
_WITH_DOLLARS = re.compile(rb"((?:[^\W\d]|\$)[\w$]*+)(?:\.(?:[^\W\d]|\$)[\w$]*+)*+")
_OWN = OWN.encode()
_CALLED = re.compile(rb"\s*+!?\(")
_JOINTS = re.compile(rb"\.|::|\\")
_BEFORE = frozenset(b".@#>:")  # of a member, an instance variable, a path or `->`
_PLAIN = frozenset(
    {"constant", "name", "word", "variable_name", "scoped_identifier", "qualified_name", "namespace_name"}
)
_NOT_NAMES = ("property_identifier", "field_identifier", "statement_identifier")
_IMPORTING = ("import", "export_clause", "use_", "using", "include", "package", "namespace_export")
_NEVER_IMPORTED = ("expression", "statement", "declaration", "definition", "block", "body", "arguments", "literal")
_COLON = re.compile(rb"\s*+:(?![:=])")
_LABELS = ("name_colon", "value_argument_label", "labeled_statement")  # around a name that only says where things go
_KEYED = "literal_element"  # may be the key of a field
_KEYWORDS = frozenset(
    b"""
    if else for while do return switch case break continue default func function var let const type struct interface
    class enum import package new this self super null nil true false static public private protected final void int
    string bool float double char long short byte byte rune error map chan go defer range select try catch finally
    throw throws extends implements in of is as and or not def end then fn mut pub impl use mod match where async await
    val object override abstract namespace using unsigned signed sizeof typedef goto extern inline elif print echo
    boolean any number undefined unknown never len make append cap copy
    """.split()
)


class Tokens:
    """`named` tells what a name is, seen from a scope; `is_open` whether names come without an import."""

    def __init__(self, language: Language, source: bytes, outline: Outline, places: Places, named: Named) -> None:
        self._chain = _WITH_DOLLARS if language.dollars else _CHAIN
        self._source = source
        self._root = outline.root
        self._places = places
        self._named = named
        self._defining = {unit.definition.named for unit in places.by_scope.values()} | places.bound_in_parts.keys()
        self._past = 0  # up to there stands one token, which is no name: a comment, mostly

    def uses(self, bound: set[bytes], *, is_open: bool) -> dict[str, dict[str, int]]:
        """By scope: each chain of names, with the line where it first stands."""
        if self._root is None:
            return {}
        source, region_at, plain = self._source, self._places.region, self._places.plain
        lines = Lines(source)
        seen: set[tuple[str, bytes]] = set()
        found: dict[str, dict[str, int]] = {}
        for match in self._chain.finditer(source):
            first, start = match[1], match.start()
            if start < self._past or (first not in bound and not (is_open and first not in _KEYWORDS)):
                continue
            if (start and source[start - 1] in _BEFORE) or start in self._defining or match[0] == _OWN:
                continue
            chain, scope = match[0], region_at(start)
            if (scope, chain) in seen:
                continue
            parts = self._referred(match, first, scope)
            if parts is None:
                continue
            seen.add((scope, chain))
            if parts:
                found.setdefault(plain(scope), {}).setdefault(".".join(parts), lines.at(start))
        return found

    def _referred(self, match: "re.Match[bytes]", first: bytes, scope: str) -> list[str] | None:
        """The parts of a chain that are referred to; none of a name that is hidden; None if it does not count here."""
        name = first.decode("utf-8", "replace")
        value = self._named(name, scope)
        if name == OWN and isinstance(value, Def):  # `Self::parse`, in a class at the top of the file
            value = Name(value.scope.rpartition(SCOPE)[0], value.scope)
        if not (isinstance(value, Free) or (isinstance(value, Name) and not value.scope)):
            return []
        parts = [part.decode("utf-8", "replace") for part in _JOINTS.split(match[0])]
        if _CALLED.match(self._source, match.end()):
            parts.pop()
        if name == OWN:
            parts = [value.name, *parts[1:]] if parts[1:] else []
        if not parts or not self._is_name(match.start(), len(first), scope):
            return None
        return parts[:MOST_PARTS]

    def _is_name(self, start: int, length: int, scope: str) -> bool:
        assert self._root is not None
        node = self._root.descendant_for_byte_range(start, start + length)
        kind = node.type if node is not None else ""
        if node is None or not (kind.endswith("identifier") or kind in _PLAIN) or kind in _NOT_NAMES:
            if node is not None and not node.child_count:
                self._past = node.end_byte
            return False
        return not self._is_label(node) and (bool(self._places.plain(scope)) or not _is_imported(node))

    def _is_label(self, node: "Node") -> bool:
        parent = node.parent  # which is looked for from the root on: once is enough
        around = parent.type if parent is not None else ""
        return around in _LABELS or (around == _KEYED and _COLON.match(self._source, node.end_byte) is not None)


def _is_imported(node: "Node") -> bool:
    """Whether a name stands in the statement that brings it in, or hands it on.

    Such a statement holds no others: above one, there is nothing to look for, and it may be far to the top.
    """
    upper: Node | None = node
    while upper is not None:
        if upper.type.startswith(_IMPORTING):
            return True
        if upper.type.endswith(_NEVER_IMPORTED):
            return False
        upper = upper.parent
    return False
