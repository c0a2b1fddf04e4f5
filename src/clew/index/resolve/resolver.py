"""What the calls of a file lead to, given what the whole tree has settled."""

import gc
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager

from clew.index.facts import Facts, Value
from clew.index.link import outside
from clew.index.modules import World
from clew.index.resolve import joining, sorts
from clew.index.resolve import settled as settling
from clew.index.resolve.answers import Resolved
from clew.index.resolve.calling import Calling
from clew.index.resolve.flow import FEW_PASSED, MOST_PASSED, TooMuch
from clew.index.resolve.referring import Reference, Referring
from clew.index.resolve.report import Reporter
from clew.index.resolve.settled import Settled
from clew.index.resolve.things import Things
from clew.index.resolve.tree import Tree

DEEPEST = 50_000  # calls of Python's own; they take no room on the machine's stack


class Resolver:
    """Either `settle` a whole tree, or go on from what was settled, and ask for the calls of some files."""

    def __init__(self, calling: Calling, settled: Settled) -> None:
        self._calling = calling
        self._reporter = Reporter(calling, settled.methods)
        self._referring = Referring(calling, settled)
        self.settled = settled

    @classmethod
    def settle(
        cls, world: World, facts: Callable[[str], Facts], languages: Mapping[str, str], paths: Iterable[str]
    ) -> "Resolver":
        """Find the least that satisfies all calls of all files at once.

        Where that is more than there is room for, as in a tree that hands everything to everything, of what calls pass
        only that is followed of which there are few, and if that is too much, nothing: what they lead to by the rest is
        unresolved, and counted so.
        """
        tree = Tree(world, facts, languages, Things())
        every = sorted(paths)
        with undisturbed():
            joining.join(tree, every)
            below, stored = settling.heirs(tree, every), settling.stored(tree, every)
            heirs = settling.few(below)
            for most in (MOST_PASSED, FEW_PASSED, 0):
                calling = Calling(tree, heirs, frozenset(stored))
                if not most or _is_settled(calling, every, most):
                    break
                calling.let_go()
                gc.collect()
            told = settling.passed(calling), stored, heirs, settling.methods(tree, every, below), *tree.joined
            settled = Settled(*told, settling.members(tree, every), settling.crowded(calling), is_cut=not most)
        return cls(calling, settled)

    @classmethod
    def after(
        cls, world: World, facts: Callable[[str], Facts], languages: Mapping[str, str], settled: Settled
    ) -> "Resolver":
        """As `settle` leaves it; right as long as no file's interface has changed since."""
        tree = Tree(world, facts, languages, Things())
        tree.join(settled.parts, settled.common)
        return cls(_after(tree, settled), settled)

    def calls(self, paths: Iterable[str]) -> Iterator[tuple[str, list[Resolved]]]:
        """The calls of each file."""
        with undisturbed():
            for path in paths:
                callees = self._reporter.prepare(path)
                is_half = self._is_cut_short()
                yield path, self._reporter.calls(path, callees)
                if is_half:
                    self._begin_anew()

    def references(self, path: str) -> list[Reference]:
        """The members that a file names and does not call."""
        with undisturbed():
            asked = self._referring.ask(path)
            is_half = self._is_cut_short()
            found = list(self._referring.tell(path, asked))
            if is_half:
                self._begin_anew()
        return found

    def _is_cut_short(self) -> bool:
        """Let flow what was asked for; if it is too much, what was found so far is told, and others do without it."""
        is_half = False
        try:
            self._calling.flow.run()
        except TooMuch:
            is_half = True
        self._calling.rest()
        return is_half

    def _begin_anew(self) -> None:
        tree = self.tree
        self._calling.let_go()
        gc.collect()
        self._calling = _after(tree, self.settled)
        self._reporter = Reporter(self._calling, self.settled.methods)
        self._referring = Referring(self._calling, self.settled)

    def end(self) -> None:
        """Let go of all that was found."""
        self._calling.end()
        self._reporter.end()
        self._referring.end()

    @property
    def tree(self) -> Tree:
        return self._calling.tree

    def types(self, path: str, value: Value) -> list[str]:
        """The ids of the classes that a written type means, by its names alone."""
        found = self._calling.tree.extended(path, value)
        ids = [one.id for one in found if one.sort == sorts.CLASS]
        return [*ids, *(outside(one.path) for one in found if one.sort == sorts.OUTSIDE)]


def _is_settled(calling: Calling, paths: list[str], most: int) -> bool:
    """Let everything flow that is passed, as far as there is room for it."""
    calling.flow.most_passed = most
    try:
        for path in paths:
            calling.connect(path)
        calling.settle()
    except TooMuch:
        return False
    return True


def _after(tree: Tree, settled: Settled) -> Calling:
    """What goes on from there: slots are filled as they are asked for."""
    calling = Calling(tree, settled.heirs, frozenset(settled.stored))
    calling.before = settled.passed
    calling.crowded = frozenset(settled.crowded)
    return calling


class _Undisturbed(AbstractContextManager[None]):
    """Hundreds of thousands of sets are made here, and none dropped: looking for garbage took most of the time.

    Functions lead from one to the next for as long as they return each other's results, so there is depth to allow for.
    Both are the whole process's: the last thread to leave sets them back.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._was = True, 0

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._was = gc.isenabled(), sys.getrecursionlimit()
                gc.disable()
                sys.setrecursionlimit(max(self._was[1], DEEPEST))
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                was_enabled, depth = self._was
                sys.setrecursionlimit(depth)
                if was_enabled:
                    gc.enable()


_undisturbed = _Undisturbed()


def undisturbed() -> AbstractContextManager[None]:
    return _undisturbed
