"""Resolves the calls of a file, given the summary of the whole tree."""

import gc
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager

from msgspec import structs

from clew.index.facts import QUOTE, Facts, Value
from clew.index.import_edges import outside
from clew.index.modules import SourceTree
from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValues
from clew.index.resolve.call_targets import CallTargets
from clew.index.resolve.evaluator import Evaluator
from clew.index.resolve.global_summary import GlobalSummary
from clew.index.resolve.hidden_changes import FactsChange, Holding, summary_after
from clew.index.resolve.language_rules import rules_named
from clew.index.resolve.link_inputs import ProgramState, RecordedProgram
from clew.index.resolve.member_references import MemberReferenceResolver, Reference
from clew.index.resolve.program import Program
from clew.index.resolve.recorded_inputs import as_set, as_slots
from clew.index.resolve.resolved_call import ResolvedCall
from clew.index.resolve.solver import AnalysisLimit
from clew.index.resolve.whole_program import Solution, find_tables, keep_solution
from clew.model.code import split_id

DEEPEST = 50_000  # calls of Python's own; they take no room on the machine's stack


class Resolver:
    """Either `settle` a whole tree, or continue from a stored summary, and ask for the calls of some files."""

    def __init__(self, calling: Evaluator, settled: GlobalSummary) -> None:
        self._calling = calling
        self._reporter = CallTargets(calling, settled.methods)
        self._referring = MemberReferenceResolver(calling, settled)
        self.settled = settled

    @classmethod
    def settle(
        cls, world: SourceTree, facts: Callable[[str], Facts], languages: Mapping[str, str], paths: Iterable[str]
    ) -> "Resolver":
        """With the solution of a whole tree at hand."""
        every = list(paths)
        with without_gc():
            tables = find_tables(world, facts, languages, every)
            solution = Solution(world, facts, languages, every, tables.summary)
        return cls(solution.evaluator, solution.summary)

    @classmethod
    def after(
        cls, world: SourceTree, facts: Callable[[str], Facts], languages: Mapping[str, str], settled: GlobalSummary
    ) -> "Resolver":
        """As `settle` leaves it; right as long as no file's interface has changed since."""
        tree = Program(world, facts, languages, AbstractValues())
        tree.join(settled.parts, settled.common)
        return cls(_after(tree, settled), settled)

    @classmethod
    def alone(cls, program: RecordedProgram, settled: GlobalSummary) -> "Resolver":
        """As `after`, for one file: every input that it reads is recorded."""
        return cls(_after(program.tree, settled), settled)

    @classmethod
    def after_hidden(
        cls,
        world: SourceTree,
        facts: Callable[[str], Facts],
        languages: Mapping[str, str],
        settled: GlobalSummary,
        changes: list[FactsChange],
        holding: Holding,
    ) -> tuple[GlobalSummary, Mapping[str, tuple[str, ...]], bytes] | None:
        """The summary after changes that certainly leave the solution and the links of other files as they are.

        With it, by changed name, the files that have the name; and what the solution depends on more than before. None
        if the changes may affect more.
        """
        past = {change.path: change.old for change in changes}

        def facts_before(path: str) -> Facts:
            return past[path] if path in past else facts(path)

        before, after = (Program(world, of, languages, AbstractValues()) for of in (facts_before, facts))
        for tree in (before, after):
            tree.join(settled.parts, settled.common)
        state = ProgramState(world, languages, settled, {})
        with without_gc():
            found = summary_after(changes, settled, before, after, holding)
            if found is None:
                return None
            summary, names = found
            pairs = {change.path: (change.old, change.new) for change in changes}
            kept = keep_solution(state, state, facts, pairs)
        if kept is None:
            return None
        return (
            structs.replace(summary, overfull=kept.summary.overfull, escaped=kept.summary.escaped),
            names,
            kept.inputs,
        )

    def calls(self, paths: Iterable[str]) -> Iterator[tuple[str, list[ResolvedCall]]]:
        """The calls of each file."""
        with without_gc():
            for path in paths:
                callees = self._reporter.prepare(path)
                is_half = self._is_cut_short()
                yield path, self._reporter.calls(path, callees)
                if is_half:
                    self._begin_anew()

    def references(self, path: str) -> list[Reference]:
        """The members that a file names and does not call."""
        with without_gc():
            asked = self._referring.ask(path)
            is_half = self._is_cut_short()
            found = list(self._referring.tell(path, asked))
            if is_half:
                self._begin_anew()
        return found

    def _is_cut_short(self) -> bool:
        """Solve the requested constraints; over the limit, the partial result is used."""
        is_half = False
        try:
            self._calling.flow.solve()
        except AnalysisLimit:
            is_half = True
        self._calling.calls.forget_calls()
        return is_half

    def _begin_anew(self) -> None:
        tree = self.tree
        self._calling.let_go()
        gc.collect()
        self._calling = _after(tree, self.settled)
        self._reporter = CallTargets(self._calling, self.settled.methods)
        self._referring = MemberReferenceResolver(self._calling, self.settled)

    def end(self) -> None:
        """Let go of all that was found."""
        self._calling.end()
        self._reporter.end()
        self._referring.end()

    def files_looked_up(self) -> set[str]:
        """The files that names of modules have led to."""
        return self.tree.files_looked_up()

    @property
    def tree(self) -> Program:
        return self._calling.tree

    def types(self, path: str, value: Value) -> list[str]:
        """The ids of the classes that a written type means, by its names alone."""
        found = self._calling.tree.base_values(path, value)
        ids = [one.id for one in found if one.kind == value_kinds.CLASS]
        return [*ids, *(outside(one.path) for one in found if one.kind == value_kinds.OUTSIDE)]


def files_looked_into(settled: GlobalSummary) -> set[str]:
    """The files that other files look into by what all together say."""
    looked = set(settled.escaped)
    for upper, ids in settled.heirs.items():
        looked.update(split_id(one)[0] for one in ids if split_id(one)[0] != split_id(upper)[0])
    for key, ids in settled.common.items():
        looked.update(split_id(one)[0] for one in ids if key.startswith(QUOTE))
    return looked


def may_be_sealed(path: str, language: str) -> bool:
    """Whether a file may be one that no other looks into: of Python, no package's own file, nobody's fixtures."""
    name = path.rpartition("/")[2]
    return rules_named(language).may_be_sealed and not name.startswith("__init__.") and name != "conftest.py"


def _after(tree: Program, settled: GlobalSummary) -> Evaluator:
    """An evaluator that continues from a summary: slots are filled on demand."""
    calling = Evaluator(tree, settled.heirs, as_set(settled.stored))
    calling.sets.before = as_slots(settled.passed)
    calling.calls.crowded = as_set(settled.crowded)
    return calling


class _WithoutGc(AbstractContextManager[None]):
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


_undisturbed = _WithoutGc()


def without_gc() -> AbstractContextManager[None]:
    return _undisturbed
