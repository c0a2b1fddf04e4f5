"""The files of a project as they stand on disk, and why the others are left out."""

import math
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from clew.index.disk import binary
from clew.index.disk.boundary import MEGABYTE, Boundary, BoundaryFolder, PathEntry, Refusal, RefusalReason, checks
from clew.index.disk.scan_state import MISSING, UNPROVEN, ScanState, listed_at, proven_stamp, source_at, stamp_at
from clew.index.disk.survey import Survey, survey
from clew.model.errors import Denied, InvalidInput, NotFound
from clew.runtime.plain import open_plain
from clew.runtime.settings import Indexing, Watcher
from clew.store.files import changed_ns
from clew.text.secrets import without_tokens

MANY_FILES = 100_000

# Why an entry is left out that may come to belong though no name has changed.
_PASSING = frozenset(
    {
        RefusalReason.SYMLINK,
        RefusalReason.SYMLINK_ESCAPE,
        RefusalReason.SYMLINK_LOOP,
        RefusalReason.SPECIAL_FILE,
        RefusalReason.TOO_LARGE,
    }
    | {RefusalReason.UNREADABLE, RefusalReason.NESTED_REPOSITORY}
)


class FoundFile(NamedTuple):
    path: str
    size: int
    mtime_ns: int
    changed_ns: int = 0


class SkippedPath(NamedTuple):
    """A folder that was not walked into ends in a slash."""

    path: str
    reason: RefusalReason
    detail: str


@dataclass(frozen=True, slots=True)
class Scan:
    files: tuple[FoundFile, ...]
    skipped: tuple[SkippedPath, ...]
    warnings: tuple[str, ...]
    unreadable: tuple[str, ...]  # folders whose files may still exist: only what is known not to is deleted
    seen: ScanState = field(default_factory=ScanState, compare=False)  # how this was come by
    lacks_git: bool = False  # which could not say what it tracks


class CheckStep(NamedTuple):
    """One check and its outcome."""

    check: str
    passed: bool
    detail: str


@dataclass(frozen=True, slots=True)
class PathDecision:
    """Whether a path belongs to the project's index; of a folder, whether it is walked into."""

    path: str
    indexed: bool
    reason: RefusalReason | None
    detail: str
    checks: tuple[CheckStep, ...]


@dataclass(slots=True)
class WalkNotes:
    """The results of a walk so far."""

    files: list[FoundFile] = field(default_factory=list)
    skipped: list[SkippedPath] = field(default_factory=list)
    unreadable: set[str] = field(default_factory=set)
    folders: dict[str, int] = field(default_factory=dict)  # with their stamps, from before they were listed
    gitignores: list[str] = field(default_factory=list)

    def refuse(self, path: str, refusal: Refusal) -> None:
        self.skipped.append(SkippedPath(_storable(path), *refusal))

    def note_unreadable(self, folder: BoundaryFolder, path: str, error: OSError) -> None:
        """A path that could not be read: the content of its folder is unknown."""
        self.refuse(path, _unreadable(error))
        self.unreadable.add(folder.path)
        self.folders[folder.path] = UNPROVEN


def scan(root: Path, watcher: Watcher, indexing: Indexing, db_path: str = "") -> Scan:
    """Decides by name, size and kind alone; binary content is detected when a file is read."""
    began = time.time_ns()
    surveyed = survey(root, watcher, indexing, db_path)
    notes = WalkNotes()
    walk(surveyed.boundary, [surveyed.boundary.top()], notes)
    if surveyed.lacks_git:  # a tracked file may hide behind a pattern now: what is on the disk is not gone
        notes.unreadable.add("")
    files = tuple(sorted(notes.files))
    return Scan(
        files,
        tuple(sorted(one for one in notes.skipped if one.reason is not RefusalReason.INTERNAL)),
        (*surveyed.warnings, *_size_warnings(files, indexing)),
        tuple(sorted(notes.unreadable)),
        state_after_walk(ScanState(), surveyed, notes, began),
        surveyed.lacks_git,
    )


def state_after_walk(seen: ScanState, surveyed: Survey, notes: WalkNotes, looked_ns: int) -> ScanState:
    """With the results of a walk, and the stamps of its pattern sources."""
    top = surveyed.boundary.root
    sources = {path: source_at(path, looked_ns) for path in surveyed.sources}
    sources |= {path: source_at(f"{top}/{path}", looked_ns) for path in notes.gitignores}
    passing = [one.path for one in notes.skipped if one.reason in _PASSING]
    return structs.replace(
        seen,
        folders={**seen.folders, **notes.folders},
        skipped=seen.skipped.union(one.path for one in notes.skipped if one.reason not in _PASSING),
        watched={**seen.watched, **{path: proven_stamp(stamp_at(f"{top}/{path}"), looked_ns) for path in passing}},
        sources={**seen.sources, **sources},
        git_index=surveyed.git_index,
        git_stamp=proven_stamp(stamp_at(surveyed.git_index), looked_ns) if surveyed.git_index else MISSING,
        tracked=without_tokens(surveyed.listing),
        unread=seen.unread.union(one.path for one in notes.skipped if _may_be_text(top, one, surveyed)),
    )


def _may_be_text(top: str, one: SkippedPath, surveyed: Survey) -> bool:
    """Whether a skipped file may contain relevant text; not files excluded by patterns or settings."""
    if one.reason not in (RefusalReason.TOO_LARGE, RefusalReason.BAD_NAME):
        return one.reason in (RefusalReason.UNREADABLE, RefusalReason.NESTED_REPOSITORY)
    refusal = content_refusal(Path(top, one.path), surveyed.boundary.indexing)
    return refusal is None or refusal.reason is not RefusalReason.BINARY


def explain_path(root: Path, path: str, watcher: Watcher, indexing: Indexing, db_path: str = "") -> PathDecision:
    """The scan's own checks, shown one by one for a path relative to the root."""
    boundary = survey(root, watcher, indexing, db_path).boundary
    relative = _relative((root.absolute(), Path(boundary.root)), path)
    folder, steps = boundary.top(), tuple[CheckStep, ...]()
    for name in relative.split("/"):
        place = boundary.place(folder, _entry(folder, name))
        steps, refusal = _steps(boundary, place)
        if refusal:
            detail = refusal.detail if place.path == relative else f"{place.key} {refusal.detail}"
            return PathDecision(relative, False, refusal.reason, detail, steps)
        folder = boundary.enter(place)
    return PathDecision(relative, True, None, "", steps)


def content_refusal(path: Path, indexing: Indexing) -> Refusal | None:
    """A refusal that depends on the file's first bytes."""
    try:
        with open_plain(path) as file:
            head = file.read(binary.HEAD_BYTES)
    except OSError as error:
        return _unreadable(error)
    detail = binary.binary_reason(head, path.name, indexing)
    return Refusal(RefusalReason.BINARY, detail) if detail else None


def walk(boundary: Boundary, waiting: list[BoundaryFolder], notes: WalkNotes, deadline: float = math.inf) -> None:
    """Without recursion: a tree may be deeper than Python's stack. After the deadline, the remaining folders stay in
    `waiting`."""
    while waiting and time.perf_counter() < deadline:
        waiting += list_folder(boundary, waiting.pop(), notes)


def list_folder(boundary: Boundary, folder: BoundaryFolder, notes: WalkNotes) -> list[BoundaryFolder]:
    """Note the files of one folder; returns the folders in it that belong to the project."""
    below = []
    for place in _places(boundary, folder, notes):
        if place.is_folder:
            below.append(boundary.enter(place))
        else:
            status = place.entry.stat()
            notes.files.append(FoundFile(place.path, status.st_size, status.st_mtime_ns, changed_ns(status)))
    return below


def find_folder(boundary: Boundary, path: str) -> BoundaryFolder | None:
    """The folder at a path that ends in a slash; None if it is not there, or does not belong to the project."""
    folder = boundary.top()
    for name in path.split("/")[:-1]:
        try:
            place = boundary.place(folder, _entry(folder, name))
            if not place.is_folder or boundary.judge(place):
                return None
        except (NotFound, FileNotFoundError):
            return None
        folder = boundary.enter(place)
    return folder


def _places(boundary: Boundary, folder: BoundaryFolder, notes: WalkNotes) -> Iterator[PathEntry]:
    """The project's entries of one folder; the rest goes into the notes."""
    try:
        notes.folders[folder.path] = listed_at(folder.absolute)
        entries = _entries(folder)
    except FileNotFoundError:
        return  # gone since its parent was listed
    except OSError as error:
        notes.note_unreadable(folder, folder.path, error)
        return
    for entry in entries:
        if entry.name == ".gitignore":
            notes.gitignores.append(f"{folder.path}.gitignore")
        try:
            place = boundary.place(folder, entry)
            refusal = boundary.judge(place)
        except FileNotFoundError:
            continue
        except OSError as error:
            notes.note_unreadable(folder, folder.path + entry.name, error)
            continue
        if refusal:
            notes.refuse(place.key, refusal)
        else:
            yield place


def _entries(folder: BoundaryFolder) -> list["os.DirEntry[str]"]:
    with os.scandir(folder.absolute) as listing:
        return list(listing)


def _entry(folder: BoundaryFolder, name: str) -> "os.DirEntry[str]":
    try:
        for entry in _entries(folder):
            if entry.name == name:
                return entry
    except PermissionError as error:
        raise Denied(f"{folder.path or '.'} may not be listed", "Run Clew as a user who may read it.") from error
    except NotADirectoryError:
        pass  # what was asked for cannot exist below a file
    raise NotFound(f"{folder.path}{name} does not exist", "Name a path relative to the root, as it is spelled on disk.")


def _steps(boundary: Boundary, place: PathEntry) -> tuple[tuple[CheckStep, ...], Refusal | None]:
    """The checks up to the first refusal; last of all, for a file, its content."""
    steps: list[CheckStep] = []
    for check in checks(place):
        refusal = check.test(boundary, place)
        steps.append(CheckStep(check.name, not refusal, refusal.detail if refusal else ""))
        if refusal:
            return tuple(steps), refusal
    refusal = None if place.is_folder else content_refusal(Path(place.entry.path), boundary.indexing)
    if not place.is_folder:
        steps.append(CheckStep("content", not refusal, refusal.detail if refusal else ""))
    return tuple(steps), refusal


def _relative(roots: tuple[Path, ...], path: str) -> str:
    """Without following links: a link is judged by its own path. A root reached by a link has two spellings."""
    for root in roots:
        asked = Path(os.path.normpath(root / path))
        if asked == root:
            raise InvalidInput(f"{path!r} is the root itself", "Name a file or a folder below it.")
        if asked.is_relative_to(root):
            return asked.relative_to(root).as_posix()
    raise Denied(f"{path} lies outside of {roots[0]}", "Name a path inside the project.")


def _unreadable(error: OSError) -> Refusal:
    return Refusal(RefusalReason.UNREADABLE, error.strerror or str(error))


def _storable(path: str) -> str:
    """A name that is not UTF-8 is reported with its bytes spelled out, one with a secret in it without the secret."""
    return without_tokens(path.encode("utf-8", "backslashreplace")).decode()


def _size_warnings(files: tuple[FoundFile, ...], indexing: Indexing) -> Iterator[str]:
    limit = indexing.warn_file_size_mb
    for file in files:
        if file.size > limit * MEGABYTE:
            yield f"{file.path} has {file.size / MEGABYTE:.1f} MB; indexing.warn_file_size_mb is {limit:g}"
    if len(files) > MANY_FILES:
        yield f"the project has {len(files)} files: narrow watcher.watch_paths, or expect the first run to take long"
