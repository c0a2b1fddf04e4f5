"""The stored state of files that are about to be replaced, read for all of them at once."""

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

from clew.store.database import Database
from clew.store.extracts import Extracts
from clew.store.graph import Faces, Nodes
from clew.store.together import together


class PreviousVersion(NamedTuple):
    """Of one file, its symbols, and its facts if they are to be compared."""

    symbols: Faces
    facts: tuple[bytes, ...]


NOTHING = PreviousVersion({}, ())


def previous_versions(
    db: Database, nodes: Nodes, extracts: Extracts, files: Mapping[str, int], *, compared: bool
) -> dict[str, PreviousVersion]:
    """By path."""
    if not files:
        return {}
    numbers = list(files.values())
    wanted = numbers if compared else []
    symbols, found = together(db, partial(nodes.faces_later, numbers), partial(extracts.facts_later, wanted))
    facts = {file: (data,) for file, data in zip(wanted, found, strict=True)}
    return {path: PreviousVersion(symbols[file], facts.get(file, ())) for path, file in files.items()}
