"""Which of several symbols of one name is meant: the one rule of all tools that take a name. Pure."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from clew.graph.elements import Elements
from clew.model.code import SCOPE, split_id, symbol_id, without_numbers
from clew.model.words import CLASSES, NAMELESS, Kind
from clew.text.paths import Among, lies_among

_FUNCTIONS = frozenset({Kind.FUNCTION, Kind.METHOD})
_SEPARATOR = re.compile(r"::|->|#(?!\d)|[./\\]")


class Precedence(NamedTuple):
    """Lower comes first. Symbols of equal precedence are ambiguous."""

    is_prose: bool
    outside_code: bool  # in tests, examples or other files that are not the project's own code
    is_variable: bool
    is_local: bool  # defined inside of a function
    is_part: bool  # no class whose qualified name is given in full


def precedence(elements: Elements, text: str, id: str) -> Precedence:
    path, scope = split_id(id)
    one = elements.describe(id)
    names = scope.split(SCOPE) if scope else []
    outer = (symbol_id(path, SCOPE.join(names[:count])) for count in range(1, len(names)))
    return Precedence(
        is_prose=one.kind in NAMELESS and bool(scope),
        outside_code=lies_among(path) is not Among.CODE,
        is_variable=one.kind is Kind.VARIABLE,
        is_local=any((holder := elements.symbol(each)) and holder.kind in _FUNCTIONS for each in outer),
        is_part=not (one.kind in CLASSES and _says_all(text, without_numbers(scope))),
    )


def first_meant(elements: Elements, text: str, ids: Iterable[str]) -> list[str]:
    """The ids of the best precedence, in their order: one, if the name is clear."""
    ranked = [(precedence(elements, text, one), one) for one in ids]
    best = min((rank for rank, _ in ranked), default=None)
    return [one for rank, one in ranked if rank == best]


def _says_all(text: str, scope: str) -> bool:
    """Whether a text gives the whole qualified name."""
    said, whole = _names(re.sub(r"\(.*\)$", "", text)), _names(scope)
    return said[-len(whole) :] == whole if whole else True


def _names(text: str) -> Sequence[str]:
    return [name for name in _SEPARATOR.split(text) if name]
