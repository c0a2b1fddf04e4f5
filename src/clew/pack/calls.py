"""Callers and callees of a symbol, the best first, and the number of calls with an uncertain target."""

from typing import TYPE_CHECKING

from msgspec import Struct

from clew.graph.elements import Elements
from clew.graph.parts import LogicalSymbol
from clew.graph.possible_callers import add_possible_callers
from clew.graph.surroundings import Relation, surroundings
from clew.model.code import EXTERNAL, SCOPE, split_id
from clew.model.words import NAMELESS, EdgeKind
from clew.store.links import LIKELY
from clew.text.paths import is_test_path

if TYPE_CHECKING:
    from clew.store.corpus import Corpus

MOST = 10  # of each that are named (A §6.4); totals count them all


class SymbolRef(Struct, frozen=True, omit_defaults=True):
    """A caller with the line of its call, or a callee with the line of its definition; an external one has only a name.

    `unsure`: the call is as likely to have another target.
    """

    id: str
    name: str
    file: str = ""
    line: int = 0
    unsure: bool = False


class Calls(Struct, frozen=True):
    """As `CodeSlice` tells them."""

    incoming_callers: tuple[SymbolRef, ...]
    callers_total: int
    unsure_callers: int
    unresolved: int
    candidates: int
    outgoing_calls: tuple[SymbolRef, ...]
    calls_total: int
    unsure_calls: int
    unresolved_calls: int


def calls(corpus: "Corpus", elements: Elements, thing: LogicalSymbol) -> Calls:
    """Of a thing and all that it holds; calls inside of it are its own affair."""
    from clew.graph.edges import Current, edges_around  # numpy is heavy, and most slices do not need it

    name = "" if thing.element.kind in NAMELESS else thing.element.name.rpartition(".")[2]
    found = edges_around(corpus, elements.inside(*thing.roots), name)
    around = surroundings(thing.roots, add_possible_callers(Current(corpus), elements, thing.ids, found))
    callers = sorted(filter(_is_call, around.dependents), key=_from_best)
    called = sorted((one for one in around.dependencies if _is_call(one) and one.confidence >= LIKELY), key=_to_best)
    return Calls(
        incoming_callers=tuple(
            SymbolRef(one.id, _name(one.id), one.path, one.line, one.id in around.unsure) for one in callers[:MOST]
        ),
        callers_total=len(callers),
        unsure_callers=len(around.unsure),
        unresolved=len(around.unresolved),
        candidates=sum(map(_is_call, around.candidates)),
        outgoing_calls=tuple(_defined(elements, one) for one in called[:MOST]),
        calls_total=len(called),
        unsure_calls=sum(map(_is_unsure, called)),
        unresolved_calls=len(around.unresolved_calls),
    )


def _is_call(relation: Relation) -> bool:
    return relation.relation == EdgeKind.CALLS


def _from_best(relation: Relation) -> tuple[bool, float, str]:
    """Tests come last: they call everything."""
    return is_test_path(relation.path), -relation.confidence, relation.id


def _to_best(relation: Relation) -> tuple[bool, float, str]:
    """Sort key: external targets come last, since their code cannot be shown."""
    return relation.id.startswith(EXTERNAL), -relation.confidence, relation.id


def _is_unsure(relation: Relation) -> bool:
    return relation.confidence <= LIKELY


def _defined(elements: Elements, called: Relation) -> SymbolRef:
    found = elements.describe(called.id)
    return SymbolRef(called.id, _name(called.id), found.path, found.first_line, _is_unsure(called))


def _name(id: str) -> str:
    if id.startswith(EXTERNAL):
        return id.removeprefix(EXTERNAL)
    path, scope = split_id(id)
    return scope.rpartition(SCOPE)[2].partition("#")[0] or path.rpartition("/")[2]
