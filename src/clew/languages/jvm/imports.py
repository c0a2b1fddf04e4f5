"""Java, Kotlin and Scala: packages, which all three share; where none are known, paths below a source folder.

`a.b.C` is the file named C of the package a.b. A top-level definition of Kotlin or Scala may be in any file of its
package: then all of them are returned, and the caller selects by their names.
"""

from collections import defaultdict
from pathlib import PurePosixPath
from typing import NamedTuple

from clew.index.modules.source_tree import SourceTree, folder_of, tree_cache

_LANGUAGES = ("java", "kotlin", "scala")
_ENDINGS = (".java", ".kt", ".scala", ".kts", ".sc")
_FREE = (".kt", ".kts", ".scala", ".sc")  # files whose names say nothing of what they hold
_TOP: list[list[str]] = [[]]
_ROOTS = ("", "src/", *(f"src/{part}/{language}/" for part in ("main", "test") for language in _LANGUAGES))


def files_of(world: SourceTree, path: str, module: str) -> list[str]:
    parts = [part.strip("`") for part in module.split(".")]
    around = _around(world, folder_of(path)) if path.endswith((".scala", ".sc")) else _TOP
    for prefix in around:
        if found := _in_packages(world, [*prefix, *parts]):
            return list(found)
    return _by_place(world, path, parts) if not world.packages else []


@tree_cache(1024)
def _around(world: SourceTree, folder: str) -> list[list[str]]:
    """The possible roots of a Scala name: the top, and the enclosing packages, as the folders show them."""
    folders, first = folder.split("/"), {package.partition(".")[0] for package in _packages(world)}
    spans = ((start, end) for end in range(len(folders), 0, -1) for start in range(end))
    return [*_TOP, *(folders[start:end] for start, end in spans if folders[start] in first)]


def _in_packages(world: SourceTree, parts: list[str]) -> list[str]:
    """The files of a package; or those of the longest package prefix, by the imported name."""
    packages = _packages(world)
    for length in range(len(parts), 0, -1):
        package = packages.get(".".join(parts[:length]))
        if package is None:
            continue
        if length == len(parts):
            return package.files
        a_name = length == len(parts) - 1 or parts[length][:1].isupper()  # and not a package that is elsewhere
        if found := package.named.get(parts[length]) or (package.free if a_name else []):
            return found
    return []


class _Package(NamedTuple):
    """The files of a package, sorted; by name, and those with uninformative names."""

    files: list[str]
    named: dict[str, list[str]]
    free: list[str]


@tree_cache(1)
def _packages(world: SourceTree) -> dict[str, _Package]:
    """Of all three languages, by name: most imports of a tree are of a few."""
    every: dict[str, list[str]] = defaultdict(list)
    for (language, package), files in world.packages.items():
        if language in _LANGUAGES:
            every[package] += files
    return {package: _package(sorted(files)) for package, files in every.items()}


def _package(files: list[str]) -> _Package:
    named: dict[str, list[str]] = defaultdict(list)
    for file in files:
        named[PurePosixPath(file).stem].append(file)
    return _Package(files, dict(named), [file for file in files if file.endswith(_FREE)])


def _by_place(world: SourceTree, path: str, parts: list[str]) -> list[str]:
    tops = [f"{folder}/" if str(folder) != "." else "" for folder in PurePosixPath(path).parents]
    for length in range(len(parts), 0, -1):
        stem = "/".join(parts[:length])
        for root in (f"{top}{root}" for top in tops for root in _ROOTS):
            if found := [file for ending in _ENDINGS if (file := f"{root}{stem}{ending}") in world.paths]:
                return found
            if length == len(parts) and (files := world.folders.get(f"{root}{stem}")):
                return [file for file in files if file.endswith(_ENDINGS)]
    return []
