"""Python: packages, relative imports, and the folders that may be on the path: tops of source trees and their `src`."""

from pathlib import PurePosixPath

from clew.index.modules.world import World


def files_of(world: World, path: str, module: str) -> list[str]:
    dots = len(module) - len(module.lstrip("."))
    parts = [part for part in module[dots:].split(".") if part]
    folders = [_up(path, dots)] if dots else [r for r in _roots(path) if f"{r}__init__.py" not in world.paths]
    for folder in folders:
        stem = f"{folder}{'/'.join(parts)}" if parts else folder.rstrip("/")
        for candidate in (f"{stem}.py", f"{stem}/__init__.py" if stem else "__init__.py", f"{stem}.pyi"):
            if candidate in world.paths:
                return [candidate]
    return []


def _roots(path: str) -> list[str]:
    """Where an absolute import may start: every folder above the file, the farthest first, and a `src` of it.

    A package is no such place: inside of it, `import json` is not its own `json.py`.
    """
    above = [str(folder) for folder in reversed(PurePosixPath(path).parents)]
    tops = ["" if folder == "." else f"{folder}/" for folder in above]
    return [root for top in tops for root in (top, f"{top}src/")]


def _up(path: str, levels: int) -> str:
    folder = PurePosixPath(path).parent
    for _ in range(levels - 1):
        folder = folder.parent
    return "" if str(folder) == "." else f"{folder}/"
