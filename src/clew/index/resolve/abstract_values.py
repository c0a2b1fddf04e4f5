"""What a value turns out to be, once the whole tree is known.

There is one thing of a kind at a place, so things are compared by identity. An object stands for all objects of its
class, a box for all containers that its line makes.
"""

from clew.index.resolve import value_kinds
from clew.index.resolve.provenance import PLAIN, Provenance
from clew.model.code import symbol_id

Place = tuple[str, str, str]  # path, scope and name of what is bound there


class AbstractValue:
    """What is outside has as its scope what made the object that it is a member of."""

    __slots__ = ("alone", "is_data", "kind", "path", "provenance", "scope")

    def __init__(self, kind: int, path: str, scope: str = "", provenance: Provenance = PLAIN) -> None:
        self.kind, self.path, self.scope, self.provenance = kind, path, scope, provenance
        self.alone = frozenset((self,))
        self.is_data = kind == value_kinds.OUTSIDE and path.startswith("builtins.")  # not worth following into calls

    @property
    def id(self) -> str:
        return symbol_id(self.path, self.scope)

    def __repr__(self) -> str:
        how = f" {tuple(self.provenance)}" if self.provenance != PLAIN else ""
        return f"{value_kinds.NAMES[self.kind]} {self.id}{how}"


Found = list[Place | AbstractValue]  # what a name leads to in other files


class AbstractValues:
    """One thing of a kind at a place."""

    def __init__(self) -> None:
        self._things: dict[tuple[int, str, str, Provenance], AbstractValue] = {}

    def end(self) -> None:
        for thing in self._things.values():
            del thing.alone  # which leads back to it
        self._things = {}

    def thing(self, kind: int, path: str, scope: str = "", provenance: Provenance = PLAIN) -> AbstractValue:
        key = (kind, path, scope, provenance)
        found = self._things.get(key)
        if found is None:
            found = self._things[key] = AbstractValue(kind, path, scope, provenance)
        return found
