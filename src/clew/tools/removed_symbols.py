"""Deleted symbols: where they were moved, or the last time at which they can still be shown."""

from collections.abc import Sequence

from clew.engine import Engine
from clew.model.code import split_id
from clew.model.time import to_iso

MOST_FOLLOWED = 3  # of several that had a name; each is followed through the record


def describe_removed(engine: Engine, ids: Sequence[str]) -> str:
    """A sentence about things that are there no more: those that went elsewhere, else until when one was there."""
    lineage = engine.memory.code.lineage
    became = {one: now for one in ids[:MOST_FOLLOWED] if (now := lineage.now(one))}
    if became:
        return f"{'; '.join(f'{one} is now {now}' for one, now in became.items())}."
    seen = _seen(engine, ids[0])
    return f"{ids[0]} is gone{f'; code_explain with as_of={seen} shows it as it was' if seen else ''}."


def _seen(engine: Engine, id: str) -> str:
    """A time at which it was there, and known to be; empty if there is none."""
    path, scope = split_id(id)
    versions = engine.files.history(path)
    if scope:
        died = max((one.died for one in engine.nodes.versions(path, scope)), default=0)
        versions = [one for one in versions if one.version < died]
    times = [(max(one.valid_from, one.known_from), min(one.valid_to, one.known_to)) for one in versions]
    return next((to_iso(begins) for begins, ends in reversed(times) if begins < ends), "")
