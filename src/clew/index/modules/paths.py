"""What names a file by its path: from the folder of the file that names it, or from any folder above."""

from pathlib import PurePosixPath

from clew.index.modules.world import World, joined


def files_of(world: World, path: str, module: str) -> list[str]:
    for folder in PurePosixPath(path).parents:
        candidate = joined(str(folder), module)
        if candidate in world.paths:
            return [candidate]
    return []
