"""After an index run: claims go along with their holder's edits, and end where the code was changed from elsewhere."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from clew.coordinate.targets import Target, overlap, version_of
from clew.index.history import git
from clew.model.fleet import Claim, ClaimKind, EndReason
from clew.store.changes import Changes
from clew.store.claims import Claims
from clew.store.database import Database, Where
from clew.store.files import Files
from clew.store.outage import outlast
from clew.store.transactions import Author, Transactions

_CODE = (ClaimKind.FILE, ClaimKind.FUNCTION)


@dataclass(frozen=True, slots=True)
class Settled:
    """Result for one claim: the version made by its holder, or the reason why it ends."""

    claim: Claim
    version_sha: str
    settled_tx: int
    changed: str = ""
    edited: tuple[str, ...] = ()  # paths that the holder changed


class Settler:
    def __init__(self, db: Database, where: Where, root: Path, now: Callable[[], int]) -> None:
        self._db = db
        self._where = where
        self._root = root
        self._now = now
        self._claims = Claims(db, where)
        self._changes = Changes(db, where)
        self._files = Files(db, where)
        self._transactions = Transactions(db, where)

    def settle(self) -> None:
        """Reconcile claims with the changes of all index runs of this checkout; idempotent."""
        claims = [claim for claim in self._claims.open() if claim.kind in _CODE]
        last = self._changes.last() if claims else 0
        found = [one for claim in claims if (one := self._judge(claim, last))]
        if found:
            outlast(self._db, lambda: self._write(found))

    def _write(self, found: Sequence[Settled]) -> None:
        with self._claims.at_once(self._now) as now:
            for one in found:
                claim = self._claims.get(one.claim.id)
                if claim is None or not claim.is_open or claim.settled_tx != one.claim.settled_tx:
                    continue  # another was quicker
                if one.changed:
                    self._claims.end(claim.id, now, EndReason.CODE_CHANGED, one.changed)
                else:
                    self._claims.move(claim.id, one.version_sha, one.settled_tx)
                    self._sign(claim, one)

    def _sign(self, claim: Claim, one: Settled) -> None:
        """The runs that read the holder's edits are recorded as theirs."""
        if one.edited and one.version_sha != claim.version_sha:
            author = Author(claim.holder.agent_id, claim.holder.session_id)
            self._transactions.attribute(author, claim.settled_tx, one.settled_tx, one.edited)

    def _judge(self, claim: Claim, last: int) -> Settled | None:
        return self._own(claim, last) if claim.checkout == self._where.checkout else self._foreign(claim)

    def _own(self, claim: Claim, last: int) -> Settled | None:
        """A local edit belongs to the holder; changes from git other than a commit do not."""
        paths = [path for path in self._changes.since(claim.settled_tx) if overlap(path, claim.target)]
        if not paths or last <= claim.settled_tx:
            return None
        current = version_of(self._db, self._where, Target(claim.target, claim.kind))
        before, after = self._changes.commit(claim.settled_tx), self._changes.commit(last)
        brought = current != claim.version_sha and git.paths_brought_by_git(self._root, before, after, paths)
        told = f"git brought another version of {brought[0]}" if brought else ""
        return Settled(claim, current, last, told, () if brought else tuple(paths))

    def _foreign(self, claim: Claim) -> Settled | None:
        """Content that the holder's checkout never had, in a tree that had been read before: it came up since."""
        first = self._changes.first()
        if not first:
            return None
        paths = self._changes.since(max(first, claim.claimed_tx))
        for path in (path for path in paths if overlap(path, claim.target)):
            if self._is_news(claim, path):
                return Settled(claim, claim.version_sha, claim.settled_tx, f"{path} was changed in another checkout")
        return None

    def _is_news(self, claim: Claim, path: str) -> bool:
        theirs = Where(self._where.project, claim.checkout)
        known = self._files.known_at(path)
        if known is None:
            return Files(self._db, theirs).known_at(path) is not None
        if known.digest in Changes(self._db, theirs).ever_held(path):
            return False
        within = Target(claim.target, claim.kind)
        same = version_of(self._db, self._where, within) == claim.version_sha
        return not (claim.kind is ClaimKind.FUNCTION and same)  # the rest of its file is not what is claimed
