"""The imports of a file, from a query's captures: one import for each statement and module."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from clew.index.facts import ImportedName, Value
from clew.index.syntax.ranges import LineIndex
from clew.languages.profile import Language
from clew.model.code import Import

if TYPE_CHECKING:
    from tree_sitter import Node


class ImportCollector:
    def __init__(self, language: Language, source: bytes, lines: LineIndex) -> None:
        self._language = language
        self._source = source
        self._lines = lines
        self._found: dict[tuple[int, int], Import] = {}  # by place, and a number where there are several at one

    def add(self, captures: "dict[str, list[Node]]") -> None:
        """All matches of one statement and module are one import."""
        nodes, language = captures["import"], self._language
        start = nodes[0].start_byte
        line = self._lines.at(start)
        if language.imports_of:
            self._found |= {(start, i): one for i, one in enumerate(language.imports_of(nodes[0], line))}
            return
        names, aliases = self._texts(captures, "import.name"), self._texts(captures, "import.alias")
        if default := self._texts(captures, "import.default"):
            names, aliases = ("default",), default
        star = "import.star" in captures
        place = start, int(bool(aliases) and not (names or star))  # a module under its own alias is one by itself
        if (known := self._found.get(place)) is None:
            module = self._module(nodes, "import.beside" in captures)
            self._found[place] = Import(module, names, line, aliases, star)
            return
        taken = known.names + names
        called = (known.aliases or known.names) + (aliases or names)
        self._found[place] = known._replace(
            names=taken, aliases=called if called != taken else (), star=known.star or star
        )

    def imports_with_positions(self) -> list[tuple[int, Import]]:
        """In order of the matches, each with where it stands."""
        return [(start, one) for (start, _), one in self._found.items()]

    def _module(self, nodes: "list[Node]", is_beside: bool) -> str:
        """As written; some grammars have a node for each part of a path. `./` tells that it starts from the file."""
        path = self._source[nodes[0].start_byte : nodes[-1].end_byte].decode("utf-8", "replace")
        module = storable(path).strip("\"'`<>")
        return f"./{module}" if is_beside else module

    def _texts(self, captures: "dict[str, list[Node]]", name: str) -> tuple[str, ...]:
        nodes = captures.get(name, ())
        return tuple(
            storable(self._source[node.start_byte : node.end_byte].decode("utf-8", "replace")) for node in nodes
        )


def storable(name: str) -> str:
    """Without the one character that PostgreSQL has no place for."""
    return name.replace("\0", "")


def local(one: Import, own: set[str], beside: Mapping[str, str], language: Language) -> Import:
    """Where a path may start with a name of the file itself, it is told by `self`; a module `beside`, by its file."""
    if (one.names or one.star) and (file := beside.get(one.module.removeprefix("self::"))):
        return one._replace(module=file)
    starts_here = language.module_roots and one.module.split(language.separator)[0] in own
    return one._replace(module=f"self{language.separator}{one.module}") if starts_here else one


def modules_beside(imports: Iterable[Import]) -> dict[str, str]:
    """The files of `#[path = "…"] mod x;`, by module name, if the names are unique."""
    told = [(one.aliases[0], one.module) for one in imports if one.aliases and one.module.endswith(".rs")]
    names = [name for name, _ in told]
    return {name: module for name, module in told if names.count(name) == 1}


def bound_names(one: Import, language: Language) -> list[tuple[str, Value]]:
    """The names that an import binds in its file."""
    if one.names:
        aliases = one.aliases if len(one.aliases) == len(one.names) else one.names
        return [(alias, ImportedName(one.module, name)) for name, alias in zip(one.names, aliases, strict=True)]
    parts = [part for part in language.path_of(one.module) if part]
    if one.star or not (parts or one.aliases):
        return []
    name = one.aliases[0] if one.aliases else language.bound_as(one.module) if language.bound_as else parts[-1]
    if language.imports_things and len(parts) > 1:
        return [(name, ImportedName(language.separator.join(parts[:-1]), parts[-1]))]
    return [(name, ImportedName(one.module))] if name != "_" else []


def container_types(
    language: Language, bound: Mapping[str, Sequence[Value]], imports: Iterable[Import]
) -> frozenset[str]:
    """The language's own container types, as far as their bare names mean them in this file.

    Java's need an import; a type that the file imports from elsewhere, or defines itself, is another.
    """
    own = language.holder_modules
    if not own:
        return language.holders
    refs = {
        name: one.module for name in language.holders for one in bound.get(name, ()) if isinstance(one, ImportedName)
    }
    others = {name for name in language.holders if bound.get(name) and not refs.get(name, "").startswith(own)}
    is_all = any(one.star and one.module.startswith(own[0]) for one in imports)
    if not language.imported_holders or is_all:
        return language.holders - others
    return frozenset(refs) | language.own_holders - others


def stars(placed: Iterable[tuple[int, Import]], known: Iterable[Import], relative: set[int]) -> tuple[str, ...]:
    """Modules that are taken as a whole; a dot before one that may be told from where it stands."""
    every = [(at, one.module) for (at, _), one in zip(placed, known, strict=True) if one.star]
    return tuple(dict.fromkeys(f".{module}" if at in relative else module for at, module in every))


def reexports(language: Language, imports: Iterable[tuple[int, Import]], places: set[int]) -> dict[str, int]:
    """Re-exported imports, with their lines: names, and whole modules."""
    found: dict[str, int] = {}
    for at, one in imports:
        if one.star and (at in places or language.hands_on):
            found.setdefault(f"*{one.module}", one.line)
        elif at in places:
            found |= dict.fromkeys((name for name, _ in bound_names(one, language)), one.line)
    return found
