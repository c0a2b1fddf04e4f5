"""From names, as files write them, to the symbols of the tree that they stand for: by names alone, whatever flows."""

from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

from clew.index.facts import Attr, Box, Def, Facts, Name, Ref, Value, Values
from clew.index.places import inside, unnumbered
from clew.index.resolve import sorts
from clew.index.resolve.asking import Answers, Asking
from clew.index.resolve.things import Thing
from clew.index.resolve.tree import Tree, Where
from clew.index.resolve.visible import TAKEN, VISIBLE
from clew.model.code import SCOPE, symbol_id

MOST_MEANT = 4  # symbols that one name stands for; with more, it may be anything
DEEPEST = 50  # steps from name to name


class Place(NamedTuple):
    """A symbol, or a file where the scope is ""."""

    path: str
    scope: str


class Module(NamedTuple):
    """What an import brings in as a whole, as a file names it."""

    path: str
    module: str


Found = tuple[Place | Module, ...]


class Symbols:
    """What was found is kept: most names are used many times."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._asking = Asking()
        self._tops: Answers[tuple[str, str], Found] = Answers(self._asking, self._find_top, lambda _: ())
        self._meant: dict[str, list[str]] = {}  # of the file that was asked for last
        self._path = ""
        self._indexes: dict[Hashable, dict[str, str]] = {}

    def meant(self, path: str, scope: str, chain: str) -> list[str]:
        """The ids of the symbols that a chain of names refers to: of `Card.LIMIT` both, of a module only its member."""
        name = chain.partition(".")[0]
        if values := self._taken(path, scope, name):
            return self._along(chain, self._of_values(path, values))
        if path != self._path:
            self._path, self._meant = path, {}
        ids = self._meant.get(chain)
        if ids is None:
            ids = self._meant[chain] = self._along(chain, self.top(path, name))
        return ids

    def _along(self, chain: str, found: Found) -> list[str]:
        every = list(found)
        for name in chain.split(".")[1:]:
            found = tuple(one for holder in found for one in self.member(holder, name))
            every += found
        ids = [symbol_id(one.path, one.scope) for one in every if isinstance(one, Place) and one.scope]
        return list(dict.fromkeys(ids))

    def _taken(self, path: str, scope: str, name: str) -> Values:
        """What a scope or one around it imports under a name, which counts before the file's own."""
        names = self._tree.facts(path).names
        while scope:
            own = names.get(scope)
            if own is not None and name in own and (values := own[name]) and all(type(one) is Ref for one in values):
                return values
            scope = scope.rpartition(SCOPE)[0]
        return ()

    def top(self, path: str, name: str) -> Found:
        """What a name means in a file, outside of all its definitions."""
        return self._tops[path, name]

    def _find_top(self, key: tuple[str, str]) -> Found:
        path, name = key
        facts = self._tree.facts(path)
        if own := _own(facts, path, name):
            return own
        if self._asking.depth > DEEPEST:
            self._asking.is_cut = True
            return ()
        values = facts.names.get("", {}).get(name)
        if values is None:
            return self._at(self._tree.free(path, name)) or self._beside(path, name)
        return self._of_values(path, values)

    def _of_values(self, path: str, values: Values) -> Found:
        found = dict.fromkeys(one for value in values for one in self._of(path, value))
        return tuple(found) if len(found) <= MOST_MEANT else ()

    def _of(self, path: str, value: Value) -> Found:
        match value:
            case Def(scope) | Box(scope):
                return (Place(path, scope),) if scope in self._tree.facts(path).kinds else ()
            case Ref(module, ""):
                return (Module(path, module),)
            case Ref(module, name):
                return self._imported(path, module, name)
            case Name("", name):
                return self.top(path, name)
            case Attr(of, name):
                return tuple(one for holder in self._of(path, of) for one in self.member(holder, name))
        return ()

    def _imported(self, path: str, module: str, name: str) -> Found:
        found = self._at(self._tree.imported(path, module, name))
        return found or self._defined(self._tree.files(path, module), name)

    def _beside(self, path: str, name: str) -> Found:
        """What the files define whose names are seen without an import."""
        seen = VISIBLE.get(self._tree.family(path))
        for key, files in seen(self._tree, path) if seen else ():
            if isinstance(key, tuple) and key[0] == TAKEN:  # by this file alone
                if found := self._defined(files, name):
                    return found
            elif file := self._index(key, files).get(name):
                return (Place(file, name),)
        return ()

    def _index(self, key: Hashable, files: Sequence[str]) -> dict[str, str]:
        """The first of some files that defines each name, not inside of anything."""
        found = self._indexes.get(key)
        if found is None:
            found = self._indexes[key] = {}
            for file in files:
                for name in self._tree.facts(file).kinds:
                    if SCOPE not in name:
                        found.setdefault(name, file)
        return found

    def _defined(self, files: Iterable[str], name: str) -> Found:
        """A variable of which nothing is known but that it is there."""
        return next(((Place(file, name),) for file in files if name in self._tree.facts(file).kinds), ())

    def _at(self, where: Where) -> Found:
        if isinstance(where, tuple):
            return self.top(*where)
        if isinstance(where, list):
            found = dict.fromkeys(one for there in where for one in self._there(there))
            return tuple(found) if len(found) <= MOST_MEANT else ()
        return (Place(where, ""),) if isinstance(where, str) else ()

    def _there(self, where: tuple[str, str, str] | Thing) -> Found:
        if isinstance(where, Thing):
            return (Place(where.path, where.scope),) if where.sort != sorts.OUTSIDE else ()
        path, scope, name = where
        if not scope:
            return self.top(path, name)
        whole = inside(scope, name)
        return (Place(path, whole),) if whole in self._tree.facts(path).kinds else ()

    def member(self, of: Place | Module, name: str) -> Found:
        if isinstance(of, Module):
            return self._imported(of.path, of.module, name)
        if not of.scope:
            return self._at(self._tree.holder(of.path, name))
        scope = inside(of.scope, name)
        return (Place(of.path, scope),) if scope in self._tree.facts(of.path).kinds else ()


def _own(facts: Facts, path: str, name: str) -> Found:
    """The definitions of a name; a variable's is its own, whatever it is bound to."""
    if name not in facts.kinds:
        return ()
    values = facts.names.get("", {}).get(name, ())
    scopes = [one.scope for one in values if isinstance(one, Def) and unnumbered(one.scope) == name]
    return tuple(Place(path, scope) for scope in scopes[:MOST_MEANT] or [name])
