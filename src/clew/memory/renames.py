"""Matches symbols that a change removed with the new ones that they became. Pure.

A symbol keeps its identity under a new name, in another class or another file if its text is the same, or much the
same. Each new symbol is the successor of one old one at most.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from textwrap import dedent
from typing import NamedTuple

from clew.model.code import Symbol, split_id, symbol_id
from clew.model.words import NAMELESS, Kind
from clew.store.files import Files
from clew.store.graph import Nodes, Turned

NEAR = 0.5  # how much alike two of one name in one file must be, as git asks of files
FAR = 0.6  # and two in different files, or of different names
SAME_HOME = 0.5  # of a file's symbols: where so many went, the file went
FEW_WORDS = 5  # of a text that says little: then its name must be alike too
ALIKE_NAME = 0.5
MOST = 150  # old and new ones of a file that are compared each with each

_TOKEN = re.compile(r"\w+|[^\w\s]")
_ITSELF = "\x00"
_CALLED = frozenset({Kind.FUNCTION, Kind.METHOD})
_TYPES = frozenset({Kind.CLASS, Kind.INTERFACE})

Id = tuple[str, str]  # a path and a scope


class Piece:
    """A symbol before or after a change: `text` is all of it, `own` excludes its inner definitions."""

    def __init__(self, id: Id, name: str, kind: Kind, text: str, own: str) -> None:
        self.id = id
        self.name = name
        self.kind = kind
        self.text = text
        self._own = own

    @cached_property
    def own(self) -> str:
        """Its own text, independent of its name and indentation."""
        return dedent(mask_name(self._own, self.name))

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        return tuple(_TOKEN.findall(mask_name(self.text, self.name)))

    @cached_property
    def words(self) -> int:
        return sum(one.isidentifier() for one in self.tokens)

    @cached_property
    def counts(self) -> Counter[str]:
        return Counter(self.tokens)

    @property
    def is_local(self) -> bool:
        """A function inside of a function: its name says nothing elsewhere."""
        return self.kind is Kind.FUNCTION and "::" in self.id[1]

    @property
    def outer(self) -> Id:
        return self.id[0], self.id[1].rpartition("::")[0]


def mask_name(text: str, name: str) -> str:
    """Without the name that it has."""
    return re.sub(rf"\b{re.escape(name)}\b", _ITSELF, text)


def successors(old: Sequence[Piece], new: Sequence[Piece]) -> dict[Id, Id]:
    """The new id of each matched old one, surest first: the same text, the same place in a renamed container, then
    the most similar."""
    turn = _Turn(old, new)
    turn.take((a, b) for a, b in turn.equal() if a.name == b.name)
    turn.take((a, b) for a, b in turn.equal() if _is_telling(a, b))
    turn.take_within()
    turn.take(turn.alike())
    turn.take_within()
    return turn.taken


def home(gone: Iterable[Id], taken: Mapping[Id, Id]) -> str:
    """The file that took over the greatest part of a deleted one, if it has at least half of it; ties go to the first
    by name."""
    paths = [taken[one][0] for one in gone if one in taken]
    counted = Counter(paths)
    best = min(counted, key=lambda path: (-counted[path], path), default="")
    return best if best and counted[best] >= SAME_HOME * len(list(gone)) else ""


class _Turn:
    """One change: removed and added symbols, and the matches so far."""

    def __init__(self, old: Sequence[Piece], new: Sequence[Piece]) -> None:
        self._old = {one.id: one for one in old}
        self._new = {one.id: one for one in new}
        self.taken: dict[Id, Id] = {}

    def take(self, pairs: Iterable[tuple[Piece, Piece]]) -> None:
        for old, new in pairs:
            if old.id in self._old and new.id in self._new and _is_same_kind(old, new):
                self.taken[old.id] = new.id
                del self._old[old.id], self._new[new.id]

    def take_within(self) -> None:
        """Members of a moved symbol are at its new place under their own names, if anywhere."""
        for old in sorted(self._old.values(), key=lambda one: one.id):
            there = self.taken.get(old.outer)
            if there and (new := self._new.get((there[0], f"{there[1]}::{old.name}"))):
                self.take([(old, new)])

    def equal(self) -> list[tuple[Piece, Piece]]:
        """All with the same tokens but for the name; the nearest first."""
        by_tokens: defaultdict[tuple[str, ...], list[Piece]] = defaultdict(list)
        for one in self._new.values():
            by_tokens[one.tokens].append(one)
        pairs = [(old, new) for old in self._old.values() for new in by_tokens[old.tokens][:MOST]]
        return sorted(pairs, key=lambda pair: (*_farness(*pair), pair[0].id, pair[1].id))

    def alike(self) -> list[tuple[Piece, Piece]]:
        """Pairs of one name anywhere, or in one file; the most similar first."""
        scored = []
        for old, new in self._near():
            likeness = _likeness(old, new)
            near = old.name == new.name and old.id[0] == new.id[0]
            if likeness >= (NEAR if near else FAR) and _is_telling(old, new):
                scored.append((-likeness, *_farness(old, new), old.id, new.id))
        return [(self._old[entry[-2]], self._new[entry[-1]]) for entry in sorted(scored)]

    def _near(self) -> Iterator[tuple[Piece, Piece]]:
        by_name: defaultdict[str, list[Piece]] = defaultdict(list)
        by_path: defaultdict[str, list[Piece]] = defaultdict(list)
        for one in self._new.values():
            by_name[one.name].append(one)
            by_path[one.id[0]].append(one)
        homes = self._homes()
        for old in list(self._old.values()):
            path = homes.get(old.id[0], old.id[0])
            named = [] if old.is_local else by_name[old.name][:MOST]
            near = [*named, *by_path[path][:MOST]]
            yield from ((old, new) for new in dict.fromkeys(near) if _is_same_kind(old, new))

    def _homes(self) -> dict[str, str]:
        """The new files of deleted ones, by the moves of their symbols."""
        gone: defaultdict[str, list[Id]] = defaultdict(list)
        for one in (*self._old, *self.taken):
            gone[one[0]].append(one)
        return {path: there for path, ids in gone.items() if (there := home(ids, self.taken))}


def _is_same_kind(old: Piece, new: Piece) -> bool:
    return old.kind == new.kind or any({old.kind, new.kind} <= kinds for kinds in (_CALLED, _TYPES))


def _is_telling(old: Piece, new: Piece) -> bool:
    """Whether that two texts are alike says anything; of short ones, the names must say it."""
    if old.name == new.name or min(old.words, new.words) >= FEW_WORDS:
        return True
    return SequenceMatcher(None, old.name, new.name, autojunk=False).ratio() >= ALIKE_NAME


def _likeness(old: Piece, new: Piece) -> float:
    """Dice's: twice the tokens that both have, of all that they have."""
    total = len(old.tokens) + len(new.tokens)
    if not total or 2 * min(len(old.tokens), len(new.tokens)) < NEAR * total:
        return 0.0
    return 2 * (old.counts & new.counts).total() / total


def _farness(old: Piece, new: Piece) -> tuple[bool, bool, bool]:
    """False comes first: of the same name, in the same file, in the same scope."""
    return old.name != new.name, old.id[0] != new.id[0], old.outer[1] != new.outer[1]


# Where symbols and files went that are gone: followed from change to change through the record of a checkout.

MOST_HOPS = 32  # renames of one thing, one after the other
MOST_FILES = 200  # of one index run; in more than that, only a symbol's own file is searched
TURNS_AT_HAND = 64


class _LineageTurn(NamedTuple):
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
        """Full text of a symbol in the version with this digest; empty if this checkout never had it."""
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

    def _find(self, run: int, only: str) -> _LineageTurn:
        turned = [one for one in self._nodes.changed_in_run(run) if not only or one.path == only]
        old, new = list(self._pieces(turned, ended=True)), list(self._pieces(turned, ended=False))
        found = successors(old, new)
        by_file: dict[str, list[Id]] = {}
        for one in old:
            by_file.setdefault(one.id[0], []).append(one.id)
        homes = {path: home(ids, found) for path, ids in by_file.items()}
        return _LineageTurn(found, {path: there for path, there in homes.items() if there and there != path})

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
