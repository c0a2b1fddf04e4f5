"""References in Python code without a call: of all names, those of the file and external ones."""

import re

from clew.index.builtins import BUILTINS
from clew.index.facts import ImportedName, MemberReference, This, Values
from clew.index.python.file import PythonFile, is_builtin
from clew.index.python.scopes import PythonScope
from clew.model.code import SCOPE

_BUILT_IN = BUILTINS["python"]
_OWN = ("self", "cls")
_QUOTED = re.compile(r"""["'](\w+)["']""")


def name_references(file: PythonFile) -> dict[str, dict[str, int]]:
    """By scope: each name, or chain of names, with the line where it first stands."""
    found: dict[str, dict[str, int]] = {}
    names = file.scopes[""].names
    modules = {
        name for name, values in names.items() if all(type(one) is ImportedName and not one.name for one in values)
    }
    for (where, chain), at in file.uses.items():
        if chain not in modules and (meant := _referenced_chain(file.scopes[where], chain, is_open=bool(file.stars))):
            found.setdefault(where, {}).setdefault(meant, file.lines.at(at))
    return found


def _referenced_chain(scope: PythonScope, chain: str, *, is_open: bool) -> str:
    """A chain, if the file or an import binds its first name; for names of an enclosing function, the definition.

    After a star import, a name may come from that module.
    """
    if chain.startswith(SCOPE):
        return chain
    name, around = chain.partition(".")[0], scope
    while around.parent is not None:
        if name in around.taken:
            return chain
        if around.binds(name) and (around is scope or around.kind != "class"):
            return f"{SCOPE}{around.held[name]}" if name in around.held else ""
        around = around.parent
    return chain if around.binds(name) or name in around.taken or (is_open and name not in _BUILT_IN) else ""


def member_references(file: PythonFile) -> dict[str, tuple[MemberReference, ...]]:
    """By scope: the members that are named and not called; but not those that are said here to be data."""
    found: dict[str, dict[tuple[Values, str], int]] = {}
    for where, of, name, at in file.referred:
        first = of[0]
        if not (is_builtin(first) or (type(first) is This and _is_data(file, first.scope, name))):
            found.setdefault(where, {}).setdefault((of, name), at)
    for at, where in file.ids.items():
        handed = [name for name in file.params.get(where, ()) if name not in _OWN]
        marks = file.decorators.get(where, ())
        if handed and _is_handed(where, marks):
            found.setdefault(where, {}).update((((), name), at) for name in handed)
        for mark in marks:
            if "usefixtures(" in mark:
                found.setdefault(where, {}).update((((), name), at) for name in _QUOTED.findall(mark))
    line = file.lines.at
    return {
        where: tuple(MemberReference(line(at), of, name) for (of, name), at in members.items())
        for where, members in found.items()
    }


def _is_handed(where: str, decorators: tuple[str, ...]) -> bool:
    """Whether pytest may hand something to the parameters of a function, by their names."""
    is_test = where.rpartition(SCOPE)[2].startswith("test")
    return is_test or any("fixture" in mark.partition("(")[0] for mark in decorators)


def _is_data(file: PythonFile, holder: str, name: str) -> bool:
    """Whether a class binds a name, and not by a definition."""
    scope = file.scopes.get(holder)
    if scope is None or scope.inner(name) in file.defined:
        return False
    return name in scope.names or f".{name}" in scope.added
