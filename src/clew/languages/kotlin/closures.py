"""Kotlin: the arguments of trailing lambdas: `fun each(pay: (Card) -> Unit)`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from clew.languages.member_names import ITSELF, LAST, PassedValue

if TYPE_CHECKING:
    from tree_sitter import Node

_AROUND = frozenset({"nullable_type", "parenthesized_type"})
_PARAMETER, _ALIAS = "parameter", "type_alias"


def callback_types(type_: "Node") -> Iterator[tuple[PassedValue, "Node"]]:
    """By place: of the last parameter of a function, and of a type that has a name."""
    around = type_.parent
    while around is not None and around.type in _AROUND:
        around = around.parent
    if around is None or (around.type == _PARAMETER and not _is_last(around)):
        return
    function = ITSELF if around.type == _ALIAS else LAST
    for place, given in enumerate(_parameter_types(type_)):
        yield PassedValue(place, function), given


def _is_last(parameter: "Node") -> bool:
    all_ = parameter.parent.named_children if parameter.parent is not None else []
    return [one for one in all_ if one.type == _PARAMETER][-1:] == [parameter]


def _parameter_types(type_: "Node") -> Iterator["Node"]:
    """The types of a function type's parameters, some of which have names; without a receiver."""
    taken = [one for one in type_.named_children if one.type == "function_type_parameters"]
    for one in taken[0].named_children if taken else ():
        yield one.named_children[-1] if one.type == _PARAMETER else one
