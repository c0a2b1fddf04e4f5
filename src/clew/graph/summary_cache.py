"""Summaries that a model wrote, by what they are about and its content, in a file beside the snapshots."""

import os
import threading
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import msgspec

from clew.runtime.plain import open_own, read_own

VERSION = 1
_DIGEST = 32


class SummaryCache:
    """Read once, and again when another process has written it. Without a file there are no summaries."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / f"summaries-{VERSION}.msgpack"
        self._lock = threading.Lock()
        self._seen: tuple[int, ...] = ()
        self._kept: dict[str, str] = {}

    def all(self) -> Mapping[str, str]:
        seen: tuple[int, ...] = ()
        with suppress(OSError):
            status = self._path.stat()
            seen = status.st_mtime_ns, status.st_size, status.st_ino
        with self._lock:
            if seen != self._seen:
                self._seen, self._kept = seen, self._load() if seen else {}
            return self._kept

    def add(self, more: Mapping[str, str], wanted: frozenset[str]) -> None:
        """Keep more summaries, at once; those of contents that are no longer `wanted` are dropped."""
        kept = {key: text for key, text in {**self.all(), **more}.items() if key in wanted}
        data = msgspec.msgpack.encode(dict(sorted(kept.items())))
        part = self._path.with_suffix(f".{os.getpid()}")
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with open_own(part, "wb") as file:
            file.write(sha256(data).digest() + data)
        part.replace(self._path)

    def _load(self) -> dict[str, str]:
        with suppress(OSError, msgspec.MsgspecError):
            data = read_own(self._path)
            if sha256(data[_DIGEST:]).digest() == data[:_DIGEST]:
                return msgspec.msgpack.decode(data[_DIGEST:], type=dict[str, str])
        return {}
