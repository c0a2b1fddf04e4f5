"""The evaluator: from facts to the values of expressions, members, containers and calls. It only joins its parts."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from clew.index.resolve.call_evaluator import CallEvaluator
from clew.index.resolve.container_elements import ContainerElements
from clew.index.resolve.evaluator_part import EvaluationContext, EvaluatorParts
from clew.index.resolve.lent_methods import LentMethods
from clew.index.resolve.member_lookup import DeclaredMembers
from clew.index.resolve.members import Members
from clew.index.resolve.program import Program
from clew.index.resolve.return_summaries import Fixtures, ReturnSummaries
from clew.index.resolve.solver import ConstraintSolver
from clew.index.resolve.value_sets import ValueSets


class PartFactories(NamedTuple):
    """The parts that a caller may replace by its own."""

    sets: Callable[[EvaluationContext], ValueSets] = ValueSets
    containers: Callable[[EvaluationContext], ContainerElements] = ContainerElements
    calls: Callable[[EvaluationContext], CallEvaluator] = CallEvaluator


_USUAL = PartFactories()


class Evaluator:
    def __init__(
        self,
        tree: Program,
        heirs: Mapping[str, tuple[str, ...]],
        stored: frozenset[str],
        factories: PartFactories = _USUAL,
    ) -> None:
        self.tree, self.heirs, self.flow = tree, heirs, ConstraintSolver()
        context = EvaluationContext(tree, heirs, stored, self.flow)
        self._parts = EvaluatorParts(
            factories.sets(context),
            DeclaredMembers(context),
            Members(context),
            LentMethods(context),
            factories.containers(context),
            Fixtures(context),
            ReturnSummaries(context),
            factories.calls(context),
        )
        for part in self._parts:
            part.join(self._parts)
        self.sets, self.members, self.calls = self._parts.sets, self._parts.members, self._parts.calls
        self.fixtures = self._parts.fixtures

    def end(self) -> None:
        """Release everything: these objects form reference cycles."""
        self.tree.end()
        self.let_go()

    def let_go(self) -> None:
        vars(self.flow).clear()
        for part in self._parts:
            vars(part).clear()
        vars(self).clear()
