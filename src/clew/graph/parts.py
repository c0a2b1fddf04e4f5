"""Symbols that are written in several places: reopened classes, partial classes, overloads."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

from msgspec import Struct

from clew.graph.elements import Element, Elements, Page, end_alike, side_of
from clew.languages.plugins import profile_of
from clew.model.code import SCOPE, Symbol, split_id, symbol_id, without_numbers
from clew.model.time import NOW
from clew.model.words import CLASSES, Kind
from clew.store.graph import Nodes
from clew.store.links import Links
from clew.text.paths import Among, lies_among

MOST_NAMED = 1000
_CALLED = (Kind.FUNCTION, Kind.METHOD)
_JOINED = (*CLASSES, *_CALLED, Kind.VARIABLE)
_PACKAGE = re.compile(rb"^(?:\xef\xbb\xbf)?[ \t]*(?:namespace|package)[ \t]+([\w.]+)", re.MULTILINE)
_SIDED = re.compile(r"(?:^|::|\.)[A-Z]\w*(?P<sign>[#.])[^#.:/\\]+$")  # `Card#charge`, `Card.make`
_EXTENDING = re.compile(r"class\b.*?\w\s*<\s*\S")


class SymbolKey(NamedTuple):
    """The key that all ids of one symbol share: `home` is the file or the language within which it is one symbol."""

    home: str
    package: str = ""
    sort: str = ""
    name: str = ""


class SymbolPart(Struct, frozen=True, omit_defaults=True):
    """One of the places that a thing is written in; `members`: there are only members of it."""

    id: str
    first_line: int
    last_line: int
    signature: str = ""
    members: bool = False

    @property
    def place(self) -> str:
        return f"{split_id(self.id)[0]}:{self.first_line}-{self.last_line}"


class LogicalSymbol(Struct, frozen=True):
    """The ids of one symbol in order of relevance, the first of them as `element`; `added` are scopes with further
    members of it, and ids of its other belongings.

    `parts` are all places of it, if there are several: more than `ids`, where only one of them was asked for.
    """

    element: Element
    ids: tuple[str, ...]
    added: tuple[str, ...] = ()
    parts: tuple[SymbolPart, ...] = ()

    @property
    def is_part(self) -> bool:
        """Whether there is more of it than was asked for."""
        return any(part.id not in self.roots for part in self.parts)

    @property
    def roots(self) -> tuple[str, ...]:
        return (*self.ids, *self.added)


class Things:
    """For one question, as `Elements`."""

    def __init__(self, nodes: Nodes, links: Links, elements: Elements) -> None:
        self._nodes = nodes
        self._links = links
        self._elements = elements
        self._keys: dict[str, SymbolKey] = {}
        self._alike: dict[str, list[str]] = {}

    def one(self, id: str) -> LogicalSymbol | None:
        """The symbol of an id, which may be a part of it."""
        element = self._elements.get(id)
        return self._thing(element, [id], self._all_of(id)) if element else None

    def each(self, ids: Sequence[str], *, whole: bool = True) -> list[LogicalSymbol]:
        """The symbols of some ids, in their order: each once, with all of its parts or only with those."""
        groups: dict[SymbolKey, list[str]] = {}
        for one in ids:
            groups.setdefault(self._key(one), []).append(one)
        found = [(self._all_of(some[0]), some) for some in groups.values()]
        own = [(parts, parts if whole else sorted(some, key=self._order)) for parts, some in found]
        return [self._thing(main, some, parts) for parts, some in own if (main := self._elements.get(some[0]))]

    def select_side(self, text: str, ids: Sequence[str]) -> Sequence[str]:
        """Of methods of Ruby, those that `Card#charge` or `Card.make` tells; all, if it tells nothing."""
        said = _SIDED.search(re.sub(r"\(.*\)$", "", text))
        if said is None or len(ids) < 2:
            return ids
        other = "." if said["sign"] == "#" else "#"
        return [one for one in ids if not self._key(one).name.endswith(other)] or ids

    def _all_of(self, id: str) -> list[str]:
        """All ids of one thing, the main one first."""
        path, scope = split_id(id)
        page, key = self._elements.page(path), self._key(id)
        beside = (
            [symbol_id(path, one) for one in page.symbols if without_numbers(one) == without_numbers(scope)]
            if page
            else ()
        )
        named = self._same_name(without_numbers(scope).rpartition(SCOPE)[2]) if key.sort and key.home != path else ()
        elsewhere = [one for one in named if end_alike(one, id)]
        found = [one for one in dict.fromkeys((id, *beside, *elsewhere)) if self._key(one) == key]
        return sorted(self._elements.definitions(found), key=self._order)

    def _same_name(self, name: str) -> list[str]:
        if name not in self._alike:
            if self._elements.at == NOW:
                self._alike[name] = [one for one, _ in self._nodes.find_named(name, MOST_NAMED)]
            else:
                self._alike[name] = [one for one in self._nodes.ever_named(name) if self._elements.get(one)]
        return self._alike[name]

    def _key(self, id: str) -> SymbolKey:
        if id not in self._keys:
            page, symbol = self._elements.page(split_id(id)[0]), self._elements.symbol(id)
            is_joined = page and symbol and symbol.kind in _JOINED
            self._keys[id] = self._find(page, symbol) if page and symbol and is_joined else SymbolKey(id)
        return self._keys[id]

    def _find(self, page: Page, symbol: Symbol) -> SymbolKey:
        path, language, scope = page.version.path, page.version.language, without_numbers(symbol.scope)
        sort = "any" if profile_of(language).side == "js" else _sort(symbol)
        if symbol.kind in CLASSES:
            return SymbolKey(*self._home(page, symbol), sort, scope)
        outer, _, name = scope.rpartition(SCOPE)
        holder = symbol_id(path, symbol.scope.rpartition(SCOPE)[0])
        home = self._key(self._homes.get(holder, holder)) if outer else SymbolKey(path)
        side = side_of(language, symbol)
        if not home.sort:
            return SymbolKey(path, "", sort, f"{scope}{side}")
        return SymbolKey(home.home, home.package, sort, f"{home.name}{SCOPE}{name}{side}")

    def _home(self, page: Page, symbol: Symbol) -> tuple[str, str]:
        """Where all that has the name of a class is that class: in its file, or in all of its language and package."""
        path, language = page.version.path, page.version.language
        if profile_of(language).opens_classes:
            is_own = lies_among(path) is not Among.CODE and (
                _EXTENDING.match(symbol.signature) or not self._is_defined(without_numbers(symbol.scope))
            )
            return (path if is_own else language), ""
        if profile_of(language).opening_words.intersection(symbol.signature.partition("(")[0].split()):
            return language, self._package(page, symbol)
        return path, ""

    def _is_defined(self, scope: str) -> bool:
        """Whether there is a class of Ruby, which tests may open again: those that they make are their own."""
        named = self._same_name(scope.rpartition(SCOPE)[2])
        paths = [split_id(one)[0] for one in named if without_numbers(split_id(one)[1]) == scope]
        return any(path.endswith(".rb") and lies_among(path) is Among.CODE for path in paths)

    def _package(self, page: Page, symbol: Symbol) -> str:
        text = self._elements.text(page)
        said = [one for one in _PACKAGE.finditer(text) if one.start() < symbol.span.start]
        return said[-1][1].decode() if said else ""

    @cached_property
    def _added_members(self) -> Mapping[str, tuple[tuple[str, str], ...]]:
        """As known today; for another time, the members that are still joined."""
        return self._links.added_members()

    @cached_property
    def _homes(self) -> dict[str, str]:
        """The class that members belong to which stand in a scope elsewhere."""
        return {symbol_id(*part): home for home, parts in self._added_members.items() for part in parts}

    def _thing(self, element: Element, ids: Sequence[str], all_: Sequence[str]) -> LogicalSymbol:
        is_class = element.kind in CLASSES
        added = [symbol_id(*part) for one in all_ for part in self._added_members.get(one, ())] if is_class else []
        parts = [part for one in all_ for part in self._parts(one, is_class=is_class)]
        parts += [part for one in added for part in self._members(one)]
        held = tuple(one for one in added if any(part.id == one for part in parts))
        lent = tuple(one for own in ids for one in self._elements.lent(own))
        whole = self._elements.merge_parts(element, (*ids, *held, *lent))
        return LogicalSymbol(whole, tuple(ids), (*held, *lent), tuple(parts) if len(parts) > 1 else ())

    def _parts(self, id: str, *, is_class: bool) -> list[SymbolPart]:
        one = self._elements.describe(id)
        own = SymbolPart(id, one.first_line, one.last_line, "" if is_class else one.signature)
        symbol = self._elements.symbol(id)
        again = [SymbolPart(id, span.first, span.last) for span in symbol.reassigned] if symbol else []
        return [own, *again, *(self._members(id) if is_class else ())]

    def _members(self, id: str) -> list[SymbolPart]:
        """Runs of members of a class that stand outside of its body."""
        path, scope = split_id(id)
        page = self._elements.page(path)
        own, inside = page.symbols.get(scope) if page else None, f"{scope}{SCOPE}"
        symbols = list(page.symbols.values()) if page else []
        members = [one for one in symbols if one.scope.startswith(inside) and not (own and _holds(own, one))]
        others = [one for one in symbols if one.kind in CLASSES and not one.scope.startswith(inside)]
        lending = {one.scope for one in others if any(_holds(one, member) for member in members)}
        outer = [one for one in _outermost(s for s in symbols if s.scope not in lending) if one is not own]
        runs = [list(some) for held, some in groupby(outer, lambda one: one.scope.startswith(inside)) if held]
        return [SymbolPart(id, run[0].span.first, max(one.span.last for one in run), members=True) for run in runs]

    def _order(self, id: str) -> tuple[bool, bool, int, str, int, str]:
        """A sort key: code before tests; for classes, the file of the same name, then the most methods."""
        path, scope = split_id(id)
        page, symbol = self._elements.page(path), self._elements.symbol(id)
        held = page.symbols.values() if page and symbol and symbol.kind in CLASSES else ()
        stem = path.rpartition("/")[2].partition(".")[0].replace("_", "").lower()
        is_main = bool(held) and symbol is not None and stem == symbol.name.replace("_", "").lower()
        methods = sum(one.kind in _CALLED and one.scope.rpartition(SCOPE)[0] == scope for one in held)
        first = symbol.span.first if symbol else 0
        return lies_among(path) is not Among.CODE, not is_main, -methods, path, first, id


def _outermost(symbols: Iterable[Symbol]) -> list[Symbol]:
    """In the order of the file, the symbols within no other."""
    found: list[Symbol] = []
    for one in sorted(symbols, key=lambda one: (one.span.start, -one.span.end)):
        if not found or one.span.start >= found[-1].span.end:
            found.append(one)
    return found


def _holds(outer: Symbol, inner: Symbol) -> bool:
    return outer is not inner and outer.span.start <= inner.span.start and inner.span.end <= outer.span.end


def _sort(symbol: Symbol) -> str:
    return "class" if symbol.kind in CLASSES else "called" if symbol.kind in _CALLED else "value"
