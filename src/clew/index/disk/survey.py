"""Reads the inputs of a project's boundary: configuration, ignore files, and git's tracked files."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from clew.index.disk import ignore
from clew.index.disk.boundary import Boundary
from clew.index.disk.ignore import Patterns
from clew.index.history import git
from clew.model.errors import ConfigError, Denied, NotFound
from clew.runtime.paths import inside
from clew.runtime.settings import Indexing, Watcher


@dataclass(frozen=True, slots=True)
class Survey:
    """The boundary, its warnings, and the files outside of the tree's folders from which it was read."""

    boundary: Boundary
    warnings: tuple[str, ...]
    sources: tuple[str, ...]  # absolute paths, whether or not there is anything yet
    git_index: str
    listing: bytes  # what git tracks, as it says so
    lacks_git: bool  # which should have said so, and could not


def survey(root: Path, watcher: Watcher, indexing: Indexing, db_path: str = "") -> Survey:
    """`db_path` is the configured path of the database: Clew's own files there are never read."""
    top = _listable(root)
    watched, warnings = _split_watched(top, watcher.watch_paths)
    excludes = git.excludes(top)
    listing = git.list_tracked(top)
    lacks_git = listing is None and git.is_repository(top)
    if lacks_git:
        warnings.append(f"git could not say which files it tracks ({git.refusal_by_git(top)}): `git status` tells more")
    tracked = frozenset(git.paths_in(listing or b""))
    if not watcher.ignore_patterns:
        warnings.append("watcher.ignore_patterns is empty: only ignore files leave anything out")
    boundary = Boundary(
        root=str(top),
        watched=watched,
        indexing=indexing,
        tracked=tracked,
        tracked_folders=folders_of(tracked),
        patterns=_patterns(watcher),
        patterns_hide_tracked=watcher.ignore_patterns != Watcher().ignore_patterns,
        contextignore=_ignore_file(top, ".contextignore") if watcher.use_contextignore else (),
        dockerignore=_ignore_file(top, ".dockerignore") if watcher.use_dockerignore else (),
        gitignores=_outer_gitignores(top, excludes) if watcher.use_gitignore and excludes else (),
        reads_gitignore=watcher.use_gitignore,
        database=_inside(top, db_path) if db_path else "",
    )
    return Survey(
        boundary,
        tuple(warnings),
        tuple(_sources(top, watcher, excludes)),
        str(excludes.record) if excludes else "",
        listing or b"",
        lacks_git,
    )


def _inside(root: Path, db_path: str) -> str:
    """A path from the root; empty if it lies elsewhere."""
    database = (root / db_path).resolve()
    return database.relative_to(root).as_posix() if database.is_relative_to(root) else ""


def _sources(root: Path, watcher: Watcher, excludes: git.Excludes | None) -> Iterator[str]:
    if watcher.use_contextignore:
        yield str(root / ".contextignore")
    if watcher.use_dockerignore:
        yield str(root / ".dockerignore")
    if watcher.use_gitignore and excludes:
        yield from map(str, excludes.files)
        above = excludes.prefix.count("/")
        yield from (str(folder / ".gitignore") for folder in root.parents[:above])


def _listable(root: Path) -> Path:
    top = root.resolve()
    if not top.is_dir():
        raise NotFound(f"{root} is not a directory", "Name the project's root.")
    if not os.access(top, os.R_OK | os.X_OK):
        raise Denied(f"{root} may not be read", "Run Clew as a user who may read it.")
    return top


def _split_watched(root: Path, paths: tuple[str, ...]) -> tuple[tuple[str, ...], list[str]]:
    """Watched paths relative to the root; none stands for all of it."""
    if paths in ((), ("auto",)):
        return (), []
    existing = {path: inside(root, path) for path in paths if inside(root, path).exists()}
    if not existing:
        raise ConfigError(f"none of watcher.watch_paths exists: {', '.join(paths)}")
    warnings = [f"watcher.watch_paths: {path} does not exist" for path in paths if path not in existing]
    warnings += _overlaps(existing)
    if root in existing.values():
        return (), warnings
    return tuple(sorted({path.relative_to(root).as_posix() for path in existing.values()})), warnings


def _overlaps(paths: dict[str, Path]) -> Iterable[str]:
    for (one, at), (other, beside) in combinations(paths.items(), 2):
        if at.is_relative_to(beside) or beside.is_relative_to(at):
            yield f"watcher.watch_paths: {one} and {other} overlap"


def folders_of(tracked: frozenset[str]) -> frozenset[str]:
    folders: set[str] = set()
    for path in tracked:
        folder = path.rpartition("/")[0]
        while folder and folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    return frozenset(folders)


def _patterns(watcher: Watcher) -> tuple[Patterns, ...]:
    for pattern in watcher.ignore_patterns:
        if not ignore.is_valid(pattern):
            raise ConfigError(f"watcher.ignore_patterns: {pattern!r} is not a pattern")
    lines = [_anchor(pattern) for pattern in watcher.ignore_patterns]
    return (ignore.parse(lines, "ignore_patterns", case_sensitive=watcher.case_sensitive),)


def _anchor(pattern: str) -> str:
    """`.git/` is a prefix here, where in git's own files it would match at any depth."""
    return f"/{pattern}" if pattern.endswith("/") and pattern[0] not in "/!*" else pattern


def _ignore_file(root: Path, name: str) -> tuple[Patterns, ...]:
    patterns = ignore.load(root / name, name)
    return (patterns,) if patterns else ()


def _outer_gitignores(root: Path, outer: git.Excludes) -> tuple[Patterns, ...]:
    """The rules that reach the root from outside, weakest first: the user's, the repository's, the folders' above."""
    sources = [ignore.load_users(file, str(file), above=outer.prefix) for file in outer.files]
    parts = outer.prefix.split("/")[:-1]
    for depth in range(len(parts)):
        folder = root.parents[len(parts) - depth - 1]
        above = "/".join(parts[depth:]) + "/"
        sources.append(ignore.load(folder / ".gitignore", f"{'../' * (len(parts) - depth)}.gitignore", above=above))
    return tuple(source for source in sources if source)
