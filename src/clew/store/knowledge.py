"""The log of knowledge at rest: rows are added, never changed; only erasure removes rows."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import msgspec

from clew.model.agents import Identity
from clew.model.knowledge import KnowledgeBody, KnowledgeKind, KnowledgeRecord, KnowledgeScope
from clew.store import digests
from clew.store.database import Database, Durability, Row, Where
from clew.store.outage import outlast
from clew.store.packing import from_json

T = TypeVar("T")

AT_ONCE = 5000  # rows that are read together
_VIEW_LIFE = 3_600_000_000  # microseconds for which a view can be named by its handle


class KnowledgeLog:
    """Knowledge of one project, from all of its checkouts."""

    def __init__(self, db: Database, where: Where) -> None:
        self._db = db
        self._project = where.project

    def at_once(self, work: Callable[[], T]) -> T:
        """Run work in one exclusive transaction; it may be repeated after an outage."""
        return outlast(self._db, lambda: self._run_locked(work))

    def _run_locked(self, work: Callable[[], T]) -> T:
        with self._db.transaction():
            self._db.execute("project_lock", project=self._project)
            return work()

    def last(self) -> int:
        """The number of the newest row; 0 if there is none."""
        return int(next(iter(self._db.query("knowledge_last", project=self._project)))["number"])

    def put(self, records: Sequence[KnowledgeRecord]) -> None:
        """Add numbered rows; only inside of `at_once`."""
        self._db.execute_many("knowledge_put", [{"project": self._project, **to_row(one)} for one in records])

    def after(self, number: int) -> Iterator[KnowledgeRecord]:
        """All rows since, oldest first."""
        found = AT_ONCE
        while found == AT_ONCE:
            rows = list(self._db.query("knowledge_after", project=self._project, after=number, limit=AT_ONCE))
            found = len(rows)
            for row in rows:
                number = row["number"]
                yield _to_record(row)

    def by_key(self, agent: str, key: str) -> list[KnowledgeRecord]:
        """The rows that an agent wrote under its key."""
        rows = self._db.query("knowledge_by_key", project=self._project, agent=agent, client_key=key) if key else ()
        return [_to_record(row) for row in rows]

    def remove(self, ids: Sequence[str]) -> int:
        """Delete records with all their rows; only inside of `at_once`. A last row lets readers begin anew."""
        last = self.last()
        for id_ in ids:
            self._db.execute("forget_knowledge", project=self._project, id=id_)
        if ids:
            self.put([purge_mark(last)])
        return len(ids)

    def every(self) -> Iterator[KnowledgeRecord]:
        """All rows, oldest first."""
        return self.after(0)

    def keep_view(self, id: str, data: str, now: int) -> None:
        """Store a view for later calls of other connections; those that have expired are removed."""
        with self._db.transaction(Durability.DERIVED):
            self._db.execute("knowledge_view_expire", project=self._project, before=now - _VIEW_LIFE)
            self._db.execute("knowledge_view_put", project=self._project, id=id, made_at=now, data=data)

    def view(self, id: str, now: int) -> str:
        """The data of a view; empty if it is not known or has expired."""
        rows = self._db.query("knowledge_view_get", project=self._project, id=id)
        return next((row["data"] for row in rows if row["made_at"] >= now - _VIEW_LIFE), "")


def purge_mark(last: int) -> KnowledgeRecord:
    """The row after the last one that says that rows before it were removed."""
    body = KnowledgeBody(ended=True)
    return KnowledgeRecord(f"purge-{last + 1}", KnowledgeKind.PURGE, body, Identity(), number=last + 1)


def to_row(record: KnowledgeRecord) -> dict[str, object]:
    row: dict[str, object] = {
        "id": record.id,
        "revision": record.revision,
        "kind": str(record.kind),
        "client_key": record.key,
        "scope": str(record.scope),
        "owner": record.owner,
        "agent": record.who.agent_id,
        "session": record.who.session_id,
        "sensitive": int(record.sensitive),
        "valid_from": record.valid_from,
        "valid_to": record.valid_to,
        "known_from": record.known_from,
        "body": msgspec.json.encode(record.body).decode(),
    }
    return {**row, "number": record.number, "digest": digests.digest(row, digests.KNOWLEDGE)}


def _to_record(row: Row) -> KnowledgeRecord:
    if digests.is_damaged(row, digests.KNOWLEDGE):
        body = KnowledgeBody(name=digests.DAMAGED, confidence=0.0)
    else:
        body = from_json(row["body"], KnowledgeBody)
    return KnowledgeRecord(
        id=row["id"],
        kind=KnowledgeKind(row["kind"]),
        body=body,
        who=Identity(row["agent"], row["session"]),
        scope=KnowledgeScope(row["scope"]),
        owner=row["owner"],
        sensitive=bool(row["sensitive"]),
        key=row["client_key"],
        valid_from=row["valid_from"],
        valid_to=row["valid_to"],
        known_from=row["known_from"],
        revision=row["revision"],
        number=row["number"],
    )
