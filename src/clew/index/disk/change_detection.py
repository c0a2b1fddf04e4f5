"""From doubtful stats to changes: contents are compared, folders listed again, new entries checked."""

import os
import stat
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from blake3 import blake3
from msgspec import structs

from clew.index.disk.binary import HEAD_BYTES, binary_reason
from clew.index.disk.boundary import MEGABYTE, BoundaryFolder
from clew.index.disk.scan import FoundFile, Scan, WalkNotes, find_folder, list_folder, state_after_walk, walk
from clew.index.disk.scan_state import (
    MISSING,
    Doubts,
    PatternSource,
    ScanState,
    folder_of,
    listed_at,
    proven_stamp,
    source_at,
    stamp_at,
    stat_if_unreadable,
)
from clew.index.disk.survey import Survey, folders_of, survey
from clew.index.history import git
from clew.index.working_tree import WorkingTree
from clew.model.errors import Denied
from clew.runtime.plain import open_plain
from clew.store.files import RACY_NS, Known, changed_ns

Covers = Callable[[str], bool]  # whether a walk would have met a path, were it there

_GIT, _GITIGNORE = ".git", ".gitignore"


@dataclass(frozen=True, slots=True)
class RunPart:
    """The paths that a run is limited to, and those of them that were found."""

    only: frozenset[str]
    scan: Scan


@dataclass(frozen=True, slots=True)
class UnchangedFile:
    """A file that is as it was, and its stat now."""

    path: str
    known: Known
    size: int
    mtime_ns: int
    checked_ns: int


@dataclass(frozen=True, slots=True)
class ChangeReport:
    """The result of checking the doubts. If `late`, some were not checked in time; if not `whole`, a required walk
    was not done."""

    part: RunPart
    settled: tuple[UnchangedFile, ...]
    unchecked: int
    late: bool
    whole: bool


def detect_changes(
    tree: WorkingTree, known: Mapping[str, Known], seen: ScanState, doubts: Doubts, deadline: float
) -> ChangeReport:
    now = structs.replace(seen, files=dict(seen.files), folders=dict(seen.folders), passed=dict(seen.passed))
    looker = _ChangeDetector(tree, known, now, deadline)
    looker.files(doubts.files)
    for folder in doubts.folders:
        looker.list_again(folder)
    looker.flat.update(folder_of(path) for path in doubts.others)
    if doubts.rules:
        looker.rules()
    whole = looker.judge() if looker.flat or looker.deep else True
    found = tuple(sorted(looker.found.values()))
    part = RunPart(frozenset(looker.only), Scan(found, (), (), (), looker.now if whole else seen))
    return ChangeReport(
        part, tuple(looker.settled), doubts.unchecked + looker.unchecked, looker.late or not whole, whole
    )


@dataclass(slots=True)
class _ChangeDetector:
    tree: WorkingTree
    known: Mapping[str, Known]
    now: ScanState  # its files, its folders and what was passed are ours to change
    deadline: float
    found: dict[str, FoundFile] = field(default_factory=dict)
    only: set[str] = field(default_factory=set)
    settled: list[UnchangedFile] = field(default_factory=list)
    unchecked: int = 0
    late: bool = False
    flat: set[str] = field(default_factory=set)  # folders whose own entries must be judged again
    deep: set[str] = field(default_factory=set)  # those to walk into
    straight: dict[str, bool] = field(default_factory=dict)  # whether no link leads to a folder

    def files(self, doubted: Mapping[str, os.stat_result | None]) -> None:
        most = self.tree.config.indexing.max_file_size_mb * MEGABYTE
        for path, status in doubted.items():
            if status is None:
                self._forget_path(path)
            elif not stat.S_ISREG(status.st_mode) or status.st_size > most or self._is_linked(path):
                self.flat.add(folder_of(path))
            else:
                self._compare(FoundFile(path, status.st_size, status.st_mtime_ns, changed_ns(status)))

    def list_again(self, folder: str) -> None:
        """By name alone: only new entries need the boundary."""
        if time.perf_counter() > self.deadline:
            self.unchecked += 1
            self.late = True
            return
        absolute = self._absolute(folder)
        try:
            stamp = listed_at(absolute)
            with os.scandir(absolute) as listing:
                entries = {
                    f"{folder}{one.name}{'/' if one.is_dir(follow_symlinks=False) else ''}": one for one in listing
                }
            self._look_behind(entries)
        except (FileNotFoundError, NotADirectoryError):
            self.now.folders.pop(folder)
            return
        except OSError:
            self.unchecked += 1
            return
        keys = entries.keys()
        strange = {key for key in keys if not self._is_met(key)}
        if f"{folder}{_GITIGNORE}" in keys and f"{folder}{_GITIGNORE}" not in self.now.sources:
            self.deep.add(folder)
        elif any(key.removesuffix("/") == f"{folder}{_GIT}" for key in strange):  # a repository of its own, from now on
            self.deep.add(folder_of(folder))
        elif strange:
            self.flat.add(folder)
        self.now.folders[folder] = stamp

    def _look_behind(self, entries: "Mapping[str, os.DirEntry[str]]") -> None:
        """Files of the same size and time that were moved to the places of others, and links that were put there."""
        statuses = {path: entries[path].stat(follow_symlinks=False) for path in entries.keys() & self.known.keys()}
        behind = {path: one for path, one in statuses.items() if changed_ns(one) > self.known[path].checked_ns}
        for path in behind:
            self.now.files.pop(path, None)
        self.files(behind)

    def rules(self) -> None:
        """Where patterns or git's tracked files changed, everything below is checked again."""
        seen = self.now
        sources = {path: self._source(path, source) for path, source in seen.sources.items()}
        looked = time.time_ns()
        stamp = stamp_at(seen.git_index) if seen.git_index else MISSING
        if stamp != seen.git_stamp:
            self._replace(git_stamp=proven_stamp(stamp, looked), tracked=self._check_tracked_files(seen.tracked))
        if sources != seen.sources:
            self._replace(sources=sources)

    def judge(self) -> bool:
        """Ask the boundary; False if there was no time to."""
        config = self.tree.config
        looked = time.time_ns()
        surveyed = survey(self.tree.root, config.watcher, config.indexing, config.storage.db_path)
        deep = _topmost(self.deep)
        flat = sorted(one for one in self.flat if not one.startswith(tuple(deep)))
        for folder, judge in [*((one, self._walk_into) for one in deep), *((one, self._list) for one in flat)]:
            try:
                top = find_folder(surveyed.boundary, folder)
                notes = WalkNotes()
                covers = judge(surveyed, folder, top, notes)
            except (Denied, OSError):  # closed to us: not gone
                self.unchecked += 1
                continue
            if covers is None:
                self.unchecked += 1
                return False
            self._merge_walk(surveyed, notes, looked, covers)
        return True

    def _walk_into(self, surveyed: Survey, folder: str, top: BoundaryFolder | None, notes: WalkNotes) -> Covers | None:
        waiting = [top] if top else []
        walk(surveyed.boundary, waiting, notes, self.deadline)
        return None if waiting else lambda path: path.startswith(folder)

    def _list(self, surveyed: Survey, folder: str, top: BoundaryFolder | None, notes: WalkNotes) -> Covers | None:
        """The entries of one folder, and all that is below those that are new, or no longer belong."""
        if top is None:
            return lambda path: path.startswith(folder)
        inner = list_folder(surveyed.boundary, top, notes)
        walked = {path for path in self.now.folders if path and folder_of(path) == folder}
        waiting = [one for one in inner if one.path not in walked]
        others = tuple(walked.symmetric_difference(one.path for one in inner))
        walk(surveyed.boundary, waiting, notes, self.deadline)
        if waiting or time.perf_counter() > self.deadline:
            return None
        return lambda path: path.startswith(others) or (path not in walked and path != "" and folder_of(path) == folder)

    def _merge_walk(self, surveyed: Survey, notes: WalkNotes, looked: int, covers: Covers) -> None:
        """Covered paths that were not met again are deleted, unless their folder could not be read."""
        seen = self.now
        lost = ("",) if surveyed.lacks_git else tuple(notes.unreadable)
        here = {one.path for one in notes.files}
        for path in [*self.known, *seen.passed]:
            if covers(path) and path not in here and not path.startswith(lost):
                self._forget_path(path)
        for one in notes.files:
            self._compare(one)
        seen = self.now
        kept = structs.replace(
            seen,
            folders={path: stamp for path, stamp in seen.folders.items() if not covers(path)},
            skipped=frozenset(path for path in seen.skipped if not covers(path)),
            unread=frozenset(path for path in seen.unread if not covers(path)),
            watched={path: stamp for path, stamp in seen.watched.items() if not covers(path)},
            sources={path: source for path, source in seen.sources.items() if _is_outside(path) or not covers(path)},
        )
        self.now = state_after_walk(kept, surveyed, notes, looked)

    def _compare(self, found: FoundFile) -> None:
        seen = self.now
        if (found.size, found.mtime_ns) in (seen.files.get(found.path), seen.passed.get(found.path)):
            return
        known, checked = self.known.get(found.path), time.time_ns()
        if known and known.size == found.size:
            if time.perf_counter() > self.deadline:
                self.unchecked += 1
                return
            if self._digest(found.path) == known.digest:
                self._settle(UnchangedFile(found.path, known, found.size, found.mtime_ns, checked))
                return
        if known is None and self._is_binary(found.path):  # as it was, or new: there is nothing to index
            self.now.passed[found.path] = stat_if_unreadable(found.size, found.mtime_ns, checked)
            return
        self.found[found.path] = found
        self.only.add(found.path)

    def _settle(self, checked: UnchangedFile) -> None:
        """Worth writing down if the next sweep will then believe the stat."""
        if checked.checked_ns - checked.mtime_ns > RACY_NS:
            self.settled.append(checked)

    def _forget_path(self, path: str) -> None:
        self.found.pop(path, None)
        if path in self.known:
            self.only.add(path)
        self.now.passed.pop(path, None)
        if path in self.now.unread:
            self._replace(unread=self.now.unread - {path}, failed=self.now.failed - {path})

    def _is_met(self, key: str) -> bool:
        seen = self.now
        return any(key in met for met in (self.known, seen.folders, seen.skipped, seen.passed, seen.watched))

    def _source(self, path: str, source: PatternSource) -> PatternSource:
        absolute = path if _is_outside(path) else self._absolute(path)
        looked = time.time_ns()
        if stamp_at(absolute) == source.stamp:
            return source
        now = source_at(absolute, looked)
        if not now.digest or now.digest != source.digest:
            self.deep.add("" if _is_outside(path) else folder_of(path))
        return now

    def _check_tracked_files(self, before: bytes) -> bytes:
        listing = git.list_tracked(self.tree.root)
        if listing is None or listing == before:
            return before
        was, now = frozenset(git.paths_in(before)), frozenset(git.paths_in(listing))
        self.flat.update(folder_of(path) for path in was ^ now if not (path in self.known and path in now))
        self.deep.update(f"{folder}/" for folder in folders_of(was) ^ folders_of(now))
        return listing

    def _digest(self, path: str) -> bytes:
        try:
            with open_plain(self._absolute(path)) as opened:
                return blake3(opened.read()).digest()
        except OSError:
            return b""

    def _is_binary(self, path: str) -> bool:
        """By its first bytes, as a run would find; where there is no time to look, that is left to one."""
        if time.perf_counter() > self.deadline:
            return False
        try:
            with open_plain(self._absolute(path)) as opened:
                return binary_reason(opened.read(HEAD_BYTES), path, self.tree.config.indexing) is not None
        except OSError:
            return False

    def _is_linked(self, path: str) -> bool:
        """Whether a symbolic link leads to it: then only the boundary decides whether it may be read."""
        folder = folder_of(path)
        if folder not in self.straight:
            inside = os.path.relpath(os.path.realpath(self._absolute(folder)), os.path.realpath(self.tree.root))
            self.straight[folder] = inside == (os.path.normpath(folder) if folder else os.curdir)
        if not self.straight[folder]:
            return True
        return self.tree.config.indexing.follow_symlinks and Path(self._absolute(path)).is_symlink()  # else by its stat

    def _absolute(self, path: str) -> str:
        return f"{self.tree.root}/{path}"

    def _replace(self, **changes: object) -> None:
        self.now = structs.replace(self.now, **changes)


def _is_outside(source: str) -> bool:
    """Whether a source of patterns is none of the tree's own `.gitignore` files: it holds for all of it."""
    return Path(source).is_absolute()


def _topmost(folders: set[str]) -> list[str]:
    return sorted(one for one in folders if not any(one != other and one.startswith(other) for other in folders))
