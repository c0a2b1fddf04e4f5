"""What a briefing may quote: chunks by node, and whether their files still are as indexed."""

from pathlib import Path

from clew.pack.shelf import Shelf, Standing
from clew.retrieve import excerpt
from clew.retrieve.freshness import changed_to


class Quotes:
    """For one answer: each file is looked at once."""

    def __init__(self, root: Path, shelf: Shelf) -> None:
        self._root = root
        self._shelf = shelf
        self._now: dict[str, bytes | None] = {}

    def of(self, id: str) -> Standing | None:
        """A symbol's own chunk."""
        found = self._shelf.showing(id)
        return found if found and found.symbol == id else None

    def still_stands(self, quoted: Standing) -> bool:
        """Whether the file still has this text, wherever it stands now."""
        now = self._changed(quoted)
        return now is None or excerpt.whole(quoted.unit().source, quoted.chunk).encode() in now

    def is_stale(self, quoted: Standing) -> bool:
        return self._changed(quoted) is not None

    def _changed(self, quoted: Standing) -> bytes | None:
        if quoted.path not in self._now:
            self._now[quoted.path] = changed_to(self._root, quoted.path, quoted.held.known)
        return self._now[quoted.path]
