"""Git history of a checkout's files, at rest: one value per checkout, made for one commit."""

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

from blake3 import blake3

from clew.runtime.asking import once
from clew.store.database import Database, Later, Where
from clew.store.links import FileEdge
from clew.store.packing import pack, unpack
from clew.store.together import together
from clew.text.terms import VERSION as TERMS

# How histories are made; one that was made otherwise is made anew.
_MADE = blake3(f"history-3 {TERMS}".encode()).hexdigest()[:8]

Together = Mapping[str, tuple[FileEdge, ...]]


class _Kept(NamedTuple):
    together: dict[str, tuple[FileEdge, ...]]
    commits: bytes  # as `store/commits.py` packs them
    named: tuple[str, ...] = ()  # the files that its commits changed, whether they are still there or not


class Histories:
    def __init__(self, db: Database, where: Where) -> None:
        self._db = db
        self._where = where._asdict()

    def is_of(self, made_for: str) -> bool:
        """Whether it was made for this commit and the current format."""
        return self.tip() == _tip(made_for)

    def changed_files(self) -> tuple[str, ...]:
        """The files that its commits changed."""
        return self._load().named

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

    def put(self, made_for: str, together: Together, commits: bytes = b"", named: Sequence[str] = ()) -> None:
        kept = _Kept(dict(together), commits, tuple(named))
        self._db.execute("history_put", tip=_tip(made_for), data=pack(kept), **self._where)

    def together(self) -> Together:
        """By file, those that changed with it."""
        return self._load().together

    def commits(self) -> bytes:
        """The messages of the latest commits, packed; empty if unknown."""
        return self._load().commits

    def _load(self) -> _Kept:
        for row in self._db.query("history_get", **self._where):
            return unpack(row["data"], _Kept)
        return _Kept({}, b"")


def _tip(made_for: str) -> str:
    return f"{made_for} {_MADE}"
