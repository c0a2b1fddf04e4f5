"""Compaction that a user asks for: the record of time begins later, and what agents wrote stays."""

import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from msgspec import Struct

from clew.index.index_lease import Clock, IndexLease
from clew.index.working_tree import WorkingTree
from clew.model.errors import ClewError
from clew.store.compaction import COMPACTION, Compaction
from clew.store.database import Database
from clew.store.leases import Leases, this_process
from clew.store.transactions import Author, Transactions

WAIT_SECONDS = 600.0


class VersionCount(Struct, frozen=True):
    path: str
    versions: int


class CompactionReport(Struct, frozen=True):
    """The removed data, or those to remove: versions that ended by `cutoff`, and texts of no other version."""

    cutoff: int
    dry_run: bool
    versions: int
    files: tuple[VersionCount, ...]
    texts: int
    text_bytes: int
    bytes_freed: int = 0
    transaction: str = ""


def compact(
    db: Database, tree: WorkingTree, cutoff: int, now: Clock, new_id: Callable[[], str], *, dry_run: bool
) -> CompactionReport:
    """Remove what ended by a time from the record of one working tree."""
    store = Compaction(db, tree.where)
    found = store.removable(cutoff)
    files = tuple(VersionCount(path, count) for path, count in found.versions)
    report = CompactionReport(cutoff, dry_run, found.count, files, found.texts, found.text_bytes)
    if dry_run or not files:
        return report
    transactions, size, started = Transactions(db, tree.where), db.size(), time.monotonic()
    with IndexLease(db, tree.where, this_process(new_id()), now).hold(WAIT_SECONDS) as lease:
        record = transactions.start(new_id(), COMPACTION, "", Author(), now())
        status = "interrupted"
        try:
            store.remove(cutoff, partial(Leases(db, tree.where).renew, lease, now()))
            status = "completed"
        finally:
            counts = {"versions": found.count, "files": len(files), "texts": found.texts}
            transactions.end(record.id, status, int((time.monotonic() - started) * 1_000_000), counts)
    if db.dialect == "sqlite":
        with suppress(ClewError):  # somebody reads: the room is used again all the same
            db.define("VACUUM")
    freed = max(0, size - db.size())
    return CompactionReport(
        cutoff, False, found.count, files, found.texts, found.text_bytes, freed, record.id
    )  # fmt: skip
