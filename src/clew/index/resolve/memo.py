"""Memoization for recursive questions, with results independent of their order."""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class EvaluationPath:
    """The way to one answer, through all `Answers` that lead to each other."""

    def __init__(self) -> None:
        self.depth = 0
        self.is_cut = False  # by what led back to itself: what came of it holds only on this way
        self.met: dict[Any, Any] = {}


class CycleSafeMemo(dict[K, V]):
    """A question that recurs during its own evaluation gets the `least` answer.

    Such a partial answer is not cached for other questions: the result would depend on the order of questions. Within
    one evaluation it is cached, or files that import each other would be traversed in every possible order.
    """

    def __init__(self, asking: EvaluationPath, find: Callable[[K], V], least: Callable[[K], V]) -> None:
        self._asking = asking
        self._find = find
        self._least = least
        self._alone: dict[K, V] = {}  # answers to what was asked first, if something on the way led back

    def clear(self) -> None:
        super().clear()
        self._alone.clear()

    def __missing__(self, key: K) -> V:
        asking, met = self._asking, self._asking.met
        here = self._find, key
        if here in met:
            asking.is_cut = True
            found: V = met[here]
            return found
        if not asking.depth and key in self._alone:
            return self._alone[key]
        was_cut, asking.is_cut = asking.is_cut, False
        asking.depth += 1
        met[here] = self._least(key)
        found = met[here] = self._find(key)
        asking.depth -= 1
        if not asking.is_cut:
            self[key] = found
        elif not asking.depth:
            self._alone[key] = found
        asking.is_cut = was_cut or asking.is_cut
        if not asking.depth:
            asking.is_cut = False
            met.clear()
        return found


class PathMemo(dict[K, V]):
    """A cache within one evaluation, for all paths without recursion.

    It is no question of its own: recursion to it continues as if nothing was cached. Outside of an evaluation,
    recursion cannot be detected, and nothing is cached.
    """

    def __init__(self, asking: EvaluationPath, find: Callable[[K], V]) -> None:
        self._asking = asking
        self._find = find

    def __missing__(self, key: K) -> V:
        asking = self._asking
        was_cut, asking.is_cut = asking.is_cut, False
        found = self._find(key)
        if asking.depth and not asking.is_cut:
            self[key] = found
        asking.is_cut = was_cut or asking.is_cut
        return found
