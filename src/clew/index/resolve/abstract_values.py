"""What a value turns out to be, once the whole tree is known.

There is one thing of a kind at a place, so things are compared by identity. An object stands for all objects of its
class, a box for all containers that its line makes.
"""

from clew.index.resolve import value_kinds
from clew.model.code import symbol_id

BEHIND = "behind"  # the view of a function that a decorator hides: who calls its name calls a wrapper, which calls it

BELOW = "below"  # that of what only an heir of the class has that a value is told to be of

SUPPLIED = "supplied"  # that of what a class has whose object something outside is taken to have made

Place = tuple[str, str, str]  # path, scope and name of what is bound there


class AbstractValue:
    """What is outside has as its scope what made the object that it is a member of; a method of an embedded interface
    has as its view the one that it is seen by.
    """

    __slots__ = ("alone", "is_data", "kind", "path", "provenance", "scope")

    def __init__(self, kind: int, path: str, scope: str = "", provenance: str = "") -> None:
        self.kind, self.path, self.scope, self.provenance = kind, path, scope, provenance
        self.alone = frozenset((self,))
        self.is_data = kind == value_kinds.OUTSIDE and path.startswith("builtins.")  # not worth following into calls

    @property
    def id(self) -> str:
        return symbol_id(self.path, self.scope)

    def __repr__(self) -> str:
        return f"{value_kinds.NAMES[self.kind]} {self.id}{f' {self.provenance}' if self.provenance else ''}"


Found = list[Place | AbstractValue]  # what a name leads to in other files


class AbstractValues:
    """One thing of a kind at a place."""

    def __init__(self) -> None:
        self._things: dict[tuple[int, str, str, str], AbstractValue] = {}

    def end(self) -> None:
        for thing in self._things.values():
            del thing.alone  # which leads back to it
        self._things = {}

    def thing(self, kind: int, path: str, scope: str = "", provenance: str = "") -> AbstractValue:
        key = (kind, path, scope, provenance)
        found = self._things.get(key)
        if found is None:
            found = self._things[key] = AbstractValue(kind, path, scope, provenance)
        return found
