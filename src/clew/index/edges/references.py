"""USES: a definition refers to a symbol without calling it. One edge for each, at the line where it is first named."""

from collections.abc import Container, Iterable, Iterator

from clew.index.edges.symbols import SymbolTable
from clew.index.facts import Attr, Facts, ImportedName, ScopedName, UnboundName, Value
from clew.index.resolve import Reference
from clew.languages.plugins import profile_of
from clew.model.code import SCOPE, split_id
from clew.model.words import EdgeKind, EvidenceKind, Kind
from clew.store.links import FileEdge

CERTAIN = 1.0
LIKELY = 0.9  # where the reader does not see everything that may hide a name
_VARIABLE = Kind.VARIABLE.value
_FUNCTIONS = frozenset({Kind.FUNCTION.value, Kind.METHOD.value})


def use_edges(
    path: str, references: Iterable[Reference], known: set[tuple[str, str]], handing: Container[str]
) -> Iterator[FileEdge]:
    """`known` are pairs of scope and target with a stronger relation: a call, inheritance.

    `handing` are scopes that may pass references on.
    """
    first: dict[tuple[str, str], tuple[int, float]] = {}
    for scope, target, line, confidence in references:
        key = scope, target
        if key in first:
            above, sure = first[key]
            first[key] = min(above, line), max(sure, confidence)
        elif key not in known and not _is_within(path, scope, target, handing):
            first[key] = line, confidence
    kind, evidence = EdgeKind.USES, EvidenceKind.IDENTIFIER
    for (scope, target), (line, sure) in first.items():
        yield FileEdge(scope, kind, target, line, evidence, sure if sure == CERTAIN else round(sure, 3))


def references_by_name(path: str, language: str, facts: Facts, symbols: SymbolTable) -> Iterator[Reference]:
    """References of a file by names alone, and the variables that it calls."""
    sure = CERTAIN if profile_of(language).sees_all_names else LIKELY
    for scope, names in facts.uses.items():
        for chain, line in names.items():
            for target in symbols.resolve_chain(path, scope, chain):
                yield scope, target, line, sure
    yield from _called_variables(path, facts, symbols, sure)


def _called_variables(path: str, facts: Facts, symbols: SymbolTable, sure: float) -> Iterator[Reference]:
    """A call leads to a variable's value, if that is known, and depends on the variable anyway."""
    known: dict[Value, list[str]] = {}
    kinds = facts.kinds
    for call in facts.calls:
        for value in call.callee:
            start = value.of if type(value) is Attr else value
            if type(start) is ScopedName:  # no function or class of this file
                if start.scope or kinds.get(start.name, _VARIABLE) != _VARIABLE:
                    continue
            elif type(start) is not ImportedName and type(start) is not UnboundName:  # as most are
                continue
            targets = known.get(value)
            if targets is None:
                targets = known[value] = symbols.variables(path, value)
            for target in targets:
                yield call.scope, target, call.line, sure


def hands_on(language: str, facts: Facts) -> frozenset[str]:
    """The file and its functions: `app.get("/", handler)`; classes, too, if their bodies run:
    `name = property(get_name)`."""
    if profile_of(language).class_bodies_run:
        return frozenset({"", *facts.kinds})
    return frozenset({"", *(scope for scope, kind in facts.kinds.items() if kind in _FUNCTIONS)})


def _is_within(path: str, scope: str, target: str, handing: Container[str]) -> bool:
    """Whether one is a part of the other, or they are the same; methods may stand in another file than their class."""
    file, holder = split_id(target)
    if scope.startswith(f"{holder}{SCOPE}"):
        return True
    return file == path and (holder == scope or (scope not in handing and holder.startswith(f"{scope}{SCOPE}")))
