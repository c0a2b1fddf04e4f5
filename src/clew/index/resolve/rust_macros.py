"""Macros of Rust: which of those that go by a name a file means."""

from collections.abc import Sequence

from clew.index.facts import ImportedName
from clew.index.resolve.abstract_values import Place
from clew.index.resolve.preludes import PRELUDES
from clew.index.resolve.source_index import SourceIndex

_EXPORTED = "macro_export"
_ROOTS = ("lib.rs", "main.rs")


def macro_imports(tree: SourceIndex, path: str, name: str) -> list[ImportedName]:
    """A macro is imported without its mark, at the top or in a module of the file."""
    plain = name.removesuffix("!")
    bound = [value for names in tree.facts(path).names.values() for value in names.get(plain, ())]
    return list(dict.fromkeys(value for value in bound if isinstance(value, ImportedName)))


def visible_macros(tree: SourceIndex, path: str, places: Sequence[Place]) -> list[Place]:
    """Macros that are exported, or of the same package; one with a standard name hides that only below the root of a
    crate."""
    package = tree.world.above(path, "Cargo.toml")
    found = []
    for file, scope, name in places:
        is_exported = _EXPORTED in tree.facts(file).decorators.get(f"{scope}::{name}" if scope else name, ())
        is_near = tree.world.above(file, "Cargo.toml") == package
        is_hiding = file.rpartition("/")[2] in _ROOTS or name not in PRELUDES["rust"]
        if is_exported or (is_near and is_hiding):
            found.append((file, scope, name))
    return found
