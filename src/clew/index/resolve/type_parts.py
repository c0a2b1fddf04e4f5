"""Parts of types across files: methods and extensions, partial classes, and names that the whole tree shares."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from clew.index.facts import QUOTE, Attr, Facts, ScopedName, UnboundName, Value
from clew.index.resolve import value_kinds
from clew.index.resolve.member_lookup import BY_LAST_NAME
from clew.index.resolve.program import Program
from clew.index.resolve.source_index import OUTSIDE, Part
from clew.model.code import SCOPE, symbol_id
from clew.model.words import Kind

_CLASSES = frozenset({Kind.CLASS.value, Kind.INTERFACE.value})
_FUNCTIONS = frozenset({Kind.FUNCTION.value, Kind.METHOD.value})
INSIDE = "*"  # before the name of a function that stands in a namespace
VALUE = "="  # before the name of a constant of Ruby that is no class
MOST_SHARED = 5  # that go by one name all over the tree; with more, none of them is meant


def join_type_parts(tree: Program, paths: Iterable[str]) -> None:
    """Register the parts: reopened types, shared names, and then extensions."""
    paths = list(paths)
    others = [path for path in paths if tree.is_declarative(path)]
    found = _reopened_classes(tree, others)
    tree.join(found, {})
    of_languages = tree.by_language(others)
    shared = _common(tree, others)
    for rules, own in of_languages:
        shared |= rules.project_names(tree, own)
    shared |= _classes_named_in_text(tree, paths)
    tree.join(found, shared)
    tree.join(_extensions(tree, others, found), shared)
    for rules, own in of_languages:
        shared |= rules.names_of_joined_types(tree, own)  # which nobody can have asked for before


def _extensions(tree: Program, paths: list[str], found: dict[str, tuple[Part, ...]]) -> dict[str, tuple[Part, ...]]:
    """By the id of each class that has parts: those that are classes themselves first."""
    added: dict[str, list[Part]] = defaultdict(list)
    for path in paths:
        for scope in _foreign(tree.facts(path)):
            for one in _extended_classes(tree, path, scope):
                added[one].append((path, scope))
    return {one: (*found.get(one, ()), *sorted(added.get(one, ()))) for one in sorted({*found, *added})}


def _reopened_classes(tree: Program, paths: list[str]) -> dict[str, tuple[Part, ...]]:
    """Classes of one full name; the first of them stands for all."""
    places: dict[tuple[str, str, str], list[Part]] = defaultdict(list)
    for path in paths:
        family, facts = tree.family(path), tree.facts(path)
        if tree.rules(path).reopens_classes:
            for scope, kind in facts.kinds.items():
                if kind in _CLASSES and "#" not in scope and "<" not in scope:
                    places[family, facts.package, scope].append((path, scope))
    several = [sorted(found) for found in places.values() if len(found) > 1]
    return {symbol_id(*found[0]): tuple(found) for found in several}


def _foreign(facts: Facts) -> Iterator[str]:
    """Scopes that have members or bases here, but are written elsewhere."""
    for scope in sorted({*facts.names, *facts.implements, *facts.bases}):
        if scope and scope not in facts.kinds and not scope.endswith("{}") and "<" not in scope:
            yield scope


def _extended_classes(tree: Program, path: str, scope: str) -> Iterator[str]:
    names = tree.facts(path).names
    outer, _, name = scope.rpartition(SCOPE)
    if name in names.get(outer, {}):
        things = tree.static(path, ScopedName(outer, name))
    elif name in names.get("", {}) and not (outer and tree.rules(path).is_qualified_by_owner(tree, path, outer)):
        things = tree.static(path, ScopedName("", name))
    else:
        things = tree.static(path, _chain(path, scope, tree))
    for thing in things:
        if thing.kind == value_kinds.CLASS and (thing.path, thing.scope) != (path, scope):
            yield thing.id
        elif thing.kind == value_kinds.OUTSIDE:
            yield f"{OUTSIDE}{SCOPE}{thing.path}"
            if tree.rules(path).loose_extensions and (last := thing.path.rpartition(".")[2]) != thing.path:
                yield f"{OUTSIDE}{SCOPE}{last}"  # so it goes where a file takes all of several modules
    if tree.rules(path).extends_by_last_name:
        yield f"{OUTSIDE}{SCOPE}{BY_LAST_NAME}"
        if not any(thing.kind == value_kinds.CLASS for thing in things):
            full = tree.rules(path).library.names.get(name, name)
            yield f"{OUTSIDE}{SCOPE}{BY_LAST_NAME}{full.rpartition('.')[2]}"


def _chain(path: str, scope: str, tree: Program) -> Value:
    """`Outer::Inner` is a member of Outer, unless enclosing namespaces add nothing."""
    first, *rest = scope.split(SCOPE)
    if tree.rules(path).extends_by_bare_name:
        return UnboundName(scope.rpartition(SCOPE)[2])
    value: Value = ScopedName("", first) if first in tree.facts(path).names.get("", {}) else UnboundName(first)
    for part in rest:
        value = Attr(value, part)
    return value


def _common(tree: Program, paths: list[str]) -> dict[str, tuple[str, ...]]:
    """Names that the whole tree shares: macros of Rust, constants of Ruby, types of C and C#, functions elsewhere.

    Of too many, a mark that there are some.
    """
    found: dict[str, set[str]] = defaultdict(set)
    for path in paths:
        family = tree.family(path)
        for name, scope in tree.rules(path).shared_names(tree.facts(path)):
            found[f"{family} {name}"].add(tree.home(path, scope).id)
    return {name: tuple(sorted(ids)) if len(ids) <= MOST_SHARED else () for name, ids in found.items()}


def _classes_named_in_text(tree: Program, paths: list[str]) -> dict[str, tuple[str, ...]]:
    """The classes of Python that texts name in the bodies of others."""
    names = {name for path in paths for name in tree.facts(path).quoted}
    found: dict[str, list[str]] = defaultdict(list)
    for path in paths if names else ():
        kinds = tree.facts(path).kinds if not tree.is_declarative(path) else {}
        for scope in names.intersection(kinds):
            if kinds[scope] == Kind.CLASS.value:
                found[f"{QUOTE}{scope}"].append(symbol_id(path, scope))
    return {name: tuple(sorted(ids)) for name, ids in found.items() if len(ids) <= MOST_SHARED}
