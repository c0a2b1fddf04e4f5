"""Overload resolution: definitions of one name that accept a call's arguments, by number and types."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

from clew.index.extract.argument_types import ARRAY, CONST, LEFT_OUT, OPEN, PRIMITIVES
from clew.index.facts import MANY, CallFact, Def, Typed
from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue
from clew.index.resolve.program import Program
from clew.index.resolve.source_index import CLASSES
from clew.model.code import SCOPE
from clew.model.words import Kind

# A type that is known by its name, one of the tree or outside, or one that cannot be told.
Type = str | AbstractValue | None
MOST_COMPARED = 32  # overloads, each with each other; of more, only what takes just what is given is told apart
MOST_TYPED = 20_000  # types that are kept
MOST_MERGED = 4  # declarations of one name among which a class is looked for


class PassedArguments(NamedTuple):
    """How many arguments a call passes (-1 where it is not known), and of which types, seen from its file."""

    number: int
    path: str = ""
    types: tuple[Typed, ...] = ()
    makes: bool = False  # an object of a class, for sure


class _Taking(NamedTuple):
    """One of several overloads, its parameter types for the arguments, and whether its last parameter is variadic
    here."""

    thing: AbstractValue
    wanted: list[Type]
    gathers: bool


class OverloadTypes(NamedTuple):
    """How a language tells overloads apart by types: an argument's or parameter's type, as it is written; whether one
    may be passed for the other; and whether of two types, both of which take a third, the first is more special."""

    type_of: Callable[[Program, str, Typed], Type]
    may_be: Callable[[Program, Type, Type], bool]
    is_nearer: Callable[[Program, Type, Type, Type], bool]


NOT_KNOWN = PassedArguments(-1)
_UNTYPED = OverloadTypes(lambda tree, path, told: None, lambda tree, given, taken: True, lambda *types: False)


def passed_arguments(path: str, call: CallFact) -> PassedArguments:
    if call.types:
        return PassedArguments(call.count, path, call.types, call.makes)
    return PassedArguments(call.count, makes=call.makes) if call.count >= 0 or call.makes else NOT_KNOWN


def fitting_overloads(
    tree: Program, things: Collection[AbstractValue], passed: PassedArguments
) -> Collection[AbstractValue]:
    """All that can be called, but of overloads only those that fit best."""
    if any(_is_but_a_type(tree, thing) for thing in things):
        things = [thing for thing in things if not _is_but_a_type(tree, thing)]
    found = _fitting_groups(tree, things, passed)
    if passed.number < 0 or all(not tree.rules(thing.path).inherits_overloads for thing in found):
        return found
    return [one for thing in found for one in (_inherited_overloads(tree, thing, passed) or [thing])]


def _inherited_overloads(tree: Program, thing: AbstractValue, passed: PassedArguments) -> list[AbstractValue]:
    """Fitting overloads of base classes, if a class's own do not fit: overloads are inherited one by one."""
    if thing.kind not in (value_kinds.FUNCTION, value_kinds.METHOD) or _fits(tree, thing, passed):
        return []
    holder, _, name = thing.scope.partition("#")[0].rpartition(SCOPE)
    is_constructor = name == holder.rpartition(SCOPE)[2].partition("#")[0]
    if is_constructor or tree.facts(thing.path).kinds.get(holder) not in CLASSES:
        return []
    for upper in tree.order(tree.home(thing.path, holder))[1:]:
        if upper.kind == value_kinds.OUTSIDE:
            if tree.rules(thing.path).doubts_outside_overloads:
                continue
            return [tree.outside(f"{upper.path}.{name}")]
        places = [
            (path, value)
            for path, scope in tree.binding_parts(upper, name)
            for value in tree.scope_bindings(path, scope)[name]
        ]
        methods = [tree.things.thing(thing.kind, path, value.scope) for path, value in places if isinstance(value, Def)]
        if methods and (best := [one for one in _best(tree, methods, passed) if _fits(tree, one, passed)]):
            return best
    return []


def _fits(tree: Program, thing: AbstractValue, passed: PassedArguments) -> bool:
    """Whether it accepts the arguments, as far as known."""
    is_taken = _takes(tree.facts(thing.path).params.get(thing.scope, ()), passed.number)
    return is_taken and _fits_types(tree, thing, passed)


def _fits_types(tree: Program, thing: AbstractValue, passed: PassedArguments) -> bool:
    rules = _rules(tree, thing)
    given = [_type(tree, rules, passed.path, one) for one in passed.types]
    return all(
        rules.may_be(tree, one, other) for one, other in zip(given, _parameter_types(tree, thing, given), strict=False)
    )


def _fitting_groups(
    tree: Program, things: Collection[AbstractValue], passed: PassedArguments
) -> Collection[AbstractValue]:
    if passed.number < 0 and passed.types:
        return tree.rules(passed.path).fitting_labels(tree, things, passed.types[0]) or things
    if passed.number < 0 or len(things) < 2:
        return things
    groups: dict[tuple[str, str], list[AbstractValue]] = defaultdict(list)
    for thing in things:
        is_one_of_many = thing.kind in (value_kinds.FUNCTION, value_kinds.METHOD) and tree.rules(thing.path).overloads
        where = "" if tree.rules(thing.path).overloads_across_files else thing.path
        groups[where, thing.scope.partition("#")[0] if is_one_of_many else repr(thing)].append(thing)
    return [thing for group in groups.values() for thing in (_best(tree, group, passed) if len(group) > 1 else group)]


def _is_but_a_type(tree: Program, thing: AbstractValue) -> bool:
    """Whether it is an interface that is never called, and no class of the same name is written besides."""
    if thing.kind != value_kinds.CLASS or not tree.rules(thing.path).interfaces_beside_classes:
        return False
    kinds = tree.facts(thing.path).kinds
    if kinds.get(thing.scope) != Kind.INTERFACE.value:
        return False
    return not any(kinds.get(f"{thing.scope}#{number}") == Kind.CLASS.value for number in range(2, MOST_MERGED + 1))


def fitting_constructors(
    tree: Program, one: AbstractValue, made: Collection[AbstractValue], passed: PassedArguments
) -> Collection[AbstractValue]:
    """The constructors that a call of a class may enter; none if the primary constructor fits."""
    if passed.number < 0 and passed.types:
        # none, where it is what a struct has without saying so
        return tree.rules(passed.path).fitting_labels(tree, made, passed.types[0])
    if passed.number < 0 or not tree.rules(one.path).overloads:
        return made
    params = tree.facts(one.path).params
    head = params.get(one.scope)
    if head is not None and _takes(head, passed.number):
        is_written_out = tree.rules(one.path).writes_primary_constructor
        own = [each for each in made if is_written_out and params.get(each.scope) == head]
        return _fitting_groups(tree, own, passed)
    return _fitting_groups(tree, made, passed)


def _best(tree: Program, group: Iterable[AbstractValue], passed: PassedArguments) -> list[AbstractValue]:
    """As many parameters as are passed, or a last one that takes many; else more, of which some may have defaults."""
    taken = [(thing, _parameters(tree, thing)) for thing in group]
    if tree.rules(taken[0][0].path).defaults_left_out and (best := _with_defaults(tree, taken, passed)):
        return best
    for fits in (_takes, _may_take):
        if best := [thing for thing, params in taken if fits(params, passed.number)]:
            return _by_types(tree, best, passed) if len(best) > 1 else best
    return [thing for thing, _ in taken]


def _with_defaults(
    tree: Program, taken: list[tuple[AbstractValue, tuple[object, ...]]], passed: PassedArguments
) -> list[AbstractValue]:
    """Including overloads with omitted optional parameters: excluded only if all is known."""
    number = passed.number
    exact = [thing for thing, params in taken if _takes(params, number)]
    others = [thing for thing, params in taken if _may_take(params, number) and _least(tree, thing) <= number]
    if not (exact or others):
        return []
    best = [one for one in _by_types(tree, [*exact, *others], passed) if _fits_types(tree, one, passed)]
    is_known = len(passed.types) == passed.number and all(passed.types)
    return [one for one in best if one in exact] or best if is_known else best


def _least(tree: Program, thing: AbstractValue) -> int:
    """How much must be given."""
    last = tree.facts(thing.path).takes.get(thing.scope, ())[-1:]
    told = [one for one in last if isinstance(one, str) and one.startswith(LEFT_OUT)]
    return int(told[0][len(LEFT_OUT) :]) if told else len(tree.facts(thing.path).params.get(thing.scope, ()))


def plain_types(types: tuple[Typed, ...]) -> tuple[Typed, ...]:
    """Without the number of optional parameters."""
    is_told = bool(types) and isinstance(types[-1], str) and types[-1].startswith(LEFT_OUT)
    return types[:-1] if is_told else types


def _parameters(tree: Program, thing: AbstractValue) -> tuple[object, ...]:
    """A function's parameters; of unnamed ones, only the types may be known."""
    facts = tree.facts(thing.path)
    params, types = facts.params.get(thing.scope, ()), facts.takes.get(thing.scope, ())
    types = types[:-1] if types[-1:] in ((CONST,), (OPEN,)) else plain_types(types)
    return types if len(types) > len(params) else params


def _by_types(tree: Program, group: list[AbstractValue], passed: PassedArguments) -> list[AbstractValue]:
    """Without those that take something else for sure; and of the rest, those that no other is more special than."""
    if (fitting := tree.rules(group[0].path).fitting_types(tree, group, passed)) is not None:
        return fitting
    rules = _rules(tree, group[0])
    given = [_type(tree, rules, passed.path, one) for one in passed.types] or [None] * passed.number
    taken = []
    for thing in group:
        wanted = _parameter_types(tree, thing, given)
        if all(rules.may_be(tree, one, other) for one, other in zip(given, wanted, strict=False)):
            taken.append(_Taking(thing, wanted, _gathers(tree, thing, given)))
    if len(taken) > MOST_COMPARED:
        return [one.thing for one in taken if one.wanted == given] or [one.thing for one in taken]
    best = [one.thing for one in taken if not any(_beats(tree, rules, given, other, one) for other in taken)]
    return best or group


def _type(tree: Program, rules: OverloadTypes, path: str, told: Typed) -> Type:
    """Cached: every call of an overload needs its parameter types."""
    key = rules.type_of, path, told
    if key not in tree.typed:
        if len(tree.typed) > MOST_TYPED:
            tree.typed.clear()
        tree.typed[key] = rules.type_of(tree, path, told)
    return tree.typed[key]


def _parameter_types(tree: Program, thing: AbstractValue, given: list[Type]) -> list[Type]:
    """The parameter types for the arguments; a variadic parameter's type is repeated."""
    facts = tree.facts(thing.path)
    rules = _rules(tree, thing)
    told = [_type(tree, rules, thing.path, one) for one in plain_types(facts.takes.get(thing.scope, ()))]
    if not told:  # a parameter of any type has none that is told
        return [None] * len(given)
    if facts.params.get(thing.scope, ())[-1:] != (MANY,):
        return told
    if not _gathers(tree, thing, given):
        return [*told[:-1], f"{told[-1]}{ARRAY}" if told[-1] in PRIMITIVES else ARRAY]
    return [*told[:-1], *(told[-1:] * (len(given) - len(told) + 1))]


def _gathers(tree: Program, thing: AbstractValue, given: list[Type]) -> bool:
    """Whether a last parameter takes the arguments one by one, and not as an array."""
    params, last = tree.facts(thing.path).params.get(thing.scope, ()), given[-1] if given else None
    is_whole = isinstance(last, str) and last.endswith(ARRAY) and len(params) - 1 == len(given)
    return params[-1:] == (MANY,) and not is_whole


def _beats(tree: Program, rules: OverloadTypes, given: list[Type], one: _Taking, other: _Taking) -> bool:
    """Whether one accepts the arguments by more specific types, or with fewer additional ones; where they differ,
    that must be certain."""
    own, others = one.wanted, other.wanted
    if one is other or len(own) != len(given) or len(others) != len(given):
        return False
    if one.gathers != other.gathers:
        return other.gathers and all(a == b or what is not None for what, a, b in zip(given, own, others, strict=True))
    if own == others:
        return False
    return all(a == b or rules.is_nearer(tree, what, a, b) for what, a, b in zip(given, own, others, strict=True))


def _rules(tree: Program, thing: AbstractValue) -> OverloadTypes:
    return tree.rules(thing.path).overload_types or _UNTYPED


def select_accepting(
    tree: Program, things: Collection[AbstractValue], passed: PassedArguments
) -> Collection[AbstractValue]:
    """Of functions and classes, those that take as much as is passed, if any do."""
    if passed.number < 0 or len(things) < 2:
        return things
    params = [(thing, tree.facts(thing.path).params.get(thing.scope, ())) for thing in things]
    return [thing for thing, own in params if _takes(own, passed.number)] or things


def _takes(params: tuple[object, ...], count: int) -> bool:
    return len(params) == count if params[-1:] != (MANY,) else len(params) - 2 <= count


def _may_take(params: tuple[object, ...], count: int) -> bool:
    return len(params) > count
