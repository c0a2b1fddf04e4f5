"""Notes at rest: a changed note is a row of its own, and the old one stays."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

import msgspec

from clew.model.agents import Identity
from clew.model.memory import AgentNote, NoteScope, Subject
from clew.model.time import FOREVER, NOW, AsOf
from clew.store import digests
from clew.store.database import Database, Row, Where
from clew.store.outage import outlast
from clew.store.packing import from_json

T = TypeVar("T")

MOST = 1000  # notes of one scope that are read together


class Notes:
    """Notes of one project, or of a user; a user's store is a project of its own."""

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

    def put(self, note: AgentNote) -> AgentNote:
        (row,) = self._db.query("note_put", project=self._project, **_to_row(note))
        return replace(note, number=int(row["note"]))

    def end(self, note: AgentNote, at: int, became: str) -> None:
        self._db.execute("note_end", project=self._project, note=note.number, known_to=at, became=became)

    def open(self, scope: NoteScope, owner: str = "", at: AsOf = NOW) -> list[AgentNote]:
        """Newest first; as they were at a time."""
        if at == NOW:
            return self._read("note_open", scope=scope, owner=owner, limit=MOST)
        held = self._read("note_held", scope=scope, owner=owner, limit=MOST, at=at.instant)
        return [replace(one, known_to=FOREVER, became="") for one in held]

    def every(self, scope: NoteScope) -> Iterator[AgentNote]:
        """Every revision of every note, in the order of writing."""
        after = 0
        while page := self._read("note_every", scope=scope, owner="", after=after, limit=MOST):
            yield from page
            after = page[-1].number

    def find(self, scope: NoteScope, owner: str, name: str) -> AgentNote | None:
        """By its id or its name."""
        return next(iter(self._read("note_named", scope=scope, owner=owner, name=name)), None)

    def of_task(self, task: str) -> list[AgentNote]:
        """The working notes of all holders, in the order of writing."""
        return self._read("note_of_task", scope=NoteScope.WORKING, task=task)

    def history(self, id: str) -> list[AgentNote]:
        """Every revision, the first one first."""
        return self._read("note_history", id=id)

    def holders(self) -> list[Identity]:
        """The sessions that have working notes."""
        rows = self._db.query("note_holders", project=self._project, scope=NoteScope.WORKING)
        return [Identity(row["agent"], row["session"]) for row in rows]

    def _read(self, query: str, **params: object) -> list[AgentNote]:
        return [_to_note(row) for row in self._db.query(query, project=self._project, **params)]


def _to_row(note: AgentNote) -> dict[str, object]:
    row = {
        "id": note.id,
        "scope": note.scope,
        "owner": note.owner,
        "name": note.name,
        "content": note.content,
        "agent": note.who.agent_id,
        "session": note.who.session_id,
        "task": note.task,
        "origin": note.origin,
        "revision": note.revision,
        "known_from": note.known_from,
        "known_to": note.known_to,
        "became": note.became,
        "subjects": msgspec.json.encode([(one.id, one.digest.hex()) for one in note.subjects]).decode(),
    }
    return {**row, "digest": digests.digest(row, digests.NOTE)}


def _to_note(row: Row) -> AgentNote:
    is_damaged = digests.is_damaged(row, digests.NOTE)
    return AgentNote(
        id=row["id"],
        scope=NoteScope(row["scope"]),
        who=Identity(row["agent"], row["session"]),
        content=digests.DAMAGED if is_damaged else row["content"],
        name=row["name"],
        task=row["task"],
        origin=row["origin"],
        revision=row["revision"],
        number=row["note"],
        known_from=row["known_from"],
        known_to=row["known_to"],
        became=row["became"],
        subjects=()
        if is_damaged
        else tuple(Subject(node, bytes.fromhex(of)) for node, of in from_json(row["subjects"], list[tuple[str, str]])),
    )
