"""Questions whose answers may lead back to themselves, answered the same in whatever order they are asked."""

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
    """Where a question leads back to itself, it adds nothing: its answer there is the `least` that it can be.

    So an answer may be less on the way to another one than by itself, and is not kept for others: what was asked before
    would have a say in it. On one way it is found once, or files that all take from each other would be gone through in
    every order there is.
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
    """What was found out on the way to an answer, for all ways that do not lead back to themselves.

    No question of its own: what leads back to it goes on from there as if nothing was kept. Asked for by itself, where
    no answer is on its way, it cannot tell what led back, and so nothing is kept.
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
