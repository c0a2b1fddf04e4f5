"""EXPORTS: the public names that a file declares: `__all__`, `export`, `pub use`, a package's own imports.

A re-exported name leads to its definition; a re-export of a whole module, to the module.
"""

from collections.abc import Iterator

from clew.index.edges.symbols import SymbolPlace, SymbolTable
from clew.index.facts import Facts
from clew.index.resolve.program import Program
from clew.model.code import symbol_id
from clew.model.words import EdgeKind, EvidenceKind
from clew.store.links import FileEdge

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
