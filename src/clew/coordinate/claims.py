"""Claims: exclusive holds on targets, decided one after the other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from msgspec.structs import replace

from clew.coordinate.hooks import SILENT, Seams, is_gone
from clew.coordinate.targets import Target, overlap, ranges, target, version_of, with_containers
from clew.model.agents import Identity
from clew.model.errors import ClewError, Denied, NotFound
from clew.model.fleet import Claim, ClaimKind, EndReason
from clew.model.time import NOW, AsOf
from clew.store.changes import Changes
from clew.store.claims import Claims, Sessions
from clew.store.database import Database, Later, Where
from clew.store.leases import this_process
from clew.store.outage import outlast

Clock = Callable[[], int]
NewId = Callable[[], str]

_RELEASES = "Its holder releases it, by its target; of one that is gone, claim the target with takeover."
_ANOTHER_SESSION = "If that was you, say which session you are: session_id, or CLEW_SESSION at the command line."


class ClaimState(StrEnum):
    """The state of an open claim. A stale or abandoned one may be taken over on request."""

    ACTIVE = "active"
    STALE = "stale"
    ABANDONED = "abandoned"


@dataclass(frozen=True, slots=True)
class ClaimWithState:
    claim: Claim
    standing: ClaimState


@dataclass(frozen=True, slots=True)
class Wish:
    """A target to claim, and the intent; with `takeover`, also if its holder is gone or its claim stale."""

    target: str
    intent: str = ""
    task: str = ""
    kind: ClaimKind | None = None
    takeover: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """The claim that was made or existed already; or None, and the conflicting claims."""

    target: str
    claim: Claim | None = None
    conflicts: tuple[ClaimWithState, ...] = ()
    taken_over: tuple[Claim, ...] = ()


@dataclass(frozen=True, slots=True)
class _Seen:
    """The version of a target, and the runs it is known up to: of all checkouts, and of this one."""

    sha: str
    latest: int
    own: int


class Desk:
    def __init__(
        self, db: Database, where: Where, root: Path, now: Clock, new_id: NewId, heartbeat: int = 0,
        seams: Seams = SILENT,
    ) -> None:  # fmt: skip
        """`heartbeat` is how many microseconds a holder may be silent before it counts as gone; 0: for ever."""
        self._db = db
        self._where = where
        self._root = root
        self._now = now
        self._new_id = new_id
        self._heartbeat = heartbeat
        self._seams = seams
        self._claims = Claims(db, where)
        self._sessions = Sessions(db, where)
        self._ours: set[Identity] = set()

    def claim(self, who: Identity, wish: Wish) -> Decision:
        """Claim a target, unless another holds it; one's own claim is returned as it is.

        A refusal that is visible to a read does not wait for writers, except where the caller must be marked as
        alive.
        """
        wanted = target(wish.target, self._root, wish.kind)
        seen, refused = outlast(self._db, lambda: self._read(who, wish, wanted))
        if refused:
            return Decision(wanted.text, conflicts=refused)
        return outlast(self._db, lambda: self._claim(who, wish, wanted, seen))

    def _read(self, who: Identity, wish: Wish, wanted: Target) -> tuple[_Seen, tuple[ClaimWithState, ...]]:
        """Later changes are reconciled later."""
        with self._db.view():
            changes = Changes(self._db, self._where)
            latest, last, around = changes.latest_later(), changes.last_later(), self._around(wanted.text)
            seen = _Seen(version_of(self._db, self._where, wanted), latest(), last())
            return seen, () if self._heartbeat else self._conflicts(who, wish, wanted, around())

    def _claim(self, who: Identity, wish: Wish, wanted: Target, seen: _Seen) -> Decision:
        with self._claims.at_once(self._now) as now:
            self.greet(who, now)
            return self.decide(who, wish, wanted, seen, now)

    def greet(self, who: Identity, now: int) -> None:
        """Someone is there; only inside of `Claims.at_once`."""
        self._sessions.mark_seen(who, now)
        if who.process == this_process(who.session_id):
            self._ours.add(who)

    def decide(self, who: Identity, wish: Wish, wanted: Target, seen: _Seen, now: int) -> Decision:
        """Decide a wish; only inside of `Claims.at_once`."""
        met, fence = self._around(wanted.text), self._claims.next_fence()
        around = [one for one in met() if overlap(one.target, wanted.text)]
        others = [self.state_of(one) for one in around if one.holder != who]
        if not _may_be_taken(others, wish):
            return Decision(wanted.text, conflicts=tuple(others))
        own = next((one for one in around if one.holder == who and one.target == wanted.text), None)
        if own is not None:
            return Decision(wanted.text, own)
        ended = tuple(self._end(one.claim, now, EndReason.TAKEN_OVER, f"taken over by {who}") for one in others)
        claim = Claim(
            id=self._new_id(), fence=fence(), target=wanted.text, kind=wanted.kind, holder=who,
            intent=wish.intent, task=wish.task, checkout=self._where.checkout, since=now, claimed_sha=seen.sha,
            version_sha=seen.sha, claimed_tx=seen.latest, settled_tx=seen.own,
        )  # fmt: skip
        self._claims.put(claim)
        return Decision(wanted.text, claim, taken_over=ended)

    def in_the_way(self, who: Identity, wish: Wish, wanted: Target) -> tuple[ClaimWithState, ...]:
        """The claims that conflict with a wish, without making a claim."""
        return self._conflicts(who, wish, wanted, self._around(wanted.text)())

    def _conflicts(self, who: Identity, wish: Wish, wanted: Target, around: list[Claim]) -> tuple[ClaimWithState, ...]:
        met = [one for one in around if overlap(one.target, wanted.text) and one.holder != who]
        others = [self.state_of(one) for one in met]
        return () if _may_be_taken(others, wish) else tuple(others)

    def task_wish(self, task: str, intent: str, *, takeover: bool) -> tuple[Wish, Target, _Seen]:
        """To hold a task is to hold its target: so nobody else can, by either way."""
        wanted = target(task, self._root, ClaimKind.TASK)
        return Wish(wanted.text, intent, task, ClaimKind.TASK, takeover), wanted, _Seen("", 0, 0)

    def release(self, who: Identity, name: str, outcome: str = "") -> Claim:
        """End one's own claim, by its id or its target; one that has ended comes back as it ended."""
        return outlast(self._db, lambda: self._release(who, name, outcome))

    def _release(self, who: Identity, name: str, outcome: str) -> Claim:
        with self._claims.at_once(self._now) as now:
            self.greet(who, now)
            claim = self._claims.get(name) or self._own(who, name)
            if claim is None:
                raise self._not_held(who, name)
            if not claim.is_open:
                return claim
            if claim.holder != who:
                raise _not_yours(claim, who)
            return self._end(claim, now, EndReason.RELEASED, outcome)

    def _not_held(self, who: Identity, name: str) -> ClewError:
        """Why a target cannot be let go of: another has it, or it is held as a part of something, or not at all."""
        wanted = target(name, self._root).text
        around = sorted(self._around(wanted)(), key=lambda one: (one.target != wanted, one.holder != who))
        met = next((one for one in around if overlap(one.target, wanted)), None)
        if met is None:
            return NotFound(f"nobody holds {wanted}", "agent_status lists what you hold, with its ids.")
        if met.target == wanted:
            return _not_yours(met, who)
        whose = "you hold" if met.holder == who else f"{met.holder} holds"
        return NotFound(f"nobody holds {wanted} itself; {whose} {met.target}", _RELEASES)

    def end_of_task(self, task: str, now: int, outcome: str) -> list[Claim]:
        """End all open claims that were made for a task, or on it; only inside of `Claims.at_once`."""
        of_task = [one for one in self._claims.of_task(task) if one.is_open]
        ending = {one.id: one for one in (*of_task, *self._on(task))}.values()
        return [self._end(one, now, EndReason.TASK_COMPLETED, outcome) for one in ending]

    def give_up(self, who: Identity, task: str, now: int, outcome: str) -> list[Claim]:
        """Let go of a task, if one holds it; only inside of `Claims.at_once`."""
        held = [one for one in self._on(task) if one.holder == who]
        return [self._end(one, now, EndReason.RELEASED, outcome) for one in held]

    def state_of(self, claim: Claim) -> ClaimWithState:
        if is_gone(self._sessions.get(claim.holder, self._now()), self._heartbeat):
            return ClaimWithState(claim, ClaimState.ABANDONED)
        current = version_of(self._db, Where(self._where.project, claim.checkout), Target(claim.target, claim.kind))
        return ClaimWithState(claim, ClaimState.ACTIVE if current == claim.version_sha else ClaimState.STALE)

    def open(self, at: AsOf = NOW) -> list[ClaimWithState]:
        """All that is held, and how it stands; of the past, that is not recorded."""
        if at != NOW:
            return [ClaimWithState(claim, ClaimState.ACTIVE) for claim in self._claims.open(at)]
        with self._db.view():
            return [self.state_of(claim) for claim in self._claims.open()]

    def leave(self) -> None:
        """End all sessions of this process, so that other hosts know it too."""
        while self._ours:
            self._sessions.end(self._ours.pop(), self._now())

    def _around(self, text: str) -> Later[list[Claim]]:
        return self._claims.around(with_containers(text), *ranges(text))

    def _on(self, task: str) -> list[Claim]:
        """On a task itself: others may be called almost like it, as `pay/card` is beside `pay`."""
        name = f"{ClaimKind.TASK}:{task}"
        return [one for one in self._around(name)() if one.target == name]

    def _own(self, who: Identity, name: str) -> Claim | None:
        wanted = target(name, self._root)
        return next(
            (one for one in self._around(wanted.text)() if (one.target, one.holder) == (wanted.text, who)), None
        )

    def _end(self, claim: Claim, now: int, reason: EndReason, outcome: str) -> Claim:
        self._claims.end(claim.id, now, reason, outcome)
        ended = replace(claim, ended_at=now, end_reason=reason, outcome=outcome)
        self._seams.on_release(ended)
        return ended


def _not_yours(claim: Claim, who: Identity) -> Denied:
    hints = [_ANOTHER_SESSION, _RELEASES] if claim.holder.agent_id == who.agent_id else [_RELEASES]
    return Denied(f"{claim.target} is held by {claim.holder}, not by {who}", " ".join(hints))


def _may_be_taken(others: Sequence[ClaimWithState], wish: Wish) -> bool:
    return all(wish.takeover and one.standing is not ClaimState.ACTIVE for one in others)
