"""The drift of code that memories refer to, as tools answer it."""

from collections.abc import Iterable, Sequence

from clew.engine import Engine
from clew.model.code import split_id
from clew.model.memory import Subject
from clew.model.time import NOW, AsOf
from clew.pack.items import Fate
from clew.tools.freshness import freshly

_STILL = ("current", "unknown")


def moved_on(memories: Iterable[Sequence[Fate]]) -> str:
    """How many of the referenced code has changed, in words; empty if none."""
    drifted = sum(any(one.state not in _STILL for one in about) for about in memories)
    return f" Of {drifted}, the code has moved on." if drifted else ""


def seen_now(engine: Engine, ids: Sequence[str]) -> None:
    """Bring the index up to date with the files of these, so that it knows them as they are at this moment."""
    paths = sorted({split_id(one)[0] for one in ids})
    if paths:
        freshly(engine, lambda: paths, lambda found: found)


def viewpoint(engine: Engine, as_of: str, known_as_of: str) -> AsOf:
    """As of when memory or the fleet is asked: what had happened at one time, as far as it was recorded at another."""
    state = engine.past_states.find(as_of, known_as_of) if as_of or known_as_of else None
    return state.at if state else NOW


def states(engine: Engine, subjects: Sequence[Subject], at: AsOf = NOW) -> tuple[Fate, ...]:
    return tuple(map(Fate.of, engine.memory.code.standings(subjects, at)))
