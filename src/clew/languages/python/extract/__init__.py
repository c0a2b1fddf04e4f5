"""The deep reader of Python: the possible values of every name of a file, line by line, and all of its calls.

It walks the tree of the outline, and never asks for a node's points, which crash.
"""

import re

from clew.index.facts import Def, Facts, ImportedName, MemberReference, This, Values
from clew.index.syntax.parse import Outline
from clew.index.syntax.units import OutlineUnit
from clew.languages.python.extract.bindings import Bindings, bindings
from clew.languages.python.extract.calls import CALLS, CONTAINERS
from clew.languages.python.extract.definitions import function_expression
from clew.languages.python.extract.expressions import EXPRESSIONS, read_for_calls
from clew.languages.python.extract.file import PythonFile, is_builtin
from clew.languages.python.extract.scopes import PythonScope
from clew.languages.python.extract.statements import STATEMENTS
from clew.languages.python.profile import BUILTINS
from clew.model.code import SCOPE
from clew.model.words import Kind

# References in Python code without a call: of all names, those of the file and external ones.

_BUILT_IN = BUILTINS
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


_DEFINITIONS = (Kind.CLASS, Kind.FUNCTION, Kind.METHOD)
_INNER = dict.fromkeys(("delete_statement", "print_statement", "exec_statement"), read_for_calls)
_HANDLERS = {**EXPRESSIONS, **CONTAINERS, **CALLS, **_INNER, "lambda": function_expression}


def python_facts(units: list[OutlineUnit], outline: Outline, source: bytes) -> Facts:
    root = outline.root
    if root is None:
        return Facts()
    ids = {unit.definition.head[0]: unit.scope for unit in units if unit.definition.kind in _DEFINITIONS}
    file = PythonFile(source, ids, _HANDLERS, STATEMENTS)
    found = bindings(root, source)
    rescued = _rescued_definitions(units, found) if outline.lost else {}
    module = PythonScope("", "module", None, {**found.counts, **dict.fromkeys(rescued, 1)}, found.within)
    file.scopes[""] = module
    for name, where in rescued.items():
        module.bind(name, (Def(where),))
    file.block(root, module)
    return Facts(
        kinds={unit.scope: unit.definition.kind.value for unit in units} | file.kinds,
        names=_names(file),
        bases=file.bases,
        params=file.params,
        returns={scope: tuple(values) for scope, values in file.returns.items() if values},
        decorators=file.decorators,
        calls=tuple(file.calls),
        imports=tuple(file.imports),
        stars=tuple(dict.fromkeys(file.stars)),
        exports=tuple(file.exports),
        stores=tuple(file.stores),
        declared=tuple(file.declared),
        uses=name_references(file),
        flows=bytes(file.flows),
        offers=file.offers,
        refers=member_references(file),
        quoted=tuple(file.quoted),
    )


def _rescued_definitions(units: list[OutlineUnit], found: Bindings) -> dict[str, str]:
    """Definitions of the file that are missing from the damaged tree, by name."""
    outer = {unit.definition.name: unit.scope for unit in units if unit.definition.kind in _DEFINITIONS}
    return {name: scope for name, scope in outer.items() if name == scope and name not in found.counts}


def _names(file: PythonFile) -> dict[str, dict[str, Values]]:
    scopes = {where: scope.final_names() for where, scope in file.scopes.items()}
    return {where: names for where, names in {**scopes, **file.boxes}.items() if names}
