"""The indexed working tree, and the place of its index."""

from pathlib import Path

from msgspec import Struct

from clew.runtime.settings import Config
from clew.store.database import Where


class WorkingTree(Struct, frozen=True):
    """One checkout on disk, the configuration it is read by, and where its snapshots lie."""

    root: Path
    config: Config
    where: Where
    snapshots: Path
