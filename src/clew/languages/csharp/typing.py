"""Types of arguments in C# by their texts; those of `var`, properties and calls by what the whole tree declares."""

import re
from collections.abc import Mapping

from clew.index.extract.argument_types import ArgumentTyping
from clew.index.extract.binder import Binder
from clew.index.extract.scope_map import ScopeMap
from clew.index.facts import NarrowedValue, ScopedName, Typed

# A task that is not awaited is no result: by custom, its method says so.
_EXPRESSION = re.compile(r"(?P<awaited>await\s+)?(?P<value>[^\W\d][\w.]*?(?P<task>Async)?(?:\(.*\))?)", re.DOTALL)
LONGEST = 160


class CSharpTyping(ArgumentTyping):
    def _argument_type(self, text: str, scope: str) -> Typed:
        return super()._argument_type(text, scope) or self._value(text, scope)

    def _value(self, text: str, scope: str) -> Typed:
        """An expression is kept as it is, if its type may be told; not a name that has several types."""
        found = _EXPRESSION.fullmatch(text) if len(text) <= LONGEST else None
        if found is None or (found["task"] and not found["awaited"]):
            return ""
        values = self._names.read_expression(found["value"], scope)
        if len(values) != 1:
            return ""
        (value,) = values
        is_told = isinstance(value, ScopedName) and any(self._told.get((value.scope, value.name), ()))
        return NarrowedValue(value, ()) if not is_told else ""


def typing_of(names: Binder, places: ScopeMap, takes: Mapping[str, tuple[str, ...]]) -> CSharpTyping:
    return CSharpTyping(names)
