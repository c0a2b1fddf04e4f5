"""Elixir: `Shop.Card` lies by custom in `shop/card.ex` below `lib` or a folder of the tests."""

import re

from clew.index.modules.source_tree import SourceTree, count_common_folders, folder_of, tree_cache

_ROOTS = frozenset({"", "lib", "src", "support", "test"})
_SMALL_BEFORE_LARGE = re.compile(r"(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def files_of(world: SourceTree, path: str, module: str) -> list[str]:
    """The nearest file that ends like the module's whole name; the folder of an application may leave parts out."""
    parts = [_in_path(part) for part in module.split(".")]
    for first in range(len(parts)):
        found = _by_ending(world).get("/".join(parts[first:]), [])
        if len(parts) == 1:  # `Process` is not `Shop.Process` in `lib/shop/process.ex`
            found = [one for one in found if folder_of(one).rpartition("/")[2] in _ROOTS]
        if found:
            return [min(found, key=lambda one: (-count_common_folders(one, path), one))]
        if first == 1:
            break
    return []


def stem_of(module: str) -> str:
    """The name of a module's file, by custom, without its ending."""
    return _in_path(module.rpartition(".")[2])


def _in_path(part: str) -> str:
    return _SMALL_BEFORE_LARGE.sub("_", part).lower()


@tree_cache(1)
def _by_ending(world: SourceTree) -> dict[str, list[str]]:
    """Files by the ends of their paths, without `.ex`."""
    found: dict[str, list[str]] = {}
    for path in sorted(world.paths):
        stem, dot, ending = path.rpartition(".")
        if dot and ending in ("ex", "exs"):
            parts = stem.split("/")
            for first in range(len(parts)):
                found.setdefault("/".join(parts[first:]), []).append(path)
    return found
