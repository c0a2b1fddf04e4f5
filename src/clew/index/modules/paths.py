"""Files by path: relative to the importing file's folder, or to any folder above."""

from pathlib import PurePosixPath

from clew.index.modules.source_tree import SourceTree, join_path


def files_of(world: SourceTree, path: str, module: str) -> list[str]:
    for folder in PurePosixPath(path).parents:
        candidate = join_path(str(folder), module)
        if candidate in world.paths:
            return [candidate]
    return []
