"""A Python scope during reading: the possible values of its names, and their values at the current line.

Reading follows the statements in order: after `x = f` the name is f, regardless of its value before; behind a branch
it is the union of both ways. In loops it is the union of all bindings in the scope.
"""

from collections.abc import Iterable

from msgspec import Struct

from clew.index.facts import Call, Def, ImportedName, Param, ScopedName, This, UnboundName, Value, Values
from clew.model.code import SCOPE

MOST_AT_ONCE = 4  # values of a name at one line; more are told as all of its values
MOST_VALUES = 24  # of a name in one scope; one with more is as good as unknown

_PLAIN = frozenset({Def, ScopedName, Param, This, ImportedName, UnboundName})


class PythonScope(Struct):
    id: str
    kind: str  # module, class or function
    parent: "PythonScope | None" = None
    counts: dict[str, int] = {}  # how often each name is bound
    within: dict[int, tuple[str, ...]] = {}
    elsewhere: "dict[str, PythonScope]" = {}  # global and nonlocal
    names: dict[str, list[Value]] = {}  # all that its own lines bind
    added: dict[str, list[Value]] = {}  # what others bind in it
    now: dict[str, Values] = {}  # what is bound at this line
    inside: dict[str, Values] = {}  # names of comprehensions
    receiver: tuple[str, Value] | None = None  # `self`, `cls`
    taken: set[str] = set()  # names that imports bind
    made: dict[str, int] = {}  # lambdas and containers so far
    held: dict[str, str] = {}  # definitions that stand in it, by name

    def inner(self, name: str) -> str:
        return f"{self.id}{SCOPE}{name}" if self.id else name

    def new_id(self, what: str) -> str:
        """The id of the next nameless thing that is made here."""
        return self.inner(f"<{what}{self._count(what)}>")

    def _count(self, what: str) -> int:
        count = self.made[what] = self.made.get(what, 0) + 1
        return count

    def binds(self, name: str) -> bool:
        return name in self.counts and name not in self.elsewhere

    def is_outer(self, name: str) -> bool:
        """Whether a name may be global or external; bindings of enclosing functions are checked later."""
        return not self.id or (name not in self.counts and name not in self.inside) or name in self.taken

    def bind(self, name: str, values: Values) -> None:
        """Bind from a line of this scope."""
        if name in self.elsewhere:
            self.elsewhere[name].add(name, values)
            return
        known = self.names.get(name)
        if known is None:
            self.names[name] = list(values)
        elif values:
            known += [value for value in values if value not in known]
        self.counts.setdefault(name, 1)
        is_plain = len(values) == 1 and type(values[0]) in _PLAIN  # as most often
        self.now[name] = values if is_plain else self._new_values(name, values)

    def add(self, name: str, values: Values) -> None:
        """Bind from another scope: `global`, `self.x = …`."""
        known = self.added.setdefault(name, [])
        known += [value for value in values if value not in known]

    def _new_values(self, name: str, values: Values) -> Values:
        if len(values) <= MOST_AT_ONCE and all(map(_is_plain, values)):
            return values
        if self.counts[name] <= 1:
            return (ScopedName(self.id, name),)
        version = f"{name}@{self._count(name)}"
        self.names[version] = list(values)
        return (ScopedName(self.id, version),)

    def lookup(self, name: str) -> Values:
        """The value of a name at the current line, seen from here."""
        if name in self.inside:
            return self.inside[name]
        if name in self.elsewhere:
            return self.elsewhere[name].seen_from_inside(name)
        if name in self.counts:
            now = self.now.get(name)
            if now is None:
                return self._unread(name)
            return now if name not in self.added else tuple(dict.fromkeys((*now, ScopedName(self.id, name))))
        outer = self.parent
        while outer is not None:
            if name in outer.inside:
                return outer.inside[name]
            if name in outer.counts and outer.kind != "class" and name not in outer.elsewhere:
                return outer.seen_from_inside(name)
            outer = outer.parent
        return (UnboundName(name),)

    def seen_from_inside(self, name: str) -> Values:
        """The value of a name seen from an inner scope: at any time, not at a line."""
        if self.receiver and self.receiver[0] == name:
            return (self.receiver[1],)
        if self.counts[name] == 1 and (now := self.now.get(name)) and len(now) == 1 and isinstance(now[0], Param):
            return now
        return (ScopedName(self.id, name),)

    def _unread(self, name: str) -> Values:
        """A name that is bound further down only: in a class body, it may be the one outside still."""
        if self.kind == "class" and self.parent is not None:
            return self.parent.lookup(name)
        return self.every(name)

    def every(self, name: str) -> Values:
        """All that is ever bound to it."""
        if self.kind == "function" or self.counts[name] <= 1:
            return (ScopedName(self.id, name),)
        self.names.setdefault(f"{name}@", [])
        return (ScopedName(self.id, f"{name}@"),)

    def bind_at_unknown_line(self, names: Iterable[str]) -> None:
        """These names are bound at an unknown line of the following code."""
        for name in names:
            if self.binds(name):
                self.now[name] = self.every(name)

    def merge_branches(self, ways: list[dict[str, Values]]) -> None:
        """Where branches join, a name has the union of their values."""
        if not ways:
            return  # nothing gets here; what follows is read as if it did
        first, *others = ways
        for other in others:
            for name, values in other.items():
                known = first.get(name)
                if known is None:
                    first[name] = values
                elif known != values:
                    union = tuple(dict.fromkeys((*known, *values)))
                    first[name] = union if len(union) <= MOST_AT_ONCE else self.every(name)
        self.now = first

    def final_names(self) -> dict[str, Values]:
        """The names as seen from outside: final values for a module or a class, all values for a function."""
        found: dict[str, Values] = {}
        is_function = self.kind == "function"
        for name, values in self.names.items():
            if name[-1:] == "@":
                values = self.names.get(name[:-1], [])
            elif not is_function and self.now.get(name, (itself := ScopedName(self.id, name),)) != (itself,):
                values = list(self.now[name])
            found[name] = _few(values)
        for name, more in self.added.items():
            found[name] = _few(list(dict.fromkeys((*found.get(name, ()), *more))))
        if not is_function:
            return found
        return {name: values for name, values in found.items() if self._is_news(name, values)}

    def _is_news(self, name: str, values: Values) -> bool:
        """Whether the values add information: the parameter itself is known to its users already."""
        if len(values) == 1 and isinstance(values[0], Param):
            return values[0].scope != self.id or values[0].name.lstrip("*") != name
        return bool(values) and not (self.receiver and self.receiver[0] == name)


def _is_plain(value: Value) -> bool:
    kind = type(value)
    return kind in _PLAIN or (kind is Call and type(value.by) is ImportedName)  # type: ignore[union-attr]  # Made alone has `by`


def _few(values: list[Value]) -> Values:
    return tuple(values) if len(values) <= MOST_VALUES else ()
