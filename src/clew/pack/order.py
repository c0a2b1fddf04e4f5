"""One order of what may stand in a pack, the same for every budget: sections take turns, each by its share."""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

T = TypeVar("T")
S = TypeVar("S")


def interleaved(
    queues: Mapping[S, Iterator[T | None]], shares: Mapping[S, float], cost: Callable[[T], int]
) -> Iterator[T]:
    """Next is of whichever section has taken the least for its share; of equals, the first. What is empty is skipped.

    A queue is asked for its next only in its turn: what it gives may depend on what others gave. One that gives None
    has nothing now, and is asked again once another has given something.
    """
    taken = {section: 0 for section in queues if shares[section] > 0}
    part = dict.fromkeys(taken, 0.0)  # of its share
    waiting = list(taken)
    while waiting:
        section = min(waiting, key=part.__getitem__)
        item = next(queues[section], None)
        if item is None:
            waiting.remove(section)
        else:
            taken[section] += cost(item)
            part[section] = taken[section] / shares[section]
            waiting = list(taken)
            yield item
