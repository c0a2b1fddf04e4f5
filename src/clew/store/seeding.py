"""Begins the index of a new working tree with that of another one of the project: most of their files are the same.

The run that follows compares every file by its content, so only those that differ are parsed and linked.
"""

from msgspec import Struct

from clew.store.database import Database, Where
from clew.store.files import Stamp

_TABLES = (
    "file", "file_version", "layout", "redaction", "node", "extract", "link", "link_input", "settled", "history",
    "embedded",
)  # fmt: skip


class SeedSource(Struct, frozen=True):
    """Another tree, whose index is whole and was made by the same rules."""

    where: Where
    stamp: str
    changed: int
    files_seen: int


def find_source(db: Database, where: Where, rules: bytes) -> SeedSource | None:
    """The tree of the project that was indexed last."""
    for row in db.query("seed_sources", rules=rules, **where._asdict()):
        source = Where(where.project, row["checkout"])
        return SeedSource(source, row["stamp"], row["changed"], row["files_seen"])
    return None


def seed(db: Database, where: Where, source: SeedSource, stamp: Stamp, rules: bytes) -> bool:
    """Copy what is current; call within a transaction, and roll back if the source changed meanwhile."""
    both = {**where._asdict(), "source": source.where.checkout}
    known = stamp.known - 1  # the same run may end what it began with
    for table in _TABLES:
        more = {"known": known} if table in ("file_version", "link") else {}
        more |= {"tx": stamp.tx} if table == "file_version" else {}
        db.execute(f"seed_{table}", **both, **more)
    db.execute(
        "seed_checkout", rules=rules, files_seen=source.files_seen, stamp=source.stamp, changed=source.changed,
        **where._asdict(),
    )  # fmt: skip
    return find_source(db, where, rules) == source
