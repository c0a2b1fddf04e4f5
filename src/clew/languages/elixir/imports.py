"""Elixir: `Shop.Card` lies by custom in `shop/card.ex` below `lib` or a folder of the tests."""

import re

from clew.index.modules.source_tree import SourceTree, count_common_folders, tree_cache

_SMALL_BEFORE_LARGE = re.compile(r"(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def files_of(world: SourceTree, path: str, module: str) -> list[str]:
    """The nearest file that ends like the module's whole name; the folder of an application may leave parts out."""
    parts = [_SMALL_BEFORE_LARGE.sub("_", part).lower() for part in module.split(".")]
    for first in range(len(parts)):
        if found := _by_ending(world).get("/".join(parts[first:]), []):
            return [min(found, key=lambda one: (-count_common_folders(one, path), one))]
        if first == 1:
            break
    return []


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
