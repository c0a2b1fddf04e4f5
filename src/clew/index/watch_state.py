"""The state of the watcher of a working tree, in a small file that every process can read, and its lock.

The lock is the operating system's: it ends with the process that holds it, however that ends. Nothing is written to the
database.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO

import msgspec
from msgspec import Struct

from clew.runtime.plain import open_as_it_is, open_own, read_own

_FILE, _LOCK = "watcher.json", "watcher.lock"
_MOST_BYTES = 64 * 1024


class WatcherState(StrEnum):
    NOT_STARTED = "not_started"
    IDLE = "idle"
    DETECTING = "detecting"  # the first change was seen
    DEBOUNCING = "debouncing"  # more changes came; waiting until they stop
    REBUILDING = "rebuilding"


class WatchEvent(Struct, frozen=True, omit_defaults=True):
    """One update of the index: when it ended, how many changed paths were seen, and how many files were indexed."""

    at: str
    changes: int
    indexed: int
    ms: int
    paths: tuple[str, ...] = ()  # the first few


class WatchStatus(Struct, frozen=True):
    """`mode` is native or polling; `reason` says why it is polling."""

    state: WatcherState = WatcherState.NOT_STARTED
    pending: int = 0
    mode: str = "native"
    reason: str = ""
    process: int = 0
    events: tuple[WatchEvent, ...] = ()


def read(folder: Path) -> WatchStatus:
    """The state as its watcher last wrote it; not started if no process holds the lock."""
    try:
        status = msgspec.json.decode(read_own(folder / _FILE, _MOST_BYTES), type=WatchStatus)
    except (OSError, msgspec.MsgspecError):
        return WatchStatus()
    if not is_watched(folder):
        return WatchStatus(events=status.events)
    return status


def write(folder: Path, status: WatchStatus) -> None:
    part = folder / f"{_FILE}.{os.getpid()}.part"
    with suppress(OSError):  # a full disk: who asks sees the last state
        with open_own(part, "wb") as file:
            file.write(msgspec.json.encode(status))
        part.replace(folder / _FILE)


def is_watched(folder: Path) -> bool:
    """Whether a process watches this tree."""
    if not (folder / _LOCK).exists():
        return False
    with try_lock(folder) as taken:
        return not taken


@contextmanager
def try_lock(folder: Path) -> Iterator[bool]:
    """The right to watch a tree; False while another process has it."""
    folder.mkdir(parents=True, exist_ok=True)
    with open_as_it_is(folder / _LOCK, "ab") as file:
        yield _lock(file)


def _lock(file: BinaryIO) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
