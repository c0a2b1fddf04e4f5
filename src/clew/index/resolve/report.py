"""From the things that a call may lead to, to symbols with a confidence each; or why there are none."""

from enum import StrEnum
from typing import NamedTuple

from clew.index.facts import Attr, Called, Free, Item, Name, Values
from clew.index.link import outside
from clew.index.resolve.builtins import COMMON
from clew.index.resolve.calling import Calling
from clew.index.resolve.flow import Var
from clew.index.resolve.names import FUNCTIONS
from clew.index.resolve.things import Sort, Thing
from clew.model.code import EXTERNAL, SCOPE

CERTAIN = 1.0
GUESSED = 0.5  # by name alone, where only one method of the tree has it
MOST_TARGETS = 12  # of one call; with more, it may be anything

_DATA = tuple(outside(f"builtins.{kind}.") for kind in "str bytes int float bool list dict tuple".split())
_CONTAINERS = ("list", "dict", "set", "tuple", "generator")


Targets = tuple[tuple[str, float], ...]


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
    targets: Targets
    reason: Reason | None = None


class Reporter:
    def __init__(self, calling: Calling, methods: dict[str, tuple[str, ...]]) -> None:
        self._calling = calling
        self._methods = methods
        self._seen: set[Var] = set()
        self._preparing = self._prepare
        self._known: dict[Var, Targets | None] = {}

    def end(self) -> None:
        vars(self).clear()

    def prepare(self, path: str) -> list[Var]:
        """Ask for everything that the report will need; gives what each call may be of."""
        callees = [self._calling.callee(path, i) for i in range(len(self._calling.tree.facts(path).calls))]
        for callee in callees:
            if callee not in self._seen:
                self._seen.add(callee)
                self._calling.flow.watch(callee, self._preparing, None)
        return callees

    def _prepare(self, thing: Thing, _: None, __: None) -> None:
        if thing.sort is Sort.CLASS:
            self._calling.member_of(self._calling.an_object(thing), "__init__")
        elif thing.sort is Sort.OBJECT:
            self._calling.member_of(thing, "__call__")

    def calls(self, path: str, callees: list[Var]) -> list[Resolved]:
        """The calls of a file, in its order; one that nobody wrote only if it leads to a symbol of the tree."""
        found = []
        for call, callee in zip(self._calling.tree.facts(path).calls, callees, strict=True):
            if callee not in self._known:
                self._known[callee] = self._targets(callee)
            targets = self._known[callee]
            if targets is None:
                found.append(Resolved(call.scope, call.line, call.written, (), Reason.MANY))
            elif call.implied:
                inside = tuple(one for one in targets if not one[0].startswith(EXTERNAL))
                found += [Resolved(call.scope, call.line, call.written, inside)] if inside else []
            elif targets:
                found.append(Resolved(call.scope, call.line, call.written, targets))
            else:
                found.append(self._unresolved(path, call))
        return found

    def _targets(self, callee: Var) -> Targets | None:
        """What a call leads to, each with its share; none if that is too much."""
        groups = {group for thing in callee.things if (group := self._group(thing))}
        told = {group for group in groups if not group[0].startswith(_DATA)}
        groups = told or groups  # a name that starts as "" or None is called for what it becomes
        if len(groups) > MOST_TARGETS:
            return None
        shares: dict[str, float] = {}
        for group in groups:
            shares |= dict.fromkeys(group, CERTAIN / len(groups))
        return tuple(sorted(shares.items()))

    def _group(self, thing: Thing) -> tuple[str, ...]:
        """The symbols that one way of a call leads to."""
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
