"""Python: packages, relative imports, and the folders that may be on the path: tops of source trees and their `src`."""

from clew.index.modules.source_tree import SourceTree, folder_of, tree_cache


def files_of(world: SourceTree, path: str, module: str) -> list[str]:
    return list(_files_below(world, folder_of(path), module))


@tree_cache(16_384)  # the files of a folder mostly import the same
def _files_below(world: SourceTree, folder: str, module: str) -> tuple[str, ...]:
    name = module.lstrip(".")
    dots = len(module) - len(name)
    within = "/".join([part for part in name.split(".") if part])
    paths, starts, first = world.paths, _starts(world), within.partition("/")[0]
    for top in [_up(folder, dots)] if dots else _roots(world, folder):
        if first and f"{top}{first}" not in starts:
            continue
        stem = f"{top}{within}" if within else top.rstrip("/")
        for candidate in (f"{stem}.py", f"{stem}/__init__.py" if stem else "__init__.py", f"{stem}.pyi"):
            if candidate in paths:
                return (candidate,)
    return ()


@tree_cache(1)
def _starts(world: SourceTree) -> frozenset[str]:
    """All that the name of a module may begin with, wherever that is: most are of modules outside, which none does."""
    stems = [path.rpartition(".")[0] for path in world.paths if path.endswith((".py", ".pyi"))]
    found = set(stems)
    for stem in stems:
        while (stem := folder_of(stem)) and stem not in found:
            found.add(stem)
    return frozenset(found)


@tree_cache(4096)
def _roots(world: SourceTree, folder: str) -> tuple[str, ...]:
    """Where an absolute import may start: every folder above the file, the farthest first, and a `src` of it.

    A package is no such place: inside of it, `import json` is not its own `json.py`.
    """
    parts = folder.split("/") if folder else []
    tops = ["".join(f"{part}/" for part in parts[:depth]) for depth in range(len(parts) + 1)]
    roots = (root for top in tops for root in (top, f"{top}src/"))
    return tuple(root for root in roots if f"{root}__init__.py" not in world.paths)


def _up(folder: str, levels: int) -> str:
    parts = folder.split("/") if folder else []
    kept = parts[: max(len(parts) - levels + 1, 0)]
    return "".join(f"{part}/" for part in kept)
