"""What a run has counted so far."""

from collections import Counter
from dataclasses import dataclass, field

from clew.model.run import Failure


@dataclass(slots=True)
class Tally:
    read: int = 0
    unchanged: int = 0
    deleted: int = 0
    problems: int = 0
    redacted: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    failed: list[Failure] = field(default_factory=list)

    def counts(self) -> dict[str, int]:
        """As a transaction's record keeps them."""
        counts = {"read": self.read, "unchanged": self.unchanged, "deleted": self.deleted, "failed": len(self.failed)}
        return {**counts, **{f"skipped_{reason}": n for reason, n in self.skipped.items()}}
