"""Whether arguments may fit parameters by Java's rules: no, only if that is certain."""

from collections.abc import Iterable

from clew.index.extract.argument_types import ARRAY, PRIMITIVES
from clew.index.facts import (
    Attr,
    Call,
    Def,
    ImportedName,
    NarrowedValue,
    Param,
    ScopedName,
    This,
    Typed,
    UnboundName,
    Value,
)
from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue
from clew.index.resolve.overloads import OverloadTypes, Type
from clew.index.resolve.program import Program
from clew.model.words import Kind

# Types of Java arguments by declarations alone: constants, fields, results of methods.

DEEPEST = 12  # steps of a chain, and from name to name


def type_of_expression(tree: Program, path: str, value: Value, depth: int = 0) -> AbstractValue | None:
    """The one type that it has; none where that is not sure."""
    if depth > DEEPEST:
        return None
    match value:
        case This(scope):
            return tree.home(path, scope)
        case Call(ScopedName() | Attr() | UnboundName() | ImportedName() as by):
            return _constructed_type(tree, path, by, depth + 1)
        case ScopedName(scope, name):
            return _bound_type(tree, [(path, one) for one in tree.scope_bindings(path, scope).get(name, ())], depth + 1)
        case UnboundName(name):
            return _bound_type(tree, _at(tree, tree.free(path, name)), depth + 1)
        case ImportedName(module, name):
            return _bound_type(tree, _at(tree, tree.resolve_import(path, module, name)), depth + 1)
        case Attr():
            return _bound_type(tree, _members(tree, path, value, depth + 1), depth + 1)
    return None


_Said = tuple[str, Value]  # what is bound to a name, and where


def _members(tree: Program, path: str, value: Attr, depth: int) -> list[_Said]:
    """Of an object, if it is one; else of the class that is named."""
    holder = type_of_expression(tree, path, value.of, depth) or _only_one(tree.static(path, value.of))
    if holder is None or holder.kind != value_kinds.CLASS or not isinstance(value.name, str):
        return []
    places = tree.members(holder, value.name)
    return [(at, one) for at, scope, name in places for one in tree.scope_bindings(at, scope)[name]]


def _constructed_type(tree: Program, path: str, by: Value, depth: int) -> AbstractValue | None:
    """An instance of a class, or the common declared result of all functions of a name."""
    if (kind := _only_one(tree.static(path, by))) is not None and kind.kind != value_kinds.FUNCTION:
        is_type = kind.kind == value_kinds.CLASS or (kind.kind == value_kinds.OUTSIDE and not isinstance(by, Attr))
        return kind if is_type and not _is_open(tree, path, by) else None
    match by:
        case Attr():
            said = _members(tree, path, by, depth)
        case ScopedName(scope, name):
            said = [(path, one) for one in tree.scope_bindings(path, scope).get(name, ())]
        case _:
            said = []
    functions = [(at, one.scope) for at, one in said if isinstance(one, Def)]
    types = {_return_type(tree, *one, depth) for one in functions}
    return next(iter(types)) if len(types) == 1 else None


def _return_type(tree: Program, path: str, scope: str, depth: int) -> AbstractValue | None:
    said = [one for one in tree.facts(path).returns.get(scope, ()) if isinstance(one, Call)]
    return type_of_expression(tree, path, said[0], depth) if len(said) == 1 else None


def _bound_type(tree: Program, said: Iterable[_Said], depth: int) -> AbstractValue | None:
    """The declared type of a variable, else that of its value."""
    values = [(path, one) for path, one in said if not isinstance(one, Def | Param)]
    declared = {_declared_type(tree, path, one) for path, one in values if isinstance(one, Call)} - {None}
    if declared:
        return next(iter(declared)) if len(declared) == 1 else None
    return type_of_expression(tree, *values[0], depth) if len(values) == 1 else None


def _declared_type(tree: Program, path: str, value: Call) -> AbstractValue | None:
    kind = _only_one(tree.static(path, value.by))
    return kind if kind is not None and kind.kind == value_kinds.CLASS and not _is_open(tree, path, value.by) else None


def _is_open(tree: Program, path: str, kind: Value) -> bool:
    """Whether it is a parameter of a type, which stands for others."""
    match kind:
        case ScopedName(scope, name) if scope:
            return not any(isinstance(one, Def) for one in tree.scope_bindings(path, scope).get(name, ()))
    return False


def _at(tree: Program, where: object) -> list[_Said]:
    places = [one for one in (where if isinstance(where, list) else [where]) if isinstance(one, tuple)]
    full = [one if len(one) == 3 else (one[0], "", one[1]) for one in places]
    return [(path, value) for path, scope, name in full for value in tree.scope_bindings(path, scope).get(name, ())]


def _only_one(things: list[AbstractValue]) -> AbstractValue | None:
    kinds = set(things)
    return next(iter(kinds)) if len(kinds) == 1 else None


_WIDER = {
    "byte": "byte short int long float double",
    "short": "short int long float double",
    "char": "char int long float double",
    "int": "int long float double",
    "long": "long float double",
    "float": "float double",
    "double": "double",
    "boolean": "boolean",
}
_BOXES = {
    "byte": "Byte",
    "short": "Short",
    "char": "Character",
    "int": "Integer",
    "long": "Long",
    "float": "Float",
    "double": "Double",
    "boolean": "Boolean",
}
_OF_VALUES = "Object Comparable Serializable Constable ConstantDesc"
# What takes a value of these types, and of no others: nothing extends them.
_TAKEN_AS = {
    "String": frozenset(f"String CharSequence {_OF_VALUES}".split()),
    "Class": frozenset(f"Class Type AnnotatedElement GenericDeclaration TypeDescriptor OfField {_OF_VALUES}".split()),
    ARRAY: frozenset({ARRAY, "Object", "Cloneable", "Serializable"}),
}
for _primitive, _wider in _WIDER.items():
    _TAKEN_AS[f"{_primitive}{ARRAY}"] = frozenset({f"{_primitive}{ARRAY}", "Object", "Cloneable", "Serializable"})
    _number = "" if _primitive in ("char", "boolean") else "Number"
    _TAKEN_AS[_primitive] = frozenset(f"{_wider} {_BOXES[_primitive]} {_number} {_OF_VALUES}".split())
    _TAKEN_AS[_BOXES[_primitive]] = _TAKEN_AS[_primitive]
_ROOT = "java.lang.Object"
_OF_ANY = frozenset("Object Comparable Serializable Constable Enum Record Annotation".split())


def type_of_argument(tree: Program, path: str, told: Typed) -> Type:
    if isinstance(told, str):
        return told or None
    things = (
        tree.static(path, told) if not isinstance(told, NarrowedValue) else [type_of_expression(tree, path, told.of)]
    )
    found = {thing for thing in things if thing is not None and thing.kind in (value_kinds.CLASS, value_kinds.OUTSIDE)}
    if len(found) != 1:
        return None
    (one,) = found
    name = one.path.rpartition(".")[2]
    return name if one.kind == value_kinds.OUTSIDE and name in _TAKEN_AS else one


def is_more_specific(tree: Program, given: Type, one: Type, other: Type) -> bool:
    """Whether of two types that both take something the first is the more special one. No where that is not sure."""
    if given is None or one is None or other is None:
        return False
    if given in (one, other):  # nothing is nearer than the type itself, even where it is not known what that extends
        return given == one
    if given in _WIDER and (one in PRIMITIVES) != (other in PRIMITIVES):
        return one in PRIMITIVES
    if one in PRIMITIVES or other in PRIMITIVES:
        return one not in PRIMITIVES if given not in _WIDER else str(other) in _WIDER[str(one)].split()
    if isinstance(other, AbstractValue) and other.path == _ROOT:
        return True
    if isinstance(one, str):
        return _may_value_be(tree, one, other) and not (isinstance(other, str) and _may_value_be(tree, other, one))
    return isinstance(other, AbstractValue) and other in tree.order(one)


def is_assignable(tree: Program, given: Type, taken: Type) -> bool:
    if given is None or taken is None or given == taken:
        return True
    if isinstance(given, str):
        return _may_value_be(tree, given, taken)
    if isinstance(taken, str):
        return False
    if given.path == _ROOT:
        return taken.path == _ROOT
    above = [one for one in tree.order(given) if one.kind == value_kinds.OUTSIDE]
    if given.kind == value_kinds.CLASS and taken.kind == value_kinds.CLASS:
        return taken in tree.order(given) or not all(_is_of_java(one) for one in above)
    if taken.kind == value_kinds.CLASS:
        return not _is_of_java(given)
    return bool(above) or taken.path.rpartition(".")[2] in _OF_ANY


def _may_value_be(tree: Program, given: str, taken: str | AbstractValue) -> bool:
    """Whether a literal, or a value of a type that nothing extends, is taken."""
    if given == "null":
        return taken not in PRIMITIVES
    if given == "->":
        return isinstance(taken, AbstractValue) and (taken.kind == value_kinds.OUTSIDE or _is_interface(tree, taken))
    if isinstance(taken, AbstractValue):
        return taken.kind == value_kinds.OUTSIDE and taken.path.rpartition(".")[2] in _TAKEN_AS[given]
    return taken in _TAKEN_AS[given]


def _is_interface(tree: Program, one: AbstractValue) -> bool:
    return tree.facts(one.path).kinds.get(one.scope) == Kind.INTERFACE.value


def _is_of_java(one: AbstractValue) -> bool:
    """Whether it is known to know nothing of the tree."""
    return one.path.startswith(("java.", "javax.", "kotlin."))


OVERLOAD_TYPES = OverloadTypes(type_of_argument, is_assignable, is_more_specific)
