"""From imports as written to edges: to the file they name in this tree, or to what is outside."""

from collections.abc import Set
from pathlib import PurePosixPath

from clew.model.code import Import
from clew.model.words import EdgeKind, EvidenceKind
from clew.store.graph import Shown

EXTERNAL = "external::"
LONGEST_OUTSIDE = 300  # characters of a name outside; a longer one is data, and no store could key by it

_ECMA_ENDINGS = ("", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".d.ts", "/index.ts", "/index.tsx", "/index.js")
_ECMA = frozenset({"javascript", "typescript", "tsx"})


def imports_to_edges(path: str, language: str, imports: tuple[Import, ...], paths: Set[str]) -> set[Shown]:
    """What a file's imports lead to; pure, so that the order of files does not matter."""
    edges: set[Shown] = set()
    for one in imports:
        for target in _targets(path, language, one, paths):
            edges.add(Shown("", EdgeKind.IMPORTS, target, one.line, EvidenceKind.IMPORT, 1.0))
    return edges


def _targets(path: str, language: str, one: Import, paths: Set[str]) -> list[str]:
    if language == "python":
        return _python(path, one, paths)
    if language in _ECMA:
        return [_ecma(path, one.module, paths)]
    return []


def _python(path: str, one: Import, paths: Set[str]) -> list[str]:
    """`from package import module` names the module; `from module import name` the module that holds the name."""
    dots = len(one.module) - len(one.module.lstrip("."))
    parts = [part for part in one.module[dots:].split(".") if part]
    folders = [_up(path, dots)] if dots else [r for r in _roots(path) if f"{r}__init__.py" not in paths]
    module = _first_module(folders, parts, paths)
    found = [target for name in one.names if (target := _first_module(folders, [*parts, name], paths))]
    if module and (len(found) < len(one.names) or not one.names):  # some names live in the module itself
        found.append(module)
    return list(dict.fromkeys(found)) or [_outside(one.module)]


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


def _first_module(folders: list[str], parts: list[str], paths: Set[str]) -> str | None:
    name = "/".join(parts)
    for folder in folders:
        stem = f"{folder}{name}" if name else folder.rstrip("/")
        for candidate in (f"{stem}.py", f"{stem}/__init__.py", f"{stem}.pyi"):
            if candidate in paths:
                return candidate
    return None


def _ecma(path: str, module: str, paths: Set[str]) -> str:
    if not module.startswith("."):
        return _outside(module)
    stem = _normal(f"{PurePosixPath(path).parent}/{module}")
    stems = [stem, stem.removesuffix(".js")] if stem.endswith(".js") else [stem]
    for candidate in (f"{s}{ending}" for s in stems for ending in _ECMA_ENDINGS):
        if candidate in paths:
            return candidate
    return _outside(stem)


def _outside(name: str) -> str:
    return f"{EXTERNAL}{name[:LONGEST_OUTSIDE]}"


def _normal(path: str) -> str:
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part not in (".", ""):
            parts.append(part)
    return "/".join(parts)
