"""Ruby: members of classes and of their objects, which may have one name, and calls that may lead outside."""

from collections.abc import Sequence

from clew.index.facts import (
    Attr,
    CallFact,
    Def,
    Values,
)
from clew.index.import_edges import outside
from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue
from clew.index.resolve.candidate_selection import select_values
from clew.index.resolve.evaluator import Evaluator
from clew.index.resolve.global_summary import namesake
from clew.index.resolve.member_lookup import STATIC, DeclaredMembers
from clew.index.resolve.name_fallback import EVERYWHERE, Methods
from clew.index.resolve.program import Program
from clew.index.resolve.provenance import PLAIN
from clew.index.resolve.resolved_call import CERTAIN, Targets
from clew.index.resolve.solver import PointsToSet
from clew.index.resolve.source_index import Part, SourceIndex
from clew.index.resolve.value_sets import PlainKey, name_of
from clew.languages.member_names import spelled_name
from clew.languages.ruby.library import LIBRARY
from clew.model.code import SCOPE
from clew.model.words import Kind

FAMILY = "ruby"
LIKELY = 0.75
OF_CLASSES = "ClassMethods"  # by custom, what a module adds to the classes themselves that it is mixed into
_GIVING_SELF = frozenset({"dup", "clone", "freeze", "itself", "tap", "extend"})
_OF_LANGUAGE = (outside("Kernel."), outside("Object."), outside("builtins."))
_METHOD = Kind.METHOD.value

# The ancestors of classes in method resolution order: the last mixed-in module comes first.


def ancestors(tree: SourceIndex, written: list[AbstractValue]) -> list[AbstractValue]:
    """The written base class and modules of a class: the base class stands first, and comes last."""
    return [one for thing in reversed(written) for one in (thing, *_of_classes(tree, thing))]


def _of_classes(tree: SourceIndex, module: AbstractValue) -> list[AbstractValue]:
    if module.kind != value_kinds.CLASS or not tree.is_declarative(module.path):
        return []
    parts = tree.binding_parts(module, OF_CLASSES)
    inner = [tree.definition_at(path, f"{scope}{SCOPE}{OF_CLASSES}") for path, scope in parts]
    return [one for one in inner if one.kind == value_kinds.CLASS]


def own_member(members: DeclaredMembers, thing: AbstractValue, one: AbstractValue, key: PlainKey) -> PointsToSet | None:
    """The constructor of an object is its class; the result of `tap` and the like may be its class or itmembers."""
    name = name_of(key)
    if thing.kind == value_kinds.CLASS:
        return _constructor_or_class(members, one) if name == "new" else None
    given = one if key == "class" else thing if key in _GIVING_SELF else None  # what is called is outside
    return members.flow.constant(given) if given and not members.tree.members(one, name) else None


def _constructor_or_class(members: DeclaredMembers, one: AbstractValue) -> PointsToSet:
    """A class; with a method of its own that makes objects, that one, by which objects are set up all the same."""
    made = [(place, members.tree.scope_bindings(*place[:2])["new"]) for place in members.tree.members(one, "new")]
    own = [members.owned_at(*place) for place, values in made if _is_static(members.tree, place[0], values)]
    is_set_up = not own or members.tree.members(one, members.tree.constructor(one.path))
    return members.union([*own, *([members.flow.constant(one)] if is_set_up else ())])


def _is_static(tree: Program, path: str, values: Values) -> bool:
    """Whether all are methods of the class itself."""
    marks = tree.facts(path).decorators
    return all(isinstance(value, Def) and STATIC in marks.get(value.scope, ()) for value in values)


def order_of_members(
    tree: Program, thing: AbstractValue, order: Sequence[AbstractValue], name: str
) -> list[AbstractValue]:
    """The classes above; those last that have a name on the other side alone: of objects, of classes."""
    if thing.kind == value_kinds.PARENT:
        return list(order)
    parts = [tree.binding_parts(upper, name) if upper.kind == value_kinds.CLASS else () for upper in order]
    last = [bool(some) and not any(has_side(tree, thing, part, name) for part in some) for some in parts]
    return [one for _, one in sorted(zip(last, order, strict=True), key=lambda pair: pair[0])]


def has_side(tree: Program, thing: AbstractValue, part: Part, name: str) -> bool:
    """Whether a part of a class has such a method on the given side: for instances, or for the class."""
    path, values, is_class = part[0], tree.scope_bindings(*part)[name], thing.kind == value_kinds.CLASS
    if is_class and part[1].endswith(OF_CLASSES):
        return True
    facts = tree.facts(path)
    methods = [isinstance(value, Def) and facts.kinds.get(value.scope) == _METHOD for value in values]
    own = [isinstance(value, Def) and STATIC in facts.decorators.get(value.scope, ()) for value in values]
    return not all(methods) or is_class in own


def parts_with_member(tree: Program, thing: AbstractValue, parts: Sequence[Part], name: str) -> Sequence[Part]:
    if len(parts) < 2 or thing.kind == value_kinds.PARENT:
        return parts
    return [part for part in parts if has_side(tree, thing, part, name)] or parts


def certain_targets(calling: Evaluator, methods: Methods, path: str, call: CallFact, targets: Targets) -> Targets:
    """External targets, as far as they are certain; none, if the tree has a method of the name.

    A class with an external base, or a receiver from an external call, may have mixed-in or dynamic methods.
    Constants and built-in values are certain.
    """
    tree = calling.tree
    values = [one for one in select_values(tree, path, call.callee) if isinstance(one, Attr)]
    things = [thing for one in values for thing in calling.sets.value(path, one.of).things]
    if all(_is_constant(thing) for thing in things):
        return targets
    names = {spelled_name(one.name) for one in values} - EVERYWHERE
    if any(namesake(FAMILY, name) in methods and not LIBRARY.has_method(name) for name in names):
        return ()
    sure = CERTAIN if all(one.startswith(_OF_LANGUAGE) for one, _ in targets) else LIKELY
    return tuple((one, share * sure) for one, share in targets)


def _is_constant(thing: AbstractValue) -> bool:
    is_named = thing.kind == value_kinds.OUTSIDE and thing.provenance == PLAIN
    return is_named and thing.path.rpartition(".")[2][:1].isupper()
