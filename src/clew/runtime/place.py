"""Where a project lies: its root, which of its checkouts this is, and the files that Clew keeps for it."""

import errno
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from clew.model.errors import DiskFull, StoreReadOnly
from clew.runtime import config, paths
from clew.runtime.config import Resolved

HOME = ".clew"
DATABASE = "clew.db"
SNAPSHOTS = "snapshots"
MAIN = "main"  # the checkout that is not a linked worktree


class Place(Struct, frozen=True):
    root: Path
    checkout: str
    database: Path
    settings: Resolved
    warnings: tuple[str, ...]

    @property
    def snapshots(self) -> Path:
        return self.database.parent / SNAPSHOTS

    def prepare(self) -> None:
        """Make the directory; it ignores itself in git."""
        folder = self.database.parent
        try:
            folder.mkdir(parents=True, exist_ok=True)
            ignore = folder / ".gitignore"
            if folder.name == HOME and not (ignore.exists() and ignore.stat().st_size):  # a full disk leaves it empty
                ignore.write_text("*\n", encoding="utf-8")
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise DiskFull(f"the disk that holds {folder} is full") from error
            raise StoreReadOnly(f"{folder} cannot be made: {error.strerror}") from error


def find_place(start: Path, environ: Mapping[str, str]) -> Place:
    """The project that holds `start`. A linked worktree keeps its files with the main one's."""
    root = paths.find_root(start)
    warning = paths.guard(root, named=start.resolve() == root)
    settings = config.load(root, environ)
    home, worktree = paths.worktree_home(root)
    configured = settings.config.storage.db_path
    database = (root / configured).resolve() if configured else home / HOME / DATABASE
    name = f"worktree:{worktree}" if worktree else MAIN
    foreign = (
        "" if database.is_relative_to(home) or not configured else f"the index lies outside of the project: {database}"
    )
    return Place(root, name, database, settings, tuple(filter(None, [warning, foreign, *settings.warnings])))
