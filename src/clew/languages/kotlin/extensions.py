"""Kotlin's extension functions. If the receiver's type or its members are unknown, a visible extension of the called
name is most likely: types rarely have members with the names of their extensions."""

from collections import defaultdict
from collections.abc import Mapping

from clew.index.extract.decorators import LOCAL
from clew.index.facts import Attr, CallFact, Def, ImportedName
from clew.index.import_edges import outside
from clew.index.resolve import value_kinds
from clew.index.resolve.abstract_values import AbstractValue, Found, Place
from clew.index.resolve.cross_file_scope import CrossFileScope
from clew.index.resolve.evaluator import Evaluator
from clew.index.resolve.global_summary import namesake
from clew.index.resolve.program import Program
from clew.index.resolve.provenance import PLAIN
from clew.index.resolve.resolved_call import CERTAIN, Targets
from clew.index.resolve.source_index import CLASSES
from clew.languages.jvm.library import METHODS
from clew.languages.kotlin.library import GIVING_ANYTHING, SAME
from clew.model.code import SCOPE, split_id, symbol_id, without_numbers

ADDED = 0.9  # shared by all that have the name

_ITS_OWN = GIVING_ANYTHING | SAME
_TYPES = ("kotlin.", "java.")  # whose own members a name may be of, as far as they are no others' of the tree


def extensions_by_name(
    calling: Evaluator, methods: Mapping[str, tuple[str, ...]], path: str, call: CallFact
) -> Targets:
    """The functions that a call means by its name alone; none, if it is one of the language's own."""
    tree, value = calling.tree, call.callee[-1] if call.callee else None
    if not isinstance(value, Attr) or not isinstance(value.name, str):
        return ()
    name = value.name
    if name in _ITS_OWN or name in METHODS:
        return ()
    named = methods.get(namesake(tree.family(path), name), ())
    ids = [one for one in named if _is_seen(tree, path, one)]
    ids = ids or [one for first in named for one in _alike(tree, first) if _is_seen(tree, path, one)]
    if not ids:
        return ()
    known = {thing for one in call.callee if isinstance(one, Attr) for thing in calling.sets.value(path, one.of).things}
    unknown = [one for one in known if one.kind == value_kinds.OUTSIDE]
    if any(one.provenance == PLAIN and _last(one.path)[:1].isupper() for one in unknown):
        return ()  # a type, and no object of it
    told = {_last(one.path) for one in unknown if one.path.startswith(_TYPES)}
    fitting = [one for one in ids if not told or _holder(one) in told]
    return tuple((one, ADDED / len(fitting)) for one in fitting)


def other_extensions(calling: Evaluator, path: str, call: CallFact) -> Targets:
    """Extensions of external types by a name, outside of the caller's view: each its own."""
    found = {
        outside(f"{thing.path}.{one.name}")
        for one in call.callee
        if isinstance(one, Attr)
        for thing in calling.sets.value(path, one.of).things
        if thing.kind == value_kinds.OUTSIDE
    }
    return tuple((one, CERTAIN / len(found)) for one in sorted(found))


def _alike(tree: Program, id: str) -> list[str]:
    """With all that its file adds to the same type by its name: one may stand in a class, and another beside it."""
    path, scope = split_id(id)
    return [symbol_id(path, one) for one in tree.facts(path).kinds if without_numbers(one) == scope]


def _is_seen(tree: Program, path: str, id: str) -> bool:
    """Whether it is added to a type that stands elsewhere, and a file sees it by its name."""
    file, scope = split_id(id)
    if tree.language(file) != "kotlin" or tree.facts(file).kinds.get(scope.rpartition(SCOPE)[0]) in CLASSES:
        return False
    return sees_extension(tree, path, file, scope) and (file == path or not stands_in_class(tree, file, scope))


def _last(path: str) -> str:
    return path.rpartition(".")[2]


def _holder(id: str) -> str:
    return id.rpartition(SCOPE)[0].rpartition(SCOPE)[2]


def visible_extensions(tree: Program, path: str, things: frozenset[AbstractValue]) -> frozenset[AbstractValue]:
    """Without extensions that a file does not see."""
    added = [one for one in things if one.kind == value_kinds.FUNCTION and _is_extension(tree, one.path, one.scope)]
    if not added:
        return things
    seen = [one for one in added if sees_extension(tree, path, one.path, one.scope)]
    seen = seen or [one for one in added if stands_in_class(tree, one.path, one.scope)]
    return things.difference(added).union(seen) if len(seen) < len(added) else things


def may_be_meant(tree: Program, path: str, file: str, scope: str) -> bool:
    """Whether a file may mean something by its name: no extension that it does not see."""
    is_extension = _is_extension(tree, file, scope)
    return not is_extension or sees_extension(tree, path, file, scope) or stands_in_class(tree, file, scope)


def sees_extension(tree: Program, path: str, file: str, scope: str) -> bool:
    """Whether a file sees what another adds to a type: of its package, or imported by its name or with all others.

    What stands in a function, nobody else sees.
    """
    if file == path:
        return True
    there, here, name = tree.facts(file), tree.facts(path), without_numbers(scope.rpartition(SCOPE)[2])
    if LOCAL in there.decorators.get(scope, ()):
        return False
    modules = [one.module for one in here.names.get("", {}).get(name, ()) if isinstance(one, ImportedName)]
    if there.package in (here.package, *here.stars):
        return True
    return any(f"{one}.".startswith(f"{there.package}.") for one in modules)


def stands_in_class(tree: Program, file: str, scope: str) -> bool:
    """Whether an extension is a member of a class, too: heirs of that may see it, wherever they are."""
    holder, _, name = without_numbers(scope).rpartition(SCOPE)
    others = (names.get(name, ()) for around, names in tree.facts(file).names.items() if around != holder)
    return any(Def(scope) in values for values in others)


def _is_extension(tree: Program, file: str, scope: str) -> bool:
    holder = scope.rpartition(SCOPE)[0]
    return bool(holder) and tree.language(file) == "kotlin" and holder not in tree.facts(file).kinds


class ExtensionIndex:
    """Extensions of a package by a name, which is imported by that name alone."""

    def __init__(self, scope: CrossFileScope) -> None:
        self._tree = scope.tree
        self._added: dict[str, dict[str, list[Place]]] = {}

    def of(self, package: str, name: str) -> Found:
        added = self._added.get(package)
        if added is None:
            added = self._added[package] = defaultdict(list)
            for file in self._tree.world.packages.get(("kotlin", package), ()):
                for scope in self._tree.facts(file).kinds:
                    holder, _, member = scope.rpartition(SCOPE)
                    if holder and SCOPE not in holder:
                        added[member].append((file, holder, member))
        return list(added.get(name, ()))
