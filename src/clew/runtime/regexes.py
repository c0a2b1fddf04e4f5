"""Which regular expressions of a configuration take time in proportion to the text.

Python's `re` goes back to every choice that it made, and some expressions have exponentially many: `(a+)+$`. An
expression is accepted if at each repetition the next character decides whether it goes on; one repetition may be
undecided. Possessive repetitions (`a++`) and atomic groups never go back, and are always accepted.
"""

import re
from collections.abc import Iterable, Sequence
from re import _constants as sre  # type: ignore[attr-defined]  # typeshed lacks it
from re import _parser  # type: ignore[attr-defined]  # typeshed lacks it
from typing import Any, NamedTuple

MOST_TRIED = 10_000  # ways through the undecided repetitions of one attempt
_UNBOUNDED = 4096  # how long a repetition without a bound is taken to be
_OTHERS = 128  # stands for every character beyond ASCII
_ALL = frozenset(range(_OTHERS + 1))
_ASCII = {
    "DIGIT": frozenset(map(ord, "0123456789")) | {_OTHERS},
    "SPACE": frozenset(map(ord, " \t\n\r\f\v\x1c\x1d\x1e\x1f")) | {_OTHERS},
    "WORD": frozenset(n for n in range(128) if chr(n).isalnum() or n == ord("_")) | {_OTHERS},
}


class Slow(Exception):
    """The expression may take long; the message says where."""


class _Part(NamedTuple):
    """The first characters of a part of an expression, whether it may be empty, and whether its length may vary."""

    first: frozenset[int]
    empty: bool
    varies: bool


def slow_part(pattern: str) -> str:
    """Why an expression could take long; empty if it cannot. The expression is valid."""
    parsed = _parser.parse(pattern)
    try:
        tried = _Check(bool(parsed.state.flags & re.IGNORECASE)).sequence(list(parsed), frozenset())[1]
    except Slow as slow:
        return str(slow)
    return "" if tried <= MOST_TRIED else "several repetitions in a row may share the same characters"


class _Check:
    def __init__(self, ignore_case: bool) -> None:
        self._ignore_case = ignore_case

    def sequence(self, nodes: Sequence[Any], follows: frozenset[int]) -> tuple[_Part, int]:
        """The summary of a sequence of nodes before `follows`, and the number of ways that a match may try."""
        first: frozenset[int] = frozenset()
        empty, varies, tried = True, False, 1
        after = follows
        for node in reversed(nodes):
            part, ways = self._node(node, after)
            tried *= ways
            varies |= part.varies
            empty &= part.empty
            first = part.first | first if part.empty else part.first
            after = part.first | after if part.empty else part.first
        return _Part(first, empty, varies), tried

    def _node(self, node: Any, follows: frozenset[int]) -> tuple[_Part, int]:
        kind, value = node
        if kind in (sre.LITERAL, sre.NOT_LITERAL, sre.IN, sre.ANY):
            return _Part(self._characters(kind, value), empty=False, varies=False), 1
        if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT):
            least, most, body = value
            return self._repeat(least, most, body, follows)
        if kind is getattr(sre, "POSSESSIVE_REPEAT", None):
            body, ways = self.sequence(list(value[2]), frozenset())
            return _Part(body.first, body.empty or not value[0], varies=False), ways
        if kind is getattr(sre, "ATOMIC_GROUP", None):
            body, ways = self.sequence(list(value), frozenset())
            return body._replace(varies=False), ways
        if kind is sre.SUBPATTERN:
            return self.sequence(list(value[3]), follows)
        if kind is sre.BRANCH:
            return self._branches(value[1], follows)
        if kind in (sre.ASSERT, sre.ASSERT_NOT):
            _, ways = self.sequence(list(value[1]), frozenset())
            return _Part(frozenset(), empty=True, varies=False), ways
        if kind is sre.AT:
            return _Part(frozenset(), empty=True, varies=False), 1
        raise Slow("it refers back to what it has matched")

    def _repeat(self, least: int, most: Any, body: Iterable[Any], follows: frozenset[int]) -> tuple[_Part, int]:
        part, ways = self.sequence(list(body), _ALL if most != 1 else follows)
        most = _UNBOUNDED if most is sre.MAXREPEAT else int(most)
        if most > 1 and (part.varies or ways > 1 or part.empty):
            raise Slow("a repetition stands inside of another")
        undecided = least != most and bool(part.first & follows)
        return _Part(part.first, part.empty or not least, varies=least != most or part.varies), (
            ways * (most - least + 1) if undecided else ways
        )

    def _branches(self, branches: Iterable[Iterable[Any]], follows: frozenset[int]) -> tuple[_Part, int]:
        first: frozenset[int] = frozenset()
        empty, varies, total, decided = False, False, 0, True
        for branch in branches:
            part, ways = self.sequence(list(branch), follows)
            decided &= not (part.first & first) and not part.empty
            first |= part.first
            empty |= part.empty
            varies |= part.varies
            total += ways
        return _Part(first, empty, varies or not decided), max(1, total if not decided else total // 2)

    def _characters(self, kind: Any, value: Any) -> frozenset[int]:
        if kind is sre.ANY:
            return _ALL
        if kind is sre.NOT_LITERAL:
            return _ALL if value >= _OTHERS else _ALL - {value}
        if kind is sre.LITERAL:
            return self._with_cases({min(value, _OTHERS)})
        members: set[int] = set()
        negated = False
        for what, which in value:
            if what is sre.NEGATE:
                negated = True
            elif what is sre.RANGE:
                members |= {min(one, _OTHERS) for one in range(which[0], min(which[1], _OTHERS) + 1)}
                members |= {_OTHERS} if which[1] >= _OTHERS else set()
            elif what is sre.CATEGORY:
                members |= _category(str(which))
            else:
                members.add(min(which, _OTHERS))
        return _ALL - (members - {_OTHERS}) if negated else self._with_cases(members)

    def _with_cases(self, members: Iterable[int]) -> frozenset[int]:
        both = {ord(case) for one in members if self._ignore_case for case in (chr(one).lower(), chr(one).upper())}
        return frozenset(members) | {min(one, _OTHERS) for one in both}


def _category(name: str) -> frozenset[int]:
    """`CATEGORY_DIGIT`, `CATEGORY_NOT_SPACE` and the like."""
    word = name.rpartition("_")[2]
    return _ALL - (_ASCII[word] - {_OTHERS}) if "_NOT_" in name else _ASCII[word]
