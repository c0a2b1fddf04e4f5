"""The version of a target in a checkout, as one hash: it changes with the content, and is empty where nothing is."""

from collections.abc import Iterable
from hashlib import sha256

from clew.coordinate.targets import Target, ranges
from clew.model.code import SCOPE, split_id
from clew.store.changes import Changes
from clew.store.database import Database, Where
from clew.store.files import Files
from clew.store.graph import Nodes

LENGTH = 32  # hexadecimal digits


def version_of(db: Database, where: Where, target: Target) -> str:
    """A file's own hash; of a folder or a symbol, a hash of all that is inside."""
    if not target.is_code:
        return ""
    path, scope = split_id(target.text)
    known = Files(db, where).known_at(path)
    if known and scope:
        live = Nodes(db, where).live(known.file)
        return _hash((name, digest) for name, digest in live.items() if f"{name}{SCOPE}".startswith(f"{scope}{SCOPE}"))
    if known:
        return known.digest.hex()[:LENGTH]
    return "" if scope else _hash(Changes(db, where).inside(*ranges(target.text)[0]))


def _hash(parts: Iterable[tuple[str, bytes]]) -> str:
    lines = [f"{name}\0{digest.hex()}" for name, digest in sorted(parts)]
    return sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()[:LENGTH] if lines else ""
