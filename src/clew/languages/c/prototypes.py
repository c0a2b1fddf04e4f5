"""C and C++: functions that are declared in one file and defined in another, and overloads told apart by type names."""

from collections.abc import Sequence

from clew.index.facts import Typed
from clew.index.resolve.abstract_values import AbstractValue
from clew.index.resolve.implementations import has_definition
from clew.index.resolve.program import Program
from clew.languages.c.imports import sources_of
from clew.model.code import split_id, symbol_id


def definitions_of_prototype(tree: Program, method: AbstractValue) -> list[str]:
    """A prototype's function: in the source of its header, or the only one of its name."""
    if method.scope not in tree.facts(method.path).declared:
        return []
    scope = method.scope.partition("#")[0]
    near = [file for file in sources_of(tree.world, method.path) if has_definition(tree, file, scope)]
    files = near or [split_id(one)[0] for one in tree.elsewhere.common.get(f"c {scope}()", ())]
    return [symbol_id(file, _overload(tree, method, file, scope)) for file in files]


def _overload(tree: Program, method: AbstractValue, path: str, scope: str) -> str:
    """Of several definitions of one name, the one with the prototype's parameters; if none has them, the first."""
    wanted, takes = tree.facts(method.path).takes.get(method.scope), tree.facts(path).takes
    if wanted is None or scope not in takes:
        return scope
    several = [one for one in takes if one.partition("#")[0] == scope and has_definition(tree, path, one)]
    return next((one for one in several if takes[one] == wanted), scope)


# Overloads, told apart by the names of types: see `clew.index.extract.argument_types`.

_NUMBERS = frozenset(
    "bool char short int long float double unsigned size_t ssize_t ptrdiff_t int8_t int16_t int32_t int64_t uint8_t "
    "uint16_t uint32_t uint64_t intptr_t uintptr_t time_t off_t wchar_t char8_t char16_t char32_t".split()
)


def named_alike(tree: Program, group: list[AbstractValue], given: Sequence[Typed]) -> list[AbstractValue]:
    """The overloads with most parameters of exactly the arguments' types; all, if none is known to match."""
    taken = {thing: tree.facts(thing.path).takes.get(thing.scope, ()) for thing in group}
    possible = [one for one in group if not any(map(_cannot_be, given[:-1], taken[one][:-1]))] or group
    alike = {one: _alike(given, taken[one]) for one in possible}
    most = max(alike.values())
    return [one for one in possible if alike[one] == most]


def _alike(given: Sequence[Typed], taken: Sequence[Typed]) -> tuple[int, bool]:
    same = sum(bool(what) and what == wanted for what, wanted in zip(given[:-1], taken[:-1], strict=False))
    return same, bool(given) and given[-1:] == taken[-1:]


def _cannot_be(given: Typed, wanted: Typed) -> bool:
    """Whether one is a number and the other a pointer."""
    if not (isinstance(given, str) and isinstance(wanted, str)) or "bool" in (given, wanted):
        return False
    return (_is_number(given) and wanted.endswith("*")) or (given.endswith("*") and _is_number(wanted))


def _is_number(name: str) -> bool:
    return bool(name) and _NUMBERS.issuperset(name.split())
