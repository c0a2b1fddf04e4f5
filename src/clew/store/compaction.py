"""Removal of versions that ended before a time that the user names. Memory and current versions stay."""

from collections.abc import Callable

from msgspec import Struct

from clew.store.database import Database, Where
from clew.store.outage import outlast

COMPACTION = "compaction"  # the type of its transactions
# In this order: what belongs to versions goes after them.
_STATEMENTS = (
    "compact_versions", "compact_layouts", "compact_redactions", "compact_nodes", "compact_links", "compact_files",
    "compact_blobs",
)  # fmt: skip


class Removable(Struct, frozen=True):
    """Candidates for removal: versions by path, the most first, and texts that nothing else uses."""

    versions: tuple[tuple[str, int], ...]
    texts: int
    text_bytes: int

    @property
    def count(self) -> int:
        return sum(number for _, number in self.versions)


class Compaction:
    def __init__(self, db: Database, where: Where) -> None:
        self._db = db
        self._where = where._asdict()

    def removable(self, cutoff: int) -> Removable:
        """Versions that ended, or that nobody believed any more, by that time."""
        rows = [(row["path"], row["n"]) for row in self._db.query("compact_list", cutoff=cutoff, **self._where)]
        texts = next(iter(self._db.query("compact_texts", cutoff=cutoff, **self._where)))
        return Removable(tuple(rows), int(texts["n"]), int(texts["bytes"]))

    def remove(self, cutoff: int, check: Callable[[], None]) -> None:
        """In one transaction: no reader sees half of it. `check` is that the lease is still ours."""

        def work() -> None:
            with self._db.transaction():
                check()
                for statement in _STATEMENTS:
                    self._db.execute(statement, cutoff=cutoff, **self._where)

        outlast(self._db, work)
