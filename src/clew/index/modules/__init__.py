"""Which files a module's name stands for, language by language: a function each, pure, so that order does not matter.

None found means that the module is outside of the tree.
"""

from collections.abc import Callable, Mapping

from clew.index.modules import ecma, go, python, rust
from clew.index.modules.world import World

__all__ = ["MODULES", "World", "files_of"]

Lookup = Callable[[World, str, str], list[str]]

# By language: given the world, the file that names a module, and the name as written.
MODULES: Mapping[str, Lookup] = {
    "python": python.files_of,
    "javascript": ecma.files_of,
    "typescript": ecma.files_of,
    "tsx": ecma.files_of,
    "go": go.files_of,
    "rust": rust.files_of,
}


def files_of(world: World, language: str, path: str, module: str) -> list[str]:
    lookup = MODULES.get(language)
    return lookup(world, path, module) if lookup else []
