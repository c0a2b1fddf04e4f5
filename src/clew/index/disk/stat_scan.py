"""Compares the tree's stats with the store and the last walk: finds files and folders that must be checked."""

import os
import time
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct, field

from clew.index.disk.scan_state import ScanState, stamp_at, stamp_of

AT_ONCE = 256  # stats between two looks at the clock
_BY_STAMP = -1  # a size that no file has: of what is known by its stamp alone


class Doubts(Struct):
    """Entries with different stats. A deleted file has no status; `unchecked` counts entries without a verdict."""

    files: dict[str, os.stat_result | None] = field(default_factory=dict)
    folders: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)  # entries that were left out for what they were
    rules: bool = False  # what decides about files may have changed
    unchecked: int = 0
    unfinished: int = 0  # of these, for want of time

    @property
    def any(self) -> bool:
        return bool(self.files or self.folders or self.others or self.rules)

    @property
    def count(self) -> int:
        return len(self.files) + len(self.folders) + len(self.others) + self.unchecked


def doubts_about(root: Path, paths: Iterable[str]) -> Doubts:
    """Doubt some files for another reason than their stats."""
    doubts = Doubts()
    for path in paths:
        try:
            doubts.files[path] = (root / path).lstat()
        except (FileNotFoundError, NotADirectoryError):
            doubts.files[path] = None
        except OSError:  # closed to us: not gone
            continue
    return doubts


class StatScan:
    """All that is looked at in turn. A sweep that runs out of time ends anywhere, and the next one goes on there."""

    def __init__(self, root: str, seen: ScanState, *, follow_links: bool, start: int) -> None:
        self._top = Path(root)
        self._root = f"{root}/"
        self._look = os.stat if follow_links else os.lstat
        self._folders = len(seen.folders)
        self._files = self._folders + len(seen.files) + len(seen.passed)
        self._entries: list[tuple[str, int, int]] = [
            *((path, _BY_STAMP, stamp) for path, stamp in seen.folders.items()),
            *((path, size, stamp) for path, (size, stamp) in seen.files.items()),
            *((path, size, stamp) for path, (size, stamp) in seen.passed.items()),
            *((path, _BY_STAMP, stamp) for path, stamp in seen.watched.items()),
        ]
        self._rules = {path: source.stamp for path, source in seen.sources.items()}
        if seen.git_index:
            self._rules[seen.git_index] = seen.git_stamp
        self.next = start % max(len(self._entries), 1)

    def scan(self, deadline: float) -> Doubts:
        """Rules are always looked at: there are few, and much hangs on them."""
        doubts = Doubts(rules=any(stamp_at(str(self._top / path)) != stamp for path, stamp in self._rules.items()))
        left = len(self._entries)
        while left and (left == len(self._entries) or time.perf_counter() < deadline):  # at least some, each time
            block = range(self.next, min(self.next + min(AT_ONCE, left), len(self._entries)))
            self._compare(block, doubts)
            left -= len(block)
            self.next = block.stop % len(self._entries)
        doubts.unfinished = left
        doubts.unchecked += left
        return doubts

    def _compare(self, block: range, doubts: Doubts) -> None:
        """The one loop that runs over every file: each step of it costs a large tree milliseconds."""
        root, look, status = self._root, self._look, None
        for i in block:
            path, size, stamp = self._entries[i]
            try:
                status = look(root + path)
            except (FileNotFoundError, NotADirectoryError):
                self._add_doubt(i, None, doubts)
            except OSError:  # closed to us: not gone
                doubts.unchecked += 1
            else:
                if size == _BY_STAMP:
                    if stamp_of(status) != stamp:
                        self._add_doubt(i, status, doubts)
                elif status.st_mtime_ns != stamp or status.st_size != size:
                    self._add_doubt(i, status, doubts)

    def _add_doubt(self, i: int, status: os.stat_result | None, doubts: Doubts) -> None:
        path = self._entries[i][0]
        if i < self._folders:
            doubts.folders.append(path)
        elif i < self._files:
            doubts.files[path] = status
        else:
            doubts.others.append(path)
