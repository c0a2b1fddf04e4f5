"""From names in a file to symbols of the tree, by names alone, without data flow."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from clew.index.extract.scope_map import inside
from clew.index.facts import WHOLE, Attr, Container, Def, Facts, ImportedName, ScopedName, UnboundName, Value, Values
from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue
from clew.index.resolve.language_rules import TAKEN
from clew.index.resolve.member_references import parts_with_member
from clew.index.resolve.program import Program, Where
from clew.index.resolve.source_index import CLASSES, CycleSafeMemo, EvaluationPath
from clew.model.code import SCOPE, split_id, symbol_id, without_numbers
from clew.model.words import EdgeKind, EvidenceKind, Kind
from clew.store.links import FileEdge

MOST_MEANT = 4  # symbols that one name stands for; with more, it may be anything
DEEPEST = 50  # steps from name to name

_METHOD, _VARIABLE = Kind.METHOD.value, Kind.VARIABLE.value


class SymbolPlace(NamedTuple):
    """A symbol, or a file where the scope is ""."""

    path: str
    scope: str


class ImportedModule(NamedTuple):
    """A module imported as a whole, by the name in the file."""

    path: str
    module: str


Found = tuple[SymbolPlace | ImportedModule, ...]


class _MemberCache(dict[tuple[SymbolPlace, str], tuple[SymbolPlace, ...]]):
    """A cache of the members of classes."""

    def __init__(self, find: Callable[[tuple[SymbolPlace, str]], tuple[SymbolPlace, ...]]) -> None:
        self._find = find

    def __missing__(self, key: tuple[SymbolPlace, str]) -> tuple[SymbolPlace, ...]:
        found = self[key] = self._find(key)
        return found


class SymbolTable:
    """Results are cached: most names are used many times."""

    def __init__(self, tree: Program) -> None:
        self._tree = tree
        self._asking = EvaluationPath()
        self._tops: CycleSafeMemo[tuple[str, str], Found] = CycleSafeMemo(self._asking, self._find_top, lambda _: ())
        self._meant: dict[str, list[str]] = {}  # of the file that was asked for last
        self._path = ""
        self._is_bare = False
        self._having = _MemberCache(self._find_member)

    def resolve_chain(self, path: str, scope: str, chain: str) -> list[str]:
        """The ids of the symbols that a chain of names refers to: of `Card.LIMIT` both, of a module only its member.

        One that begins with `::` is a definition of the file itself, by its scope; with `=`, one name, dots and all.
        """
        if chain.startswith(SCOPE):
            return [f"{path}{chain}"]
        if chain.startswith(WHOLE):
            return self._follow_chain("", self.top_level(path, chain.removeprefix(WHOLE)))
        name = chain.partition(".")[0]
        if values := self._imported_values(path, scope, name):
            return self._follow_chain(chain, self._of_values(path, values))
        if path != self._path:
            self._path, self._meant = path, {}
            self._is_bare = self._tree.rules(path).bare_members
        ids = self._meant.get(chain)
        if ids is None:
            ids = self._meant[chain] = self._follow_chain(chain, self.top_level(path, name))
        return (
            self._follow_chain(chain, self._inherited_member(path, scope, name)) if self._is_bare and not ids else ids
        )

    def _inherited_member(self, path: str, scope: str, name: str) -> Found:
        """An inherited member of the enclosing classes, in languages with bare member names."""
        kinds, rules = self._tree.facts(path).kinds, self._tree.rules(path)
        while scope:
            if kinds.get(scope) in CLASSES and (found := self._having[SymbolPlace(path, scope), name]):
                return found if rules.bare_methods else tuple(one for one in found if not self._is_method(one))
            scope = scope.rpartition(SCOPE)[0]
        return ()

    def _find_member(self, key: tuple[SymbolPlace, str]) -> tuple[SymbolPlace, ...]:
        """The member of a class, or of the next that it inherits from, wherever it is written."""
        (path, scope), name = key
        found = parts_with_member(self._tree, self._tree.order(self._tree.home(path, scope)), name)
        places = [SymbolPlace(file, inside(holder, name)) for file, holder in found]
        return tuple(one for one in places if one.scope in self._tree.facts(one.path).kinds)[:MOST_MEANT]

    def _is_method(self, one: SymbolPlace) -> bool:
        return self._tree.facts(one.path).kinds.get(one.scope) == _METHOD

    def _is_variable(self, one: SymbolPlace) -> bool:
        return self._tree.facts(one.path).kinds.get(one.scope) == _VARIABLE

    def variables(self, path: str, value: Value) -> list[str]:
        """The ids of the variables that a value names, regardless of their values: `parser` of `parser()`."""
        facts = self._tree.facts(path)
        if type(value) is ScopedName and not value.scope and (kind := facts.kinds.get(value.name)):
            return [symbol_id(path, value.name)] if kind == _VARIABLE else []
        if type(value) is UnboundName and not (facts.stars or self._tree.is_declarative(path)):
            return []  # it is built in
        found = [one for one in self._of(path, value) if isinstance(one, SymbolPlace)]
        return [symbol_id(*one) for one in found if self._is_variable(one)]

    def _follow_chain(self, chain: str, found: Found) -> list[str]:
        if not found:
            return []
        every = list(found)
        for name in chain.split(".")[1:]:
            found = tuple(one for holder in found for one in self.member(holder, name))
            every += found
        ids = [symbol_id(one.path, one.scope) for one in every if isinstance(one, SymbolPlace) and one.scope]
        return list(dict.fromkeys(ids))

    def _imported_values(self, path: str, scope: str, name: str) -> Values:
        """The imports of a name by a scope or an enclosing one, which precede the file's own definitions."""
        names = self._tree.facts(path).names
        while scope:
            own = names.get(scope)
            if (
                own is not None
                and name in own
                and (values := own[name])
                and all(type(one) is ImportedName for one in values)
            ):
                return values
            scope = scope.rpartition(SCOPE)[0]
        return ()

    def top_level(self, path: str, name: str) -> Found:
        """The meaning of a name at the top level of a file."""
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
            case Def(scope) | Container(scope):
                return (SymbolPlace(path, scope),) if scope in self._tree.facts(path).kinds else ()
            case ImportedName(module, ""):
                return (ImportedModule(path, module),)
            case ImportedName(module, name):
                return self._resolve_import(path, module, name)
            case ScopedName("", name) | UnboundName(name):
                return self.top_level(path, name)
            case ScopedName(scope, name):
                return self._of_values(path, self._imported_values(path, scope, name))
            case Attr(of, str(name)):
                return tuple(one for holder in self._of(path, of) for one in self.member(holder, name))
        return ()

    def _resolve_import(self, path: str, module: str, name: str) -> Found:
        found = self._at(self._tree.resolve_import(path, module, name))
        return found or self._find_definition(self._tree.files(path, module), name)

    def _beside(self, path: str, name: str) -> Found:
        """Definitions of files with names that are visible without an import."""
        for key, files in self._tree.elsewhere.visible(path):
            if isinstance(key, tuple) and key[0] == TAKEN:  # by this file alone
                if found := self._find_definition(files, name):
                    return found
            elif file := self._tree.names.defining_file(key, files, name):
                return (SymbolPlace(file, name),)
        rules = self._tree.rules(path)
        if rules.words_name_functions and not name.isalpha():  # as words of prose are
            ids = self._tree.elsewhere.common.get(f"{rules.family} {name}()", ())
            return (SymbolPlace(*split_id(ids[0])),) if len(ids) == 1 else ()
        return ()

    def _find_definition(self, files: Iterable[str], name: str) -> Found:
        """A variable of which nothing is known but that it is there."""
        return next(((SymbolPlace(file, name),) for file in files if self._tree.names.defines(file, name)), ())

    def _at(self, where: Where) -> Found:
        if isinstance(where, tuple):
            return self.top_level(*where)
        if isinstance(where, list):
            found = dict.fromkeys(one for there in where for one in self._symbol_at(there))
            return tuple(found) if len(found) <= MOST_MEANT else ()
        return (SymbolPlace(where, ""),) if isinstance(where, str) else ()

    def _symbol_at(self, where: tuple[str, str, str] | AbstractValue) -> Found:
        if isinstance(where, AbstractValue):
            return (SymbolPlace(where.path, where.scope),) if where.kind != value_kinds.OUTSIDE else ()
        path, scope, name = where
        if not scope:
            return self.top_level(path, name)
        whole = inside(scope, name)
        return (SymbolPlace(path, whole),) if whole in self._tree.facts(path).kinds else ()

    def member(self, of: SymbolPlace | ImportedModule, name: str) -> Found:
        if isinstance(of, ImportedModule):
            return self._resolve_import(of.path, of.module, name)
        if not of.scope:
            return self._at(self._tree.holder(of.path, name))
        scope = inside(of.scope, name)
        if scope in (kinds := self._tree.facts(of.path).kinds):
            return (SymbolPlace(of.path, scope),)
        if kinds.get(of.scope) in CLASSES:  # what is inherited in Python, `Facts.refers` tells
            return self._having[of, name] if self._tree.is_declarative(of.path) else ()
        values = self._tree.scope_bindings(of.path, "").get(of.scope, ())
        modules = [
            one.module for one in values if isinstance(one, ImportedName) and not one.name
        ]  # `const card = require(…)`
        return tuple(one for module in modules for one in self._resolve_import(of.path, module, name))


def _own(facts: Facts, path: str, name: str) -> Found:
    """The definitions of a name; a variable's definition is its own, regardless of its value."""
    if name not in facts.kinds:
        return ()
    values = facts.names.get("", {}).get(name, ())
    scopes = [one.scope for one in values if isinstance(one, Def) and without_numbers(one.scope) == name]
    return tuple(SymbolPlace(path, scope) for scope in scopes[:MOST_MEANT] or [name])


# EXPORTS: the public names that a file declares: `__all__`, `export`, `pub use`, a package's own imports.

_PACKAGES = ("__init__.py", "__init__.pyi")  # files whose imports are what the package offers


def export_edges(path: str, facts: Facts, tree: Program, symbols: SymbolTable) -> Iterator[FileEdge]:
    for name, line in facts.offers.items():
        for target in _files(tree, path, name[1:]) if name.startswith("*") else _leads(symbols, path, name):
            yield _edge(target, line)
    if path.rpartition("/")[2] in _PACKAGES:
        inside = path.rpartition("/")[0]
        yield from (one for one in _of_package(path, facts, tree, symbols) if one.target.startswith(f"{inside}/"))


def _of_package(path: str, facts: Facts, tree: Program, symbols: SymbolTable) -> Iterator[FileEdge]:
    """The names that a package's own file imports from its modules; only if it does not list its exports."""
    for one in facts.imports:
        names = one.aliases if len(one.aliases) == len(one.names) else one.names
        targets = _files(tree, path, one.module) if one.star else []
        for name in names if not facts.offers else ():
            targets += _leads(symbols, path, name) if not name.startswith("_") else []
        for target in targets:
            yield _edge(target, one.line)


def _leads(symbols: SymbolTable, path: str, name: str) -> list[str]:
    found = [symbol_id(one.path, one.scope) for one in symbols.top_level(path, name) if isinstance(one, SymbolPlace)]
    return [target for target in found if target != path]


def _files(tree: Program, path: str, module: str) -> list[str]:
    return [file for file in tree.files(path, module) if file != path]


def _edge(target: str, line: int) -> FileEdge:
    return FileEdge("", EdgeKind.EXPORTS, target, line, EvidenceKind.IDENTIFIER, 1.0)
