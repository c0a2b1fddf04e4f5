"""Files of the project that were not read: missing elements may be in them."""

from msgspec import Struct

from clew.engine import Engine
from clew.index.disk import scan_state
from clew.store import heads
from clew.tools.freshness import count_of

MOST_NAMED = 3
_WHY = "for size, name, an error, or as a repository of its own"


class UnindexedFiles(Struct, frozen=True):
    """How many there are, and the first of them."""

    count: int = 0
    files: tuple[str, ...] = ()

    def __str__(self) -> str:
        """A sentence; nothing, if all were read."""
        were = f"{count_of(self.count, 'file or folder was', 'files or folders were')} not read ({_WHY})"
        more = f" and {left} more" if (left := self.count - len(self.files)) else ""
        return f"{were}: {', '.join(self.files)}{more}." if self.count else ""


ALL_READ = UnindexedFiles()  # the one that answers leave out: they do so by what it is, not by its value


def find_failed_files(engine: Engine) -> tuple[str, ...]:
    """Files that an error kept from being read, when they were looked at last."""
    kept = scan_state.read_state(heads.folder(engine.place.snapshots, engine.where))
    return tuple(sorted(kept.failed)) if kept else ()


def find_unindexed_files(engine: Engine) -> UnindexedFiles:
    """As the last walk of this host saw them. Reads what it kept: for what says that something is nowhere."""
    kept = scan_state.read_state(heads.folder(engine.place.snapshots, engine.where))
    paths = sorted(kept.unread) if kept else []
    return UnindexedFiles(len(paths), tuple(paths[:MOST_NAMED])) if paths else ALL_READ
