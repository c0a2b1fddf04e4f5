"""Digests of agents' writes, kept with each row, to detect damage.

They do not detect forgery: a process that can write the database can write its digests too.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from blake3 import blake3

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
    "claim": {"digest": CLAIM, "end_digest": CLAIM_END},
    "task": {"digest": TASK},
    "task_change": {"digest": TASK_CHANGE},
    "feature": {"digest": FEATURE},
}
DAMAGED = "[damaged: what was written here does not match its checksum; a backup of the database may have it]"
_DIGITS = 32
_ROWS_AT_ONCE = 1000
_KEYS = {"claim": ("fence", 0), "task": ("id", ""), "task_change": ("number", 0), "feature": ("id", "")}


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


def count_damaged(db: Database, project: int) -> dict[str, int]:
    """The damaged rows of each table that has any."""
    counts = {
        table: sum(any(is_damaged(row, parts, kept_in) for kept_in, parts in covered.items()) for row in rows)
        for table, covered in DIGESTS.items()
        for rows in [_rows(db, project, table)]
    }
    return {table: count for table, count in counts.items() if count}


def _rows(db: Database, project: int, table: str) -> Iterator[Row]:
    key, after = _KEYS.get(table, (table, 0))
    while page := list(db.query(f"move_out_{table}", project=project, after=after, limit=_ROWS_AT_ONCE)):
        yield from page
        after = page[-1][key]
