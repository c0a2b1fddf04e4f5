"""The project's boundary: one table of checks decides about every file and folder, and says why."""

import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, cast

from clew.index.disk import binary, ignore
from clew.index.disk.ignore import Patterns
from clew.model.code import SCOPE
from clew.runtime.place import SNAPSHOTS
from clew.runtime.settings import Indexing
from clew.text.secrets import without_tokens

MEGABYTE = 1024 * 1024
LONGEST_PATH = 1024  # bytes; with the longest scope it must fit a key of PostgreSQL's, which end at 2704
_INTERNAL = frozenset({".git", ".clew"})
_CHECKOUT = re.compile(r"\d+\.\d+")  # how the folder of a checkout's snapshots is named
_PRIVATE = (".private", ".secret")


class RefusalReason(StrEnum):
    """Why a path is left out."""

    BAD_NAME = "bad_name"
    OUTSIDE_WATCH_PATHS = "outside_watch_paths"
    INTERNAL = "internal"
    IGNORED = "ignored"
    GITIGNORE = "gitignore"
    CONTEXTIGNORE = "contextignore"
    DOCKERIGNORE = "dockerignore"
    NESTED_REPOSITORY = "nested_repository"
    PRIVATE = "private"
    EXTENSION = "extension"
    SYMLINK = "symlink"
    SYMLINK_ESCAPE = "symlink_escape"
    SYMLINK_LOOP = "symlink_loop"
    SPECIAL_FILE = "special_file"
    TOO_LARGE = "too_large"
    BINARY = "binary"
    UNREADABLE = "unreadable"


class Refusal(NamedTuple):
    reason: RefusalReason
    detail: str


@dataclass(frozen=True, slots=True)
class BoundaryFolder:
    """A folder on the way down. `path` is empty or ends in a slash; `real` differs below a followed link."""

    path: str
    absolute: str
    real: str
    above: "BoundaryFolder | None"
    links: int
    gitignores: tuple[Patterns, ...]
    entry: "PathEntry | None" = None  # as it was listed; None for the root


class PathEntry(NamedTuple):
    """A file or folder as it was listed; nothing has been asked of the disk yet."""

    folder: BoundaryFolder
    entry: "os.DirEntry[str]"
    path: str
    is_folder: bool
    is_link: bool
    is_tracked: bool  # of a folder: that git tracks something in it

    @property
    def key(self) -> str:
        """As patterns and reports spell it: a folder ends in a slash."""
        return f"{self.path}/" if self.is_folder else self.path


@dataclass(frozen=True, slots=True)
class Boundary:
    """The data of the checks, read once."""

    root: str
    watched: tuple[str, ...]  # none: the whole root
    indexing: Indexing
    tracked: frozenset[str]
    tracked_folders: frozenset[str]
    patterns: tuple[Patterns, ...]
    patterns_hide_tracked: bool
    contextignore: tuple[Patterns, ...]
    dockerignore: tuple[Patterns, ...]
    gitignores: tuple[Patterns, ...]  # those that hold for the root
    reads_gitignore: bool
    database: str = ""  # its path, if it lies in the tree and not in `.clew/`
    _tests: tuple[tuple["Test", ...], ...] = field(init=False, compare=False, repr=False)  # of files, and of folders

    _shadows: dict[str, Refusal | None] = field(init=False, compare=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Of each of a hundred thousand files only that is asked which may have something to say."""
        rules = self.indexing
        idle: dict[Test, bool] = {
            _by_watch_paths: not self.watched,
            _by_patterns: not self.patterns,
            _by_contextignore: not self.contextignore,
            _by_dockerignore: not self.dockerignore,
            _by_extension: not (rules.blocked_extensions or rules.allowed_extensions),
        }
        tests = tuple(tuple(one.test for one in some if not idle.get(one.test)) for some in (_FILE, _FOLDER))
        object.__setattr__(self, "_tests", tests)

    def top(self) -> BoundaryFolder:
        return BoundaryFolder("", self.root, self.root, None, 0, self._gitignores("", self.root, self.gitignores))

    def place(self, folder: BoundaryFolder, entry: "os.DirEntry[str]") -> PathEntry:
        path = folder.path + entry.name
        is_link = _is_link(entry)
        is_folder = _leads_to_folder(entry) if is_link and self.indexing.follow_symlinks else _is_folder(entry)
        is_tracked = path in (self.tracked_folders if is_folder else self.tracked)
        return PathEntry(folder, entry, path, is_folder, is_link, is_tracked)

    def enter(self, place: PathEntry) -> BoundaryFolder:
        above = place.folder
        real = os.path.realpath(place.entry.path) if place.is_link else f"{above.real}/{place.entry.name}"
        gitignores = self._gitignores(place.key, place.entry.path, above.gitignores)
        return BoundaryFolder(place.key, place.entry.path, real, above, above.links + place.is_link, gitignores, place)

    def shadow(self, folder: BoundaryFolder) -> Refusal | None:
        """Why a folder is ignored that is walked only for the files that git tracks in it; None of another folder."""
        known, waiting = self._shadows, list[PathEntry]()
        at: BoundaryFolder | None = folder
        while at is not None and at.entry is not None and at.path not in known:  # a tree may be deeper than the stack
            waiting.append(at.entry)
            at = at.above
        found = known.get(at.path) if at is not None else None
        for entry in reversed(waiting):
            found = known[entry.key] = found or (self._hidden_but_tracked(entry) if entry.is_tracked else None)
        return found

    def judge(self, place: PathEntry) -> Refusal | None:
        for test in self._tests[place.is_folder]:
            if refusal := test(self, place):
                return refusal
        return None

    def watches(self, path: str, *, is_folder: bool) -> bool:
        """Whether the path is watched, or is a folder that leads to a watched path."""
        return not self.watched or any(
            path == watched or path.startswith(f"{watched}/") or (is_folder and watched.startswith(f"{path}/"))
            for watched in self.watched
        )

    def admits_by_name(self, path: str) -> bool:
        """Whether a file that git tracked once would belong to the project, as far as its path can tell."""
        steps = path.split("/")
        folder = self.top()
        for depth, name in enumerate(steps):
            own = "/".join(steps[: depth + 1])
            is_folder = depth + 1 < len(steps)
            entry = cast("os.DirEntry[str]", _NamedEntry(name, f"{self.root}/{own}"))
            place = PathEntry(folder, entry, own, is_folder, False, True)
            if any(test(self, place) for test in (_BY_NAME if is_folder else (*_BY_NAME, *_FILE_BY_NAME))):
                return False
        return True

    def _hidden_but_tracked(self, place: PathEntry) -> Refusal | None:
        untracked = place._replace(is_tracked=False)
        return _by_patterns(self, untracked) or _by_gitignore(self, untracked)

    def _gitignores(self, path: str, absolute: str, above: tuple[Patterns, ...]) -> tuple[Patterns, ...]:
        file = f"{absolute}/.gitignore"
        if not self.reads_gitignore or not os.path.lexists(file):
            return above
        own = ignore.load(Path(file), f"{path}.gitignore", base=path)
        return (*above, own) if own else above


Test = Callable[[Boundary, PathEntry], Refusal | None]


class _NamedEntry(NamedTuple):
    """Stands for an entry of a folder that is not on the disk any more."""

    name: str
    path: str


class Check(NamedTuple):
    name: str
    test: Test


def _is_link(entry: "os.DirEntry[str]") -> bool:
    if sys.version_info >= (3, 12) and entry.is_junction():
        return True
    return entry.is_symlink()


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    return entry.is_dir(follow_symlinks=False)


def _leads_to_folder(link: "os.DirEntry[str]") -> bool:
    try:
        return link.is_dir()
    except OSError:  # it leads in circles, or through a closed folder
        return False


def _by_name(boundary: Boundary, place: PathEntry) -> Refusal | None:
    try:
        length = len(place.path.encode())
    except UnicodeEncodeError:
        return Refusal(RefusalReason.BAD_NAME, "its name is not UTF-8")
    if length > LONGEST_PATH:
        return Refusal(
            RefusalReason.BAD_NAME, f"its path has {length} bytes, more than the {LONGEST_PATH} that can be stored"
        )
    if _has_token(place.entry.name):
        return Refusal(RefusalReason.BAD_NAME, "its name contains a secret")
    if SCOPE in place.path or place.path.endswith(":"):
        return Refusal(RefusalReason.BAD_NAME, f"its path has {SCOPE!r}, which stands in ids between a path and a name")
    return None


@lru_cache(maxsize=1 << 14)
def _has_token(name: str) -> bool:
    """Many files of a tree have the same name."""
    written = name.encode()
    return without_tokens(written) != written


def _by_watch_paths(boundary: Boundary, place: PathEntry) -> Refusal | None:
    if boundary.watches(place.path, is_folder=place.is_folder):
        return None
    return Refusal(RefusalReason.OUTSIDE_WATCH_PATHS, f"watch_paths: {', '.join(boundary.watched)}")


def _by_owner(boundary: Boundary, place: PathEntry) -> Refusal | None:
    if place.entry.name in _INTERNAL:
        return Refusal(RefusalReason.INTERNAL, "git and Clew keep their own data here")
    return _by_database(boundary, place) if boundary.database else None


def _by_database(boundary: Boundary, place: PathEntry) -> Refusal | None:
    """The database itself, its side files, and its snapshots."""
    folder = boundary.database.rpartition("/")[0]
    beside = f"{folder}/{SNAPSHOTS}" if folder else SNAPSHOTS
    is_own = place.path == boundary.database or place.path.startswith(f"{boundary.database}-")
    is_snapshot = place.is_folder and place.folder.path == f"{beside}/" and _CHECKOUT.fullmatch(place.entry.name)
    return (
        Refusal(RefusalReason.INTERNAL, "Clew keeps its index here (storage.db_path)")
        if is_own or is_snapshot
        else None
    )


def _by_shadow(boundary: Boundary, place: PathEntry) -> Refusal | None:
    return None if place.is_tracked else boundary.shadow(place.folder)


def _by_hiding(boundary: Boundary, place: PathEntry) -> Refusal | None:
    """Hidden folders stay out, save those that git tracks or the user watches by name."""
    if place.entry.name[0] != "." or place.is_tracked:
        return None
    is_named = any(f"{watched}/".startswith(place.key) for watched in boundary.watched)
    return None if is_named else Refusal(RefusalReason.IGNORED, "a hidden folder that git does not track")


def _by_patterns(boundary: Boundary, place: PathEntry) -> Refusal | None:
    if place.is_tracked and not boundary.patterns_hide_tracked:
        return None
    return _pattern_refusal(boundary.patterns, place, RefusalReason.IGNORED)


def _by_gitignore(boundary: Boundary, place: PathEntry) -> Refusal | None:
    return None if place.is_tracked else _pattern_refusal(place.folder.gitignores, place, RefusalReason.GITIGNORE)


def _by_contextignore(boundary: Boundary, place: PathEntry) -> Refusal | None:
    return _pattern_refusal(boundary.contextignore, place, RefusalReason.CONTEXTIGNORE)


def _by_dockerignore(boundary: Boundary, place: PathEntry) -> Refusal | None:
    return _pattern_refusal(boundary.dockerignore, place, RefusalReason.DOCKERIGNORE)


def _pattern_refusal(sources: tuple[Patterns, ...], place: PathEntry, reason: RefusalReason) -> Refusal | None:
    found = ignore.last_match(sources, place.key)
    return Refusal(reason, f"{found[0].source}: {found[1].pattern}") if found and found[1].hidden else None


def _by_repository(boundary: Boundary, place: PathEntry) -> Refusal | None:
    if not os.path.lexists(f"{place.entry.path}/.git"):
        return None
    return Refusal(RefusalReason.NESTED_REPOSITORY, "a repository of its own")


def _by_privacy(boundary: Boundary, place: PathEntry) -> Refusal | None:
    if not place.entry.name.lower().endswith(_PRIVATE):
        return None
    return Refusal(RefusalReason.PRIVATE, "*.private and *.secret are never read")


def _by_extension(boundary: Boundary, place: PathEntry) -> Refusal | None:
    """Compared as endings, so that `.min.js` can be named."""
    name, rules = place.entry.name.lower(), boundary.indexing
    if rules.blocked_extensions and _ends(name, rules.blocked_extensions):
        return Refusal(RefusalReason.EXTENSION, "in indexing.blocked_extensions")
    if rules.allowed_extensions and not _ends(name, rules.allowed_extensions):
        return Refusal(RefusalReason.EXTENSION, "not in indexing.allowed_extensions")
    return None


def _ends(name: str, extensions: tuple[str, ...]) -> bool:
    return any(name.endswith(extension.lower()) for extension in extensions)


def _by_link(boundary: Boundary, place: PathEntry) -> Refusal | None:
    if not place.is_link:
        return None
    limit = boundary.indexing.max_symlink_depth
    if not boundary.indexing.follow_symlinks:
        return Refusal(RefusalReason.SYMLINK, "indexing.follow_symlinks is off")
    if place.folder.links >= limit:
        return Refusal(RefusalReason.SYMLINK, f"more than {limit} links deep")
    real = os.path.realpath(place.entry.path)
    return _escape(boundary, place, real) or _loop(place, real)


def _escape(boundary: Boundary, place: PathEntry, real: str) -> Refusal | None:
    """The target must be something that the project may show under its own name too."""
    if not Path(real).is_relative_to(boundary.root):
        return Refusal(RefusalReason.SYMLINK_ESCAPE, "its target lies outside of the project")
    target = Path(real).relative_to(boundary.root).as_posix()
    is_watched = boundary.watches(target, is_folder=False) or target == "."
    is_hidden = any(part in _INTERNAL or part.lower().endswith(_PRIVATE) for part in target.split("/"))
    found = ignore.last_match(boundary.contextignore, target)
    if is_hidden or not is_watched or (found and found[1].hidden):
        return Refusal(RefusalReason.SYMLINK_ESCAPE, f"its target {target} is not the project's to show")
    return None


def _loop(place: PathEntry, real: str) -> Refusal | None:
    folder: BoundaryFolder | None = place.folder
    while folder:
        if folder.real == real:
            return Refusal(RefusalReason.SYMLINK_LOOP, "its target is a folder above it")
        folder = folder.above
    return None


def _by_kind(boundary: Boundary, place: PathEntry) -> Refusal | None:
    try:
        if place.entry.is_file():
            return None
    except OSError:
        if not place.is_link:
            raise
    if place.is_link:
        return Refusal(RefusalReason.SYMLINK, "it leads to no file")
    return Refusal(RefusalReason.SPECIAL_FILE, "neither a file nor a folder")


def _by_size(boundary: Boundary, place: PathEntry) -> Refusal | None:
    size, limit = place.entry.stat().st_size / MEGABYTE, boundary.indexing.max_file_size_mb
    if size <= limit or any(fnmatchcase(place.path, glob) for glob in boundary.indexing.size_exceptions):
        return None
    return Refusal(RefusalReason.TOO_LARGE, f"{size:.1f} MB; indexing.max_file_size_mb is {limit:g}")


def _by_binary_name(boundary: Boundary, place: PathEntry) -> Refusal | None:
    detail = binary.name_reason(place.entry.name, boundary.indexing)
    return Refusal(RefusalReason.BINARY, detail) if detail else None


_BY_NAME: tuple[Test, ...] = (
    _by_name, _by_watch_paths, _by_owner, _by_patterns, _by_contextignore, _by_dockerignore,
)  # fmt: skip
_FILE_BY_NAME: tuple[Test, ...] = (_by_privacy, _by_extension, _by_binary_name)

_BOTH = (
    Check("name", _by_name),
    Check("watch_paths", _by_watch_paths),
    Check("internal", _by_owner),
    Check("ignored_folder", _by_shadow),
    Check("ignore_patterns", _by_patterns),
    Check("gitignore", _by_gitignore),
    Check("contextignore", _by_contextignore),
    Check("dockerignore", _by_dockerignore),
)
_FOLDER = (*_BOTH, Check("hidden", _by_hiding), Check("symlink", _by_link), Check("repository", _by_repository))
# A link comes before its size: what it points at may be asked only once it is known to lie inside.
_FILE = (
    *_BOTH,
    Check("private", _by_privacy),
    Check("extension", _by_extension),
    Check("symlink", _by_link),
    Check("kind", _by_kind),
    Check("binary", _by_binary_name),
    Check("size", _by_size),
)


def checks(place: PathEntry) -> tuple[Check, ...]:
    """The checks that decide about a file or a folder, in their order; the first refusal counts."""
    return _FOLDER if place.is_folder else _FILE
