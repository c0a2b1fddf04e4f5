"""Resolves a file, a symbol or a question to one element, and lists the other candidates."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from clew.engine import Engine
from clew.graph.elements import Elements
from clew.graph.naming import LINE, Naming, Precedence, plain, precedence
from clew.graph.parts import LogicalSymbol, Things
from clew.model.code import SCOPE, split_id
from clew.model.errors import InvalidInput, NotFound
from clew.model.search import Hit, Query, Scope
from clew.runtime.paths import from_root, inside
from clew.text.paths import Among, lies_among
from clew.tools.naming import MOST_ANSWERS, describe_removed, ids_for_text, in_folder, left_out, loosely, unknown

_EXACT = ("id", "line", "file")
SHORTLIST = 50  # of the things that have a name, those that are looked at more closely


class LookupRequest(Struct, frozen=True):
    """What a caller names; at least one of them."""

    file: str = ""
    symbol: str = ""
    query: str = ""


class Meant(Struct, frozen=True):
    """`found_by` is id, file+symbol, name, line, file or query; `passage` is the part of it that answers a query.

    `also` are the best of the `others` that may be meant; `thing` has the parts of what is.
    """

    id: str
    found_by: str
    also: tuple[str, ...] = ()
    others: int = 0
    passage: str = ""
    thing: LogicalSymbol | None = None


def look_up(engine: Engine, asked: LookupRequest) -> Meant:
    """By id, then by name in the file, by name, by query, by file alone (A §6.2); raises with near ones."""
    if not (asked.file or asked.symbol or asked.query):
        raise InvalidInput("nothing is named", "Give a symbol, a file, or a query; a symbol with its file is surest.")
    engine.require_index()
    return _Lookup(engine).find(asked)


class _Lookup:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._elements = Elements(engine.files)
        self._naming = Naming(engine.files, engine.nodes, self._elements)
        self._things = Things(engine.nodes, engine.links, self._elements)

    def find(self, asked: LookupRequest) -> Meant:
        if not asked.symbol and LINE.fullmatch(asked.file):
            asked = LookupRequest(symbol=asked.file, query=asked.query)
        paths = self._paths(asked.file) if asked.file else ()
        ids, found_by = self._find_by_name(asked.symbol, paths) if asked.symbol else ((), "")
        if ids:
            return self._best(self._things.select_side(asked.symbol, ids), found_by, asked.symbol)
        if asked.query and (answers := self._answers(asked.query, paths)):
            first, *others = answers
            also = tuple(one.symbol for one in others)
            return Meant(first.symbol, "query", also, len(others), first.passage, self._things.one(first.symbol))
        if asked.symbol:
            inside = SCOPE.join((paths[0], asked.symbol)) if len(paths) == 1 else asked.symbol
            raise unknown(self._engine, self._naming, self._elements, inside)
        if paths:
            return self._best(paths, "file")
        raise NotFound(f"nothing answers {asked.query!r}", "Use other words, or name a symbol or a file.")

    def _find_by_name(self, symbol: str, paths: Sequence[str]) -> tuple[Sequence[str], str]:
        name = from_root(self._engine.place.root, plain(symbol))
        if SCOPE in name and self._elements.get(name):
            return [name], "id"
        if paths:
            return [one for path in paths for one in self._naming.inside(path, name)], "file+symbol"
        ids = ids_for_text(self._naming, name) or loosely(self._engine, self._naming, self._elements, name)
        if LINE.fullmatch(name):
            return ids, "line"
        return ids, "name" if any(SCOPE in one for one in ids) else "file"

    def _paths(self, file: str) -> Sequence[str]:
        """The indexed files that a path may mean: as it is, from the root, or by how it ends."""
        name = from_root(self._engine.place.root, plain(file))
        if Path(name).is_absolute():
            root = self._engine.place.root
            name = inside(root, name).relative_to(root.resolve()).as_posix()
        found = [one for one in ids_for_text(self._naming, name) if SCOPE not in one]
        if not found:
            told = in_folder(self._naming, name) or left_out(self._engine, name)
            raise told or NotFound(f"no file {file!r} is indexed", self._instead(name))
        return found

    def _instead(self, name: str) -> str:
        """The next step if no file has the name."""
        if once := self._naming.once(name):
            return describe_removed(self._engine, once)
        near = self._naming.near(name)
        return f"Did you mean {', '.join(near)}?" if near else "`clew list-indexable` shows what is indexed."

    def _answers(self, query: str, paths: Sequence[str]) -> list[Hit]:
        """The best hits, one for each thing."""
        hits = self._engine.search(Query(query, MOST_ANSWERS, Scope(paths=tuple(paths)))).hits
        by_id: dict[str, Hit] = {}
        for hit in hits:
            by_id.setdefault(hit.symbol, hit)
        return [hit for one, hit in by_id.items() if self._elements.get(one)]

    def _best(self, ids: Sequence[str], found_by: str, name: str = "") -> Meant:
        few = sorted(ids, key=_outwardly)[:SHORTLIST]
        defining = frozenset(self._elements.definitions(few))
        first, *others = sorted(few, key=lambda one: (one not in defining, *self._closely(name, one)))
        if found_by in _EXACT:
            return Meant(first, found_by, tuple(others[:MOST_ANSWERS]), len(ids) - 1, thing=self._things.one(first))
        things = self._things.each([first, *others], whole=found_by == "name")
        if not things:  # its file has gone since
            raise NotFound(f"{first} is not in the index any more", "Ask again: it may stand elsewhere.")
        thing, *other = things
        also = [one.element.id for one in other if not self._are_one(one.element.id, thing)]
        left = max(len(ids) - len(few), 0)
        return Meant(thing.element.id, found_by, tuple(also[:MOST_ANSWERS]), len(also) + left, thing=thing)

    def _are_one(self, declared: str, thing: LogicalSymbol) -> bool:
        return self._elements.only_declares(declared) and self._elements.are_one(declared, thing.element.id)

    def _closely(self, name: str, id: str) -> tuple[Precedence, int, bool, str]:
        """Sort key: the precedence of names, then smaller depth, then exported elements."""
        _, depth, _ = _outwardly(id)
        return precedence(self._elements, name, id), depth, not self._elements.describe(id).exported, id


def _outwardly(id: str) -> tuple[bool, int, str]:
    """Properties of an id: whether it lies among tests or examples, and its depth."""
    path, scope = split_id(id)
    return lies_among(path) is not Among.CODE, scope.count(SCOPE), id
