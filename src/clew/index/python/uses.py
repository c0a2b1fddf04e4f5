"""What Python code refers to without calling it: of all names that were met, those of the file, and from outside."""

from clew.index.builtins import BUILTINS
from clew.index.facts import Ref
from clew.index.python.reading import Reading
from clew.index.python.scopes import Scope

_BUILT_IN = BUILTINS["python"]


def uses(file: Reading) -> dict[str, dict[str, int]]:
    """By scope: each name, or chain of names, with the line where it first stands."""
    found: dict[str, dict[str, int]] = {}
    names = file.scopes[""].names
    modules = {name for name, values in names.items() if all(type(one) is Ref and not one.name for one in values)}
    for (where, chain), at in file.uses.items():
        if chain not in modules and _leads_out(file.scopes[where], chain.partition(".")[0], is_open=bool(file.stars)):
            found.setdefault(where, {})[chain] = file.lines.at(at)
    return found


def _leads_out(scope: Scope, name: str, *, is_open: bool) -> bool:
    """Whether the file or an import binds a name; where all of a module is imported, it may come from there."""
    around: Scope | None = scope
    while around is not None:
        if name in around.taken:
            return True
        if around.parent is None:
            return around.binds(name) or (is_open and name not in _BUILT_IN)
        if around.binds(name) and (around is scope or around.kind != "class"):
            return False
        around = around.parent
    return False
