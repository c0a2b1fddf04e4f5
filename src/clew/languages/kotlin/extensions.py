"""Kotlin's extension functions. If the receiver's type or its members are unknown, a visible extension of the called
name is most likely: types rarely have members with the names of their extensions."""

from collections.abc import Mapping

from clew.index.facts import Attr, CallFact
from clew.index.import_edges import outside
from clew.index.resolve import value_kinds
from clew.index.resolve.candidate_selection import sees_extension, stands_in_class
from clew.index.resolve.container_methods import ANY_OF_KOTLIN, SAME
from clew.index.resolve.evaluator import Evaluator
from clew.index.resolve.global_summary import namesake
from clew.index.resolve.library_methods import is_standard
from clew.index.resolve.program import Program
from clew.index.resolve.resolved_call import CERTAIN, Targets
from clew.index.resolve.source_index import CLASSES
from clew.model.code import SCOPE, split_id, symbol_id, without_numbers

ADDED = 0.9  # shared by all that have the name

_ITS_OWN = ANY_OF_KOTLIN | SAME["kotlin"]
_TYPES = ("kotlin.", "java.")  # whose own members a name may be of, as far as they are no others' of the tree


def extensions_by_name(
    calling: Evaluator, methods: Mapping[str, tuple[str, ...]], path: str, call: CallFact
) -> Targets:
    """The functions that a call means by its name alone; none, if it is one of the language's own."""
    tree, value = calling.tree, call.callee[-1] if call.callee else None
    if tree.language(path) != "kotlin" or not isinstance(value, Attr):
        return ()
    name = value.name
    if name in _ITS_OWN or is_standard(tree.family(path), name):
        return ()
    named = methods.get(namesake(tree.family(path), name), ())
    ids = [one for one in named if _is_seen(tree, path, one)]
    ids = ids or [one for first in named for one in _alike(tree, first) if _is_seen(tree, path, one)]
    if not ids:
        return ()
    known = {thing for one in call.callee if isinstance(one, Attr) for thing in calling.value(path, one.of).things}
    unknown = [one for one in known if one.kind == value_kinds.OUTSIDE]
    if any(not one.provenance and _last(one.path)[:1].isupper() for one in unknown):
        return ()  # a type, and no object of it
    told = {_last(one.path) for one in unknown if one.path.startswith(_TYPES)}
    fitting = [one for one in ids if not told or _holder(one) in told]
    return tuple((one, ADDED / len(fitting)) for one in fitting)


def other_extensions(calling: Evaluator, path: str, call: CallFact) -> Targets:
    """Extensions of external types by a name, outside of the caller's view: each its own."""
    if calling.tree.language(path) != "kotlin":
        return ()
    found = {
        outside(f"{thing.path}.{one.name}")
        for one in call.callee
        if isinstance(one, Attr)
        for thing in calling.value(path, one.of).things
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
