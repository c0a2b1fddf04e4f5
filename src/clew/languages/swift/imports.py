"""Swift: a module is a target's folder, `Sources/X` or as `Package.swift` says; all of its files see each other."""

from collections.abc import Mapping

from clew.index.modules.source_tree import SourceTree, folder_of, join_path, tree_cache

_PACKAGE, _TARGET = "Package.swift", "target "
_TARGETS = ("Sources", "Source", "Tests", "Plugins")


def files_of(world: SourceTree, path: str, module: str) -> list[str]:
    """The files of a module by its name, which may go on with a thing in it; "" is the file's own module."""
    name = module.partition(".")[0]
    root = _root(world, path) if not name else _targets(world).get(name) or _module_folder(world, name)
    if root is None:
        return []
    under = [folder for folder in world.folders if folder == root or folder.startswith(f"{root}/") or not root]
    files = sorted(file for folder in under for file in world.folders[folder] if file.endswith(".swift"))
    return [file for file in files if _root(world, file) == root]


@tree_cache(1)
def _targets(world: SourceTree) -> Mapping[str, str]:
    """The folder of each target that says where it lies, by its name; of two with one name, the first."""
    said = [(folder_of(path), one) for path, one in sorted(world.settings.items()) if path.endswith(_PACKAGE)]
    named = [(key, join_path(folder, place)) for folder, one in said for key, place in one.items()]
    return {key.removeprefix(_TARGET): folder for key, folder in reversed(named) if key.startswith(_TARGET)}


def _root(world: SourceTree, path: str) -> str:
    """The folder of the module that a file is part of: as its package says, else below the nearest folder of targets,
    or the topmost."""
    said = [folder for folder in _targets(world).values() if path.startswith(f"{folder}/")]
    if said:
        return max(said, key=len)
    parts = folder_of(path).split("/")
    for at in range(len(parts) - 1, -1, -1):
        if parts[at] in _TARGETS:
            return "/".join(parts[: at + 2] if parts[at] != "Source" else parts[: at + 1])
    return parts[0]


def _module_folder(world: SourceTree, name: str) -> str | None:
    """The folder of a module: `Sources/X` before any other X, as in `X/Sources/X`, the nearest to the root."""
    parted = [folder.split("/") for folder in world.folders if f"/{name}/" in f"/{folder}/"]
    ends = {"/".join(parts[: at + 1]) for parts in parted for at, part in enumerate(parts) if part == name}
    found = sorted(ends, key=lambda folder: (folder.count("/"), folder))
    targets = [folder for folder in found if folder.split("/")[-2:-1] and folder.split("/")[-2] in _TARGETS]
    return next(iter(targets or found), None)
