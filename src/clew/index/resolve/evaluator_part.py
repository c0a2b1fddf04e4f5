"""A part of the evaluator: it shares the solver and the program with the others, and asks them by their names."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from clew.index.resolve.program import Program
from clew.index.resolve.solver import ConstraintSolver

if TYPE_CHECKING:
    from clew.index.resolve.call_evaluator import CallEvaluator
    from clew.index.resolve.container_elements import ContainerElements
    from clew.index.resolve.lent_methods import LentMethods
    from clew.index.resolve.member_lookup import DeclaredMembers
    from clew.index.resolve.members import Members
    from clew.index.resolve.return_summaries import Fixtures, ReturnSummaries
    from clew.index.resolve.value_sets import ValueSets


class EvaluationContext(NamedTuple):
    """All parts work on it. `heirs` are subclasses by class, `stored` names of members that other code fills."""

    tree: Program
    heirs: Mapping[str, tuple[str, ...]]
    stored: frozenset[str]
    flow: ConstraintSolver


class EvaluatorParts(NamedTuple):
    sets: "ValueSets"  # values of expressions, names and slots
    declared: "DeclaredMembers"  # members of declared types
    members: "Members"  # members of any value
    lent: "LentMethods"  # methods that traits lend to types
    containers: "ContainerElements"  # elements of containers
    fixtures: "Fixtures"  # parameters of tests
    summaries: "ReturnSummaries"  # results of functions
    calls: "CallEvaluator"  # arguments and results of calls


class EvaluatorPart:
    """After `join`, a part may ask the others."""

    sets: "ValueSets"
    declared: "DeclaredMembers"
    members: "Members"
    lent: "LentMethods"
    containers: "ContainerElements"
    fixtures: "Fixtures"
    summaries: "ReturnSummaries"
    calls: "CallEvaluator"

    def __init__(self, context: EvaluationContext) -> None:
        self.tree, self.heirs, self.stored, self.flow = context
        self.thing = self.tree.things.thing
        self.nothing = self.flow.nothing

    def join(self, parts: EvaluatorParts) -> None:
        vars(self).update(parts._asdict())
