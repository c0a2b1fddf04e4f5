"""What an argument of Java is told to be, by what is declared alone: a constant, a field, what a method returns."""

from collections.abc import Iterable

from clew.index.facts import Attr, Def, Free, Made, Name, Param, Ref, This, Value
from clew.index.resolve import sorts
from clew.index.resolve.things import Thing
from clew.index.resolve.tree import Tree

DEEPEST = 12  # steps of a chain, and from name to name


def expressed(tree: Tree, path: str, value: Value, depth: int = 0) -> Thing | None:
    """The one type that it has; none where that is not sure."""
    if depth > DEEPEST:
        return None
    match value:
        case This(scope):
            return tree.home(path, scope)
        case Made(Name() | Attr() | Free() | Ref() as by):
            return _made(tree, path, by, depth + 1)
        case Name(scope, name):
            return _bound(tree, [(path, one) for one in tree.bound(path, scope).get(name, ())], depth + 1)
        case Free(name):
            return _bound(tree, _at(tree, tree.free(path, name)), depth + 1)
        case Ref(module, name):
            return _bound(tree, _at(tree, tree.imported(path, module, name)), depth + 1)
        case Attr():
            return _bound(tree, _members(tree, path, value, depth + 1), depth + 1)
    return None


_Said = tuple[str, Value]  # what is bound to a name, and where


def _members(tree: Tree, path: str, value: Attr, depth: int) -> list[_Said]:
    """Of an object, if it is one; else of the class that is named."""
    holder = expressed(tree, path, value.of, depth) or _one(tree.static(path, value.of))
    places = tree.members(holder, value.name) if holder is not None and holder.sort == sorts.CLASS else []
    return [(at, one) for at, scope, name in places for one in tree.bound(at, scope)[name]]


def _made(tree: Tree, path: str, by: Value, depth: int) -> Thing | None:
    """An object of a class, or what all functions of a name say that they return."""
    if (kind := _one(tree.static(path, by))) is not None and kind.sort != sorts.FUNCTION:
        is_type = kind.sort == sorts.CLASS or (kind.sort == sorts.OUTSIDE and not isinstance(by, Attr))
        return kind if is_type and not _is_open(tree, path, by) else None
    match by:
        case Attr():
            said = _members(tree, path, by, depth)
        case Name(scope, name):
            said = [(path, one) for one in tree.bound(path, scope).get(name, ())]
        case _:
            said = []
    functions = [(at, one.scope) for at, one in said if isinstance(one, Def)]
    types = {_returned(tree, *one, depth) for one in functions}
    return next(iter(types)) if len(types) == 1 else None


def _returned(tree: Tree, path: str, scope: str, depth: int) -> Thing | None:
    said = [one for one in tree.facts(path).returns.get(scope, ()) if isinstance(one, Made)]
    return expressed(tree, path, said[0], depth) if len(said) == 1 else None


def _bound(tree: Tree, said: Iterable[_Said], depth: int) -> Thing | None:
    """What a variable is declared as, else what is put into it."""
    values = [(path, one) for path, one in said if not isinstance(one, Def | Param)]
    declared = {_declared(tree, path, one) for path, one in values if isinstance(one, Made)} - {None}
    if declared:
        return next(iter(declared)) if len(declared) == 1 else None
    return expressed(tree, *values[0], depth) if len(values) == 1 else None


def _declared(tree: Tree, path: str, value: Made) -> Thing | None:
    kind = _one(tree.static(path, value.by))
    return kind if kind is not None and kind.sort == sorts.CLASS and not _is_open(tree, path, value.by) else None


def _is_open(tree: Tree, path: str, kind: Value) -> bool:
    """Whether it is a parameter of a type, which stands for others."""
    match kind:
        case Name(scope, name) if scope:
            return not any(isinstance(one, Def) for one in tree.bound(path, scope).get(name, ()))
    return False


def _at(tree: Tree, where: object) -> list[_Said]:
    places = [one for one in (where if isinstance(where, list) else [where]) if isinstance(one, tuple)]
    full = [one if len(one) == 3 else (one[0], "", one[1]) for one in places]
    return [(path, value) for path, scope, name in full for value in tree.bound(path, scope).get(name, ())]


def _one(things: list[Thing]) -> Thing | None:
    kinds = set(things)
    return next(iter(kinds)) if len(kinds) == 1 else None
