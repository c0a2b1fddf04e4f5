"""Differences between commits, kept in files: two trees always differ in the same way."""

import os
from contextlib import suppress
from pathlib import Path

from blake3 import blake3

from clew.history.differ import Difference
from clew.history.trees import CommitTree
from clew.model.errors import StoreCorrupt
from clew.runtime.plain import open_own, read_own
from clew.store.packing import pack, unpack

FOLDER = "diffs"
MOST_KEPT = 50  # the last used
_MADE = "differences-3"  # how they are made; others are not read


class KeptDifferences:
    """The computed differences of one project, under the rules by which its files are read."""

    def __init__(self, above: Path, rules: bytes, *, writable: bool) -> None:
        self._folder = above / FOLDER
        self._rules = rules
        self._writable = writable

    def get(self, old: CommitTree, new: CommitTree) -> Difference | None:
        file = self._file(old, new)
        with suppress(OSError, StoreCorrupt):
            found = unpack(read_own(file), Difference)
            with suppress(OSError):
                os.utime(file)
            return found
        return None

    def put(self, old: CommitTree, new: CommitTree, found: Difference) -> None:
        """Keep it, if that is possible; the least used go."""
        if not self._writable:
            return
        file = self._file(old, new)
        with suppress(OSError, UnicodeEncodeError):  # a name that is no UTF-8 cannot be kept
            packed = pack(found)
            self._folder.mkdir(exist_ok=True)
            partial = file.with_suffix(f".{os.getpid()}")
            with open_own(partial, "wb") as written:
                written.write(packed)
            partial.replace(file)
            kept = sorted(self._folder.iterdir(), key=lambda one: -one.stat().st_mtime)
            for one in kept[MOST_KEPT:]:
                one.unlink()

    def _file(self, old: CommitTree, new: CommitTree) -> Path:
        told = f"{_MADE}\0{old.identity()}\0{new.identity()}\0".encode() + self._rules
        return self._folder / f"{blake3(told).hexdigest()[:32]}.diff"
