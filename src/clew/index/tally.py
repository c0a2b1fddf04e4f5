"""The counters of a run."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from clew.model.code import Reading
from clew.model.run import FileFailure


@dataclass(slots=True)
class RunTally:
    read: int = 0
    unchanged: int = 0
    deleted: int = 0
    redacted: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    failed: list[FileFailure] = field(default_factory=list)
    flawed: list[FileFailure] = field(default_factory=list)  # read, with problems

    def count(self, reading: Reading) -> None:
        self.read += 1
        self.redacted += len(reading.redactions)
        if reading.problems:
            self.flawed.append(FileFailure(reading.path, "; ".join(reading.problems)))

    def report_counts(self) -> dict[str, Any]:
        """As a report has them."""
        return {
            "read": self.read,
            "unchanged": self.unchanged,
            "deleted": self.deleted,
            "skipped": dict(sorted(self.skipped.items())),
            "failed": tuple(sorted(self.failed, key=lambda failure: failure.path)),
            "problems": len(self.flawed),
            "flawed": tuple(sorted(self.flawed, key=lambda failure: failure.path)),
            "redacted": self.redacted,
        }

    def counts(self) -> dict[str, int]:
        """As a transaction's record keeps them."""
        counts = {"read": self.read, "unchanged": self.unchanged, "deleted": self.deleted, "failed": len(self.failed)}
        return {**counts, **{f"skipped_{reason}": n for reason, n in self.skipped.items()}}
