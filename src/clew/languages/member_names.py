"""Names of members, among them those that no source has: what a function passes, takes, or gives in one of its places.

Texts of expressions and ids of scopes spell the latter: `run.fn$0$1`.
"""

import re
from typing import TypeAlias

from msgspec import Struct


class ResultPart(Struct, frozen=True, array_like=True, tag=0, gc=False):
    """The member of a function that is one of its several results, by place, from 2 on."""

    place: int

    @property
    def text(self) -> str:
        return f"<{self.place}>"


# Places of arguments that have no number, and what takes the function that they are passed to.
KEY, VALUE, PROMISED, RECEIVED = -1, -2, -3, -4
LAST, ITSELF = -1, -2
_PLACES = {KEY: "key", VALUE: "value", PROMISED: "then", RECEIVED: "this"}


class PassedValue(Struct, frozen=True, array_like=True, tag=1, gc=False):
    """The member of a function that is an argument which it passes to a function that it takes.

    The place of the argument is a number, or KEY or VALUE of a map; PROMISED is the argument of `then`, and RECEIVED is
    `this` inside of the function: `fun page(fill: Page.() -> Unit)`. The function is a number of a parameter, LAST if
    others before it may be left out, or ITSELF: the member is one of the function that takes the argument.
    """

    place: int
    function: int = ITSELF

    @property
    def text(self) -> str:
        place = _PLACES.get(self.place, self.place)
        if self.function == ITSELF:
            return f"fn${place}"
        return f"fn${'last' if self.function == LAST else self.function}${place}"


class TakenValue(Struct, frozen=True, array_like=True, tag=2, gc=False):
    """The member of a function that is what it takes, by place."""

    place: int

    @property
    def text(self) -> str:
        return f"of${self.place}"


# Members that no source names. Texts of expressions and ids of scopes spell them.
NamelessMember: TypeAlias = ResultPart | PassedValue | TakenValue
MemberName: TypeAlias = str | NamelessMember

_SPELLING = re.compile(r"fn\$(?:(?:(\d{1,5}|last)\$)?(\d{1,5}|key|value)|(then|this))|of\$(\d{1,5})")
_BY_WORD = {word: place for place, word in _PLACES.items()}


def member_name(written: str) -> MemberName:
    """The name that a text spells."""
    found = _SPELLING.fullmatch(written) if "$" in written else None
    if found is None:
        return written
    function, place, word, taken = found.groups()
    if taken is not None:
        return TakenValue(int(taken))
    if word is not None:
        return PassedValue(_BY_WORD[word])
    number = ITSELF if function is None else LAST if function == "last" else int(function)
    return PassedValue(_BY_WORD[place] if place in _BY_WORD else int(place), number)


def spelled_name(name: MemberName) -> str:
    """The text of a name inside an expression or the id of a scope."""
    return name if isinstance(name, str) else name.text
