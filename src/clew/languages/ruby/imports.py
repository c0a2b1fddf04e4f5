"""Ruby: paths beside a file, and names that are looked for in the folders that programs put on the load path."""

from clew.index.modules.source_tree import SourceTree, folder_of, join_path

_ROOTS = ("lib", "", "app", "src", "test", "spec")


def files_of(world: SourceTree, path: str, module: str) -> list[str]:
    """A file by its path, or by its place in a `lib`; the nearest folder that has one is asked first."""
    name = module.removesuffix(".rb")
    folder = folder_of(path)
    if module.startswith("."):
        return _there(world, join_path(folder, name))
    while True:
        for root in _ROOTS:
            if found := _there(world, join_path(f"{folder}/{root}", name)):
                return found
        if not folder:
            return []
        folder = folder_of(folder)


def _there(world: SourceTree, stem: str) -> list[str]:
    return [f"{stem}.rb"] if f"{stem}.rb" in world.paths else []
