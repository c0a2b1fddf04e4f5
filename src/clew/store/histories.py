"""Git history of a checkout's files, at rest: one value per checkout, made for one commit."""

from collections.abc import Hashable, Mapping
from typing import NamedTuple

from blake3 import blake3

from clew.runtime.asking import once
from clew.store.database import Database, Later, Where
from clew.store.links import FileEdge
from clew.store.packing import pack, unpack
from clew.store.together import together
from clew.text.terms import VERSION as TERMS

# How histories are made; one that was made otherwise is made anew.
_MADE = blake3(f"history-4 {TERMS}".encode()).hexdigest()[:8]

Together = Mapping[str, tuple[FileEdge, ...]]


class ReadCommit(NamedTuple):
    """A commit that a history was made of: its place among those whose messages are packed (-1 if it is not), and the
    paths of changed files, with those before if they were renamed."""

    sha: bytes
    place: int
    changed: tuple[tuple[str, ...], ...]


class ReadCommits(NamedTuple):
    """So that later only new commits need be read. `grounds` are the inputs beside the commits."""

    grounds: str
    similar: bool  # whether a renamed file may have changed
    commits: list[ReadCommit]


class FileHistory(NamedTuple):
    """`named` are the files that its commits changed, whether they are still there or not."""

    together: dict[str, tuple[FileEdge, ...]]
    commits: bytes = b""  # as `store/commits.py` packs them
    named: tuple[str, ...] = ()
    read: bytes = b""  # `ReadCommits`, packed: only the next history needs it


NO_HISTORY = FileHistory({})


class Histories:
    def __init__(self, db: Database, where: Where) -> None:
        self._db = db
        self._where = where._asdict()

    def is_of(self, made_for: str) -> bool:
        """Whether it was made for this commit and the current format."""
        return self.tip() == _tip(made_for)

    def tip(self) -> str:
        """The commit that it was made for, and how; empty if none was."""
        return self._tip() if self._db.within() else once(self.key(), self._tip)

    def _tip(self) -> str:
        return together(self._db, self.tip_later)[0]

    def tip_later(self) -> Later[str]:
        rows = self._db.later("history_tip", **self._where)
        return lambda: next((str(row["tip"]) for row in rows()), "")

    def key(self) -> Hashable:
        return id(self._db), *self._where.values(), "tip"

    def is_behind(self, head: str) -> bool:
        """Whether it was made for another commit than that; one that was never made is behind nothing."""
        made_for = self.tip().partition(" ")[0]
        return bool(head and made_for) and head != made_for

    def put(self, made_for: str, history: FileHistory) -> None:
        self._db.execute("history_put", tip=_tip(made_for), data=pack(history), **self._where)

    def last(self) -> FileHistory:
        """The stored history, for any commit; empty if it has another format."""
        for row in self._db.query("history_get", **self._where):
            if str(row["tip"]).endswith(f" {_MADE}"):
                return unpack(row["data"], FileHistory)
        return NO_HISTORY

    def together(self) -> Together:
        """By file, those that changed with it."""
        return self._load().together

    def commits(self) -> bytes:
        """The messages of the latest commits, packed; empty if unknown."""
        return self._load().commits

    def _load(self) -> FileHistory:
        for row in self._db.query("history_get", **self._where):
            return unpack(row["data"], FileHistory)
        return NO_HISTORY


def _tip(made_for: str) -> str:
    return f"{made_for} {_MADE}"
