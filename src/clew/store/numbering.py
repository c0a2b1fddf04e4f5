"""The numbers of files and of their versions, given out by the one run that writes: a file keeps its own for life."""

from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

from clew.store.files import Files, Known


class Numbers(NamedTuple):
    """A file's number, the number of its next version, and the time that this one must begin after."""

    file: int
    version: int
    after: int


class FileNumbering:
    """Assigns file numbers. It avoids `cached_property`: its lock is shared by all objects before Python 3.12."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._given: dict[str, int] | None = None  # asked for only where a path is new
        self._free: Iterator[int] = count(1)

    def next(self, path: str, known: Known | None) -> Numbers:
        """The numbers of the next version of a path, given its known state."""
        if known is not None:
            return Numbers(known.file, known.version + 1, known.valid_from)
        given = self._numbers()
        file = given.get(path)
        if file is None:
            file = given[path] = next(self._free)
            return Numbers(file, 1, 0)
        version, after = self._files.follows(file)
        return Numbers(file, version + 1, after)

    def _numbers(self) -> dict[str, int]:
        if self._given is None:
            self._given = {path: file for file, path in self._files.paths().items()}
            self._free = count(max(self._given.values(), default=0) + 1)
        return self._given
