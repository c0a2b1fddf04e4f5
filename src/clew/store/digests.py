"""Digests of agents' writes, kept with each row, to detect damage.

They do not detect forgery: a process that can write the database can write its digests too.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from blake3 import blake3
from msgspec import Struct

from clew.model.memory import Subject
from clew.store.database import Database, Row

EPISODE = (
    *("id", "client_key", "agent", "session", "task", "type", "content", "outcome", "sensitive", "metadata"),
    *("occurred_at", "recorded_at"),
)
LEARNING = ("id", "about", "claim", "content", "confidence", "strength", "evidence", "agent", "task", "known_from")
NOTE = (
    *("id", "scope", "owner", "name", "content", "agent", "session", "task", "origin", "revision", "known_from"),
    "subjects",
)
KNOWLEDGE = (
    *("id", "revision", "kind", "client_key", "scope", "owner", "agent", "session", "sensitive", "valid_from"),
    *("valid_to", "known_from", "body"),
)
SESSION = ("agent", "session", "since")
SESSION_SEEN = ("agent", "session", "process", "seen_at")
SESSION_END = ("agent", "session", "ended_at")
CLAIM = ("id", "fence", "target", "kind", "agent", "session", "intent", "task", "since", "claimed_sha", "claimed_tx")
CLAIM_END = ("id", "ended_at", "end_reason", "outcome")
TASK = (
    *("id", "title", "description", "feature", "status", "agent", "session", "priority", "dependencies", "plan"),
    *("files", "changed_at", "revision"),
)
TASK_CHANGE = ("task", "at", "agent", "session", "fields", "note")
FEATURE = ("id", "title", "files")
DIGESTS: Mapping[str, Mapping[str, Sequence[str]]] = {  # by table, the columns that each digest covers
    "episode": {"digest": EPISODE},
    "learning": {"digest": LEARNING},
    "note": {"digest": NOTE},
    "knowledge": {"digest": KNOWLEDGE},
    "agent_session": {"digest": SESSION, "seen_digest": SESSION_SEEN, "end_digest": SESSION_END},
    "claim": {"digest": CLAIM, "end_digest": CLAIM_END},
    "task": {"digest": TASK},
    "task_change": {"digest": TASK_CHANGE},
    "feature": {"digest": FEATURE},
}
DAMAGED = "[damaged: what was written here does not match its checksum; a backup of the database may have it]"
LINKS_DAMAGED = "[damaged: the record of the code that this is about does not match its checksum]"
LINKS = {"episode": "episode_entities_some", "learning": "learning_entities_some"}  # by table, its links to code
_DIGITS = 32
_ROWS_AT_ONCE = 1000
_KEYS = {
    "agent_session": ("number", 0),
    "claim": ("fence", 0),
    "task": ("id", ""),
    "task_change": ("number", 0),
    "feature": ("id", ""),
    "knowledge": ("number", 0),
}


def digest(row: "Mapping[str, Any] | Row", columns: Sequence[str]) -> str:
    return blake3(msgspec.json.encode([row[column] for column in columns])).hexdigest()[:_DIGITS]


def is_damaged(row: Row, columns: Sequence[str], kept_in: str = "digest") -> bool:
    """Whether a row is not as it was written; of one that has no digest, nobody knows."""
    written: str = row[kept_in]
    if not written:
        return False
    try:
        return written != digest(row, columns)
    except (TypeError, UnicodeError):  # a value of another type, a text that is none
        return True


def links_digest(subjects: Iterable[Subject]) -> str:
    """Digest of all links from one episode or learning to code, so that a missing or added link is noticed."""
    links = [(one.id, bytes(one.digest).hex()) for one in subjects]
    return blake3(msgspec.json.encode(links)).hexdigest()[:_DIGITS]


def are_links_damaged(row: Row, subjects: Iterable[Subject]) -> bool:
    try:
        return bool(row["links_digest"]) and row["links_digest"] != links_digest(subjects)
    except (TypeError, UnicodeError):
        return True


def subjects_by_row(linked: Iterable[Row], table: str) -> dict[int, list[Subject]]:
    """By the number of an episode or learning, the code that it is about."""
    subjects: dict[int, list[Subject]] = defaultdict(list)
    for row in linked:
        subjects[row[table]].append(Subject(row["node"], row["digest"]))
    return subjects


class RowCheck(Struct, frozen=True):
    """By table, the rows that are not as they were written, and those that have no checksum."""

    damaged: dict[str, int]
    unverified: dict[str, int]


def check_rows(db: Database, project: int) -> RowCheck:
    """Compare every row that agents wrote with its checksum. An open claim has no checksum of its end yet."""
    damaged: Counter[str] = Counter()
    unverified: Counter[str] = Counter()
    for table, covered in DIGESTS.items():
        for page in _pages(db, project, table):
            for row in page:
                damaged[table] += any(is_damaged(row, parts, kept_in) for kept_in, parts in covered.items())
                unverified[table] += not row["digest"]
            if table in LINKS:
                subjects = _read_links(db, project, table, page)
                damaged[f"{table} links"] += sum(are_links_damaged(row, subjects.get(row[table], ())) for row in page)
                without = [row for row in page if not row["links_digest"]]
                unverified[f"{table} links"] += sum(row[table] in subjects for row in without)
    return RowCheck(_present(damaged), _present(unverified))


def count_damaged(db: Database, project: int) -> dict[str, int]:
    """The damaged rows of each table that has any."""
    return check_rows(db, project).damaged


def _present(counts: Counter[str]) -> dict[str, int]:
    return {table: count for table, count in counts.items() if count}


def _read_links(db: Database, project: int, table: str, page: Sequence[Row]) -> dict[int, list[Subject]]:
    numbers = msgspec.json.encode([row[table] for row in page]).decode()
    return subjects_by_row(db.query(LINKS[table], project=project, numbers=numbers), table)


def _pages(db: Database, project: int, table: str) -> Iterator[list[Row]]:
    key, after = _KEYS.get(table, (table, 0))
    while page := list(db.query(f"move_out_{table}", project=project, after=after, limit=_ROWS_AT_ONCE)):
        yield page
        after = page[-1][key]
