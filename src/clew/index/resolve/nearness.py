"""Of several definitions by one name, those that are nearest to a file."""

from collections.abc import Sequence
from typing import TypeVar

from clew.index.modules.source_tree import folder_of
from clew.index.resolve.abstract_values import AbstractValue, Place

_One = TypeVar("_One", Place, AbstractValue, str, Place | AbstractValue)


def nearest_to(path: str, found: Sequence[_One]) -> Sequence[_One]:
    """The items with the greatest common path prefix."""
    if len(found) < 2:
        return found
    near = [
        _common(path, one if isinstance(one, str) else one.path if isinstance(one, AbstractValue) else one[0])
        for one in found
    ]
    return [one for one, length in zip(found, near, strict=True) if length == max(near)]


def _common(path: str, other: str) -> int:
    """How many folders two paths share, from the root down."""
    count = 0
    for one, two in zip(folder_of(path).split("/"), folder_of(other).split("/"), strict=False):
        if one != two:
            break
        count += 1
    return count
