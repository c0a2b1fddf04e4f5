"""Ruby: paths beside a file, and names that are looked for in the folders that programs put on the load path."""

from clew.index.modules.world import World, folder_of, joined

_ROOTS = ("lib", "", "app", "src", "test", "spec")


def files_of(world: World, path: str, module: str) -> list[str]:
    """A file by its path, or by its place in a `lib`; the nearest folder that has one is asked first."""
    name = module.removesuffix(".rb")
    folder = folder_of(path)
    if module.startswith("."):
        return _there(world, joined(folder, name))
    while True:
        for root in _ROOTS:
            if found := _there(world, joined(f"{folder}/{root}", name)):
                return found
        if not folder:
            return []
        folder = folder_of(folder)


def _there(world: World, stem: str) -> list[str]:
    return [f"{stem}.rb"] if f"{stem}.rb" in world.paths else []
