"""Narrowed types of expressions: behind `if ($gate instanceof Card)`, `$gate->charge()` is a card's."""

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Protocol

from clew.index.extract.binder import Binder
from clew.index.facts import Values
from clew.index.syntax.parse import CapturedMark
from clew.languages.profile import Language

# What stands before the last member, as far as it is not called: of PHP, and of JavaScript.
_PATH = re.compile(r"\$\w+(?:\??->\w+)*(?=\??->)|[^\W\d][\w$]*(?:\??\.[^\W\d][\w$]*)*(?=\??\.)")
_LAST = re.compile(r"\??(?:->|\.)\w+\Z")

_AGAIN = (
    rb"NAME\s*(?:\?\?)?=(?![=>])"  # it is assigned to, here and below with others
    rb"|[\[,]\s*NAME\b[^();]*\]\s*=(?![=>])"
    rb"|\b(?:function|fn|catch|as|list)\b[^(){};]*(?:\([^(){};]*)?NAME\b"
)
_END = re.compile(rb"[;{}\n]")  # of the statement that does so: on its right side it is still what it was


class NarrowedExpressions(Protocol):
    """What expressions of a file are at a place, if that differs from what their names say."""

    def expression_at(self, text: str, at: int) -> str: ...

    def implicit_receivers(self, callee: str, at: int, scope: str, names: Binder) -> Values: ...


def narrowings_of(language: Language, marks: Iterable[CapturedMark], source: bytes) -> NarrowedExpressions:
    """The narrowings in the parts of a file."""
    if language.narrowings_of is not None:
        own: NarrowedExpressions = language.narrowings_of(marks, source)
        return own
    return Narrowings([mark for mark in marks if mark.kind == "narrowed"], source)


class Narrowings:
    """Those of a file: expressions, and where each is of a type, unless it is something else again from there on."""

    def __init__(self, marks: Iterable[CapturedMark], source: bytes) -> None:
        self._source = source
        self._known: dict[str, list[CapturedMark]] = defaultdict(list)
        for mark in marks:
            self._known[mark.text].append(mark)

    def expression_at(self, text: str, at: int) -> str:
        """An expression at a place, with an instance of the type for a narrowed one."""
        path = _PATH.match(text) if self._known else None
        start = path.group() if path else ""
        while start:
            around = [mark for mark in self._known.get(start, ()) if mark.at <= at < mark.end]
            if around:
                inner = max(around, key=lambda mark: mark.at)
                is_same = not self._is_bound_again(start, inner.at, at)
                return f"(new {inner.detail}()){text[len(start) :]}" if is_same else text
            shorter = _LAST.sub("", start)
            start = shorter if shorter != start else ""
        return text

    def implicit_receivers(self, callee: str, at: int, scope: str, names: Binder) -> Values:
        """The implicit receivers of a bare name: none."""
        return ()

    def _is_bound_again(self, name: str, start: int, end: int) -> bool:
        """Whether something else is assigned to it, or a loop or a function without a name binds its name, too."""
        again = _AGAIN.replace(b"NAME", re.escape(name.encode()))
        found = re.compile(again).search(self._source, start, end)
        return found is not None and _END.search(self._source, found.end(), end) is not None
