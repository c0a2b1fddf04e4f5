"""The whole program: tables of all files, and the solution of what they pass to each other.

The tables are made anew after each change. The solution is the expensive part: everything that it read is recorded, so
that it is kept as long as none of that changed, and changed calls and stores pass nothing.
"""

import gc
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from msgspec import structs

from clew.index.facts import Facts
from clew.index.modules import SourceTree
from clew.index.resolve import global_summary, type_parts
from clew.index.resolve.abstract_values import AbstractValues
from clew.index.resolve.constraint_changes import compare_constraints, effect_of, overfull_after
from clew.index.resolve.evaluator import Evaluator
from clew.index.resolve.global_summary import GlobalSummary
from clew.index.resolve.link_inputs import ModuleLookup, ProgramState, RecordedProgram, SharedInputs
from clew.index.resolve.program import Program
from clew.index.resolve.recorded_inputs import as_set
from clew.index.resolve.solver import FEW_PASSED, MOST_PASSED, AnalysisLimit

FactsOf = Callable[[str], Facts]


class ProgramTables(NamedTuple):
    """The summary without a solution; the files that names of modules led to, and those lookups."""

    summary: GlobalSummary
    looked_up: set[str]
    lookups: set[ModuleLookup]


def find_tables(world: SourceTree, facts: FactsOf, languages: Mapping[str, str], paths: Iterable[str]) -> ProgramTables:
    tree, every = Program(world, facts, languages, AbstractValues()), sorted(paths)
    type_parts.join_type_parts(tree, every)
    below = global_summary.subclasses(tree, every)
    summary = GlobalSummary(
        {},
        global_summary.stored_members(tree, every),
        global_summary.with_few_subclasses(below),
        global_summary.methods_by_name(tree, every, below),
        *tree.joined,
        global_summary.data_members(tree, every),
        implicit=global_summary.implicit_interfaces(tree, every),
        many_heirs={one: len(ids) for one, ids in below.items() if len(ids) > global_summary.MOST_HEIRS},
    )
    found = ProgramTables(summary, tree.files_looked_up(), set(tree.module_lookups()))
    tree.end()
    return found


class Solution:
    """The least solution for all calls of all files at once.

    If that exceeds the limits, as in a tree that passes everything everywhere, only values passed to few parameters are
    followed, and if that is still too much, none: the affected calls are unresolved, and counted so.
    """

    def __init__(
        self,
        world: SourceTree,
        facts: FactsOf,
        languages: Mapping[str, str],
        paths: Iterable[str],
        tables: GlobalSummary,
    ) -> None:
        self._shared = SharedInputs(world, facts, languages, tables, {})
        self._program = RecordedProgram(self._shared, facts)
        self.evaluator, self.summary = self._solve(sorted(paths), tables)

    def _solve(self, paths: list[str], tables: GlobalSummary) -> tuple[Evaluator, GlobalSummary]:
        settled = self._shared.settled
        for most in (MOST_PASSED, FEW_PASSED, 0):
            calling = Evaluator(self.tree, settled.heirs, as_set(settled.stored))
            if not most or _is_solved(calling, paths, most):
                break
            calling.let_go()
            gc.collect()
        summary = structs.replace(
            tables,
            passed=global_summary.passed_values(calling),
            crowded=global_summary.crowded_slots(calling),
            is_cut=not most,
            unsteady=calling.calls.unsteady_slots(),
            held=calling.calls.held if most == MOST_PASSED else -1,
            escaped=calling.calls.escaped_files(),
            overfull=global_summary.overfull_slots(calling) if most == MOST_PASSED else (),
        )
        return calling, summary

    @property
    def tree(self) -> Program:
        return self._program.tree

    def inputs(self) -> bytes:
        return self._program.inputs()

    def lookups(self) -> set[ModuleLookup]:
        return set(self.tree.module_lookups())

    def looked_up(self) -> set[str]:
        return self.tree.files_looked_up()

    def end(self) -> None:
        """Let go of all that was found."""
        self.evaluator.end()
        self._shared.end()


def _is_solved(calling: Evaluator, paths: list[str], most: int) -> bool:
    """Let everything flow that is passed, as far as there is room for it."""
    calling.flow.most_passed = most
    try:
        for path in paths:
            calling.calls.connect(path)
        calling.calls.solve()
    except AnalysisLimit:
        return False
    return True


def with_solution_of(tables: GlobalSummary, solved: GlobalSummary) -> GlobalSummary:
    """New tables with the solution of an earlier summary."""
    return structs.replace(
        tables,
        passed=solved.passed,
        crowded=solved.crowded,
        is_cut=solved.is_cut,
        unsteady=solved.unsteady,
        held=solved.held,
        escaped=solved.escaped,
        overfull=solved.overfull,
    )


class KeptSolution(NamedTuple):
    """The summary with a solution that still holds; and what that depends on more than before."""

    summary: GlobalSummary
    inputs: bytes


def keep_solution(
    before: ProgramState, after: ProgramState, facts: FactsOf, changes: Mapping[str, tuple[Facts, Facts]]
) -> KeptSolution | None:
    """If changed calls and stores leave the solution as it is; None if they may not.

    Both states have the solution; `changes` are the facts of all files with other calls or stores, before and after.
    """

    def facts_before(path: str) -> Facts:
        return changes[path][0] if path in changes else facts(path)

    compared = {path: compare_constraints(*pair) for path, pair in changes.items()}
    sides = [{path: pair[side] for path, pair in compared.items()} for side in (0, 1)]
    former = Program(before.world, facts_before, before.languages, AbstractValues())
    former.join(before.settled.parts, before.settled.common)
    gone = effect_of(former, before.settled, sides[0])
    if gone is None:
        former.end()
        return None
    shared = SharedInputs(after.world, facts, after.languages, after.settled, {})
    program = RecordedProgram(shared, facts)
    came = effect_of(program.tree, shared.settled, sides[1])
    overfull = None if came is None else overfull_after(before.settled, gone, came)
    kept = None
    if came is not None and overfull is not None:
        escaped = {thing.path for slot, things in came.passed.items() for thing in things if thing.path != slot[0]}
        summary = structs.replace(
            after.settled, overfull=overfull, escaped=tuple(sorted(escaped.union(after.settled.escaped)))
        )
        kept = KeptSolution(summary, program.inputs())
    former.end()
    program.tree.end()
    shared.end()
    return kept
