"""The calls of one content of a file as far as its own text tells: by name, within the file and what it imports.

For contents of the past, whose whole program is not linked. Pure; `history/named_links.py` finds the files.
"""

from collections.abc import Iterator
from enum import IntEnum
from typing import NamedTuple

from msgspec import Struct

from clew.index.facts import (
    Attr,
    Call,
    Def,
    Facts,
    ImportedName,
    ScopedName,
    Super,
    This,
    UnboundName,
    Value,
)
from clew.languages.member_names import spelled_name
from clew.model.code import SCOPE
from clew.store.packing import pack, unpack

MOST_TARGETS = 4  # of one call
_DEEPEST = 6  # steps from a name to what it stands for


class CallReach(IntEnum):
    """Where a called name is defined: in the file itself, in a module that it imports, in its package."""

    OWN = 0
    IMPORTED = 1
    PACKAGE = 2


class NamedCall(NamedTuple):
    """A call in a scope, at a line. `name` is a scope, of this file or of a module."""

    scope: str
    line: int
    reach: int
    module: str
    name: str


class NamedCalls(Struct, frozen=True, array_like=True):
    """All that a content says: its calls, and the lines and modules of its imports."""

    calls: tuple[NamedCall, ...] = ()
    imports: tuple[tuple[int, str], ...] = ()


def pack_named_calls(facts: Facts) -> bytes:
    """Packed; empty if there is nothing."""
    found = NamedCalls(tuple(_Names(facts).calls()), tuple((one.line, one.module) for one in facts.imports))
    return pack(found) if found.calls or found.imports else b""


def unpack_named_calls(data: bytes) -> NamedCalls:
    return unpack(data, NamedCalls) if data else NamedCalls()


_Target = tuple[int, str, str]  # reach, module, name


class _Names:
    """Follows the names of one file."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._members: dict[str, list[str]] = {}
        for scope in facts.kinds:
            self._members.setdefault(scope.rpartition(SCOPE)[2], []).append(scope)

    def calls(self) -> Iterator[NamedCall]:
        for call in self._facts.calls:
            if call.implied or call.reads:
                continue
            targets = dict.fromkeys(one for callee in call.callee for one in self._targets(callee, _DEEPEST))
            for reach, module, name in list(targets)[:MOST_TARGETS]:
                yield NamedCall(call.scope, call.line, reach, module, name)

    def _targets(self, value: Value, left: int) -> list[_Target]:
        if not left:
            return []
        if isinstance(value, Def):
            return [(CallReach.OWN, "", value.scope)]
        if isinstance(value, ScopedName):
            bound = self._facts.names.get(value.scope, {}).get(value.name, ())
            return [one for inner in bound for one in self._targets(inner, left - 1)]
        if isinstance(value, ImportedName):
            return [(CallReach.IMPORTED, value.module, value.name)]
        if isinstance(value, UnboundName):
            starred: list[_Target] = [(CallReach.IMPORTED, module, value.name) for module in self._facts.stars]
            return [(CallReach.PACKAGE, "", value.name), *starred] if self._facts.package else starred
        if isinstance(value, Attr):
            return self._members_of(value, left - 1)
        return []

    def _members_of(self, value: Attr, left: int) -> list[_Target]:
        """The member of a holder that is resolved by name; else the only member of that name in the file."""
        found, own = [], spelled_name(value.name)
        for holder in self._holders(value.of, left):
            reach, module, name = holder
            member = f"{name}{SCOPE}{own}" if name else own
            if reach != CallReach.OWN or member in self._facts.kinds:
                found.append((reach, module, member))
        alike = self._members.get(own, ())
        if not found and len(alike) == 1 and SCOPE in alike[0]:
            return [(CallReach.OWN, "", alike[0])]
        return found

    def _holders(self, value: Value, left: int) -> list[_Target]:
        if isinstance(value, This | Super):
            return [(CallReach.OWN, "", value.scope)]
        return self._targets(value.by if isinstance(value, Call) else value, left)
