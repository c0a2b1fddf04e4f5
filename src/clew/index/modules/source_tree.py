"""The data for module lookups across the tree, collected once per run."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath
from typing import ParamSpec, TypeVar, cast


@dataclass(frozen=True, slots=True, eq=False)  # told apart as objects: what is derived from one can be kept by it
class SourceTree:
    """Paths with forward slashes, relative to the root; a folder is named without a slash at its end, the root ""."""

    paths: frozenset[str]
    folders: Mapping[str, tuple[str, ...]]  # the files of each folder, sorted
    packages: Mapping[tuple[str, str], tuple[str, ...]]  # the files of each language and package, sorted
    settings: Mapping[str, Mapping[str, str]]  # what files that configure others say, by path
    names: Mapping[str, tuple[str, ...]]  # the files of each name, whatever their folder, sorted

    @classmethod
    def of(
        cls,
        paths: Iterable[str],
        packages: Iterable[tuple[str, str, str]] = (),
        settings: Mapping[str, Mapping[str, str]] | None = None,
    ) -> "SourceTree":
        """`packages` are triples of language, package and path."""
        every = sorted(paths)
        folders: dict[str, list[str]] = defaultdict(list)
        names: dict[str, list[str]] = defaultdict(list)
        for path in every:
            folders[folder_of(path)].append(path)
            names[path.rpartition("/")[2]].append(path)
        by_package: dict[tuple[str, str], list[str]] = defaultdict(list)
        for language, package, path in packages:
            by_package[language, package].append(path)
        return cls(
            frozenset(every),
            {folder: tuple(files) for folder, files in folders.items()},
            {key: tuple(sorted(files)) for key, files in by_package.items()},
            settings or {},
            {name: tuple(files) for name, files in names.items()},
        )

    def files_named(self, name: str) -> tuple[str, ...]:
        """The files of a name in any folder."""
        return self.names.get(name, ())

    def above(self, path: str, name: str) -> str:
        """The nearest file of this name in the folder of a path or above it; "" if there is none."""
        while path:
            path = folder_of(path)
            candidate = f"{path}/{name}" if path else name
            if candidate in self.paths:
                return candidate
        return ""


P = ParamSpec("P")
R = TypeVar("R")
_CACHES: list[Callable[[], None]] = []


def tree_cache(most: int) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Keep the last results of a function of a tree, until `forget`."""

    def keep_results(function: Callable[P, R]) -> Callable[P, R]:
        kept = lru_cache(maxsize=most)(function)
        _CACHES.append(kept.cache_clear)
        return cast("Callable[P, R]", kept)  # whose own type has lost the parameters

    return keep_results


def forget() -> None:
    """Drop the caches: small as they are, they keep alive the memory of everything made beside them."""
    for clear in _CACHES:
        clear()


def folder_of(path: str) -> str:
    return path.rpartition("/")[0]


def join_path(folder: str, path: str) -> str:
    """A path as written in a folder, without its `.` and `..`."""
    parts: list[str] = []
    for part in f"{folder}/{path}".split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part not in (".", ""):
            parts.append(part)
    return "/".join(parts)


def count_common_folders(one: str, other: str) -> int:
    """How many folders two paths share, from the root down."""
    count = 0
    for left, right in zip(one.split("/")[:-1], other.split("/")[:-1], strict=False):
        if left != right:
            break
        count += 1
    return count


# Files by path: relative to the importing file's folder, or to any folder above.


def files_of(world: SourceTree, path: str, module: str) -> list[str]:
    for folder in PurePosixPath(path).parents:
        candidate = join_path(str(folder), module)
        if candidate in world.paths:
            return [candidate]
    return []
