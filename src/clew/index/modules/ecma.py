"""JavaScript and TypeScript: relative paths, with the endings that may be left out, and index files."""

from clew.index.modules.world import World, folder_of, joined

_ENDINGS = ("", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".d.ts", "/index.ts", "/index.tsx", "/index.js")


def files_of(world: World, path: str, module: str) -> list[str]:
    if not module.startswith("."):
        return []
    stem = joined(folder_of(path), module)
    stems = [stem, stem.removesuffix(".js")] if stem.endswith(".js") else [stem]
    for candidate in (f"{s}{ending}" for s in stems for ending in _ENDINGS):
        if candidate in world.paths:
            return [candidate]
    return []
