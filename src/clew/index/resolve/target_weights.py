"""Targets of a call beyond the called symbol: constructors, definitions of prototypes, implementations."""

from collections.abc import Collection

from clew.index.facts import (
    Attr,
    CallFact,
    Param,
    ScopedName,
    WrappedType,
)
from clew.index.import_edges import outside
from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue
from clew.index.resolve.evaluator import Evaluator
from clew.index.resolve.implementations import implementations
from clew.index.resolve.overloads import PassedArguments, fitting_constructors
from clew.index.resolve.program import Program
from clew.index.resolve.resolved_call import Targets
from clew.index.resolve.value_sets import FUNCTIONS
from clew.languages.member_names import PassedValue
from clew.model.code import SCOPE
from clew.model.words import Kind


def constructors(calling: Evaluator, one: AbstractValue, passed: PassedArguments) -> list[str]:
    """The ids of a class's initialisers."""
    tree = calling.tree
    entered = {each for each in calling.calls.made_by(one).things if not _is_asked_for(tree, each)}
    made = fitting_constructors(tree, one, entered, passed)
    found = {
        target
        for each in made
        if each.kind in FUNCTIONS
        for target in tree.rules(each.path).definitions_of_prototype(tree, each) or (each.id,)
    }
    if tree.rules(one.path).constructors_outside:
        found |= {outside(o.path) for o in made if o.kind == value_kinds.OUTSIDE and not o.path.startswith("builtins.")}
    return sorted(found)


def _is_asked_for(tree: Program, constructor: AbstractValue) -> bool:
    """Whether it is one that a protocol asks of others: nobody enters it."""
    if constructor.kind not in FUNCTIONS:
        return False
    facts, holder = tree.facts(constructor.path), constructor.scope.rpartition(SCOPE)[0]
    return facts.kinds.get(holder) == Kind.INTERFACE.value and constructor.scope in facts.declared


def weigh_targets(
    calling: Evaluator, things: Collection[AbstractValue], shares: dict[str, float], passed: PassedArguments
) -> None:
    """Several targets of one value divide its share.

    Independent of order: a target of several values has the largest of its parts.
    """
    tree = calling.tree
    parts: dict[str, float] = {}
    more: dict[str, float] = {}
    for thing in things:
        if not tree.is_declarative(thing.path):
            continue
        if thing.kind == value_kinds.CLASS:
            _divide(constructors(calling, thing, passed), parts, shares.get(thing.id, 0.0))
        elif thing.kind in FUNCTIONS and thing.id in shares:
            several = implementations(tree, calling.heirs, thing)  # which of them runs is not known, but what is called
            _raise(several, more, shares[thing.id] / (len(several) + 1))
        elif thing.kind in FUNCTIONS:
            several = tree.rules(thing.path).definitions_of_prototype(tree, thing)
            _divide(several, parts, max((shares.get(one, 0.0) for one in several), default=0.0))
    shares |= parts
    shares |= {one: part for one, part in more.items() if one not in shares}


def _divide(several: list[str], parts: dict[str, float], whole: float) -> None:
    if len(several) > 1:
        _raise(several, parts, whole / len(several))


def _raise(several: list[str], parts: dict[str, float], part: float) -> None:
    for one in several:
        parts[one] = max(parts.get(one, 0.0), part)


def as_far_as_known(calling: Evaluator, path: str, call: CallFact, targets: Targets) -> Targets:
    """A variable with possibly unknown values calls its known ones with reduced confidence."""
    value = call.callee[0] if len(call.callee) == 1 else None
    if isinstance(value, Attr) and isinstance(value.of, Attr) and type(value.of.name) is PassedValue:
        return _by_overloads(calling, path, value.of, targets)
    if not isinstance(value, ScopedName):
        return targets
    values = calling.tree.scope_bindings(path, value.scope).get(value.name, ())
    if len(values) < 2:
        return targets
    known = [bool(calling.sets.value(path, one).things) for one in values if not isinstance(one, Param | WrappedType)]
    if all(known) or not any(known):
        return targets
    return tuple((target, share * sum(known) / len(known)) for target, share in targets)


def _by_overloads(calling: Evaluator, path: str, passed: Attr, targets: Targets) -> Targets:
    """For a callback of several overloads, the confidence depends on how many have an unknown argument."""
    overloads = [one for one in calling.sets.value(path, passed.of).things if one.kind in FUNCTIONS]
    known = sum(bool(calling.members.member_of(one, passed.name).things) for one in overloads)
    if not 0 < known < len(overloads):
        return targets
    return tuple((target, share * known / len(overloads)) for target, share in targets)
