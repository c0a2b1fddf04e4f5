"""What is indexed: a working tree, and where what is known of it lies."""

from dataclasses import dataclass
from pathlib import Path

from clew.runtime.settings import Config
from clew.store.database import Where


@dataclass(frozen=True, slots=True)
class Tree:
    """One checkout on disk, the configuration it is read by, and where its snapshots lie."""

    root: Path
    config: Config
    where: Where
    snapshots: Path
