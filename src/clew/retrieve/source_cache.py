"""Files that hits lie in, at hand: unpacked as far as anybody asks, and kept from question to question.

`changed_to` compares a file with its indexed state.
"""

import threading
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path

from blake3 import blake3

from clew.runtime.plain import open_plain
from clew.store.files import Files, IndexedFile, Known, changed_ns
from clew.text.encodings import as_utf8


def changed_to(root: Path, path: str, known: Known) -> bytes | None:
    """The current text of a changed file, empty if it is deleted; None if it is unchanged."""
    try:
        status = (root / path).stat()
        if known.is_as_seen(status.st_size, status.st_mtime_ns, changed_ns(status)):
            return None
        with open_plain(root / path) as file:
            content = file.read()
    except OSError:
        return b""
    return None if blake3(content).digest() == known.digest else as_utf8(content)


FILES_KEPT = 1024  # packed, some 17 kB each
TEXTS_KEPT = 64  # unpacked: what one question opens for several reasons


class CachedFile:
    """A file that hits lie in, and its text as indexed, as far as anybody asked for."""

    def __init__(self, held: IndexedFile) -> None:
        self.held = held
        self._text = b""

    def text(self, end: int) -> bytes:
        """At least up to there."""
        text = self._text
        if len(text) < end:
            text = self._text = self.held.first_bytes(max(end, 2 * len(text)))  # soon more of it will be asked for
        return text


class Holder:
    """Versions of files that hits lie in; those of the last questions are at hand, by path and digest."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._kept: dict[tuple[str, bytes], IndexedFile] = {}
        self._lock = threading.Lock()
        self.opened = lru_cache(maxsize=TEXTS_KEPT)(self._open)

    def get(self, path: str, digest: bytes) -> IndexedFile:
        key = path, digest
        held = self._kept.get(key) or self._files.find_text(path, digest)
        self._keep(key, held)
        return held

    def fetch(self, wanted: Collection[tuple[str, bytes]]) -> None:
        """Read missing current files in one query, since a server may be far away."""
        missing = {one for one in wanted if one not in self._kept}
        if len(missing) > 1:
            for held in self._files.holding_now([path for path, _ in missing]):
                self._keep((held.content.path, held.content.text), held)

    def _keep(self, key: tuple[str, bytes], held: IndexedFile) -> None:
        """As the one that was asked for last."""
        with self._lock:
            self._kept.pop(key, None)
            self._kept[key] = held
            if len(self._kept) > FILES_KEPT:
                del self._kept[next(iter(self._kept))]

    def _open(self, path: str, digest: bytes) -> CachedFile:
        return CachedFile(self.get(path, digest))
