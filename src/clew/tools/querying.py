"""The answer of `graph_query`: the nodes that a question is about, and callers and callees of the best."""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Literal

from msgspec import Struct

from clew.engine import Engine
from clew.graph.elements import Element, Elements
from clew.graph.parts import LogicalSymbol, Things
from clew.graph.surroundings import Relation, Surroundings, Touching, surroundings, touching_then
from clew.model.code import EXTERNAL
from clew.model.errors import NotSupported
from clew.model.search import Hit, RetrieverFailure
from clew.model.time import NOW, AsOf
from clew.model.words import EdgeKind
from clew.runtime.encryption import cipher_of
from clew.store.links import LIKELY
from clew.tools.budget import Priority, Row, Shape, grow_lists, only
from clew.tools.communities import CommunityView
from clew.tools.freshness import NOTHING_TO_TELL, FreshnessState, count_of, places_of
from clew.tools.retrieval import NOTHING_MISSED, Missed, Sought, describe_failures, find_missed

Language = Literal["natural", "cypher", "sql"]
Reading = Literal["local", "global", "hybrid"]

MOST_SECONDS = 30.0  # that a query in Cypher or SQL may take
LOOKED_AROUND = 5  # of the best nodes
FEW = 3  # callers, and callees, of each
_SHORT = ("node_id", "type", "first_line")


class GraphHit(Struct, frozen=True, omit_defaults=True):
    """`scores`: how much of the score comes of each retriever. Of callers and callees, the surest few.

    In answer to a structural question, `relation` is that with the thing it names, shown `at` a line; the score is its
    confidence.
    """

    node_id: str
    name: str = ""
    file_path: str = ""
    type: str = ""
    score: float = 0.0
    scores: dict[str, float] = {}
    summary: str = ""
    first_line: int = 0
    last_line: int = 0
    callers: tuple[Relation, ...] = ()
    callers_total: int = 0
    callees: tuple[Relation, ...] = ()
    callees_total: int = 0
    relation: str = ""
    at: str = ""


class GraphQuery(Struct, frozen=True, omit_defaults=True):
    """`count` is how many results there are, `total_matches` how many chunks of text answer at all; `missed` is what
    speaks against them, or against there being none. `communities` answer modes global and hybrid. `answered` says how
    a structural question was answered; there, `total_matches` counts all nodes that do."""

    results: tuple[GraphHit, ...]
    count: int
    total_matches: int
    warnings: tuple[str, ...] = ()
    missed: Missed = NOTHING_MISSED
    failed: tuple[RetrieverFailure, ...] = ()
    freshness: FreshnessState = FreshnessState()
    answered: str = ""
    communities: tuple[CommunityView, ...] = ()

    def summary(self) -> str:
        if self.answered:
            return " ".join(filter(None, [self.answered, *self.warnings[:1], self.freshness.unseen()]))
        missed = self.missed.sentences(self.freshness, found=bool(self.results))
        parts = [
            self._describe_found(),
            missed,
            describe_failures(self.failed),
            *self.warnings[:1],
            self.freshness.unseen(),
        ]
        return " ".join(filter(None, parts))

    def quoted_files(self) -> Iterable[str]:
        """The files that it tells lines of."""
        around = chain.from_iterable((*one.callers, *one.callees) for one in self.results)
        shown = (one.at.rpartition(":")[0] for one in self.results if one.at)
        return chain((one.file_path for one in self.results if one.file_path), shown, places_of(around))

    def _describe_found(self) -> str:
        best = "".join(f"; best: {one.node_id} ({one.score:.2f})" for one in self.results[:1])
        return f"{count_of(self.count, 'node', 'nodes')}{best}." if best else ""


GRAPH_QUERY_SHAPE = Shape(
    {
        "count": Priority.HIGH,
        "failed": Priority.HIGH,
        "missed": Priority.MEDIUM,
        "total_matches": Priority.MEDIUM,
        "warnings": Priority.LOW,
        "answered": Priority.LOW,
        "columns": Priority.REQUIRED,
        "cut": Priority.HIGH,
        "freshness": Priority.LOW,
    },
    grow_lists(
        "communities", "results", "rows", forms={"communities": (only("label", "files"),), "results": (only(*_SHORT),)}
    ),
    lambda data: {**data, "results": [_concise(one) for one in data["results"]]} if "results" in data else data,
    pages=("results", "rows"),
)


class QueryRows(Struct, frozen=True, omit_defaults=True):
    """The rows of a query in Cypher or SQL; `cut` if there are more than `limit`."""

    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    cut: bool = False
    freshness: FreshnessState = NOTHING_TO_TELL

    def summary(self) -> str:
        more = ", and more that are left out: raise `limit`, or add LIMIT and ORDER BY" if self.cut else ""
        said = f"{count_of(len(self.rows), 'row', 'rows')} of {', '.join(self.columns)}{more}."
        return f"{said} {self.freshness.unseen()}".rstrip()

    def quoted_files(self) -> Iterable[str]:
        """Rows may hold anything: no file is singled out."""
        return ()


def rows_of(engine: Engine, language: Language, query: str, limit: int) -> QueryRows:
    """The answer of a query in Cypher or SQL, over the graph as it is."""
    from blake3 import blake3

    from clew.graph import cypher, sql
    from clew.store.heads import folder

    engine.require_index()
    graph = engine.graph()
    seconds = min(MOST_SECONDS, engine.config.server.request_seconds)
    if language == "sql":
        found = sql.replica_of(graph, engine.files).run(query, limit, seconds)
    else:
        key = blake3(f"{engine.corpus().stamp} {engine.histories.tip()}".encode()).hexdigest(length=12)
        where = folder(engine.place.snapshots, engine.where) if engine.writable else None
        if cipher_of(engine.place.folder):
            hint = "Ask in SQL, or in words."
            raise NotSupported("Cypher needs a copy of the graph that is not encrypted, and encrypt_db is set", hint)
        found = cypher.ask(where, key, graph, engine.files, query, limit, seconds)
    return QueryRows(found.columns, found.rows, found.cut)


def _concise(hit: Row) -> Row:
    """An id begins with the path and ends with the name; callers and callees are ids with lines."""
    kept = {name: value for name, value in hit.items() if name not in ("name", "file_path", "scores")}
    for name in ("callers", "callees"):
        if name in kept:
            kept[name] = [f"{one['id']}:{one['line']}" for one in kept[name]]
    return {**kept, "score": round(hit["score"], 2)}


def found_in(engine: Engine, sought: Sought, at: AsOf) -> GraphQuery:
    results = engine.search(sought.to_query())
    elements = Elements(engine.files, at)
    nodes = sought.nodes(results.hits)
    there = [(element, hit) for node, hit in nodes.items() if (element := elements.get(node))]
    ordered = sorted(there, key=lambda one: (-one[1].score, one[0].id))[: sought.limit]
    things = Things(engine.nodes, engine.links, elements)
    beside = around(engine, elements, [things.each([one.id])[0] for one, _ in ordered[:LOOKED_AROUND]])
    return GraphQuery(
        results=tuple(_hit(element, hit, beside.get(element.id)) for element, hit in ordered),
        count=len(ordered),
        total_matches=results.total,
        warnings=_warnings(at, len(nodes) - len(there)),
        missed=find_missed(engine, results) if at == NOW else NOTHING_MISSED,
        failed=results.failed,
    )


def _warnings(at: AsOf, missing: int) -> tuple[str, ...]:
    if at == NOW:
        return ()
    gone = f"{count_of(missing, 'node was', 'nodes were')} not there at that time. " if missing else ""
    return (f"{gone}Ranked by the text of today: what is gone since then is not found.",)


def around(engine: Engine, elements: Elements, things: Sequence[LogicalSymbol]) -> dict[str, Surroundings]:
    """By the id of each thing, what is around it and all that it holds."""
    whole = {one.element.id: one for one in things}
    inside = {one: elements.inside(*thing.roots) for one, thing in whole.items()}
    ids = [one for held in inside.values() for one in held]
    if elements.at == NOW:
        from clew.graph.edges import edges_around  # numpy is heavy, and most tools do not need it

        found = edges_around(engine.corpus(), list(dict.fromkeys(ids)), "")
    else:
        found = touching_then(engine.files, engine.links, elements.at, ids, "")
    return {one: surroundings(whole[one].roots, _of(found, frozenset(held))) for one, held in inside.items()}


def _of(found: Touching, ids: frozenset[str]) -> Touching:
    out = [edge for edge in found.out if edge.source in ids]
    return Touching(out, [edge for edge in found.into if edge.target in ids], (), ())


def _hit(element: Element, hit: Hit, around: Surroundings | None) -> GraphHit:
    callers = _calls(around.dependents) if around else ()
    callees = _calls(around.dependencies) if around else ()
    return GraphHit(
        node_id=element.id,
        name=element.name,
        file_path=element.path,
        type=element.kind,
        score=hit.score,
        scores={reason.retriever: reason.share for reason in hit.reasons},
        summary=element.summary,
        first_line=element.first_line,
        last_line=element.last_line,
        callers=callers[:FEW],
        callers_total=len(callers),
        callees=callees[:FEW],
        callees_total=len(callees),
    )


def _calls(relations: Sequence[Relation]) -> tuple[Relation, ...]:
    """Project elements come before external ones."""
    calls = (one for one in relations if one.relation == EdgeKind.CALLS and one.confidence >= LIKELY)
    return tuple(sorted(calls, key=lambda one: one.id.startswith(EXTERNAL)))
