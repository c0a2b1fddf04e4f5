"""The request for an index run."""

from dataclasses import dataclass, field

from clew.index.disk.change_detection import RunPart
from clew.model.run import REFRESH, Mode
from clew.store.transactions import Author


@dataclass(frozen=True, slots=True)
class IndexRequest:
    """The mode, the requester, and how long to wait while another process runs.

    The transaction, "" for a new one; and the part of the tree, if not all of it. `may_lag`: in a large tree, only the
    files that a change affects most are linked; the caller sees to it that the rest is linked later.
    """

    mode: Mode = Mode.INCREMENTAL
    author: Author = field(default_factory=Author)
    wait_seconds: float = 600.0
    transaction: str = ""
    part: RunPart | None = None
    may_lag: bool = False

    @property
    def type(self) -> str:
        """As the record names the run."""
        return REFRESH if self.part else f"{self.mode}_rebuild"
