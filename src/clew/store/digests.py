"""Digests of what agents wrote, kept with each row: whether a row still says what was written.

They find damage, not forgery: who can write the database can write its digests too.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from blake3 import blake3

from clew.store.database import Row

EPISODE = (
    *("id", "client_key", "agent", "session", "task", "type", "content", "outcome", "sensitive", "metadata"),
    *("occurred_at", "recorded_at"),
)
LEARNING = ("id", "about", "claim", "content", "confidence", "strength", "evidence", "agent", "task", "known_from")
NOTE = (
    *("id", "scope", "owner", "name", "content", "agent", "session", "task", "origin", "revision", "known_from"),
    "subjects",
)
DAMAGED = "[damaged: what was written here does not match its checksum; a backup of the database may have it]"
_DIGITS = 32


def digest(row: "Mapping[str, Any] | Row", columns: Sequence[str]) -> str:
    return blake3(msgspec.json.encode([row[column] for column in columns])).hexdigest()[:_DIGITS]


def is_damaged(row: Row, columns: Sequence[str]) -> bool:
    """Whether a row is not as it was written; of one that has no digest, nobody knows."""
    written: str = row["digest"]
    if not written:
        return False
    try:
        return written != digest(row, columns)
    except (TypeError, UnicodeError):  # a value of another type, a text that is none
        return True
