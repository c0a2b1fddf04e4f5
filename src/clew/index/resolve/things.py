"""What a value turns out to be, once the whole tree is known, and sets of such that grow until nothing is new.

There is one thing of a kind at a place, so things are compared by identity. An object stands for all objects of its
class, a box for all containers that its line makes.
"""

from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import TypeAlias

from clew.model.code import symbol_id


class Sort(IntEnum):
    FUNCTION = 0
    METHOD = 1  # a function together with its object, which is passed first
    CLASS = 2
    OBJECT = 3
    PARENT = 4  # an object, seen as what its class inherits
    MODULE = 5
    BOX = 6
    TAKER = 7  # a method of a container: `view` is its name
    OUTSIDE = 8  # not in the tree; the path is its dotted name


class Thing:
    __slots__ = ("path", "scope", "sort", "view")

    def __init__(self, sort: Sort, path: str, scope: str = "", view: str = "") -> None:
        self.sort, self.path, self.scope, self.view = sort, path, scope, view

    @property
    def id(self) -> str:
        return symbol_id(self.path, self.scope)

    def __repr__(self) -> str:
        return f"{self.sort.name.lower()} {self.id}{f' {self.view}' if self.view else ''}"


Hook: TypeAlias = Callable[[Thing], None]
_NOTHING: frozenset[Thing] = frozenset()


class Var:
    """A set of things that may still grow, and what to do when it does."""

    __slots__ = ("hooks", "inner", "outs", "things")

    def __init__(self, things: frozenset[Thing] = _NOTHING) -> None:
        self.things: set[Thing] | frozenset[Thing] = things
        self.outs: list[Var] | None = None  # those that hold all that this one holds
        self.hooks: list[Hook] | None = None  # called with each new thing
        self.inner: dict[str, Var] | None = None  # members, elements, results: `.name`, `[key]`, `()`


class Things:
    """One thing of a kind at a place."""

    def __init__(self) -> None:
        self._things: dict[tuple[Sort, str, str, str], Thing] = {}

    def thing(self, sort: Sort, path: str, scope: str = "", view: str = "") -> Thing:
        key = (sort, path, scope, view)
        found = self._things.get(key)
        if found is None:
            found = self._things[key] = Thing(sort, path, scope, view)
        return found


class Propagation:
    """Lets things flow from set to set until nothing is new. The outcome does not depend on the order."""

    def __init__(self) -> None:
        self._queue: list[tuple[Var, Iterable[Thing]]] = []
        self._alone: dict[Thing, Var] = {}

    def only(self, thing: Thing) -> Var:
        """The set of this one thing; nothing may be added to it."""
        found = self._alone.get(thing)
        if found is None:
            found = self._alone[thing] = Var(frozenset((thing,)))
        return found

    def add(self, var: Var, things: Iterable[Thing]) -> None:
        known = var.things
        new = [thing for thing in things if thing not in known]
        if not new:
            return
        if known:
            known.update(new)  # type: ignore[union-attr]
        else:
            var.things = set(new)
        if var.outs or var.hooks:
            self._queue.append((var, new))

    def link(self, source: Var, target: Var) -> None:
        """From now on, the target holds all that the source holds."""
        if source is target:
            return
        if source.outs is None:
            source.outs = [target]
        else:
            source.outs.append(target)
        if source.things:
            self.add(target, source.things)

    def watch(self, var: Var, hook: Hook) -> None:
        """Call the hook with each thing of a set, now and later."""
        if var.hooks is None:
            var.hooks = [hook]
        else:
            var.hooks.append(hook)
        if var.things:
            for thing in tuple(var.things):
                hook(thing)

    def run(self) -> None:
        queue = self._queue
        while queue:
            var, new = queue.pop()
            for target in var.outs or ():
                self.add(target, new)
            for hook in tuple(var.hooks or ()):
                for thing in new:
                    hook(thing)
