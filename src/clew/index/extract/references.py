"""References in languages without a reader of their own: identifiers in the text of each definition.

A token counts if the tree has it as an identifier, only the file binds its name, and it is not called. Where other
files' names are visible without an import, unbound names count too. Behind a local name, and behind `this`, stand
members: their owners are given as values.
"""

import re
from collections.abc import Iterator
from functools import cache
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from clew.index.extract.binder import Binder
from clew.index.extract.scope_map import FUNCTIONS, ScopeMap, inside, is_member
from clew.index.facts import METHOD, Attr, Def, MemberReference, ScopedName, This, UnboundName, Value
from clew.index.syntax.parse import Outline
from clew.index.syntax.ranges import LineIndex
from clew.languages.profile import Language
from clew.model.code import SCOPE

if TYPE_CHECKING:
    from tree_sitter import Node


# Methods that are named in a text or a symbol: `[$this, 'charge']` of PHP, `method(:charge)` of Ruby.

_NO_CODE = ("comment", "string", "heredoc", "text")
SELF = "self"


class Callable(NamedTuple):
    at: int
    of: str
    name: str


@cache
def _pattern(expression: bytes) -> re.Pattern[bytes]:
    return re.compile(expression)


def callables(language: Language, source: bytes, root: "Node") -> Iterator[Callable]:
    """Named members with their receivers and places; without a receiver, of the object itself."""
    expression = language.named_callables
    for match in _pattern(expression).finditer(source) if expression else ():
        node = root.descendant_for_byte_range(match.start(), match.start() + 1)
        if node is not None and not node.type.startswith(_NO_CODE):
            yield Callable(match.start(), (match["of"] or SELF.encode()).decode(), match["name"].decode())


OWN = "Self"  # the type around, in Rust
MOST_PARTS = 3  # of a chain of names: behind them stand members of objects

_CHAIN = re.compile(rb"([^\W\d][\w$]*+)(?:(?:\.|::|\\)[^\W\d][\w$]*+)*+")
_WITH_DOLLARS = re.compile(rb"((?:[^\W\d]|\$)[\w$]*+)(?:\.#?(?:[^\W\d]|\$)[\w$]*+)*+")
_WITH_ARROWS = re.compile(rb"([^\W\d]\w*+)(?:(?:\.|::|\\|\??->)[^\W\d]\w*+)*+")
_OWN = OWN.encode()
_CALLED = re.compile(rb"\s*+!?\(")
_POINTED = re.compile(rb"\)(\.[^\W\d]\w*+)")
_JOINTS = re.compile(rb"\.|::|\\|\??->")
_BEFORE = frozenset(b".@#>:")  # of a member, an instance variable, a path or `->`
_BEHIND = re.compile(rb"[\w)\]>}?!]")  # of what `::` or `@` is a part of, if it stands before them
_THIS = frozenset(
    "this this_expression super super_expression self self_expression base base_expression relative_scope".split()
)
_ITSELF = b"this"
_PLAIN = frozenset(
    {"constant", "name", "word", "variable_name", "scoped_identifier", "qualified_name", "namespace_name"}
)
_NOT_NAMES = ("property_identifier", "field_identifier", "statement_identifier")
_IMPORTING = ("import", "export_clause", "use_", "using", "include", "package", "namespace_export")
_NEVER_IMPORTED = ("expression", "statement", "declaration", "definition", "block", "body", "arguments", "literal")
_COLON = re.compile(rb"\s*+:(?![:=])")
_LABELS = ("name_colon", "value_argument_label", "labeled_statement")  # around a name that only says where things go
_BY_COLON = frozenset({"literal_element", "argument", "subpattern"})  # may begin with one, or with the key of a field
_EQUALS = re.compile(rb"\s*+=(?![=>])")
_ASSIGNED = "assignment_expression"
_BY_EQUALS = frozenset(
    f"value_argument with_initializer attribute_argument element_value_pair anonymous_object_creation_expression "
    f"{_ASSIGNED}".split()
)
_GIVEN = ("initializer_expression", "arguments")  # in these, to assign is to say what a field or a parameter is
_GUARDS = ("preproc_ifdef", "preproc_defined")
_POINTING = re.compile(rb"[\s*&(^]*+")  # what may stand before the name that a declaration of C gives
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


class ReferenceExtractor:
    """`is_open` tells whether names come without an import."""

    def __init__(self, language: Language, source: bytes, outline: Outline, places: ScopeMap, names: Binder) -> None:
        self._language = language
        is_arrowed = language.member_arrows
        self._chain = _WITH_DOLLARS if language.dollars else _WITH_ARROWS if is_arrowed else _CHAIN
        self._source = source
        self._root = outline.root
        self._places = places
        self._names = names
        named = (unit.definition.named for unit in places.by_scope.values())
        self._defining = {_before_name(source, at) for at in named} | places.bound_in_parts.keys()
        local = [one for one in places.by_scope.values() if one.parent is not None and not is_member(one)]
        self._local = {unit.definition.name.encode() for unit in local if unit.definition.kind in FUNCTIONS}
        self._past = 0  # up to there stands one token, which is no name: a comment, mostly
        self._lines = LineIndex(source)
        self._members: dict[str, dict[tuple[Value, str], int]] = {}

    def references(self, bound: set[bytes], *, is_open: bool) -> dict[str, dict[str, int]]:
        """By scope: each chain of names, with the line where it first stands."""
        if self._root is None:
            return {}
        source, region_at, plain = self._source, self._places.region, self._places.definition_scope
        seen: set[tuple[str, bytes, bool]] = set()
        found: dict[str, dict[str, int]] = {}
        has_pointers, is_large = self._language.pointer_methods, self._language.large_names
        has_members = self._language.bare_members
        for match in self._chain.finditer(source):
            chain, first = match.group(0, 1)
            start = match.start()
            is_outer = first in bound or (is_open and first not in _KEYWORDS and (not is_large or first[:1].isupper()))
            if not (is_outer or (has_members and len(chain) > len(first)) or first in self._local):
                continue
            if start < self._past or start in self._defining or chain == _OWN:
                continue
            if start and source[start - 1] in _BEFORE and not self._is_first(start):
                continue
            whole = self._whole(match) if has_pointers else chain
            key = region_at(start), whole, _CALLED.match(source, match.end()) is not None
            if key in seen:
                continue
            parts = self._referenced_parts(match, key, is_outer=is_outer)
            if parts is None:
                continue
            seen.add(key)
            if parts:
                found.setdefault(plain(key[0]), {}).setdefault(".".join(parts), self._lines.at(start))
        return found

    def members(self) -> dict[str, tuple[MemberReference, ...]]:
        """By scope: the members of values from outside the file; most were found on the way."""
        for at, of, name in callables(self._language, self._source, self._root) if self._root else ():
            scope = self._places.region(at)
            if value := self._names.resolve_name(of, scope):
                self._keep(value, f"{name}{METHOD}", at, scope)
        return {
            scope: tuple(MemberReference(line, (of,), name) for (of, name), line in some.items())
            for scope, some in self._members.items()
        }

    def _is_first(self, start: int) -> bool:
        """Whether a name begins an expression despite its prefix: `::charge`, `@Card`."""
        if self._source[start - 1 : start] == b"@":
            return self._language.at_types and not _BEHIND.match(self._source, max(start - 2, 0))
        return self._is_named(start)

    def _is_named(self, start: int) -> bool:
        """`::charge`, with nothing before it."""
        is_path = self._source[start - 2 : start] == b"::" and self._language.bare_colons
        return is_path and not _BEHIND.match(self._source, max(start - 3, 0))

    def _whole(self, match: "re.Match[bytes]") -> bytes:
        """A chain; in Go, with the member of a dereferenced pointer: `(*Card).charge`."""
        start, end = match.span()
        if self._source[start - 2 : start] != b"(*":
            return match[0]
        behind = _POINTED.match(self._source, end)
        return match[0] + behind[1] if behind and not _CALLED.match(self._source, behind.end()) else match[0]

    def _referenced_parts(
        self, match: "re.Match[bytes]", key: tuple[str, bytes, bool], *, is_outer: bool
    ) -> list[str] | None:
        """The parts of a chain that are referred to; none of a name that is hidden; None if it does not count here."""
        (scope, chain, is_called), first, start = key, match[1], match.start()
        is_marked = first == _ITSELF and self._source[start - 1 : start] == b"$"
        value = self._names.resolve_name("$this" if is_marked else first.decode("utf-8", "replace"), scope)
        if first == _OWN and isinstance(value, Def):  # `Self::parse`, in a class at the top of the file
            value = ScopedName(value.scope.rpartition(SCOPE)[0], value.scope)
        parts = [part.decode("utf-8", "replace") for part in _JOINTS.split(chain)]
        if is_called:
            parts.pop()
        if not (isinstance(value, UnboundName) or (isinstance(value, ScopedName) and not value.scope)):
            if held := self._nested_function_scope(value) if first in self._local and parts[:1] else "":
                return [held] if self._is_name(start, len(first), scope) else None
            names = self._members_of(value, parts, start) if value is not None and parts else []
            if names and not self._is_name(start, len(first), scope):
                return None
            for of, name in names:
                self._keep(
                    of, self._member_key(name, key, parts, start) if name == names[-1][1] else name, start, scope
                )
            return []
        if not is_outer:
            return []
        if first == _OWN:
            parts = [value.name, *parts[1:]] if parts[1:] else []
        if not parts or not self._is_name(start, len(first), scope):
            return None
        if isinstance(value, UnboundName) and self._is_named(start) and (holder := self._places.class_of(scope)):
            self._keep(This(holder), f"{parts[0]}{METHOD}", start, scope)
        return parts[:MOST_PARTS]

    def _nested_function_scope(self, value: Value | None) -> str:
        """A function that stands in another: its scope, as facts tell it."""
        bound = self._names.bound[value.scope].get(value.name, ()) if isinstance(value, ScopedName) else ()
        is_plain = isinstance(value, ScopedName) and not self._places.is_class(value.scope)
        return f"{SCOPE}{bound[0].scope}" if is_plain and bound and isinstance(bound[0], Def) else ""

    def _members_of(self, value: Value, parts: list[str], start: int) -> list[tuple[Value, str]]:
        """The members in a chain from a local value, each with its owner."""
        names = [self._language.bare(part) for part in takewhile(self._is_there, parts[1:MOST_PARTS])]
        if isinstance(value, ScopedName) and self._places.is_class(value.scope):  # a member that goes by its bare name
            names = [value.name, *names] if self._is_value(value, start) else []
            value = This(value.scope)
        found: list[tuple[Value, str]] = []
        for name in names:
            found.append((value, name))
            value = Attr(value, name)
        return found

    def _is_there(self, member: str) -> bool:
        """Whether a member may be a symbol: `#x` is different from x, and may be none."""
        return not member.startswith("#") or any(one.endswith(f"{SCOPE}{member}") for one in self._places.by_scope)

    def _member_key(self, name: str, key: tuple[str, bytes, bool], parts: list[str], start: int) -> str:
        """The last member of a chain: with brackets where `::` before it says that it is a method."""
        joints = _JOINTS.findall(key[1])
        joint = joints[len(parts) - 2] if len(parts) > 1 else self._source[start - 2 : start]
        return f"{name}{METHOD}" if joint == b"::" and self._language.colon_methods else name

    def _keep(self, of: Value, name: str, at: int, scope: str) -> None:
        if not self._is_data(of, name):
            found = self._members.setdefault(self._places.definition_scope(scope), {})
            found.setdefault((of, name), self._lines.at(at))

    def _is_value(self, of: ScopedName, start: int) -> bool:
        """Whether a bare name can be the member that it is bound to: a function is not, in some languages."""
        unit = self._places.by_scope.get(inside(of.scope, of.name))
        if unit is None or unit.definition.kind not in FUNCTIONS:
            return True
        is_mark = self._source[max(start - 2, 0) : start].rstrip().endswith(b"[")  # `[TearDown]` over such a method
        return (self._language.method_values and not is_mark) or self._is_named(start)

    def _is_data(self, of: Value, name: str) -> bool:
        """Whether a class of this file has a member of that name which is no symbol."""
        name = name.removesuffix(METHOD)
        if not isinstance(of, This) or of.scope not in self._places.by_scope:
            return False
        values = self._names.bound[of.scope].get(name)
        is_defined = values and any(isinstance(one, Def) for one in values)
        return values is not None and not is_defined and inside(of.scope, name) not in self._places.by_scope

    def _is_name(self, start: int, length: int, scope: str) -> bool:
        assert self._root is not None
        node = self._root.descendant_for_byte_range(start, start + length)
        kind = node.type if node is not None else ""
        if kind in _THIS:
            return True
        if node is None or not (kind.endswith("identifier") or kind in _PLAIN) or kind in _NOT_NAMES:
            if node is not None and not node.child_count:
                self._past = node.end_byte
            return False
        if self._places.definition_scope(scope):
            return not self._is_label(node)
        return not (self._is_label(node) or _is_imported(node) or self._is_guarded(node))

    def _is_guarded(self, node: "Node") -> bool:
        """Whether it is only asked if a name of this file is there already: `#ifndef LIMIT`, before it is defined."""
        parent = node.parent
        if parent is None or parent.type not in _GUARDS:
            return False
        return self._source[node.start_byte : node.end_byte].decode("utf-8", "replace") in self._places.by_scope

    def _is_label(self, node: "Node") -> bool:
        """Whether a name is only a label: of a field, or of a parameter in a call."""
        parent = node.parent  # which is looked for from the root on: once is enough
        around, end = parent.type if parent is not None else "", node.end_byte
        if around in _LABELS:
            return True
        if around in _BY_COLON:
            return _COLON.match(self._source, end) is not None
        if around not in _BY_EQUALS or parent is None or not _EQUALS.match(self._source, end):
            return False
        return around != _ASSIGNED or (parent.parent is not None and parent.parent.type in _GIVEN)


def _before_name(source: bytes, at: int) -> int:
    found = _POINTING.match(source, at)
    return found.end() if found else at


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
