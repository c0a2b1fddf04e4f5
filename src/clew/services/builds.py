"""The counts of the last build of the service graph, kept for a time so that a caller may ask for them again."""

import os
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from clew.runtime.plain import open_own, read_own

RECENT_SECONDS = 300
FILE = "services-build.json"


class GraphBuild(Struct, frozen=True):
    """`built_at` is in microseconds since the epoch."""

    node_count: int
    edge_count: int
    node_types: dict[str, int]
    edge_types: dict[str, int]
    community_count: int
    build_time_ms: int
    services_indexed: tuple[str, ...]
    errors: tuple[str, ...]
    built_at: int


class GraphBuilds:
    """The last build of one checkout; without a folder, none is kept."""

    def __init__(self, folder: Path | None) -> None:
        self._path = folder / FILE if folder is not None else None

    def recent(self, now: int) -> GraphBuild | None:
        """The last build, unless it is older than `RECENT_SECONDS`."""
        if self._path is None:
            return None
        with suppress(OSError, msgspec.MsgspecError):
            found = msgspec.json.decode(read_own(self._path), type=GraphBuild)
            return found if 0 <= now - found.built_at < RECENT_SECONDS * 1_000_000 else None
        return None

    def keep(self, build: GraphBuild) -> None:
        """Where it cannot be written, the next question builds again."""
        if self._path is None:
            return
        waiting = self._path.with_suffix(f".{os.getpid()}")
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with open_own(waiting, "wb") as file:
                file.write(msgspec.json.encode(build))
            waiting.replace(self._path)
