"""Keeps the communities of a checkout: in memory while the graph is the same, and in a file beside the snapshots."""

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct

from clew.graph.communities import Community, Membership, describe, find_memberships, refresh_memberships
from clew.graph.file_graph import FileGraph, file_graph_of
from clew.graph.full_graph import FullGraph
from clew.model.code import SCOPE, split_id
from clew.model.words import CLASSES, Kind
from clew.runtime.plain import open_own, read_own

VERSION = 2  # raised when communities are found in another way
_DIGEST = 32
_NAMED = (*CLASSES, Kind.FUNCTION)


class Communities(Struct, frozen=True, eq=False):
    """The communities of a graph, and which ones each file belongs to, the outermost first."""

    graph: FileGraph
    all: tuple[Community, ...]
    membership: Membership
    by_number: Mapping[int, Community]

    def of(self, path: str, level: int = 0) -> Community | None:
        """The community of a file at a level, or the innermost one above it; None for a file without ties."""
        numbers = self.membership.of.get(path, ())
        return self.by_number[numbers[min(level, len(numbers) - 1)]] if numbers else None

    def at(self, level: int) -> list[Community]:
        return [one for one in self.all if one.level == level]


class CommunityKeeper:
    """`folder` is where the communities found after the last full rebuild are kept; without one, each process finds
    its own. Those of the current graph follow from them."""

    def __init__(self, folder: Path | None, graph: Callable[[], FullGraph], last_full: Callable[[], str]) -> None:
        self._folder = folder
        self._graph = graph
        self._last_full = last_full
        self._lock = threading.Lock()
        self._base: Membership | None = None
        self._kept: tuple[FileGraph, Communities] | None = None

    def current(self) -> Communities:
        whole = self._graph()
        graph = file_graph_of(whole)
        with self._lock:
            if self._kept is None or self._kept[0] is not graph:
                membership = refresh_memberships(graph, self._find_base(graph))
                found = describe(graph, membership, names_in(whole))
                self._kept = graph, Communities(graph, found, membership, {one.number: one for one in found})
            return self._kept[1]

    def _find_base(self, graph: FileGraph) -> Membership:
        made_by = self._last_full()
        for known in (self._base, self._load()):
            if known is not None and known.made_by == made_by:
                self._base = known
                return known
        self._base = found = find_memberships(graph, made_by)
        self._save(found)
        return found

    @property
    def _path(self) -> Path | None:
        return self._folder / f"communities-{VERSION}.msgpack" if self._folder is not None else None

    def _load(self) -> Membership | None:
        if self._path is None:
            return None
        with suppress(OSError, msgspec.MsgspecError):
            data = read_own(self._path)
            if sha256(data[_DIGEST:]).digest() == data[:_DIGEST]:
                return msgspec.msgpack.decode(data[_DIGEST:], type=Membership)
        return None

    def _save(self, membership: Membership) -> None:
        """Where it cannot be written, the next process finds them again."""
        if self._path is None:
            return
        data = msgspec.msgpack.encode(membership)
        part = self._path.with_suffix(f".{os.getpid()}")
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with open_own(part, "wb") as file:
                file.write(sha256(data).digest() + data)
            part.replace(self._path)


def names_in(whole: FullGraph) -> dict[str, Sequence[str]]:
    """By path, the names of the outermost classes and functions of a file."""
    found: dict[str, list[str]] = {}
    for node_id, kind in zip(whole.ids, whole.kinds, strict=True):
        if kind in _NAMED and node_id.count(SCOPE) == 1:
            path, scope = split_id(node_id)
            found.setdefault(path, []).append(scope)
    return dict(found)
