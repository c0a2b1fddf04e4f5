"""Claims at rest, and the sessions that were seen. Callers wrap operations that must not interleave in `at_once`."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import msgspec
from msgspec import structs
from msgspec.structs import asdict

from clew.model.agents import Identity
from clew.model.fleet import Claim, ClaimKind, EndReason, Session
from clew.model.time import FOREVER, NOW, AsOf
from clew.store import digests
from clew.store.database import Database, Later, Row, Where


class Claims:
    def __init__(self, db: Database, where: Where) -> None:
        self._db = db
        self._project = where.project

    @contextmanager
    def at_once(self, clock: Callable[[], int]) -> Iterator[int]:
        """A ground transaction that excludes every other one of the project; yields the store's time at its start.

        On PostgreSQL this takes the lock of the project's row instead of serializable isolation: all writers want the
        same few rows, so all but one would fail and retry, while a lock admits them one after the other. Reads inside
        it see everything committed before.
        """
        with self._db.transaction():
            self._db.execute("project_lock", project=self._project)
            yield int(next(iter(self._db.query("store_clock", now=clock())))["now"])

    def next_fence(self) -> Later[int]:
        """One more than any claim ever had; call it inside of `at_once`."""
        rows = self._db.later("claim_fence", project=self._project)
        return lambda: int(rows()[0]["fence"]) + 1

    def put(self, claim: Claim) -> None:
        self._db.execute("claim_put", project=self._project, **_to_row(claim))

    def end(self, id: str, at: int, reason: EndReason, outcome: str) -> None:
        """End an open claim; a claim that has ended does not change."""
        end = {"id": id, "ended_at": at, "end_reason": reason, "outcome": outcome}
        digest = digests.digest(end, digests.CLAIM_END)
        self._db.execute("claim_end", project=self._project, end_digest=digest, **end)

    def move(self, id: str, version_sha: str, settled_tx: int) -> None:
        """The target's version as its holder has made it, known up to a run."""
        self._db.execute("claim_move", project=self._project, id=id, version_sha=version_sha, settled_tx=settled_tx)

    def get(self, id: str) -> Claim | None:
        return next((_to_claim(row) for row in self._db.query("claim_get", project=self._project, id=id)), None)

    def open(self, at: AsOf = NOW) -> list[Claim]:
        """Open claims, now or at a time."""
        if at == NOW:
            return self._claims("claim_all_open")
        return [as_of(one, at) for one in self._claims("claim_held", at=at.instant)]

    def around(self, names: Iterable[str], paths: tuple[str, str], scopes: tuple[str, str]) -> Later[list[Claim]]:
        """Open claims on one of the names, or on targets that sort within one of the two ranges."""
        rows = self._db.later(
            "claim_around", names=msgspec.json.encode(list(names)).decode(), project=self._project,
            path_from=paths[0], path_to=paths[1], scope_from=scopes[0], scope_to=scopes[1],
        )  # fmt: skip
        return lambda: [_to_claim(row) for row in rows()]

    def of_task(self, task: str, at: AsOf = NOW) -> list[Claim]:
        """All that were made for a task."""
        return [as_of(one, at) for one in self._claims("claim_of_task", task=task, at=at.instant)]

    def of_agent(self, agent: str, limit: int, at: AsOf = NOW) -> list[Claim]:
        """The latest first."""
        return [as_of(one, at) for one in self._claims("claim_of_agent", agent=agent, limit=limit, at=at.instant)]

    def latest(self, limit: int) -> list[Claim]:
        return self._claims("claim_latest", limit=limit)

    def count(self, at: AsOf = NOW) -> int:
        """All that there ever were."""
        return sum(row["n"] for row in self._db.query("claim_counts", project=self._project, at=at.instant))

    def _claims(self, query: str, **params: object) -> list[Claim]:
        return [_to_claim(row) for row in self._db.query(query, project=self._project, **params)]


class Sessions:
    def __init__(self, db: Database, where: Where) -> None:
        self._db = db
        self._project = where.project

    def time(self, now: int) -> int:
        """The store's time, which is one for all hosts; `now` is this host's."""
        return int(next(iter(self._db.query("store_clock", now=now)))["now"])

    def mark_seen(self, holder: Identity, at: int) -> None:
        """Record that a session is present, and where; call it inside of `Claims.at_once`."""
        who = {"agent": holder.agent_id, "session": holder.session_id}
        row = {**who, "process": holder.process, "since": at, "seen_at": at, "ended_at": FOREVER}
        self._db.execute(
            "session_seen", project=self._project, **who, process=holder.process, seen_at=at,
            digest=digests.digest(row, digests.SESSION), seen_digest=digests.digest(row, digests.SESSION_SEEN),
            end_digest=digests.digest(row, digests.SESSION_END),
        )  # fmt: skip

    def end(self, holder: Identity, now: int) -> None:
        """It said good-bye; one that comes back has not ended."""
        with self._db.transaction():
            row = {"agent": holder.agent_id, "session": holder.session_id, "ended_at": self.time(now)}
            digest = digests.digest(row, digests.SESSION_END)
            self._db.execute("session_end", project=self._project, end_digest=digest, **row)

    def get(self, holder: Identity, now: int) -> Session | None:
        rows = self._db.query(
            "session_get", project=self._project, agent=holder.agent_id, session=holder.session_id, now=now
        )  # fmt: skip
        return next(map(_to_session, rows), None)

    def all(self, now: int, at: AsOf = NOW) -> list[Session]:
        rows = self._db.query("session_all", project=self._project, now=now, at=at.instant)
        return [_session_at(_to_session(row), at) for row in rows]


def as_of(claim: Claim, at: AsOf) -> Claim:
    """A claim that was made by then, as it was: its end may have been still to come. Which version its holder had made
    of the target is not recorded: it is the one that was claimed.
    """
    if at == NOW:
        return claim
    ended = {} if claim.ended_at <= at.instant else {"ended_at": FOREVER, "end_reason": "", "outcome": ""}
    return structs.replace(claim, version_sha=claim.claimed_sha, settled_tx=claim.claimed_tx, **ended)


def _session_at(session: Session, at: AsOf) -> Session:
    """Without its process, which says something of the present alone, and signs of life that came later."""
    if at == NOW:
        return session
    return Session(
        replace(session.holder, process=""),
        session.since,
        session.seen_at if session.seen_at <= at.instant else session.since,
        session.ended_at if session.ended_at <= at.instant else FOREVER,
        0,
    )


def _to_row(claim: Claim) -> dict[str, object]:
    values = asdict(claim)
    del values["holder"]
    values |= {"agent": claim.holder.agent_id, "session": claim.holder.session_id}
    values["digest"] = digests.digest(values, digests.CLAIM)
    values["end_digest"] = "" if claim.is_open else digests.digest(values, digests.CLAIM_END)
    return values


def _to_claim(row: Row) -> Claim:
    """A damaged claim still holds its target until it is released or taken over; its text is not quoted."""
    is_damaged = digests.is_damaged(row, digests.CLAIM)
    is_end_damaged = digests.is_damaged(row, digests.CLAIM_END, "end_digest")
    return Claim(
        id=row["id"],
        fence=row["fence"],
        target=row["target"],
        kind=ClaimKind(row["kind"]) if row["kind"] in list(ClaimKind) else ClaimKind.FILE,
        holder=Identity(row["agent"], row["session"]),
        intent=digests.DAMAGED if is_damaged else row["intent"],
        task="" if is_damaged else row["task"],
        checkout=row["checkout"],
        since=row["since"],
        claimed_sha=row["claimed_sha"],
        version_sha=row["version_sha"],
        claimed_tx=row["claimed_tx"],
        settled_tx=row["settled_tx"],
        ended_at=row["ended_at"],
        end_reason="" if is_end_damaged else row["end_reason"],
        outcome=digests.DAMAGED if is_end_damaged else row["outcome"],
    )


def _to_session(row: Row) -> Session:
    """Read a session. A damaged session counts as present, and its next sign of life repairs it."""
    is_seen_damaged = digests.is_damaged(row, digests.SESSION_SEEN, "seen_digest")
    is_end_damaged = digests.is_damaged(row, digests.SESSION_END, "end_digest")
    who = Identity("[damaged]") if digests.is_damaged(row, digests.SESSION) else Identity(row["agent"], row["session"])
    return Session(
        replace(who, process="" if is_seen_damaged else row["process"]),
        row["since"],
        row["since"] if is_seen_damaged else row["seen_at"],
        FOREVER if is_end_damaged else row["ended_at"],
        0 if is_seen_damaged else row["silent"],
    )
