"""The numbers of files and of their versions, given out by the one run that writes: a file keeps its own for life."""

from collections.abc import Iterator
from functools import cached_property
from itertools import count
from typing import NamedTuple

from clew.store.files import Files, Known


class Numbers(NamedTuple):
    """A file's number, the number of its next version, and the time that this one must begin after."""

    file: int
    version: int
    after: int


class Numbering:
    def __init__(self, files: Files) -> None:
        self._files = files

    def next(self, path: str, known: Known | None) -> Numbers:
        """For a path, and what is known of it now."""
        if known is not None:
            return Numbers(known.file, known.version + 1, known.valid_from)
        file = self._given.get(path)
        if file is None:
            file = self._given[path] = next(self._free)
            return Numbers(file, 1, 0)
        version, after = self._files.follows(file)
        return Numbers(file, version + 1, after)

    @cached_property
    def _given(self) -> dict[str, int]:
        """Asked for only where a path is new."""
        return {path: file for file, path in self._files.paths().items()}

    @cached_property
    def _free(self) -> Iterator[int]:
        return count(max(self._given.values(), default=0) + 1)
