"""Parameters without a type: those of one name mostly are of one type in a file, which some of them tell.

A function that is passed on takes what the one that calls it gives: `app.get('/', (c) => c.text(''))`. Of what that is,
nothing is written where it stands.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator

from clew.index.facts import Values
from clew.index.parse import Mark


def alike(params: list[Mark], typed: list[Mark], read: Callable[[Mark], Values]) -> Iterator[tuple[Mark, Values]]:
    """Each that has no type, with the one that all others of its name have."""
    places, told = {mark.at for mark in params}, defaultdict[str, set[Values]](set)
    for mark in typed:
        if mark.at in places:
            told[mark.text].add(read(mark))
    known = {mark.at for mark in typed}
    for mark in params:
        if mark.at not in known and len(types := told.get(mark.text, set())) == 1:
            yield mark, next(iter(types))
