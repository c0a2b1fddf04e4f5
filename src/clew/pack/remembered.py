"""A task pack's query to memory and its result; empty as long as agents have written nothing."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from clew.model.agents import Identity
from clew.pack.items import Note


class FromMemory(Struct, frozen=True):
    """The agent and the task, by default the caller's current one. Kinds that are not requested are not read."""

    who: Identity = Identity()
    task_id: str = ""
    decisions: bool = True
    episodes: bool = True
    learnings: bool = True


def _none(id: str) -> Sequence[Note]:
    return ()


class Memories(Struct, frozen=True, eq=False):
    """Memories for one pack, the best of each kind first.

    Claims on code and learnings about it are looked up by id once that code enters the pack.
    """

    plan: tuple[Note, ...] = ()
    decisions: tuple[Note, ...] = ()
    episodes: tuple[Note, ...] = ()
    learned: tuple[Note, ...] = ()
    in_the_way: Callable[[str], Sequence[Note]] = _none
    about: Callable[[str], Sequence[Note]] = _none


NO_MEMORIES = Memories()
