"""What a call leads to besides the one thing that is called: constructors, functions of prototypes, implementations."""

from collections.abc import Collection

from clew.index.facts import PASSED, Attr, Called, Name, Param, Target
from clew.index.link import outside
from clew.index.resolve import sorts
from clew.index.resolve.answers import Targets
from clew.index.resolve.calling import Calling
from clew.index.resolve.implementing import defined, implementations
from clew.index.resolve.names import FUNCTIONS
from clew.index.resolve.overloads import Passed, constructing
from clew.index.resolve.things import Thing
from clew.index.resolve.tree import Tree
from clew.model.code import SCOPE
from clew.model.words import Kind


def constructors(calling: Calling, one: Thing, passed: Passed) -> list[str]:
    """The ids of what sets up an object of a class."""
    tree = calling.tree
    entered = {each for each in calling.made_by(one).things if not _is_asked_for(tree, each)}
    made = constructing(tree, one, entered, passed)
    found = {target for each in made if each.sort in FUNCTIONS for target in defined(tree, each) or (each.id,)}
    if tree.family(one.path) != "ruby":  # where a module that is mixed in from outside has none
        found |= {outside(o.path) for o in made if o.sort == sorts.OUTSIDE and not o.path.startswith("builtins.")}
    return sorted(found)


def _is_asked_for(tree: Tree, constructor: Thing) -> bool:
    """Whether it is one that a protocol asks of others: nobody enters it."""
    if constructor.sort not in FUNCTIONS:
        return False
    facts, holder = tree.facts(constructor.path), constructor.scope.rpartition(SCOPE)[0]
    return facts.kinds.get(holder) == Kind.INTERFACE.value and constructor.scope in facts.declared


def weigh(calling: Calling, things: Collection[Thing], shares: dict[str, float], passed: Passed) -> None:
    """Of several that one thing stands for, each has a part of its share.

    The same in whatever order the things come: what several of them stand for has the largest of its parts.
    """
    tree = calling.tree
    parts: dict[str, float] = {}
    more: dict[str, float] = {}
    for thing in things:
        if not tree.family(thing.path):
            continue
        if thing.sort == sorts.CLASS:
            _divide(constructors(calling, thing, passed), parts, shares.get(thing.id, 0.0))
        elif thing.sort in FUNCTIONS and thing.id in shares:
            several = implementations(tree, calling.heirs, thing)  # which of them runs is not known, but what is called
            _raise(several, more, shares[thing.id] / (len(several) + 1))
        elif thing.sort in FUNCTIONS:
            several = defined(tree, thing)
            _divide(several, parts, max((shares.get(one, 0.0) for one in several), default=0.0))
    shares |= parts
    shares |= {one: part for one, part in more.items() if one not in shares}


def _divide(several: list[str], parts: dict[str, float], whole: float) -> None:
    if len(several) > 1:
        _raise(several, parts, whole / len(several))


def _raise(several: list[str], parts: dict[str, float], part: float) -> None:
    for one in several:
        parts[one] = max(parts.get(one, 0.0), part)


def as_far_as_known(calling: Calling, path: str, call: Called, targets: Targets) -> Targets:
    """A variable that may be something unknown, too, is called for what is known of it with a part of the certainty."""
    value = call.callee[0] if len(call.callee) == 1 else None
    if isinstance(value, Attr) and isinstance(value.of, Attr) and value.of.name.startswith(PASSED):
        return _by_overloads(calling, path, value.of, targets)
    if not isinstance(value, Name):
        return targets
    values = calling.tree.bound(path, value.scope).get(value.name, ())
    if len(values) < 2:
        return targets
    known = [bool(calling.value(path, one).things) for one in values if not isinstance(one, Param | Target)]
    if all(known) or not any(known):
        return targets
    return tuple((target, share * sum(known) / len(known)) for target, share in targets)


def _by_overloads(calling: Calling, path: str, passed: Attr, targets: Targets) -> Targets:
    """What a function passes on, of several by one name, is as sure as there are few that do not say what they pass."""
    overloads = [one for one in calling.value(path, passed.of).things if one.sort in FUNCTIONS]
    known = sum(bool(calling.member_of(one, passed.name).things) for one in overloads)
    if not 0 < known < len(overloads):
        return targets
    return tuple((target, share * known / len(overloads)) for target, share in targets)
