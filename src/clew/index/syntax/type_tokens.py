"""Calls that return an instance of a class argument: `beans.getBean(Card.class)`, `useMemo(() => new Card())`."""

import re
from collections.abc import Callable
from functools import cache

from clew.index.syntax.chains import closing_bracket, elements
from clew.languages.profile import ClassTokens

_LARGE = re.compile(r"(?<![\w.])[A-Z]\w*[a-z]\w*")  # no constant is written so
_TAKES = re.compile(r"\s*(?:\w+\s*(?:,\s*\w+\s*)*->)?")  # the start of a block of code that is passed
_CALLS = re.compile(r"[a-z]\w*\s*(?:<[^()]*>\s*)?(?=[({])")
_ONE_TYPE = re.compile(r"(?:::)?[<\[]\s*[*&]?\s*([^\W\d]\w*(?:(?:\.|::)[^\W\d]\w*)*)\s*\??\s*[>\]]")


class TypeTokens:
    """Finds the class that a call is given, in the notation of one language."""

    def __init__(self, forms: ClassTokens) -> None:
        self._passed = re.compile(forms.token) if forms.token else None
        self._makes = re.compile(forms.factory) if forms.factory else None
        self._is_bare = forms.bare
        self._has_blocks = forms.blocks
        self.opens = forms.bracket

    def kind(self, types: str, given: str) -> str:
        """The class in type arguments and arguments; "" if there is none. A block stands in its own brackets."""
        if types and self.opens and (one := _ONE_TYPE.fullmatch(types.strip())):
            return one[1]
        if given.startswith("{"):
            return self._last(given[1:-1]) if self._has_blocks else ""
        if self._is_bare and not _LARGE.search(given):
            return ""
        parts = [part for _, part in elements(f"({given})")] if self._is_token(given) else []
        return next((kind for part in parts if (kind := self._class_token(part) or self._constructed_class(part))), "")

    def _is_token(self, given: str) -> bool:
        return self._makes is not None or (self._passed is not None and bool(self._passed.search(given)))

    def _class_token(self, part: str) -> str:
        if self._is_bare:
            return part if _LARGE.fullmatch(part) else ""
        named = self._passed.fullmatch(part) if self._passed else None
        return named[1] if named else ""

    def _constructed_class(self, part: str) -> str:
        """`new Card(1)`, `() => new Card(1)`: an object of it."""
        made = self._makes.match(part) if self._makes else None
        return f"{made[1]}()" if made and closing_bracket(part, made.end()) == len(part) - 1 else ""

    def _last(self, block: str) -> str:
        """The result of a block, or of a wrapper around it: `remember { mutableStateOf(Card()) }`."""
        begun = _TAKES.match(block)
        last = block[begun.end() if begun else 0 :].strip().rpartition("\n")[2].rpartition(";")[2].strip()
        if made := self._constructed_class(last):
            return made
        called = _CALLS.match(last)
        if called is None or closing_bracket(last, called.end()) != len(last) - 1:
            return ""
        inner = last[called.end() :]
        return self.kind("", inner if inner.startswith("{") else inner[1:-1])


@cache
def class_reader(forms: ClassTokens | None) -> Callable[[str, str], str] | None:
    """Gives the class in type arguments and arguments; "" if there is none."""
    return TypeTokens(forms).kind if forms else None
