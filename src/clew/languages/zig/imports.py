"""Zig: an import names a file from the folder of its own, or a package by its name; `@This()` is the file."""

from clew.index.modules.source_tree import SourceTree, folder_of, join_path


def files_of(world: SourceTree, path: str, module: str) -> list[str]:
    if module == "@This":
        return [path]
    if module.endswith((".zig", ".zon")):
        candidate = join_path(folder_of(path), module)
        return [candidate] if candidate in world.paths else []
    return []
