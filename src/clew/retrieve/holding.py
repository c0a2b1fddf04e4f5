"""Files that hits lie in, at hand: unpacked as far as anybody asks, and kept from question to question."""

from functools import lru_cache

from clew.store.files import Files, Held

FILES_KEPT = 1024  # packed, some 17 kB each
TEXTS_KEPT = 64  # unpacked: what one question opens for several reasons


class Opened:
    """A file that hits lie in, and its text as indexed, as far as anybody asked for."""

    def __init__(self, held: Held) -> None:
        self.held = held
        self._text = b""

    def text(self, end: int) -> bytes:
        """At least up to there."""
        text = self._text
        if len(text) < end:
            text = self._text = self.held.opening(max(end, 2 * len(text)))  # soon more of it will be asked for
        return text


class Holder:
    """Versions of files that hits lie in; those of the last questions are at hand, by path and digest."""

    def __init__(self, files: Files) -> None:
        self.holding = lru_cache(maxsize=FILES_KEPT)(files.holding)
        self.opened = lru_cache(maxsize=TEXTS_KEPT)(self._open)

    def _open(self, path: str, digest: bytes) -> Opened:
        return Opened(self.holding(path, digest))
