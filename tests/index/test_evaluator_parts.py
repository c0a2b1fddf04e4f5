"""Each part of the evaluator works alone: stand-ins answer what it asks the others."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, TypeVar

from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue, AbstractValues
from clew.index.resolve.call_evaluator import CallEvaluator
from clew.index.resolve.container_elements import ContainerElements
from clew.index.resolve.evaluator_part import EvaluationContext, EvaluatorPart
from clew.index.resolve.members import Members
from clew.index.resolve.program import Program
from clew.index.resolve.return_summaries import ReturnSummaries
from clew.index.resolve.solver import ConstraintSolver, PointsToSet
from tests.index.worlds import facts_of, tree_of

P = TypeVar("P", bound=EvaluatorPart)
FILE = "shop.py"
SOURCE = """\
class Card:
    def pay(self): ...
class Gold(Card):
    def __init__(self, owner): ...
def same(card, *rest, **named):
    return card
"""


def part_of(kind: type[P], **others: Mapping[str, Any]) -> P:
    facts = {FILE: facts_of(FILE, SOURCE)}
    world, languages = tree_of(facts)
    tree = Program(world, facts.__getitem__, languages, AbstractValues())
    part = kind(EvaluationContext(tree, {}, frozenset(), ConstraintSolver()))
    vars(part).update({name: SimpleNamespace(**answers) for name, answers in others.items()})
    return part


def functions(part: EvaluatorPart) -> Mapping[str, Any]:
    """Names mean the definitions of their file."""
    return {"name": lambda path, _, name: part.flow.constant(part.tree.definition_at(path, f"Card::{name}"))}


def ids(values: PointsToSet) -> set[str]:
    return {one.id for one in values.things}


def test_the_shape_of_parameters_needs_no_other_part() -> None:
    summaries = part_of(ReturnSummaries)

    shape = summaries.shape_of(summaries.thing(value_kinds.FUNCTION, FILE, "same"))

    assert (shape.places, shape.rest, shape.keyed) == (["card"], "*rest", "**named")


def test_a_function_that_returns_its_parameter_hands_it_back() -> None:
    own, _ = part_of(ReturnSummaries).return_summary(FILE, "same")

    assert own == ("card",)


def test_an_inherited_method_is_a_member_of_an_object() -> None:
    members = part_of(Members)
    members.sets = SimpleNamespace(**functions(members))  # type: ignore[assignment] # a stand-in

    pay = members.member_of(members.thing(value_kinds.OBJECT, FILE, "Gold"), "pay")

    assert {(one.id, one.kind) for one in pay.things} == {("shop.py::Card::pay", value_kinds.METHOD)}


def test_calling_a_class_enters_its_constructor() -> None:
    asked: list[tuple[str, str]] = []

    def member_of(thing: AbstractValue, name: str) -> PointsToSet:
        asked.append((thing.id, name))
        return calls.flow.constant(calls.thing(value_kinds.METHOD, FILE, f"Gold::{name}"))

    calls = part_of(
        CallEvaluator,
        sets={"an_object": lambda one: one},
        members={"member_of": member_of, "together": lambda some: some[0]},
    )

    assert ids(calls.made_by(calls.thing(value_kinds.CLASS, FILE, "Gold"))) == {"shop.py::Gold::__init__"}
    assert asked == [("shop.py::Gold", "__init__")]


def test_going_through_an_object_asks_for_its_iterator() -> None:
    asked: list[str] = []

    def member_of(_: AbstractValue, name: str) -> PointsToSet:
        asked.append(name)
        return containers.nothing

    containers = part_of(
        ContainerElements, members={"member_of": member_of}, sets={"instances_of": lambda values: values}
    )
    containers.element(containers.flow.constant(containers.thing(value_kinds.OBJECT, FILE, "Card")), "*")

    assert asked == ["__iter__"]
