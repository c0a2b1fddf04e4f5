"""Functions of one name, told apart by the labels of their parameters: see `clew.languages.swift.labels`."""

from collections.abc import Collection, Iterator

from clew.index.extract.argument_types import BLOCK
from clew.index.facts import Typed
from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue
from clew.index.resolve.program import Program


def fitting_labels(tree: Program, things: Collection[AbstractValue], passed: Typed) -> list[AbstractValue]:
    """The functions that accept the arguments, as far as known."""
    given = str(passed).split(":")[:-1]
    return [
        one
        for one in things
        if one.kind not in (value_kinds.FUNCTION, value_kinds.METHOD) or _labels_taken(tree, one, given)
    ]


def _labels_taken(tree: Program, function: AbstractValue, given: list[str]) -> bool:
    told = tree.facts(function.path).takes.get(function.scope)
    if told is None:
        return True
    left = iter(str(told[0]).split(":")[:-1])
    has_block, many = BLOCK in given, False
    for label in given:
        if many and label == "_":
            continue
        found = _next(left, label)
        if not found:
            return False
        many = "*" in found
    return all(_may_be_left_out(one) or (has_block and "&" in one) for one in left)


def _next(left: Iterator[str], label: str) -> str:
    """The parameter that a label is of, if all before it may be left out."""
    for one in left:
        if "&" in one if label == BLOCK else one.rstrip("=*&") == label:
            return one
        if not _may_be_left_out(one):
            return ""
    return ""


def _may_be_left_out(param: str) -> bool:
    return "=" in param or "*" in param
