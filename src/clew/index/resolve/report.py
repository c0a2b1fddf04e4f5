"""From the things that a call may lead to, to symbols with a confidence each; or why there are none."""

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from clew.index.facts import Attr, Called, Free, Item, Name, Values
from clew.index.link import outside
from clew.index.resolve.builtins import COMMON
from clew.index.resolve.calling import Calling
from clew.index.resolve.things import Sort, Thing
from clew.index.resolve.values import FUNCTIONS
from clew.model.code import SCOPE

CERTAIN = 1.0
GUESSED = 0.5  # by name alone, where only one method of the tree has it
MOST_TARGETS = 12  # of one call; with more, it may be anything

_CONTAINERS = ("list", "dict", "set", "tuple", "generator")


class Reason(StrEnum):
    """Why a call leads nowhere."""

    NAME = "unknown name"
    RECEIVER = "unknown receiver"
    MEMBER = "no such member"
    MANY = "too many targets"
    DYNAMIC = "computed"


class Resolved(NamedTuple):
    """A call with its targets, `(id, confidence)`; or none, and why."""

    scope: str
    line: int
    written: str
    targets: tuple[tuple[str, float], ...]
    reason: Reason | None = None


class Reporter:
    def __init__(self, calling: Calling, methods: dict[str, tuple[str, ...]]) -> None:
        self._calling = calling
        self._methods = methods

    def prepare(self, path: str) -> None:
        """Ask for everything that the report will need."""
        for number in range(len(self._calling.tree.facts(path).calls)):
            self._calling.flow.watch(self._calling.callee(path, number), self._prepare)

    def _prepare(self, thing: Thing) -> None:
        if thing.sort is Sort.CLASS:
            self._calling.member_of(self._calling.an_object(thing), "__init__")
        elif thing.sort is Sort.OBJECT:
            self._calling.member_of(thing, "__call__")

    def calls(self, path: str) -> list[Resolved]:
        """The calls of a file, in its order; one that nobody wrote only if it leads to a symbol of the tree."""
        found = []
        for number, call in enumerate(self._calling.tree.facts(path).calls):
            groups = self._groups(self._calling.callee(path, number).things)
            if call.implied:
                groups = {group for group in groups if not group[0].startswith(outside(""))}
            if groups or not call.implied:
                found.append(self._resolved(path, call, groups))
        return found

    def _groups(self, things: Iterable[Thing]) -> set[tuple[str, ...]]:
        """The targets, those together that one and the same way of the call leads to."""
        return {group for thing in things if (group := self._group(thing))}

    def _group(self, thing: Thing) -> tuple[str, ...]:
        if thing.sort in FUNCTIONS:
            return (thing.id,)
        if thing.sort is Sort.CLASS:
            made = self._calling.member_of(self._calling.an_object(thing), "__init__").things
            inits = {one.id for one in made if one.sort in FUNCTIONS}
            inits |= {outside(o.path) for o in made if o.sort is Sort.OUTSIDE and not o.path.startswith("builtins.")}
            return (thing.id, *sorted(inits))
        if thing.sort is Sort.OBJECT:
            called = self._calling.member_of(thing, "__call__").things
            return tuple(sorted(one.id for one in called if one.sort in FUNCTIONS))
        if thing.sort is Sort.OUTSIDE:
            return (outside(thing.path),)
        if thing.sort is Sort.TAKER:
            kind = thing.scope.rpartition(SCOPE)[2].strip("<>*0123456789") or "dict"
            method = thing.view.partition(":")[0]
            return (outside(f"builtins.{kind if kind in _CONTAINERS else 'generator'}.{method}"),)
        return ()

    def _resolved(self, path: str, call: Called, groups: set[tuple[str, ...]]) -> Resolved:
        if not groups:
            return self._unresolved(path, call)
        if len(groups) > MOST_TARGETS:
            return Resolved(call.scope, call.line, call.written, (), Reason.MANY)
        share = CERTAIN / len(groups)
        targets: dict[str, float] = {}
        for group in sorted(groups):
            for target in group:
                targets[target] = max(targets.get(target, 0.0), share)
        return Resolved(call.scope, call.line, call.written, tuple(sorted(targets.items())))

    def _unresolved(self, path: str, call: Called) -> Resolved:
        """By its name alone, if the receiver is not known and few methods are called so."""
        reason, name = self._why(path, call.callee)
        namesakes = self._methods.get(name, ()) if name not in COMMON and not name.startswith("__") else ()
        if reason is not Reason.RECEIVER or not namesakes:
            return Resolved(call.scope, call.line, call.written, (), reason)
        share = GUESSED / len(namesakes)
        return Resolved(call.scope, call.line, call.written, tuple((one, share) for one in namesakes))

    def _why(self, path: str, callee: Values) -> tuple[Reason, str]:
        for value in callee:
            if isinstance(value, Attr):
                known = self._calling.value(path, value.of).things
                return (Reason.MEMBER if known else Reason.RECEIVER), value.name
            if isinstance(value, Free | Name):
                return Reason.NAME, value.name
            if isinstance(value, Item):
                return Reason.DYNAMIC, ""
        return Reason.DYNAMIC, ""
