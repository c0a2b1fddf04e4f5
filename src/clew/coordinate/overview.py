"""An overview of the fleet: its agents, their claims and tasks, and the issues."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from clew.coordinate.claims import ClaimWithState, Clock, Desk
from clew.coordinate.hooks import is_gone
from clew.coordinate.progress import Issue, issues
from clew.coordinate.targets import Meeting
from clew.model.agents import Identity
from clew.model.fleet import Claim, Task, TaskChange, TaskStatus
from clew.model.time import NOW, AsOf
from clew.store.claims import Claims, Sessions
from clew.store.database import Database, Where
from clew.store.tasks import Tasks

RECENT = 10  # claims of an agent that have ended, and are still told


@dataclass(frozen=True, slots=True)
class Member:
    """A holder: how many claims it has, and when it was last seen."""

    holder: Identity
    claims: int
    last_seen: int
    gone: bool


@dataclass(frozen=True, slots=True)
class Overview:
    """`conflicts` are open claims of different holders that meet: there should never be any."""

    held: tuple[ClaimWithState, ...]
    conflicts: tuple[tuple[Claim, Claim], ...]
    members: tuple[Member, ...]
    total_claims: int
    tasks: dict[str, int]


@dataclass(frozen=True, slots=True)
class AgentReport:
    """All sessions of an agent together, or the one that was asked for."""

    members: tuple[Member, ...]
    held: tuple[ClaimWithState, ...]
    ended: tuple[Claim, ...]
    tasks: tuple[Task, ...]

    @property
    def current_task(self) -> str:
        current = _latest(self.tasks)
        return current.id if current else ""


class Lookout:
    def __init__(self, db: Database, where: Where, desk: Desk, now: Clock, heartbeat: int) -> None:
        self._db = db
        self._desk = desk
        self._now = now
        self._heartbeat = heartbeat
        self._claims = Claims(db, where)
        self._sessions = Sessions(db, where)
        self.tasks = Tasks(db, where)

    def overview(self, at: AsOf = NOW) -> Overview:
        with self._db.view():
            held = self._desk.open(at)
            tasks = Counter(task.status.value for task in self.tasks.all(at))
            counts = dict(sorted(tasks.items()))
            members = self._members(held, Identity("", ""), at)
            return Overview(tuple(held), _conflicts(held), members, self._claims.count(at), counts)

    def agent(self, who: Identity, at: AsOf = NOW) -> AgentReport:
        """Without a session, of all of them."""
        with self._db.view():
            held = tuple(one for one in self._desk.open(at) if _is(one.claim.holder, who))
            past = [one for one in self._claims.of_agent(who.agent_id, 2 * RECENT, at) if _is(one.holder, who)]
            ended = tuple(one for one in past if not one.is_open)[:RECENT]
            tasks = tuple(task for task in self.tasks.all(at) if _is(task.assignee, who) and not task.is_closed)
            return AgentReport(self._members(held, who, at), held, ended, tasks)

    def issues(self, at: AsOf = NOW) -> list[Issue]:
        with self._db.view():
            tasks = {task.id: task for task in self.tasks.all(at)}
            blocked = [task.id for task in tasks.values() if task.status is TaskStatus.BLOCKED]
            reasons = {one: _last_note(self.tasks.changes(one, at)) for one in blocked}
            return issues(tasks, self._desk.open(at), reasons)

    def _members(self, held: Sequence[ClaimWithState], who: Identity, at: AsOf) -> tuple[Member, ...]:
        counts = Counter(one.claim.holder for one in held)
        seen = [one for one in self._sessions.all(self._now(), at) if not who.agent_id or _is(one.holder, who)]
        return tuple(
            Member(one.holder, counts[one.holder], one.seen_at, is_gone(one, self._heartbeat))
            for one in sorted(seen, key=lambda one: (-counts[one.holder], -one.seen_at, str(one.holder)))
        )


def current_task(tasks: Iterable[Task], who: Identity) -> Task | None:
    """The holder's task; without one, the task of another session of the agent."""
    of_agent = [task for task in tasks if task.assignee.agent_id == who.agent_id]
    return _latest(task for task in of_agent if task.assignee == who) or _latest(of_agent)


def _latest(tasks: Iterable[Task]) -> Task | None:
    working = (task for task in tasks if task.status is TaskStatus.IN_PROGRESS)
    return max(working, key=lambda task: (task.changed_at, task.id), default=None)


def _is(holder: Identity, who: Identity) -> bool:
    return holder.agent_id == who.agent_id and who.session_id in ("", holder.session_id)


def _conflicts(held: Sequence[ClaimWithState]) -> tuple[tuple[Claim, Claim], ...]:
    claims = [one.claim for one in held]
    places = Meeting((one.target, number) for number, one in enumerate(claims))
    pairs = (
        (one, claims[at]) for number, one in enumerate(claims) for at in sorted(places.at(one.target)) if at > number
    )
    return tuple((one, other) for one, other in pairs if one.holder != other.holder)


def _last_note(changes: Sequence[TaskChange]) -> str:
    return next((change.note for change in reversed(changes) if change.note), "")
