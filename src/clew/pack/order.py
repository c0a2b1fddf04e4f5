"""The order of a pack's candidates, the same for every budget: sections take turns, each by its share."""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

T = TypeVar("T")
S = TypeVar("S")


def interleave(
    queues: Mapping[S, Iterator[T | None]], shares: Mapping[S, float], cost: Callable[[T], int]
) -> Iterator[T]:
    """Next is of whichever section has then taken the least for its share; of equals, the first.

    The first section that has anything begins. A queue is asked for its next once its last was taken; one that gives
    None has nothing now, and is asked again once another has given something.
    """
    taken = {section: 0 for section in queues if shares[section] > 0}
    waiting: dict[S, T] = {}

    def finish_time(section: S) -> float:
        return (taken[section] + cost(waiting[section])) / shares[section]

    begun = False
    while True:
        for section in taken:
            if section not in waiting and (item := next(queues[section], None)) is not None:
                waiting[section] = item
        if not waiting:
            return
        section = min(waiting, key=finish_time) if begun else next(one for one in taken if one in waiting)
        begun = True
        item = waiting.pop(section)
        taken[section] += cost(item)
        yield item
