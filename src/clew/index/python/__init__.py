"""The deep reader of Python: the possible values of every name of a file, line by line, and all of its calls.

It walks the tree of the outline, and never asks for a node's points, which crash.
"""

from clew.index.facts import Def, Facts, Values
from clew.index.python.bindings import Bindings, bindings
from clew.index.python.calls import CALLS
from clew.index.python.containers import CONTAINERS
from clew.index.python.definitions import function_expression
from clew.index.python.expressions import EXPRESSIONS, read_for_calls
from clew.index.python.file import PythonFile
from clew.index.python.references import member_references, name_references
from clew.index.python.scopes import PythonScope
from clew.index.python.statements import STATEMENTS
from clew.index.syntax.parse import Outline
from clew.index.syntax.units import OutlineUnit
from clew.model.words import Kind

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
