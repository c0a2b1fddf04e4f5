"""Selects among several candidate values: the first that exists, or by a declared type."""

from clew.index.facts import (
    Attr,
    Call,
    Param,
    ScopedName,
    Subscript,
    This,
    TypeArgumentCall,
    UnboundName,
    Value,
    Values,
)
from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue
from clew.index.resolve.program import Program
from clew.languages.libraries import UNIVERSAL

MOST_STEPS = 8  # of a chain, back to what it begins with


def select_values(tree: Program, path: str, values: Values) -> Values:
    """`Attr(This(inner), n) | Attr(This(outer), n) | Free(n)` is the first that there is. Of a parameter with a type,
    callers say no more than that; nor does what something outside gives, which is of the type that stands before it.
    """
    groups: dict[object, list[Value]] = {}
    for value in values:
        groups.setdefault(_shape(value), []).append(value)
    if len(groups) < len(values):
        values = tuple(
            one for group in groups.values() for one in (_first(tree, path, group) if len(group) > 1 else group)
        )
    if any(isinstance(value, Param) for value in values) and any(
        _is_instance_of_tree(tree, path, value) for value in values
    ):
        values = tuple(value for value in values if not isinstance(value, Param))
    if len(values) > 1 and tree.rules(path).declares_types and _is_instance_of_tree(tree, path, values[0]):
        values = (values[0], *(value for value in values[1:] if not _is_outside(tree, path, value)))
    return values


def _is_outside(tree: Program, path: str, value: Value, steps: int = MOST_STEPS) -> bool:
    """Whether a value, or the object it is called on, comes from outside of the project."""
    match value:
        case Call(TypeArgumentCall(of, _)):
            return _is_outside(tree, path, Call(of), steps)
        case Call(by) if found := tree.static(path, by):
            return all(thing.kind == value_kinds.OUTSIDE for thing in found)
        case _ if not steps:
            return False
        case Call(of) | Attr(Call() | ScopedName() | Attr() as of, _):
            return _is_outside(tree, path, of, steps - 1)
        case ScopedName(scope, name) | Attr(This(scope), str(name)):
            bound = tree.scope_bindings(path, scope).get(name, ())
            return bool(bound) and all(_is_outside(tree, path, one, steps - 1) for one in bound)
    return False


def _shape(value: Value) -> object:
    """The shape of a chain: a bare name at its start matches any other, regardless of its binding."""
    match value:
        case Attr(This(_), name) | UnboundName(name):
            return ("bare", name)
        case ScopedName(_, name):
            return ("bare", name)
        case Attr(of, name):
            return ("attr", _shape(of), name)
        case Call(by):
            return ("made", _shape(by))
        case TypeArgumentCall(of, _):
            return _shape(of)
        case Subscript(of, key):
            return ("item", _shape(of), key)
    return value


def _first(tree: Program, path: str, group: list[Value]) -> list[Value]:
    starts = [_start(value) for value in group]
    if not any(isinstance(start, Attr) for start in starts):
        return group
    there = [value for value, start in zip(group, starts, strict=True) if _is_there(tree, path, start)]
    if there:
        return there[:1]
    named = [value for value, start in zip(group, starts, strict=True) if isinstance(start, ScopedName)]
    if named:
        return named
    if (
        isinstance(starts[-1], UnboundName)
        and group[-1] != starts[-1]
        and tree.rules(path).is_package(tree, path, starts[-1].name)
    ):
        return group[-1:]  # `com.acme.Card.pay()` is no member of anything
    open_ = [value for value, start in zip(group, starts, strict=True) if _is_open(tree, path, start)]
    return (open_ or group[-1:])[:1]


def _start(value: Value) -> Value:
    match value:
        case Attr(This(_), _):
            return value
        case Attr(of, _) | Subscript(of, _) | TypeArgumentCall(of, _):
            return _start(of)
        case Call(by):
            return _start(by)
    return value


def _is_there(tree: Program, path: str, start: Value) -> bool:
    """Whether a file of the tree has it; a variable gives way to a method of the same name."""
    match start:
        case Attr(This(scope), str(name)):
            one = tree.home(path, scope)
            return one.kind == value_kinds.CLASS and bool(tree.members(one, name))
        case UnboundName(name):
            found = tree.elsewhere.free(path, name)
            return any(not (isinstance(one, AbstractValue) and one.kind == value_kinds.OUTSIDE) for one in found)
    return False


def _is_open(tree: Program, path: str, start: Value) -> bool:
    """Whether a class has a base outside, which may have the name; or the language itself brings it along."""
    match start:
        case Attr(This(scope), str(name)):
            one = tree.home(path, scope)
            rules = tree.rules(path)
            if name in rules.library.members:
                return True
            if rules.is_global_function(name):
                return False
            return any(upper.kind == value_kinds.OUTSIDE and upper.path not in UNIVERSAL for upper in tree.order(one))
        case UnboundName(name):
            return bool(tree.elsewhere.free(path, name))
    return False


def _is_instance_of_tree(tree: Program, path: str, value: Value) -> bool:
    """Whether it is an object of a type of the tree that has members."""
    if not isinstance(value, Call):
        return False
    for thing in tree.static(path, value.by):
        if thing.kind == value_kinds.CLASS and any(tree.scope_bindings(*part) for part in tree.parts(thing)):
            return True
        if thing.kind == value_kinds.OUTSIDE and tree.rules(path).trusts_types_outside:
            return True
    return False
