"""Types of Java arguments by declarations alone: constants, fields, results of methods."""

from collections.abc import Iterable

from clew.index.facts import Attr, Call, Def, ImportedName, Param, ScopedName, This, UnboundName, Value
from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue
from clew.index.resolve.program import Program

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
    places = tree.members(holder, value.name) if holder is not None and holder.kind == value_kinds.CLASS else []
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
