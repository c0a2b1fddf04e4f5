"""Parses a point in time (a transaction, an ISO time, a commit, "3 days ago") into an instant."""

import re
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from clew.index.history import git, objects
from clew.model.errors import InvalidInput, NotFound
from clew.model.time import FOREVER, from_iso
from clew.store.transactions import Transaction, Transactions

_AGO = re.compile(
    r"(?:(?P<n>\d+|an?|one)\s*(?P<unit>s|sec|second|m|min|minute|h|hour|d|day|w|week|mo|month|y|year)s?\s+ago|"
    r"(?P<word>yesterday|today|now))",
    re.IGNORECASE,
)
_REVISION = re.compile(r"^HEAD\b|^[0-9a-f]{7,64}$|[~^@]")  # what nothing but a commit is named by
_SECONDS = {
    **dict.fromkeys(("s", "sec", "second"), 1),
    **dict.fromkeys(("m", "min", "minute"), 60),
    **dict.fromkeys(("h", "hour"), 3600),
    **dict.fromkeys(("d", "day"), 86_400),
    **dict.fromkeys(("w", "week"), 604_800),
    **dict.fromkeys(("mo", "month"), 2_629_746),
    **dict.fromkeys(("y", "year"), 31_556_952),
}
_WORDS = {"yesterday": 86_400, "today": 0, "now": 0}
_MICROSECONDS = 1_000_000
FORMS = "Name an ISO time, a transaction's id, a commit, tag or branch, HEAD~30, or '3 days ago'."


class Moment(Struct, frozen=True):
    """An instant, and the transaction or the commit that named it, if any."""

    time: int
    commit: str = ""
    transaction: str = ""
    agent: str = ""


class Moments:
    """Parses points in time; `now` is the clock."""

    def __init__(self, root: Path, transactions: Transactions, now: Callable[[], int]) -> None:
        self._root = root
        self._transactions = transactions
        self._now = now

    def find(self, text: str, *, agents: bool = False) -> Moment:
        """Raises if it is no time; with `agents`, an agent's name stands for its last transaction."""
        wanted = text.strip()
        if wanted and self._transactions.has(wanted):
            return _of(self._transactions.get(wanted))
        if (moment := self._by_clock(wanted)) is not None:
            return Moment(moment)
        if wanted and not wanted.startswith("-") and (commit := git.resolve(self._root, wanted)):
            return Moment(objects.infos(self._root, [commit])[commit].time, commit=commit)
        if agents and (found := self._transactions.last_by(wanted)):
            return _of(found)
        raise self._unknown(wanted, agents=agents)

    def _by_clock(self, text: str) -> int | None:
        if ago := _AGO.fullmatch(text):
            word = ago["word"]
            count = 1 if not ago["n"] or not ago["n"].isdigit() else int(ago["n"])
            seconds = _WORDS[word.lower()] if word else count * _SECONDS[ago["unit"].lower()]
            return max(0, self._now() - seconds * _MICROSECONDS)
        try:
            moment = from_iso(text)
        except (ValueError, OverflowError):
            return None
        if not 0 <= moment < FOREVER:
            raise InvalidInput(f"{text!r} is out of range", "Name a time between 1970 and 9999.")
        return moment

    def _unknown(self, text: str, *, agents: bool) -> InvalidInput | NotFound:
        also = ", or an agent" if agents else ""
        hint = FORMS if not also else f"{FORMS.removesuffix('.')}{also}."
        if git.is_repository(self._root):
            if _REVISION.search(text):
                objects.require_commits(self._root)
            if git.shallow_boundary(self._root):
                hint = f"This clone is shallow: `git fetch --unshallow` brings older commits. {hint}"
        return InvalidInput(f"{text!r} is no time, transaction or commit", hint)


def _of(transaction: Transaction) -> Moment:
    return Moment(transaction.started_at, transaction.commit, transaction.id, transaction.author.agent)
