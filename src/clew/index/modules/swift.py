"""Swift: a module is a target's folder, `Sources/X`; all of its files see each other without an import."""

from clew.index.modules.world import World, folder_of

_TARGETS = ("Sources", "Source", "Tests", "Plugins")


def files_of(world: World, path: str, module: str) -> list[str]:
    """The files of a module by its name, which may go on with a thing in it; "" is the file's own module."""
    name = module.partition(".")[0]
    root = _root(path) if not name else _named(world, name)
    if root is None:
        return []
    under = [folder for folder in world.folders if folder == root or folder.startswith(f"{root}/") or not root]
    files = sorted(file for folder in under for file in world.folders[folder] if file.endswith(".swift"))
    return [file for file in files if _root(file) == root]


def _root(path: str) -> str:
    """The folder of the module that a file is part of: below the nearest folder of targets, else the topmost."""
    parts = folder_of(path).split("/")
    for at in range(len(parts) - 1, -1, -1):
        if parts[at] in _TARGETS:
            return "/".join(parts[: at + 2] if parts[at] != "Source" else parts[: at + 1])
    return parts[0]


def _named(world: World, name: str) -> str | None:
    """The folder of a module: `Sources/X` before any other X, the nearest to the root."""
    folders = sorted((f for f in world.folders if f"/{f}/".find(f"/{name}/") >= 0), key=lambda f: (f.count("/"), f))
    roots = [f"/{folder}/".partition(f"/{name}/")[0].lstrip("/") for folder in folders]
    found = [f"{root}/{name}".lstrip("/") for root in roots]
    targets = [folder for folder in found if folder.split("/")[-2:-1] and folder.split("/")[-2] in _TARGETS]
    return next(iter(targets or found), None)
