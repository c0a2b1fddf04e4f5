"""Go: a package is a folder; its module gives the prefix of the folder's path."""

from collections import ChainMap
from collections.abc import Mapping

from clew.index.modules.source_tree import SourceTree, folder_of, join_path, tree_cache


def files_of(world: SourceTree, path: str, module: str) -> list[str]:
    folder = _folder(world, path, module)
    return [] if folder is None else _package(world, folder, path)


def _folder(world: SourceTree, path: str, module: str) -> str | None:
    if module.startswith(("./", "../")):
        return join_path(folder_of(path), module)
    for vendor in _vendors(path):
        if f"{vendor}/{module}" in world.folders:
            return f"{vendor}/{module}"
    settings = world.above(path, "go.mod")
    replaced = _replacements(folder_of(settings), world.settings.get(settings, {}))
    return _longest(ChainMap(replaced, _modules(world)), module)


def _longest(known: Mapping[str, str], module: str) -> str | None:
    """The folder of a package, by the longest module that its path starts with: modules may be nested."""
    start = module
    while start:
        if start in known:
            return join_path(known[start], module[len(start) :])
        start = start.rpartition("/")[0]
    return None


@tree_cache(1)
def _modules(world: SourceTree) -> dict[str, str]:
    """The folder of every module in the tree; of two with one name, the first."""
    files = sorted((path for path in world.settings if path.rpartition("/")[2] == "go.mod"), reverse=True)
    return {world.settings[path].get("module", ""): folder_of(path) for path in files}


def _replacements(folder: str, said: Mapping[str, str]) -> dict[str, str]:
    return {
        key.removeprefix("replace "): join_path(folder, to) for key, to in said.items() if key.startswith("replace ")
    }


def _vendors(path: str) -> list[str]:
    """The folders that copies of other modules may be in, the nearest first."""
    parts = path.split("/")[:-1]
    return ["/".join([*parts[:end], "vendor"]) for end in range(len(parts), -1, -1)]


def _package(world: SourceTree, folder: str, path: str) -> list[str]:
    """The files of a folder; its tests only as seen from one of them."""
    with_tests = path.endswith("_test.go") and folder_of(path) == folder
    files = [file for file in world.folders.get(folder, ()) if file.endswith(".go") and file != path]
    return [file for file in files if with_tests or not file.endswith("_test.go")]
