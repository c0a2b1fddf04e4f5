"""Episodes at rest: written once, numbered as they were recorded, chained by session."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from clew.model.agents import Identity
from clew.model.memory import Episode, EpisodeDraft, EpisodeType, Outcome, Subject
from clew.model.time import NOW, AsOf
from clew.runtime.encryption import SEALED, TextCipher
from clew.store import digests
from clew.store.database import Database, Row, Where
from clew.store.outage import outlast
from clew.store.packing import from_json

MOST_ENTITIES = 999  # a link's number is the episode's, times 1,000, and its own
ENCRYPTED = "(encrypted for the agent that wrote it)"
AT_ONCE = 5000  # episodes that are read together


class Episodes:
    """Episodes of one project, from all of its checkouts."""

    def __init__(self, db: Database, where: Where, cipher: Callable[[], TextCipher | None] = lambda: None) -> None:
        """`cipher` is that of the agent that calls, for its sensitive episodes."""
        self._db = db
        self._project = where.project
        self._cipher = cipher

    def add(self, id: str, who: Identity, draft: EpisodeDraft, subjects: Sequence[Subject], now: int) -> Episode:
        """Keep an episode; one that is there under the client's key already comes back as it is."""
        return outlast(self._db, lambda: self._add(id, who, draft, subjects, now))

    def _add(self, id: str, who: Identity, draft: EpisodeDraft, subjects: Sequence[Subject], now: int) -> Episode:
        with self._db.transaction():
            self._db.execute("project_lock", project=self._project)
            if found := self.by_key(who.agent_id, draft.key):
                return found
            row = {**_to_row(id, who, draft, self._cipher()), "recorded_at": now}
            told = {
                "project": self._project, **row, "digest": digests.digest(row, digests.EPISODE),
                "links_digest": digests.links_digest(subjects[:MOST_ENTITIES]),
            }  # fmt: skip
            put = next(iter(self._db.query("episode_put", **told)), None)
            if put is None and (found := self.get(id)):  # a commit whose answer was lost
                return found
            assert put is not None
            number = int(put["episode"])
            if subjects:
                self._db.execute_many("episode_entity_put", list(self._links(number, subjects)))
        return Episode(number, id, who, draft, now, int(put["previous"]), tuple(subjects), str(put["previous_id"]))

    def _links(self, number: int, subjects: Sequence[Subject]) -> Iterator[Mapping[str, object]]:
        for ordinal, subject in enumerate(subjects[:MOST_ENTITIES], 1):
            yield {
                "project": self._project, "link": number * 1000 + ordinal, "episode": number,
                "node": subject.id, "digest": subject.digest,
            }  # fmt: skip

    def last(self) -> int:
        """The number of the newest; 0 if there is none."""
        return int(next(iter(self._db.query("episode_last", project=self._project)))["episode"])

    def get(self, id: str) -> Episode | None:
        return next(iter(self._read(self._db.query("episode_by_id", project=self._project, id=id))), None)

    def by_key(self, agent: str, key: str) -> Episode | None:
        if not key:
            return None
        rows = self._db.query("episode_by_key", project=self._project, agent=agent, client_key=key)
        return next(iter(self._read(rows)), None)

    def some(self, numbers: Sequence[int]) -> list[Episode]:
        """In the order of their numbers."""
        wanted = msgspec.json.encode(sorted(numbers)).decode()
        return self._read(self._db.query("episode_some", project=self._project, numbers=wanted)) if numbers else []

    def latest(
        self, limit: int, *, task: str = "", agent: str = "", sensitive: bool = False, at: AsOf = NOW
    ) -> list[Episode]:
        """The newest as of a time, of a task or an agent if one is named, in the order of their numbers."""
        rows = self._db.query(
            "episode_latest", project=self._project, task=task, agent=agent, sensitive=int(sensitive), limit=limit,
            valid=at.valid, known=at.known,
        )  # fmt: skip
        return self._read(rows)

    def recorded_by(self, known: int) -> int:
        """The number of the last that was recorded up to a time; 0 if none was."""
        return int(next(iter(self._db.query("episode_recorded_by", project=self._project, known=known)))["episode"])

    def after(self, number: int) -> Iterator[Episode]:
        """All that were recorded since, oldest first; what is encrypted for an agent stays so."""
        found = AT_ONCE
        while found == AT_ONCE:
            rows = list(self._db.query("episode_after", project=self._project, after=number, limit=AT_ONCE))
            found, upto = len(rows), rows[-1]["episode"] if rows else number
            if rows:
                linked = self._db.query("episode_entities_between", project=self._project, after=number, upto=upto)
                yield from _to_episodes(rows, linked, None)
            number = upto

    def _read(self, rows: Iterator[Row]) -> list[Episode]:
        found = sorted(rows, key=lambda row: int(row["episode"]))
        if not found:
            return []
        numbers = msgspec.json.encode([row["episode"] for row in found]).decode()
        linked = self._db.query("episode_entities_some", project=self._project, numbers=numbers)
        return _to_episodes(found, linked, self._cipher())


def _to_episodes(rows: Sequence[Row], linked: Iterator[Row], cipher: TextCipher | None) -> list[Episode]:
    subjects = digests.subjects_by_row(linked, "episode")
    return [_to_episode(row, tuple(subjects.get(row["episode"], ())), cipher) for row in rows]


def _to_row(id: str, who: Identity, draft: EpisodeDraft, cipher: TextCipher | None) -> dict[str, Any]:
    content, metadata = draft.content, msgspec.json.encode(draft.metadata, order="sorted").decode()
    if draft.sensitive and cipher:
        content, metadata = cipher.seal(id, msgspec.json.encode([content, metadata]).decode()), "{}"
    return {
        "id": id,
        "client_key": draft.key,
        "agent": who.agent_id,
        "session": who.session_id,
        "task": draft.task_id,
        "type": draft.type,
        "content": content,
        "outcome": draft.outcome,
        "sensitive": int(draft.sensitive),
        "metadata": metadata,
        "occurred_at": draft.occurred_at,
    }


def _readable_texts(row: Row, cipher: TextCipher | None) -> tuple[str, str]:
    """The content and the metadata, or that they are encrypted for another agent."""
    content, metadata = str(row["content"]), str(row["metadata"])
    if not (row["sensitive"] and content.startswith(SEALED)):
        return content, metadata
    opened = cipher.unseal(str(row["id"]), content) if cipher else None
    return msgspec.json.decode(opened, type=tuple[str, str]) if opened is not None else (ENCRYPTED, "{}")


def _to_episode(row: Row, subjects: tuple[Subject, ...], cipher: TextCipher | None) -> Episode:
    if digests.is_damaged(row, digests.EPISODE):
        return _damage_report(row)
    are_links_damaged = digests.are_links_damaged(row, subjects)
    if are_links_damaged:
        subjects = ()
    content, metadata = _readable_texts(row, cipher)
    draft = EpisodeDraft(
        type=EpisodeType(row["type"]),
        content=f"{content}\n{digests.LINKS_DAMAGED}" if are_links_damaged else content,
        entities=tuple(subject.id for subject in subjects),
        task_id=row["task"],
        outcome=Outcome(row["outcome"]),
        metadata=from_json(metadata, dict[str, object]),
        sensitive=bool(row["sensitive"]),
        occurred_at=row["occurred_at"],
        key=row["client_key"],
    )
    who = Identity(row["agent"], row["session"])
    return Episode(row["episode"], row["id"], who, draft, row["recorded_at"], row["previous"], subjects)


def _damage_report(row: Row) -> Episode:
    """Reported in its place: nothing of it is quoted, and it is about nothing."""
    kind, sensitive = EpisodeType.OBSERVATION, bool(row["sensitive"])
    draft = EpisodeDraft(kind, digests.DAMAGED, sensitive=sensitive, occurred_at=row["occurred_at"])
    return Episode(row["episode"], row["id"], Identity("", ""), draft, row["recorded_at"], row["previous"])
