"""What a task's pack asks of memory, and what it gets: nothing, as long as agents have written nothing."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from clew.model.agents import Identity
from clew.pack.items import Note


class FromMemory(Struct, frozen=True):
    """For whom, and of which task; by default the one that the caller works on. What is not wanted is not read."""

    who: Identity = Identity()
    task_id: str = ""
    decisions: bool = True
    episodes: bool = True
    learnings: bool = True


def _none(id: str) -> Sequence[Note]:
    return ()


class Memories(Struct, frozen=True, eq=False):
    """For one pack; the best of each kind first.

    What others hold of code, and what was learned of it, is asked for by id as that code comes into the pack.
    """

    plan: tuple[Note, ...] = ()
    decisions: tuple[Note, ...] = ()
    episodes: tuple[Note, ...] = ()
    learned: tuple[Note, ...] = ()
    in_the_way: Callable[[str], Sequence[Note]] = _none
    about: Callable[[str], Sequence[Note]] = _none


NO_MEMORIES = Memories()
