"""The code that memories are about: the version at that time, and its changes since."""

from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

from clew.memory.renames import Lineage
from clew.model.code import split_id, symbol_id
from clew.model.memory import Subject
from clew.model.time import NOW, AsOf
from clew.store.files import Files
from clew.store.graph import Nodes


class Drift(StrEnum):
    CURRENT = "current"
    CHANGED = "changed since"
    MOVED = "moved to"
    GONE = "gone"
    UNKNOWN = "unknown"  # nothing of that id was known when it was written


SAME_HOME = 0.5  # of a file's symbols: where so many are to the byte, the file is


class SubjectState(NamedTuple):
    """The drift of a subject; `now` is its new id, if it moved, and `changed` whether it changed there."""

    id: str
    drift: Drift
    now: str = ""
    changed: bool = False

    def describe(self) -> str:
        moved = f"{self.drift} {self.now}" if self.now else str(self.drift)
        return f"{moved}, changed" if self.changed else moved


class Code:
    """The nodes of one checkout, by id."""

    def __init__(self, files: Files, nodes: Nodes) -> None:
        self._files = files
        self._nodes = nodes
        self.lineage = Lineage(files, nodes)

    def subjects(self, ids: Iterable[str]) -> tuple[Subject, ...]:
        """As they are now; an id that is not known is kept, without a digest."""
        wanted = tuple(dict.fromkeys(ids))
        found = self._digests(wanted)
        return tuple(Subject(one, found.get(one, b"")) for one in wanted)

    def digest(self, id: str) -> bytes:
        """Digest of a symbol or file in the current view; empty if it does not exist."""
        return self._digests([id]).get(id, b"")

    def _digests(self, ids: Iterable[str]) -> dict[str, bytes]:
        """Digests of those in the current view, in two reads."""
        parts = [split_id(one) for one in ids]
        files = self._files.known_among(dict.fromkeys(path for path, scope in parts if not scope))
        symbols = self._nodes.digests(part for part in parts if part[1])
        return {
            **{path: known.digest for path, known in files.items()},
            **{symbol_id(*part): digest for part, digest in symbols.items()},
        }

    def state_of(self, subject: Subject) -> SubjectState:
        """Its drift: in place, changed in place, moved or renamed, or gone."""
        return self.standings([subject])[0]

    def standings(self, subjects: Sequence[Subject], at: AsOf = NOW) -> list[SubjectState]:
        """The same of many; as of a time, what moved away by then is gone."""
        if at != NOW:
            return self._standings_then(subjects, at)
        digests = self._digests(one.id for one in subjects if one.is_known)
        return [self._state(one, digests.get(one.id, b"")) for one in subjects]

    def _standings_then(self, subjects: Sequence[Subject], at: AsOf) -> list[SubjectState]:
        paths = dict.fromkeys(split_id(one.id)[0] for one in subjects)
        versions = {path: self._files.get(path, at) for path in paths}
        digests: dict[str, bytes] = {}
        for path, version in versions.items():
            if version is not None:
                digests[path] = version.digest
                symbols = self._files.symbols_in(version.file, version.version)
                digests |= {symbol_id(path, one.scope): one.digest for one in symbols}
        return [_state_then(one, digests.get(one.id, b"")) for one in subjects]

    def _state(self, subject: Subject, now: bytes) -> SubjectState:
        if not subject.is_known:
            return SubjectState(subject.id, Drift.UNKNOWN)
        if now:
            return SubjectState(subject.id, Drift.CURRENT if now == subject.digest else Drift.CHANGED)
        became = self.lineage.now(subject.id)
        if became and self._is_as_it_was(subject, became):
            return SubjectState(subject.id, Drift.MOVED, became)
        if moved := self._find_moved(subject):
            return SubjectState(subject.id, Drift.MOVED, moved)
        if became:
            return SubjectState(subject.id, Drift.MOVED, became, changed=True)
        if (renamed := self._find_renamed(subject.id)) and self.digest(renamed):
            return SubjectState(subject.id, Drift.MOVED, renamed, changed=True)
        return SubjectState(subject.id, Drift.GONE)

    def _is_as_it_was(self, subject: Subject, there: str) -> bool:
        """But for its name."""
        now = self.digest(there)
        return now == subject.digest or self.lineage.is_same((subject.id, subject.digest), (there, now))

    def _find_renamed(self, id: str) -> str:
        """Its id in the file that took over most of its own file, byte for byte; as git finds renames."""
        path, scope = split_id(id)
        if self._files.known_at(path):
            return ""
        had = self._nodes.last_of(path)
        homes = Counter(split_id(one)[0] for name, digest in had for one in self._nodes.alike(name, digest))
        home, shared = max(homes.items(), key=lambda one: (one[1], _reverse_order(one[0])), default=("", 0))
        return symbol_id(home, scope) if shared and shared >= SAME_HOME * len(had) else ""

    def _find_moved(self, subject: Subject) -> str:
        """The place of the same content now; of several places, the id with the longest common end."""
        _, scope = split_id(subject.id)
        alike = self._nodes.alike(_name(scope), subject.digest) if scope else self._files.alike(subject.digest)
        return max(alike, key=lambda one: (_shared_end(one, subject.id), _reverse_order(one)), default="")


def _state_then(subject: Subject, then: bytes) -> SubjectState:
    if not subject.is_known:
        return SubjectState(subject.id, Drift.UNKNOWN)
    if not then:
        return SubjectState(subject.id, Drift.GONE)
    return SubjectState(subject.id, Drift.CURRENT if then == subject.digest else Drift.CHANGED)


def _name(scope: str) -> str:
    return scope.rpartition("::")[2].partition("#")[0]


def _shared_end(one: str, other: str) -> int:
    same = 0
    for a, b in zip(reversed(one), reversed(other), strict=False):
        if a != b:
            break
        same += 1
    return same


def _reverse_order(id: str) -> tuple[int, ...]:
    """A sort key in which the first by name is the greatest of equals."""
    return tuple(-ord(letter) for letter in id)
