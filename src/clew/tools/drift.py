"""What became of the code that memories are about, as tools answer it."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from clew.engine import Engine
from clew.model.code import split_id
from clew.model.memory import Subject
from clew.tools.freshness import freshly

if TYPE_CHECKING:
    from clew.memory.subjects import Standing

_STILL = ("current", "unknown")


class EntityState(Struct, frozen=True, omit_defaults=True):
    """`state`: current, changed since, moved to, gone; unknown where no such id was known when it was written.

    `changed` is said of what moved, if it changed there.
    """

    id: str
    state: str
    now: str = ""
    changed: bool = False


def moved_on(memories: Iterable[Sequence[EntityState]]) -> str:
    """Of how many the code is not as it was, in words; nothing, if of none."""
    drifted = sum(any(one.state not in _STILL for one in about) for about in memories)
    return f" Of {drifted}, the code has moved on." if drifted else ""


def seen_now(engine: Engine, ids: Sequence[str]) -> None:
    """Bring the index up to date with the files of these, so that it knows them as they are at this moment."""
    paths = sorted({split_id(one)[0] for one in ids})
    if paths:
        freshly(engine, lambda: paths, lambda found: found)


def states(engine: Engine, subjects: Sequence[Subject]) -> tuple[EntityState, ...]:
    return tuple(map(_state, engine.memory.code.standings(subjects)))


def _state(one: "Standing") -> EntityState:
    return EntityState(one.id, str(one.drift), one.now, one.changed)
