"""The newest state of memory, in one short read.

Agents' records are numbered as they are written and never changed, so the newest of each kind identifies all others.
A claim ends in place, so open claims are listed; a new kind that changes in place must be added here.
"""

from msgspec import Struct

from clew.store.database import Database, Where
from clew.store.together import together


class Marks(Struct, frozen=True):
    """The newest episode, learning, change of a task and row of knowledge, each by its number and a unique value; and
    the open claims.

    For each claim, its id, and whether its holder has ended the session.
    """

    episode: tuple[int, str] = (0, "")
    learning: tuple[int, str, int] = (0, "", 0)
    task: tuple[int, str, int] = (0, "", 0)
    claims: tuple[tuple[str, bool], ...] = ()
    knowledge: tuple[int, str, int] = (0, "", 0)

    def __bool__(self) -> bool:
        return self != NOTHING


NOTHING = Marks()


class Ground:
    """Ground state of one project."""

    def __init__(self, db: Database, where: Where) -> None:
        self._db = db
        self._project = where.project

    def marks(self) -> Marks:
        newest, claims = together(
            self._db,
            lambda: self._db.later("memory_newest", project=self._project),
            lambda: self._db.later("memory_claims", project=self._project),
        )
        found = {row["kind"]: row for row in newest}
        held = tuple((row["id"], bool(row["gone"])) for row in claims)
        episode, learning, task = (found.get(kind) for kind in ("episode", "learning", "task"))
        known = found.get("knowledge")
        return Marks(
            (episode["number"], episode["id"]) if episode else NOTHING.episode,
            (learning["number"], learning["id"], learning["at"]) if learning else NOTHING.learning,
            (task["number"], task["id"], task["at"]) if task else NOTHING.task,
            held,
            (known["number"], known["id"], known["at"]) if known else NOTHING.knowledge,
        )
