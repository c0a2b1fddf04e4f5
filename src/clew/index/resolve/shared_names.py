"""Names of a file that the whole tree sees, for languages that have such: each with the scope that it names."""

from collections.abc import Iterator

from clew.index.facts import Facts
from clew.model.code import SCOPE
from clew.model.words import Kind

_CLASSES = frozenset({Kind.CLASS.value, Kind.INTERFACE.value})
_FUNCTIONS = frozenset({Kind.FUNCTION.value, Kind.METHOD.value})
INSIDE = "*"  # before the name of a function that stands in a namespace
VALUE = "="  # before the name of a constant that is no class


def macros(facts: Facts) -> Iterator[tuple[str, str]]:
    return ((scope.rpartition(SCOPE)[2], scope) for scope in facts.kinds if scope.endswith("!"))


def constants(facts: Facts) -> Iterator[tuple[str, str]]:
    for scope, kind in facts.kinds.items():
        name = scope.rpartition(SCOPE)[2]
        if "#" not in scope and (kind in _CLASSES or (kind == Kind.FUNCTION.value and scope == name)):
            yield name, scope
        elif kind == Kind.VARIABLE.value and name[:1].isupper():
            yield f"{VALUE}{name}", scope


def global_functions(facts: Facts) -> Iterator[tuple[str, str]]:
    if not facts.package:
        yield from ((scope, scope) for scope, kind in facts.kinds.items() if SCOPE not in scope and "#" not in scope)


def defined_functions(facts: Facts) -> Iterator[tuple[str, str]]:
    declared = set(facts.declared)
    for scope, kind in facts.kinds.items():
        if kind == Kind.FUNCTION.value and scope not in declared and SCOPE not in scope and "#" not in scope:
            yield f"{scope}()", scope


def functions_and_classes(facts: Facts) -> Iterator[tuple[str, str]]:
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


def top_types(facts: Facts) -> Iterator[tuple[str, str]]:
    """Marked as callables, so that they are only guesses: a file's namespaces may be set by its project as well."""
    tops = (scope for scope in facts.kinds if SCOPE not in scope and "#" not in scope and "<" not in scope)
    return ((f"{scope}()", scope) for scope in tops if facts.kinds[scope] in _CLASSES)


def functions_of_scripts(facts: Facts) -> Iterator[tuple[str, str]]:
    """Top-level functions of files that are no modules are visible to others: a page loads them one after another."""
    return iter(()) if facts.imports or facts.exports else defined_functions(facts)


def functions_of_shells(facts: Facts) -> Iterator[tuple[str, str]]:
    """All of a shell is one scope: a script that sources two files lets each call functions of the other."""
    found = (scope for scope, kind in facts.kinds.items() if kind == Kind.FUNCTION.value and "#" not in scope)
    return ((f"{scope.rpartition(SCOPE)[2]}()", scope) for scope in found)
