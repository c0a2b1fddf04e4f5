"""Types of arguments in Java by their texts; for constants, fields and calls, the owner's."""

import re
from collections.abc import Mapping

from clew.index.extract.argument_types import ArgumentTyping
from clew.index.extract.binder import Binder
from clew.index.extract.scope_map import ScopeMap
from clew.index.facts import (
    NarrowedValue,
    Typed,
)

_EXPRESSION = re.compile(r"[^\W\d][\w.]*(?:\(.*\))?", re.DOTALL)
LONGEST = 160


class JavaTyping(ArgumentTyping):
    def note_type(self, scope: str, name: str, text: str, seen_from: str) -> None:
        if text != "var":
            super().note_type(scope, name, text, seen_from)

    def _computed_type(self, text: str, scope: str) -> Typed:
        if text.endswith(".length"):
            return "int"
        found = self._names.read_expression(text, scope) if len(text) <= LONGEST and _EXPRESSION.fullmatch(text) else ()
        return NarrowedValue(found[0], ()) if len(found) == 1 else ""


def typing_of(names: Binder, places: ScopeMap, takes: Mapping[str, tuple[str, ...]]) -> JavaTyping:
    return JavaTyping(names)
