"""Names in a part of a Kotlin function: smart casts by `is`, and parameters of lambdas."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable

from clew.index.extract.binder import Binder
from clew.index.facts import Attr, Value, Values
from clew.index.syntax.parse import CapturedMark
from clew.languages.kotlin.expressions import ELEMENTS, ITSELF, LENDING_NOTHING, RECEIVING
from clew.languages.member_names import LAST, RECEIVED, PassedValue

MOST_DEEP = 6  # functions in one another

_FIRST = re.compile(r"(\w+)(?=[?!]*\.)")
_HEAD = re.compile(rb"\{\s*([\w\s,():.<>?*]*?)->")
_ONE = re.compile(rb"(\w+)\s*(?::.*)?", re.DOTALL)
_ON = re.compile(r"(.+?)[?!]*\.\s*(?:apply|run)")
_LAMBDA_AGAIN = rb"\bNAME\s*=(?!=)|\b(?:val|var)\s+NAME\b|\bfor\s*\(\s*NAME\b|\bfun\b[^{}=]*[(,]\s*NAME\s*:"
_RECEIVING = re.compile(
    rb"\b(?:apply|run|with\s*\([^()]*\)|synchronized\s*\([^()]*\)|lazy|runCatching|buildString)\s*$"
)


class Lambdas:
    """Those of a file, by the names that they bind."""

    def __init__(self, marks: Iterable[CapturedMark], source: bytes) -> None:
        self._source = source
        self._known: dict[str, list[CapturedMark]] = defaultdict(list)
        self._built: list[CapturedMark] = []
        self._all: list[tuple[int, int]] = []  # functions without a name, whoever they are given to
        for mark in marks:
            if mark.kind == "hiding":
                self._all.append((mark.at, mark.end))
            elif mark.kind == "built" or mark.text == "with":
                name = mark.text.rpartition(".")[2]
                self._built += [mark] if name not in LENDING_NOTHING else []
                for taken in self._parameters(mark.at) if name not in LENDING_NOTHING | RECEIVING else ():
                    self._known[taken].append(mark)
            elif mark.kind == "narrowed":
                self._known[mark.text].append(mark)
            elif mark.text in ITSELF or mark.text in ELEMENTS:
                self._known[self._parameter(mark.at)].append(mark)
        for some in self._known.values():
            some.sort(key=lambda mark: (mark.at, -mark.end))

    def expression_at(self, text: str, at: int) -> str:
        """An expression at a place, with the local meaning of its first name, if there is one."""
        for _ in range(MOST_DEEP):
            first = _FIRST.match(text) if self._known else None
            inner = self._nearest(first[1], at) if first else None
            if first is None or inner is None:
                return text
            rest = text[first.end() :]
            if self._is_bound_again(first[1], inner.at, at) or self._is_hidden(first[1], inner.at, at):
                return text
            if inner.text in ELEMENTS and rest.lstrip("?!").startswith((".key", ".value")):
                return text  # of a map, it is a pair
            if inner.kind == "narrowed":
                return f"(new {inner.detail.rstrip('?')}()){rest}"
            if inner.kind == "built":
                place = self._parameters(inner.at).index(first[1])
                text, at = f"{inner.text}.{PassedValue(place, LAST).text}{rest}", inner.at - 1
                continue
            held = inner.detail.rstrip("?!")
            text, at = f"{held}[*]{rest}" if inner.text in ELEMENTS else f"({held}){rest}", inner.at - 1
            if inner.text in ITSELF and not _FIRST.match(held + "."):
                return text
            text = f"{held}{rest}" if inner.text in ITSELF else text
        return text

    def _nearest(self, name: str, at: int) -> CapturedMark | None:
        """The binding of a name around a place."""
        marks = self._known.get(name, [])
        before = range(bisect_right(marks, at, key=lambda mark: mark.at) - 1, -1, -1)
        return next((marks[place] for place in before if at < marks[place].end), None)

    def implicit_receivers(self, callee: str, at: int, scope: str, names: Binder) -> Values:
        """The implicit receivers of a bare name beside the enclosing scopes: those of lambdas."""
        if not self._built or not callee.isidentifier() or callee[:1].isupper():
            return ()
        found: list[Value] = []
        for mark in self._built:
            if mark.at < at < mark.end:
                on = _ON.fullmatch(mark.text)
                if mark.kind == "lent" or on:
                    held = self.expression_at(on[1] if on else mark.detail, mark.at - 1)
                    found += [Attr(value, callee) for value in names.read_expression(held, scope)]
                else:
                    called = names.callee(self.expression_at(mark.text, mark.at - 1), scope)
                    found += [Attr(Attr(value, PassedValue(RECEIVED)), callee) for value in called]
        return tuple(found)

    def _parameter(self, at: int) -> str:
        """The single parameter of a lambda; "" for several, or a destructured one."""
        head = _HEAD.match(self._source, at)
        if head is None:
            return "it"
        one = _ONE.fullmatch(head[1].strip())
        return one[1].decode("utf-8", "replace") if one and b"," not in head[1] else ""

    def _parameters(self, at: int) -> list[str]:
        """The parameters of a lambda, by place; none, if they are typed or destructured."""
        head = _HEAD.match(self._source, at)
        if head is None:
            return ["it"]
        names = [] if re.search(rb"[:(]", head[1]) else head[1].split(b",")
        return [name.strip().decode("utf-8", "replace") for name in names]

    def _is_hidden(self, name: str, start: int, at: int) -> bool:
        """Whether a function without a name that stands nearer takes one of the name, or may be given `it`."""
        for first, end in self._all:
            if start < first <= at < end:
                head = _HEAD.match(self._source, first, end)
                if head is None and name == "it" and not _RECEIVING.search(self._source, max(0, first - 80), first):
                    return True
                if head is not None and name.encode() in re.findall(rb"\w+", head[1]):
                    return True
        return False

    def _is_bound_again(self, name: str, start: int, end: int) -> bool:
        again = _LAMBDA_AGAIN.replace(b"NAME", re.escape(name.encode()))
        return re.compile(again).search(self._source, start, end) is not None


def narrowings_of(marks: Iterable[CapturedMark], source: bytes) -> Lambdas:
    return Lambdas([mark for mark in marks if mark.kind in ("narrowed", "lent", "built", "hiding")], source)
