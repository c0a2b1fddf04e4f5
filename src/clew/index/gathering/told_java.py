"""What arguments of Java are, as far as their texts tell; of constants, fields and calls, what they are read of."""

import re

from clew.index.facts import Narrowed, Typed
from clew.index.gathering.told import Typing

_EXPRESSION = re.compile(r"[^\W\d][\w.]*(?:\(.*\))?", re.DOTALL)
LONGEST = 160


class JavaTyping(Typing):
    def note(self, scope: str, name: str, text: str, seen_from: str) -> None:
        if text != "var":
            super().note(scope, name, text, seen_from)

    def _expressed(self, text: str, scope: str) -> Typed:
        if text.endswith(".length"):
            return "int"
        found = self._names.read(text, scope) if len(text) <= LONGEST and _EXPRESSION.fullmatch(text) else ()
        return Narrowed(found[0], ()) if len(found) == 1 else ""
