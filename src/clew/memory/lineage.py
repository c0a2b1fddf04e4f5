"""Where symbols and files went that are gone: followed from change to change through the record of a checkout."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from clew.memory.renames import Id, Piece, home, successors
from clew.model.code import Symbol, split_id, symbol_id
from clew.model.words import NAMELESS, Kind
from clew.store.files import Files
from clew.store.graph import Nodes, Turned

MOST_HOPS = 32  # renames of one thing, one after the other
MOST_FILES = 200  # of one index run; in more than that, only a symbol's own file is searched
TURNS_AT_HAND = 64


class _Turn(NamedTuple):
    """The moves of one index run: of symbols, and of files."""

    symbols: dict[Id, Id]
    files: dict[str, str]


class Lineage:
    """Based on records that the store never changes: the result for a run stays the same."""

    def __init__(self, files: Files, nodes: Nodes) -> None:
        self._files = files
        self._nodes = nodes
        self._turn = lru_cache(TURNS_AT_HAND)(self._find)

    def now(self, id: str) -> str:
        """The current id of a symbol or file that was moved or renamed; empty if it no longer exists."""
        there, seen = id, set[str]()
        while there and there not in seen and len(seen) < MOST_HOPS:
            seen.add(there)
            there = self._next(there)
            if there and self._is_there(there):
                return there
        return ""

    def is_same(self, one: tuple[str, bytes], other: tuple[str, bytes]) -> bool:
        """Whether two symbols, each an id and its digest then, have the same text but for their names."""
        then, now = (self._piece(*split_id(name), digest) for name, digest in (one, other))
        return bool(then and now and then.own == now.own)

    def text(self, id: str, digest: bytes) -> str:
        """Of a symbol in the version that had this digest, all of it; empty if this checkout never had it."""
        piece = self._piece(*split_id(id), digest)
        return piece.text if piece else ""

    def _is_there(self, id: str) -> bool:
        path, scope = split_id(id)
        if not scope:
            return self._files.known_at(path) is not None
        return any(one.current for one in self._nodes.versions(path, scope))

    def _next(self, id: str) -> str:
        path, scope = split_id(id)
        died = self._died(path, scope)
        if not died:
            return ""
        run = self._nodes.run_of_end(path, died - 1)
        turn = self._turn(run, "") if self._nodes.files_of_run(run) <= MOST_FILES else self._turn(run, path)
        if not scope:
            return turn.files.get(path, "")
        there = turn.symbols.get((path, scope))
        return symbol_id(*there) if there else ""

    def _died(self, path: str, scope: str) -> int:
        """The version of its file that it was not in any more; 0 if it is there, or never was."""
        if scope:
            versions = self._nodes.versions(path, scope)
            return versions[-1].died if versions and not versions[-1].current else 0
        history = self._files.history(path)
        return max(one.version for one in history) + 1 if history else 0

    def _find(self, run: int, only: str) -> _Turn:
        turned = [one for one in self._nodes.changed_in_run(run) if not only or one.path == only]
        old, new = list(self._pieces(turned, ended=True)), list(self._pieces(turned, ended=False))
        found = successors(old, new)
        by_file: dict[str, list[Id]] = {}
        for one in old:
            by_file.setdefault(one.id[0], []).append(one.id)
        homes = {path: home(ids, found) for path, ids in by_file.items()}
        return _Turn(found, {path: there for path, there in homes.items() if there and there != path})

    def _pieces(self, turned: Sequence[Turned], *, ended: bool) -> Iterator[Piece]:
        """The symbols that a run removed, as in the version before; or those that it added."""
        by_version: dict[tuple[str, int], set[str]] = {}
        for one in turned:
            if one.ended is ended and one.kind not in NAMELESS:
                by_version.setdefault((one.path, one.version - ended), set()).add(one.scope)
        for (path, version), scopes in by_version.items():
            yield from self._read(path, version, scopes)

    def _piece(self, path: str, scope: str, digest: bytes) -> Piece | None:
        born = [one.born for one in self._nodes.versions(path, scope) if one.digest == digest]
        return next(iter(self._read(path, born[-1], {scope})), None) if born else None

    def _read(self, path: str, version: int, scopes: set[str]) -> Iterator[Piece]:
        for held in self._files.history(path):
            if held.version == version:
                text = self._files.text(held.text)
                symbols = self._files.symbols_in(held.file, version)
                for symbol in symbols:
                    if symbol.scope in scopes:
                        whole = text[symbol.span.start : symbol.span.end].decode("utf-8", "replace")
                        own = _own(text, symbol, symbols).decode("utf-8", "replace")
                        yield Piece((path, symbol.scope), symbol.name, Kind(symbol.kind), whole, own)
                return


def _own(text: bytes, symbol: Symbol, symbols: Sequence[Symbol]) -> bytes:
    """A symbol's text without that of its inner definitions."""
    parts, at = [], symbol.span.start
    inside = [one.span for one in symbols if one.scope.startswith(f"{symbol.scope}::")]
    for span in sorted(inside):
        if span.start >= at:
            parts.append(text[at : span.start])
            at = span.end
    return b"".join([*parts, text[at : symbol.span.end]])
