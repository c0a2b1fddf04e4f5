"""The fixtures that pytest passes to tests by the names of parameters."""

import re
from collections.abc import Mapping

from clew.index.facts import Facts
from clew.model.code import SCOPE

_FIXTURE = re.compile(r"(?:\w+\.)*fixture\b\s*\(?")
_NAME = re.compile(r"""\bname\s*=\s*["'](\w+)["']""")
_INNER = re.compile(r"[\[({][^\[\](){}]*(?:[\])}]|\Z)")


def declared_fixtures(facts: Facts) -> Mapping[str, str]:
    """The functions that a file marks as fixtures, by the names under which tests request them."""
    found: dict[str, str] = {}
    for scope, marks in facts.decorators.items():
        for mark in marks:
            if is_one := _FIXTURE.match(mark):
                holder, _, own = scope.rpartition(SCOPE)
                name = _name_of(mark[is_one.end() :]) or own
                found[f"{holder}{SCOPE}{name}" if holder else name] = scope
    return found


def _name_of(given: str) -> str:
    """The name of a fixture from the arguments of its mark."""
    while (less := _INNER.sub("", given)) != given:
        given = less
    named = _NAME.search(given)
    return named[1] if named else ""
