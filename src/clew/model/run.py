"""Progress and report of an index run."""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct, field

AGENT_EDIT = "agent_edit"  # such a run on files that an agent holds a claim on
REFRESH = "refresh"  # as the record names a run on the few files that changed, before an answer
LINK = "link"  # and one that stores what linking all files in the background found

LINKING_CPU_MS = "cpu_ms"  # among the counts of such a run, the CPU time of the process that did it


class Mode(StrEnum):
    INCREMENTAL = "incremental"
    FULL = "full"


class Progress(Struct, frozen=True):
    """How far a run is: files that were read, of those that must be. A large one begins with an `estimate`."""

    done: int
    total: int
    path: str
    estimate: str = ""


def unheard(progress: Progress) -> None:
    """Nobody asked how far a run is."""


class Queued(NamedTuple):
    """A run that was asked for: its transaction to be, that of the run it waits for, and whether it is a new one."""

    transaction: str
    waits_for: str
    new: bool


class RunStage(StrEnum):
    """The stages of a run, in their order."""

    SCAN = "scan"
    READ = "read"
    PROGRAM = "whole program"
    LINK = "link files"
    HISTORY = "git history"
    SNAPSHOT = "snapshot"


class StageTime(Struct, frozen=True):
    """The time spent in a stage; `cpu_seconds` includes worker processes."""

    stage: RunStage
    seconds: float
    cpu_seconds: float


class FileFailure(Struct, frozen=True):
    path: str
    detail: str


class RunReport(Struct, frozen=True):
    """The summary of a run. `files` is the size of the index; the other counts are of this run."""

    transaction: str
    mode: Mode
    files: int
    symbols: int
    chunks: int
    read: int
    unchanged: int
    deleted: int
    seconds: float
    skipped: Mapping[str, int] = field(default_factory=dict)
    failed: tuple[FileFailure, ...] = ()
    problems: int = 0
    flawed: tuple[FileFailure, ...] = ()  # which files have them, and what they are
    redacted: int = 0
    warnings: tuple[str, ...] = ()
    stages: tuple[StageTime, ...] = ()

    @property
    def summary(self) -> str:
        skipped = sum(self.skipped.values())
        reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(self.skipped.items()))
        flawed = f", {self.problems} with problems, such as syntax errors" if self.problems else ""
        return (
            f"{self.files} file{'s' * (self.files != 1)}, {self.symbols} symbols, {self.chunks} chunks in the index; "
            f"{self.read} read, {self.unchanged} unchanged, {self.deleted} deleted, "
            f"{skipped} skipped{f' ({reasons})' if reasons else ''}, {len(self.failed)} failed{flawed}; "
            f"{self.seconds:.2f} s"
        )
