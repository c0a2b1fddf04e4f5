"""Structural questions of `graph_query`: callers, implementations, importers and users of a
symbol, and paths between two.

The question names the relation and the thing. If nothing has that name, the question is searched for as words.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import NamedTuple

from clew.engine import Engine
from clew.graph.elements import Elements
from clew.graph.naming import Naming
from clew.graph.parts import LogicalSymbol
from clew.graph.surroundings import Relation, Surroundings
from clew.model.code import EXTERNAL, SCOPE, Edge, split_id
from clew.model.errors import InvalidInput, NotFound
from clew.model.time import NOW, AsOf
from clew.model.words import CLASSES, INHERITING, EdgeKind, Kind
from clew.tools.freshness import count_of
from clew.tools.naming import ids_for_text, is_imported, split_by_meaning, symbols_for_text
from clew.tools.querying import GraphHit, GraphQuery, around
from clew.tools.retrieval import Sought

_THING = r"(?P<a>\S.*?)"
_ROUTE = re.compile(
    r"(?:what is |show |find )?(?:the |a )?(?:shortest )?(?:call )?(?:path|route|way)s? "
    rf"(?:from|between) {_THING} (?:to|and) (?P<b>\S.*?)"
    r"|how does (?P<c>\S.*?) (?:reach|get to|lead to|end up in|call) (?P<d>\S.*?)",
    re.IGNORECASE,
)
_THINGS = r"(?:all )?(?:the )?(?:functions|methods|files|modules|classes|types|code|tests)(?: that| which)?"
_WHO = rf"(?:what|who|which \w+(?: \w+)?|{_THINGS})"


class _Asked(NamedTuple):
    """A relation: how it is asked for, what it is called, and which relations of a thing it means."""

    pattern: re.Pattern[str]
    one: str
    many: str
    kinds: frozenset[EdgeKind]
    incoming: bool = True


def _make_question(
    nouns: str, verbs: str, one: str, many: str, kinds: Iterable[EdgeKind], *, incoming: bool = True
) -> _Asked:
    found = rf"(?:(?:show|list|find|get) )?(?:all )?(?:the )?(?:{nouns}) (?:of|to|for|from|in) {_THING}"
    said = rf"(?:(?:show|list|find) )?{_WHO} (?:{verbs}) {_THING.replace('<a>', '<b>')}"
    return _Asked(re.compile(f"{found}|{said}", re.IGNORECASE), one, many, frozenset(kinds), incoming)


_CALLS, _IMPORTS, _TESTS = (EdgeKind.CALLS,), (EdgeKind.IMPORTS,), (EdgeKind.TESTS,)
_USES = (EdgeKind.USES, EdgeKind.CALLS, *INHERITING)
_RELATIONS = (
    _make_question("callers|calls|call sites", "calls?|calling|invokes?", "caller", "callers", _CALLS),
    _make_question(
        "implementations|implementers|implementors",
        "implements?|implementing",
        "implementation",
        "implementations",
        INHERITING,
    ),
    _make_question(
        "subclasses|subtypes|children|descendants",
        "(?:inherits?|derives?)(?: from)?|extends?|subclass(?:es)?",
        "subtype",
        "subtypes",
        INHERITING,
    ),
    _make_question("importers|imports", "imports?|importing", "importer", "importers", _IMPORTS),
    _make_question("tests|test cases", "tests?|testing|covers?", "test", "tests", _TESTS),
    _make_question(
        "users|uses|usages|references|dependents", "uses?|using|references?|depends? on", "user", "users", _USES
    ),
    _make_question("callees", "(?:is|are|gets?) called by", "callee", "callees", _CALLS, incoming=False),
    _make_question(
        "base classes|bases|parents|supertypes|superclasses",
        "(?:is|are) (?:inherited|extended|implemented) by",
        "supertype",
        "supertypes",
        INHERITING,
        incoming=False,
    ),
)
_DOES = (
    (re.compile(r"what does (?P<a>\S.*?) call", re.IGNORECASE), _RELATIONS[6]),
    (re.compile(r"where is (?P<a>\S.*?) called(?: from)?", re.IGNORECASE), _RELATIONS[0]),
    (
        re.compile(r"what does (?P<a>\S.*?) import", re.IGNORECASE),
        _Asked(re.compile(""), "import", "imports", frozenset(_IMPORTS), incoming=False),
    ),
    (
        re.compile(r"what does (?P<a>\S.*?) (?:inherit(?: from)?|implement|extend)", re.IGNORECASE),
        _RELATIONS[7],
    ),
)
_IMPORTERS, _TESTERS = _RELATIONS[3], _RELATIONS[4]
# Ways are looked for along calls first, then along whatever else leads from one thing to another.
_LEADING = (
    frozenset(_CALLS),
    frozenset({EdgeKind.CALLS, EdgeKind.USES, EdgeKind.IMPORTS, EdgeKind.EXPORTS, *INHERITING}),
)


def answer_structural(engine: Engine, sought: Sought, at: AsOf) -> GraphQuery | None:
    """None, if the question is none of these, or nothing has the name that it says."""
    text = " ".join(sought.text.split()).strip(" ?!.")
    with suppress(NotFound):
        if at == NOW and (said := _ROUTE.fullmatch(text)):
            return _route(engine, sought, *(name for name in said.groups() if name))
        for pattern, asked in (*((one.pattern, one) for one in _RELATIONS), *_DOES):
            if said := pattern.fullmatch(text):
                name = next(name for name in said.groups() if name)
                return _find_related(engine, sought, asked, name, at)
    return None


def _find_related(engine: Engine, sought: Sought, asked: _Asked, name: str, at: AsOf) -> GraphQuery:
    elements = Elements(engine.files, at)
    things, others = _find_imported(engine, elements, name) if asked is _IMPORTERS else _things(engine, elements, name)
    found = _relations(engine, elements, asked, things)
    warnings = [f"{name!r} may also mean {', '.join(others[:3])}." if others else ""]
    if not found and asked is _IMPORTERS and SCOPE in things[0].element.id:
        path = split_id(things[0].element.id)[0]
        found = _relations(engine, elements, asked, _things(engine, elements, path)[0])
        warnings.append(f"These import {path}, where it is defined.")
    wanted = [one for one in found if not sought.kinds or elements.describe(one.id).kind in sought.kinds]
    shown = tuple(_hit(elements, one) for one in wanted[: sought.limit])
    what = " and ".join(thing.element.id for thing in things)
    if not found and asked is _RELATIONS[0]:
        warnings.append("Calls that could not be resolved are listed by code_explain.")
    return GraphQuery(
        shown,
        len(shown),
        len(wanted),
        tuple(filter(None, warnings)),
        answered=f"{count_of(len(wanted), asked.one, asked.many)} of {what}.",
    )


def _relations(engine: Engine, elements: Elements, asked: _Asked, things: Sequence[LogicalSymbol]) -> list[Relation]:
    """Those of the wanted kinds, each node once, the surest first."""
    if asked is _TESTERS and elements.at == NOW:
        return _tests(engine, elements, things)
    best: dict[str, Relation] = {}
    for beside in around(engine, elements, things).values():
        for one in _side(asked.incoming)(beside):
            known = best.get(one.id)
            if one.relation in asked.kinds and (known is None or known.confidence < one.confidence):
                best[one.id] = one
    return sorted(best.values(), key=lambda one: (-one.confidence, one.path, one.line, one.id))


def _tests(engine: Engine, elements: Elements, things: Sequence[LogicalSymbol]) -> list[Relation]:
    """A test that calls a thing is there by its call otherwise."""
    from clew.graph.edges import edges_to  # numpy is heavy, and most tools do not need it

    ids = {one for thing in things for one in elements.inside(*thing.roots)}
    found = {edge.source: edge for one in sorted(ids) for edge in edges_to(engine.corpus(), one, _TESTS)}
    told = [Relation(e.source, e.kind, e.path, e.line, e.confidence) for e in found.values() if e.source not in ids]
    return sorted(told, key=lambda one: (-one.confidence, one.path, one.line, one.id))


def _side(incoming: bool) -> Callable[[Surroundings], tuple[Relation, ...]]:
    return (lambda beside: beside.dependents) if incoming else (lambda beside: beside.dependencies)


def _things(engine: Engine, elements: Elements, name: str) -> tuple[list[LogicalSymbol], tuple[str, ...]]:
    """Symbols that a name resolves to. Raises NotFound unless the spelling matches: similar names do not count."""
    name = name.strip("`'\" ")
    found, others = split_by_meaning(elements, name, symbols_for_text(engine, elements, name))
    if found[0].element.kind is not Kind.EXTERNAL and not ids_for_text(
        Naming(engine.files, engine.nodes, elements), name
    ):
        raise NotFound(f"nothing here is called {name!r}")
    return found, others


def _find_imported(engine: Engine, elements: Elements, name: str) -> tuple[list[LogicalSymbol], tuple[str, ...]]:
    """An external module precedes a project element that shares its name, unless that is a file or a class."""
    outside = (
        symbols_for_text(engine, elements, f"{EXTERNAL}{name}")
        if elements.at == NOW and is_imported(engine, name)
        else []
    )
    try:
        found, others = _things(engine, elements, name)
    except NotFound:
        if not outside:
            raise
        found, others = [], ()
    here = [one for one in found if one.element.kind in (Kind.FILE, Kind.MODULE, *CLASSES) or not outside]
    return [*here, *outside], others


def _route(engine: Engine, sought: Sought, first: str, last: str) -> GraphQuery:
    from clew.graph.paths import shortest_route  # numpy is heavy, and most tools do not need it

    elements = Elements(engine.files)
    (source, *_), (target, *_) = _things(engine, elements, first)[0], _things(engine, elements, last)[0]
    graph = engine.graph()
    ends = [frozenset(elements.inside(*one.roots)) for one in (source, target)]
    if ends[0] & ends[1]:
        raise InvalidInput(f"{first} and {last} are the same, or one lies in the other", "Name two different things.")
    for back in (False, True):
        begin, end = reversed(ends) if back else ends
        for kinds in _LEADING:
            if edges := shortest_route(graph, begin, end, kinds):
                return _along(elements, edges, sought.limit, back=back)
    told = f"No path leads from {source.element.id} to {target.element.id}, nor back."
    return GraphQuery((), 0, 0, answered=told)


def _along(elements: Elements, edges: Sequence[Edge], limit: int, *, back: bool) -> GraphQuery:
    """The nodes of a path in their order, each with the edge that leads there."""
    nodes = [
        _hit(elements, Relation(edges[0].source, "", split_id(edges[0].source)[0], 0, 1.0)),
        *(_hit(elements, Relation(e.target, e.kind, e.path, e.line, e.confidence)) for e in edges),
    ]
    way = " → ".join([_short(edges[0].source), *(_short(edge.target) for edge in edges)])
    found = f"{count_of(len(edges), 'step', 'steps')}: {way}."
    shown = tuple(nodes[: max(limit, 2)])
    answered = f"The path leads the other way. {found}" if back else found
    return GraphQuery(shown, len(shown), len(nodes), answered=answered)


def _short(id: str) -> str:
    path, scope = split_id(id)
    return scope.replace(SCOPE, ".") or path


def _hit(elements: Elements, relation: Relation) -> GraphHit:
    one = elements.describe(relation.id)
    return GraphHit(
        node_id=one.id,
        name=one.name,
        file_path=one.path,
        type=one.kind,
        score=relation.confidence,
        summary=one.summary,
        first_line=one.first_line,
        last_line=one.last_line,
        relation=str(relation.relation),
        at=f"{relation.path}:{relation.line}" if relation.line else "",
    )
