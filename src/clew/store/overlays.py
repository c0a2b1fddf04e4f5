"""The latest overlay of a snapshot, in a file beside it: a cold start need not compute the changes again."""

from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from clew.store.arrays import Array, map_checked, write_passing
from clew.store.postings import is_made_alike
from clew.store.snapshot import Postings

SUFFIX = ".over"
MOST_BYTES = 2_000_000  # of one: more than that is made into a snapshot soon

_HOLDS = "holds"


class Overlay(Struct, frozen=True, eq=False):
    """Which files of the snapshot still hold, and the postings of those that came since."""

    holds: Array
    postings: Postings


def read(directory: Path, snapshot: str, stamp: str) -> Overlay | None:
    """The overlay of a snapshot at a stamp; None if it is not stored."""
    try:
        arrays = map_checked(_file(directory, snapshot, stamp))
        return Overlay(arrays[_HOLDS], Postings(arrays)) if arrays else None
    except KeyError:
        return None


def keep(directory: Path, snapshot: str, stamp: str, holds: Array, arrays: dict[str, Array]) -> None:
    """In place of any other. Where it cannot be kept, it is made anew each time."""
    if sum(array.nbytes for array in arrays.values()) > MOST_BYTES:
        return
    target = _file(directory, snapshot, stamp)
    with suppress(OSError):
        write_passing(target, {**arrays, _HOLDS: holds})
    for other in directory.glob(f"*{SUFFIX}"):
        if other != target and is_made_alike(other.name):
            with suppress(OSError):  # another process was as quick, or has it open where that forbids removing
                other.unlink()


def _file(directory: Path, snapshot: str, stamp: str) -> Path:
    return directory / f"{snapshot}+{stamp}{SUFFIX}"
