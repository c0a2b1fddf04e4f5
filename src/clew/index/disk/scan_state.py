"""The state of the last walk of a tree, kept beside the snapshots: stats alone then show where to look again.

A folder with the same time stamp has the same entries; each of them is indexed, was unreadable, or is excluded.
"""

import os
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec
from blake3 import blake3
from msgspec import Struct, field

from clew.runtime.plain import open_own, open_plain, read_own
from clew.store.files import RACY_NS, Known

UNPROVEN = -1  # a stamp that equals none: what has it is looked at again
MISSING = 0  # the stamp of what is not there
TICK_NS = 20_000_000  # by which the clock that stamps files may lag behind ours

_FILE = "seen"
_DIGEST = 32  # bytes, before what they are of


Stat = tuple[int, int]  # of a file: its size, and its time stamp if that proves its content


class PatternSource(Struct, frozen=True, array_like=True):
    """A file of patterns: its stamp, and the digest of its content, which decides if the stamp differs."""

    stamp: int
    digest: bytes


class ScanState(Struct, frozen=True, array_like=True):
    """Paths are relative to the root; a folder's ends in a slash, the root's own is empty."""

    transaction: str = ""  # of the run that stored what was found; a store that lacks it knows nothing of this walk
    stamp: str = ""  # of the store, when `files` was what it knew
    boundary: bytes = b""  # where the tree lies, and what of the configuration draws its boundary
    files: dict[str, Stat] = {}  # those that are indexed
    folders: dict[str, int] = {}  # those that were listed, with their stamps
    passed: dict[str, Stat] = {}  # read in vain
    skipped: frozenset[str] = frozenset()  # left out for their names
    watched: dict[str, int] = {}  # left out for what they are, which may change: their stamps
    sources: dict[str, PatternSource] = {}
    git_index: str = ""  # git's own record of what it tracks; empty where there is none
    git_stamp: int = MISSING
    tracked: bytes = b""  # what it tracked, as git lists it
    unread: frozenset[str] = frozenset()  # what may be text and was not read, and repositories inside of the tree
    binary: dict[str, int] = {}  # of what was read in vain: when it was seen to be no text
    failed: frozenset[str] = frozenset()  # of what was not read, the files that an error kept from being read

    def is_binary(self, path: str, size: int, mtime_ns: int, changed_ns: int) -> bool:
        """Whether a file is still the one that was seen to be no text."""
        is_same = self.passed.get(path) == (size, mtime_ns)
        return is_same and 0 < changed_ns < self.binary.get(path, 0) - RACY_NS


def folder_of(path: str) -> str:
    """The folder of a file or folder; it ends in a slash, the root's is empty."""
    return path[: path.rfind("/", 0, -1) + 1]


def stamp_of(status: os.stat_result) -> int:
    """Moves with every change of a folder's entries or of an entry's kind, and nobody can set it back."""
    return status.st_ctime_ns if os.name == "posix" else status.st_mtime_ns


def proven_stamp(stamp: int, looked_ns: int) -> int:
    """A stamp, if the file cannot have changed since then within the same tick of the clock."""
    return stamp if looked_ns - stamp > RACY_NS else UNPROVEN


def listed_at(folder: str) -> int:
    """The stamp of a folder that is about to be listed."""
    looked = time.time_ns()
    return proven_stamp(stamp_of(os.stat(folder)), looked)  # noqa: PTH116 - of every folder of a tree


def stamp_at(path: str) -> int:
    try:
        return stamp_of(os.lstat(path))
    except OSError:
        return MISSING


def source_at(path: str, looked_ns: int) -> PatternSource:
    """The state of a pattern file at `looked_ns`; unproven if it was written after that."""
    try:
        stamp = stamp_of(os.lstat(path))
        with open_plain(path) as file:
            digest = blake3(file.read()).digest()
    except OSError:
        return PatternSource(MISSING, b"")
    return PatternSource(proven_stamp(stamp, looked_ns), digest if stamp < looked_ns - TICK_NS else b"")


def as_known(known: Known) -> Stat:
    return as_read(known.size, known.mtime_ns, known.checked_ns)


def as_read(size: int, mtime_ns: int, checked_ns: int) -> Stat:
    return size, mtime_ns if checked_ns - mtime_ns > RACY_NS else UNPROVEN


def stat_if_unreadable(size: int, mtime_ns: int, looked_ns: int) -> Stat:
    """The stat of a file that was read in vain, as far as it proves that this would be so again."""
    return size, UNPROVEN if 0 <= looked_ns - mtime_ns <= RACY_NS else mtime_ns


def read_state(directory: Path) -> ScanState | None:
    """The last stored state; None if there is none, or it has another format or is damaged."""
    try:
        kept = read_own(directory / _FILE)
        digest, packed = kept[:_DIGEST], memoryview(kept)[_DIGEST:]
        return msgspec.msgpack.decode(packed, type=ScanState) if blake3(packed).digest() == digest else None
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def state_mark(directory: Path) -> tuple[int, int]:
    """Another one as soon as anybody keeps something newer."""
    try:
        status = (directory / _FILE).stat()
        return status.st_mtime_ns, status.st_ino
    except OSError:
        return 0, 0


def write_state(directory: Path, seen: ScanState) -> None:
    """Replaced as a whole. Where it cannot be kept, the next process walks the tree again."""
    part = directory / f"{_FILE}.{os.getpid()}.part"
    try:
        with suppress(OSError):
            directory.mkdir(parents=True, exist_ok=True)
            packed = msgspec.msgpack.encode(seen)
            with open_own(part, "wb") as file:
                file.write(blake3(packed).digest() + packed)
            part.replace(directory / _FILE)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


# Compares the tree's stats with the store and the last walk: finds files and folders that must be checked.

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
