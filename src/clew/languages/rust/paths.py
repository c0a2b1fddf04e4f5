"""Rust: names of macros and paths of imports, as far as they differ from those of other languages."""

from collections.abc import Iterator, Sequence

from clew.index.facts import Attr, ImportedName, UnboundName, Value
from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import Found, Place
from clew.index.resolve.cross_file_scope import MOST_INNER, CrossFileScope
from clew.index.resolve.source_index import SourceIndex
from clew.languages.rust.library import LIBRARY

_EXPORTED = "macro_export"
_ROOTS = ("lib.rs", "main.rs")


def imported_macro(scope: CrossFileScope, path: str, name: str) -> Found:
    """A macro is imported without its mark, at the top or in a module of the file."""
    plain = name.removesuffix("!")
    bound = [value for names in scope.tree.facts(path).names.values() for value in names.get(plain, ())]
    taken = dict.fromkeys(value for value in bound if isinstance(value, ImportedName))
    return [one for value in taken for one in scope.resolve_import(path, value.module, value.name)]


def visible_macros(tree: SourceIndex, path: str, places: Sequence[Place]) -> list[Place]:
    """Macros that are exported, or of the same package; one with a standard name hides that only below the root of a
    crate."""
    package = tree.world.above(path, "Cargo.toml")
    found = []
    for file, scope, name in places:
        is_exported = _EXPORTED in tree.facts(file).decorators.get(f"{scope}::{name}" if scope else name, ())
        is_near = tree.world.above(file, "Cargo.toml") == package
        is_hiding = file.rpartition("/")[2] in _ROOTS or name not in LIBRARY.names
        if is_exported or (is_near and is_hiding):
            found.append((file, scope, name))
    return found


def import_by_star(scope: CrossFileScope, path: str, parts: Sequence[str], name: str) -> Found:
    """A path may start with a module that the file takes with all of another: `use super::*`."""
    facts, (first, *rest) = scope.tree.facts(path), parts
    if not facts.stars or not scope.tree.rules(path).inner_modules or first in facts.names.get("", {}):
        return []
    holder: Value = UnboundName(first)
    for part in rest:
        holder = Attr(holder, part)
    found = scope.tree.static(path, holder)
    return [one for thing in found if thing.kind == value_kinds.MODULE for one in scope.member(thing, name)]


def ends_of(parts: list[str]) -> Iterator[list[str]]:
    """The ends of a path that may lead on inside of a file, the longest first."""
    return (parts[start:] for start in range(max(len(parts) - MOST_INNER, 0), len(parts)))


def is_module_file(path: str, name: str) -> bool:
    """Whether a file is a module of this name: `card.rs` or `card/mod.rs`."""
    folder, _, file = path.rpartition("/")
    return file == f"{name}.rs" or (file == "mod.rs" and folder.rpartition("/")[2] == name)
