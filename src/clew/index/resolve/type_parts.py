"""Parts of types across files: methods and extensions, partial classes, and names that the whole tree shares."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from clew.index.facts import QUOTE, Attr, Def, Facts, ScopedName, UnboundName, Value
from clew.index.resolve import value_kinds
from clew.index.resolve.csharp_usings import used_everywhere
from clew.index.resolve.preludes import ADDED, PRELUDES
from clew.index.resolve.program import Program
from clew.index.resolve.source_index import OUTSIDE, Part
from clew.index.resolve.traits import blanket_traits
from clew.model.code import SCOPE, symbol_id
from clew.model.words import Kind

_CLASSES = frozenset({Kind.CLASS.value, Kind.INTERFACE.value})
_FUNCTIONS = frozenset({Kind.FUNCTION.value, Kind.METHOD.value})
_REOPENED = frozenset({"csharp", "ruby"})  # where one class may be written in many files
INSIDE = "*"  # before the name of a function that stands in a namespace
VALUE = "="  # before the name of a constant of Ruby that is no class
MOST_SHARED = 5  # that go by one name all over the tree; with more, none of them is meant


def join_type_parts(tree: Program, paths: Iterable[str]) -> None:
    """Register the parts: reopened types, shared names, and then extensions."""
    paths = list(paths)
    others = [path for path in paths if tree.family(path)]
    found = _reopened_classes(tree, others)
    tree.join(found, {})
    shared = _common(tree, others) | used_everywhere(tree, others) | _classes_named_in_text(tree, paths)
    tree.join(found, shared)
    tree.join(_extensions(tree, others, found), shared)
    shared.update(blanket_traits(tree, others))  # which nobody can have asked for before


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
        if family in _REOPENED:
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
    elif name in names.get("", {}) and not (outer and _is_path(tree, path, outer)):
        things = tree.static(path, ScopedName("", name))
    else:
        things = tree.static(path, _chain(path, scope, tree))
    for thing in things:
        if thing.kind == value_kinds.CLASS and (thing.path, thing.scope) != (path, scope):
            yield thing.id
        elif thing.kind == value_kinds.OUTSIDE:
            yield f"{OUTSIDE}{SCOPE}{thing.path}"
            if tree.language(path) == "swift" and (last := thing.path.rpartition(".")[2]) != thing.path:
                yield f"{OUTSIDE}{SCOPE}{last}"  # so it goes where a file takes all of several modules
    if tree.family(path) == "csharp":
        yield f"{OUTSIDE}{SCOPE}{ADDED}"
        if not any(thing.kind == value_kinds.CLASS for thing in things):
            yield f"{OUTSIDE}{SCOPE}{ADDED}{PRELUDES['csharp'].get(name, name).rpartition('.')[2]}"


def _is_path(tree: Program, path: str, outer: str) -> bool:
    """Whether the qualifier of a name is its owner: `impl engine::Call`, but not inside of `mod tests`."""
    if tree.language(path) != "rust":
        return tree.language(path) == "kotlin"
    bound = tree.facts(path).names.get("", {}).get(outer.partition(SCOPE)[0], ())
    return not any(isinstance(value, Def) for value in bound)


def _chain(path: str, scope: str, tree: Program) -> Value:
    """`Outer::Inner` is a member of Outer; in C++ enclosing namespaces add nothing."""
    first, *rest = scope.split(SCOPE)
    if tree.family(path) == "c":
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
        if family in _SHARED:
            for name, scope in _SHARED[family](tree.facts(path)):
                found[f"{family} {name}"].add(tree.home(path, scope).id)
    return {name: tuple(sorted(ids)) if len(ids) <= MOST_SHARED else () for name, ids in found.items()}


def _classes_named_in_text(tree: Program, paths: list[str]) -> dict[str, tuple[str, ...]]:
    """The classes of Python that texts name in the bodies of others."""
    names = {name for path in paths for name in tree.facts(path).quoted}
    found: dict[str, list[str]] = defaultdict(list)
    for path in paths if names else ():
        kinds = tree.facts(path).kinds if not tree.family(path) else {}
        for scope in names.intersection(kinds):
            if kinds[scope] == Kind.CLASS.value:
                found[f"{QUOTE}{scope}"].append(symbol_id(path, scope))
    return {name: tuple(sorted(ids)) for name, ids in found.items() if len(ids) <= MOST_SHARED}


def _macros(facts: Facts) -> Iterator[tuple[str, str]]:
    return ((scope.rpartition(SCOPE)[2], scope) for scope in facts.kinds if scope.endswith("!"))


def _constants(facts: Facts) -> Iterator[tuple[str, str]]:
    for scope, kind in facts.kinds.items():
        name = scope.rpartition(SCOPE)[2]
        if "#" not in scope and (kind in _CLASSES or (kind == Kind.FUNCTION.value and scope == name)):
            yield name, scope
        elif kind == Kind.VARIABLE.value and name[:1].isupper():
            yield f"{VALUE}{name}", scope


def _global_functions(facts: Facts) -> Iterator[tuple[str, str]]:
    if not facts.package:
        yield from ((scope, scope) for scope, kind in facts.kinds.items() if SCOPE not in scope and "#" not in scope)


def _defined_functions(facts: Facts) -> Iterator[tuple[str, str]]:
    declared = set(facts.declared)
    for scope, kind in facts.kinds.items():
        if kind == Kind.FUNCTION.value and scope not in declared and SCOPE not in scope and "#" not in scope:
            yield f"{scope}()", scope


def _functions_and_classes(facts: Facts) -> Iterator[tuple[str, str]]:
    """A forward declaration goes by its name, `class Card;`, a function by its full name: `pay::Card::charge()`.

    One of a namespace goes by its last name, too: its caller may mean it as well as an external one.
    """
    declared = set(facts.declared)
    for scope, kind in facts.kinds.items():
        if "#" in scope or "<" in scope:
            continue
        if kind in _CLASSES:
            yield scope.rpartition(SCOPE)[2], scope
        elif kind in _FUNCTIONS and scope not in declared:
            yield f"{scope}()", scope
            if kind == Kind.FUNCTION.value and SCOPE in scope:
                yield f"{INSIDE}{scope.rpartition(SCOPE)[2]}()", scope


def _types(facts: Facts) -> Iterator[tuple[str, str]]:
    """Marked as callables, so that they are only guesses: a file's namespaces may be set by its project as well."""
    tops = (scope for scope in facts.kinds if SCOPE not in scope and "#" not in scope and "<" not in scope)
    return ((f"{scope}()", scope) for scope in tops if facts.kinds[scope] in _CLASSES)


def _functions_of_scripts(facts: Facts) -> Iterator[tuple[str, str]]:
    """Top-level functions of files that are no modules are visible to others: a page loads them one after another."""
    return iter(()) if facts.imports or facts.exports else _defined_functions(facts)


def _functions_of_shells(facts: Facts) -> Iterator[tuple[str, str]]:
    """All of a shell is one scope: a script that sources two files lets each call functions of the other."""
    found = (scope for scope, kind in facts.kinds.items() if kind == Kind.FUNCTION.value and "#" not in scope)
    return ((f"{scope.rpartition(SCOPE)[2]}()", scope) for scope in found)


_SHARED = {
    "bash": _functions_of_shells,
    "ecma": _functions_of_scripts,
    "rust": _macros,
    "ruby": _constants,
    "php": _global_functions,
    "c": _functions_and_classes,
    "csharp": _types,
}
