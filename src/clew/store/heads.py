"""Which snapshot this host made last of a checkout: a small file beside the snapshots, replaced as a whole."""

import os
import shutil
from pathlib import Path

import msgspec
from msgspec import Struct

from clew.runtime.plain import open_own, read_own
from clew.store import sealing
from clew.store.checkouts import CheckoutState
from clew.store.database import Where
from clew.store.postings import MADE

_FILE = f"head-{MADE}.json"  # those of another release have their own: none takes the other's away
_MOST_BYTES = 64 * 1024
SUFFIX = ".snapshot"

# A snapshot is made anew when more files than this are laid over it: then laying them over, query by query, costs
# more than the snapshot.
MOST_LAID_OVER = 64
SHARE_LAID_OVER = 0.05


class Head(Struct, frozen=True):
    """A snapshot's name; the stamp it was made at, when nothing need be laid over it; the files changed by then."""

    name: str = ""
    stamp: str = ""
    changed: int = 0

    def laid_over(self, changed: int, began: int) -> int:
        """How many files have changed since, at most; everything, if there is no snapshot.

        One that was made while a run is under way, which `began` at so many, may lack the links of all that it read.
        """
        return changed - min(self.changed, began) if self.name and self.changed <= changed else changed


def folder(snapshots: Path, where: Where) -> Path:
    """Each checkout has its own, and sweeps its own."""
    return snapshots / f"{where.project}.{where.checkout}"


def read(directory: Path) -> Head:
    """The head; an empty one if there is none of snapshots as they are made today."""
    try:
        return msgspec.json.decode(read_own(directory / _FILE, _MOST_BYTES), type=Head)
    except (OSError, msgspec.MsgspecError):
        return Head()


def mark(file: Path) -> tuple[int, ...]:
    """A value that changes with every change of a file and cannot be reset; empty if the file does not exist."""
    try:
        stat = file.stat()
    except OSError:
        return ()
    return stat.st_ino, stat.st_size, stat.st_ctime_ns if os.name == "posix" else stat.st_mtime_ns


def is_crowded(directory: Path, state: CheckoutState, files: int, began: int | None = None) -> bool:
    """Whether so many files have changed since the last snapshot, of those there are, that a new one is due."""
    head = read(directory)
    if head.name and head.stamp == state.stamp:
        return False
    laid = head.laid_over(state.changed, state.changed if began is None else began)
    return not head.name or laid > max(MOST_LAID_OVER, SHARE_LAID_OVER * files)


def is_due(directory: Path, state: CheckoutState, files: int, began: int) -> bool:
    """Whether a new one is to be made: there is none, it is crowded, or it is not as it was written."""
    file = directory / f"{read(directory).name}{SUFFIX}"
    return is_crowded(directory, state, files, began) or not sealing.is_whole(file)


def share(source: Path, target: Path) -> None:
    """Give a copy of a checkout the snapshot of the original; or none, if that fails."""
    head = read(source)
    if not head.name:
        return
    try:
        target.mkdir(parents=True, exist_ok=True)
        file = f"{head.name}{SUFFIX}"
        _link_or_copy(source / file, target / file)
        write(target, head)
    except OSError:
        shutil.rmtree(target, ignore_errors=True)


def _link_or_copy(source: Path, target: Path) -> None:
    """Snapshots are never changed, so that two names of one file take no more room."""
    try:
        os.link(source, target)
    except OSError:  # another disk, or one without links
        shutil.copyfile(source, target)


def write(directory: Path, head: Head) -> None:
    part = directory / f"{_FILE}.{os.getpid()}.part"
    try:
        with open_own(part, "wb") as file:
            file.write(msgspec.json.encode(head))
        part.replace(directory / _FILE)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
