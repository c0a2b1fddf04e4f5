"""Lua: `require("shop.card")` is `shop/card.lua` or `shop/card/init.lua` below any folder of its search path."""

from clew.index.modules.source_tree import SourceTree, folder_of, join_path


def files_of(world: SourceTree, path: str, module: str) -> list[str]:
    place = module.replace(".", "/")
    for folder in _roots(folder_of(path)):
        for ending in (".lua", "/init.lua"):
            candidate = join_path(folder, f"{place}{ending}")
            if candidate in world.paths:
                return [candidate]
    return []


def _roots(folder: str) -> list[str]:
    """Folders above a file, the nearest first, each with the places where sources lie by custom."""
    parts = folder.split("/") if folder else []
    above = ["/".join(parts[:length]) for length in range(len(parts), -1, -1)]
    return [root for one in above for root in (one, f"{one}/lua", f"{one}/src", f"{one}/lib")]
