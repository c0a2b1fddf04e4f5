"""Learnings at rest: a revision is a row of its own, and the old one stays."""

from collections.abc import Sequence
from dataclasses import replace

import msgspec

from clew.model.agents import Identity
from clew.model.memory import Learning, Subject
from clew.model.time import FOREVER, NOW, AsOf
from clew.store import digests
from clew.store.database import Database, Row, Where
from clew.store.episodes import MOST_ENTITIES
from clew.store.outage import outlast
from clew.store.packing import from_json


class Learnings:
    def __init__(self, db: Database, where: Where) -> None:
        self._db = db
        self._project = where.project

    def learn(self, learning: Learning, now: int) -> Learning:
        """Keep it. The same claim again strengthens the one that is there; another about the same supersedes it."""
        return outlast(self._db, lambda: self._learn(learning, now))

    def _learn(self, learning: Learning, now: int) -> Learning:
        with self._db.transaction():
            self._db.execute("project_lock", project=self._project)
            new = replace(learning, known_from=now)
            for number, old in self._read("learning_about", about=learning.about):
                if old.claim == learning.claim:
                    if set(learning.evidence) <= set(old.evidence):
                        return old  # nothing new speaks for it
                    new = _stronger(old, new)
                by = "" if old.claim == learning.claim else new.id
                self._db.execute("learning_end", project=self._project, learning=number, known_to=now, superseded_by=by)
            self._put(new)
        return new

    def current(self, limit: int) -> list[Learning]:
        """Current learnings, newest first."""
        return [one for _, one in self._read("learning_current", limit=limit)]

    def current_at(self, limit: int, at: AsOf) -> list[Learning]:
        """Those that were current at a time, newest first; a learning is true as long as it is believed."""
        if at == NOW:
            return self.current(limit)
        found = [one for _, one in self._read("learning_held", limit=limit, at=at.instant)]
        return [replace(one, known_to=FOREVER, superseded_by="") for one in found]

    def history(self, id: str) -> list[Learning]:
        """All that was ever held of one, oldest first."""
        return [one for _, one in self._read("learning_history", id=id)]

    def _put(self, learning: Learning) -> None:
        number = int(next(iter(self._db.query("learning_last", project=self._project)))["learning"]) + 1
        row = {
            "id": learning.id, "about": learning.about, "claim": learning.claim, "content": learning.content,
            "confidence": float(learning.confidence), "strength": learning.strength,
            "evidence": msgspec.json.encode(learning.evidence).decode(), "agent": learning.who.agent_id,
            "task": learning.task_id, "known_from": learning.known_from,
        }  # fmt: skip
        self._db.execute(
            "learning_put", project=self._project, learning=number, known_to=learning.known_to,
            superseded_by=learning.superseded_by, digest=digests.digest(row, digests.LEARNING),
            links_digest=digests.links_digest(learning.subjects[:MOST_ENTITIES]), **row,
        )  # fmt: skip
        rows = [
            {"project": self._project, "link": number * 1000 + ordinal, "learning": number, "node": subject.id,
             "digest": subject.digest}
            for ordinal, subject in enumerate(learning.subjects[:MOST_ENTITIES], 1)
        ]  # fmt: skip
        self._db.execute_many("learning_entity_put", rows)

    def _read(self, query: str, **params: object) -> list[tuple[int, Learning]]:
        rows = list(self._db.query(query, project=self._project, **params))
        if not rows:
            return []
        numbers = msgspec.json.encode([row["learning"] for row in rows]).decode()
        linked = self._db.query("learning_entities_some", project=self._project, numbers=numbers)
        subjects = digests.subjects_by_row(linked, "learning")
        return [(row["learning"], _to_learning(row, subjects.get(row["learning"], ()))) for row in rows]


def _stronger(old: Learning, new: Learning) -> Learning:
    """The old learning with new evidence; each confirmation halves the remaining doubt."""
    evidence = tuple(dict.fromkeys([*old.evidence, *new.evidence]))
    confidence = max(old.confidence, new.confidence)
    confidence = round(1 - (1 - confidence) / 2, 4)
    return replace(new, id=old.id, evidence=evidence, confidence=confidence, strength=old.strength + 1)


def _to_learning(row: Row, subjects: Sequence[Subject]) -> Learning:
    is_damaged = digests.is_damaged(row, digests.LEARNING)
    are_links_damaged = digests.are_links_damaged(row, subjects)
    content = f"{row['content']}\n{digests.LINKS_DAMAGED}" if are_links_damaged else row["content"]
    return Learning(
        id=row["id"],
        about=row["about"],
        claim=row["claim"],
        content=digests.DAMAGED if is_damaged else content,
        confidence=0.0 if is_damaged else row["confidence"],
        evidence=() if is_damaged else from_json(row["evidence"], tuple[str, ...]),
        who=Identity(row["agent"]),
        task_id=row["task"],
        strength=row["strength"],
        subjects=() if is_damaged or are_links_damaged else tuple(subjects),
        known_from=row["known_from"],
        known_to=row["known_to"],
        superseded_by=row["superseded_by"],
    )
