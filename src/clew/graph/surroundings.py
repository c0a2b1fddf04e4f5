"""Edges to and from an element, now or at another time; possible callers and unresolved calls."""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from msgspec import Struct

from clew.model.code import EXTERNAL, SCOPE, Edge, split_id, symbol_id, without_numbers
from clew.model.time import AsOf
from clew.model.words import EdgeKind, EvidenceKind
from clew.store.files import Files
from clew.store.links import LIKELY, FileEdge, Links, Loose, bare_name

# What says most about a thing comes first, where confidences are equal.
_ORDER = (
    EdgeKind.CALLS, EdgeKind.INHERITS, EdgeKind.IMPLEMENTS, EdgeKind.IMPORTS, EdgeKind.USES, EdgeKind.TESTS,
)  # fmt: skip
_KIN = {
    ending: name
    for name, endings in {
        "python": "py pyi ipynb", "ruby": "rb rake ru", "php": "php", "java": "java", "csharp": "cs", "go": "go",
        "js": "js jsx mjs cjs ts tsx mts cts",
    }.items()
    for ending in endings.split()
}  # fmt: skip
_OF_CALLS = (EdgeKind.DATAFLOW, EdgeKind.TESTS)  # what a call says already


class Relation(Struct, frozen=True, omit_defaults=True):
    """A relation with `id`; shown at `path` and `line` first, `times` in all. `member` is the element's member that
    has it, or one of several definitions of its name."""

    id: str
    relation: str
    path: str
    line: int
    confidence: float
    times: int = 1
    member: str = ""


class Unresolved(Struct, frozen=True, order=True):
    """A call that could not be resolved: its caller, line and text."""

    source: str
    line: int
    written: str


class Touching(NamedTuple):
    """All that touches some ids, as found: edges out of and into them, calls by a name, and calls out of them."""

    out: Sequence[Edge]
    into: Sequence[Edge]
    by_name: Sequence[Unresolved]
    from_here: Sequence[Unresolved]


class Surroundings(Struct, frozen=True):
    """`candidates` are edges too unsure to count that may lead here; the best of everything comes first.

    `unsure` are those of the callers that are as likely to call something else.
    """

    dependencies: tuple[Relation, ...]
    dependents: tuple[Relation, ...]
    candidates: tuple[Relation, ...]
    unresolved: tuple[Unresolved, ...]
    unresolved_calls: tuple[Unresolved, ...]
    unsure: frozenset[str] = frozenset()

    @property
    def callers(self) -> int:
        return len({one.id for one in self.dependents if one.relation == EdgeKind.CALLS})


def surroundings(roots: Sequence[str], found: Touching) -> Surroundings:
    """For all parts of an element together; edges among them are left out."""
    own = dict.fromkeys(roots)
    out = [edge for edge in found.out if not _root_of(edge.target, own)]
    into = [edge for edge in found.into if not _root_of(edge.source, own)]
    return Surroundings(
        dependencies=_group(out, own, lambda e: (e.target, e.source)),
        dependents=_group((e for e in into if e.confidence >= LIKELY), own, lambda e: (e.source, e.target)),
        candidates=_group((e for e in into if e.confidence < LIKELY), own, lambda e: (e.source, e.target)),
        unresolved=tuple(sorted(set(found.by_name))),
        unresolved_calls=tuple(sorted(set(found.from_here))),
        unsure=_unsure(into),
    )


def _unsure(into: Iterable[Edge]) -> frozenset[str]:
    """Callers by edges that are only likely; the shares of several parts on one line are added up."""
    shares: dict[tuple[str, str, int], dict[str, float]] = {}
    for edge in into:
        if edge.kind is EdgeKind.CALLS and edge.confidence >= LIKELY:
            line = shares.setdefault((edge.source, edge.path, edge.line), {})
            line[edge.target] = max(edge.confidence, line.get(edge.target, 0))
    sure = {source for (source, _, _), line in shares.items() if sum(line.values()) > LIKELY}
    return frozenset(source for source, _, _ in shares) - sure


def touching_then(files: Files, links: Links, at: AsOf, ids: Sequence[str], name: str) -> Touching:
    """As it was: every file's links of that time are looked through."""
    versions = files.versions_at(at)
    paths = {file: path for path, (file, _) in versions.items()}
    wanted = set(ids)
    out: list[Edge] = []
    into: list[Edge] = []
    loose: list[Unresolved] = []
    for file, linked in links.each_as_of(dict(versions.values()), at.known):
        edges = [_edge(paths[file], one) for one in linked.edges]
        out += [edge for edge in edges if edge.source in wanted]
        into += [edge for edge in edges if edge.target in wanted]
        loose += [_loose(paths[file], one) for one in linked.loose]
    names = spellings(ids, name)
    by_name = by_its_own(ids, (one for one in loose if bare_name(one.written) in names))
    return Touching(out, into, by_name, [one for one in loose if one.source in wanted])


def spellings(ids: Sequence[str], name: str) -> tuple[str, ...]:
    """How calls by a name may be written: in PHP, a function that a variable holds with the variable's sign."""
    if not name:
        return ()
    return (name, f"${name}") if ids and split_id(ids[0])[0].endswith(".php") else (name,)


def by_its_own(ids: Sequence[str], calls: Iterable[Unresolved]) -> list[Unresolved]:
    """Without calls from languages that cannot call it: for example a page's scripts and its server's code."""
    own = _kin(ids[0]) if ids else ""
    return [one for one in calls if not own or _kin(one.source) in ("", own)]


def _kin(id: str) -> str:
    """The languages that call each other by name, and no others; "" where it is not known that they do not."""
    return _KIN.get(split_id(id)[0].rpartition(".")[2], "")


class Past:
    """The graph as it was, for `otherwise`: all of it is read, once anything is asked."""

    def __init__(self, files: Files, links: Links, at: AsOf) -> None:
        self._files = files
        self._links = links
        self._at = at

    def out(self, id: str) -> list[Edge]:
        return self._edges[0].get(id, [])

    def into(self, id: str) -> list[Edge]:
        return self._edges[1].get(id, [])

    def with_prefix(self, start: str) -> list[str]:
        return [one for one in self._ids if one.startswith(start)]

    def with_suffix(self, end: str) -> list[str]:
        return [one for one in self._ids if one.endswith(end)]

    @cached_property
    def _ids(self) -> list[str]:
        return sorted({one for edges in self._edges for one in edges})

    @cached_property
    def _edges(self) -> tuple[dict[str, list[Edge]], dict[str, list[Edge]]]:
        out: dict[str, list[Edge]] = {}
        into: dict[str, list[Edge]] = {}
        versions = self._files.versions_at(self._at)
        paths = {file: path for path, (file, _) in versions.items()}
        for file, linked in self._links.each_as_of(dict(versions.values()), self._at.known):
            for edge in (_edge(paths[file], one) for one in linked.edges):
                out.setdefault(edge.source, []).append(edge)
                into.setdefault(edge.target, []).append(edge)
        return out, into


def _group(
    edges: Iterable[Edge], roots: Collection[str], ends: Callable[[Edge], tuple[str, str]]
) -> tuple[Relation, ...]:
    """One relation per other end and kind: the surest edge and the count. External ends come last."""
    groups: dict[tuple[str, str], list[Edge]] = {}
    for edge in edges:
        groups.setdefault((ends(edge)[0], edge.kind), []).append(edge)
    first = next(iter(roots), "")
    called = {other for other, kind in groups if kind == EdgeKind.CALLS}
    made = []
    for (other, kind), some in groups.items():
        if kind in _OF_CALLS and other in called:
            continue
        best = min(some, key=lambda e: (-e.confidence, e.path, e.line))
        own = ends(best)[1]
        last = own.rpartition(SCOPE)[2]
        member = _member(own, roots) or (last if own != first and "#" in last else "")
        times = len(
            {(e.path, e.line, without_numbers(_member(ends(e)[1], roots))) for e in some}
        )  # what may be two is one
        made.append(Relation(other, kind, best.path, best.line, best.confidence, times, member))
    return tuple(sorted(made, key=lambda one: (_is_outside(one), -one.confidence, _place(one.relation), one.id)))


def _is_outside(one: Relation) -> bool:
    return one.id.startswith(EXTERNAL)


def _place(relation: str) -> int:
    return next((i for i, kind in enumerate(_ORDER) if kind == relation), len(_ORDER))


def _root_of(one: str, roots: Collection[str]) -> str:
    """Which of them an id is, or stands in."""
    while one and one not in roots:
        one = one.rpartition(SCOPE)[0]
    return one


def _member(own: str, roots: Collection[str]) -> str:
    """The member of the element that an edge belongs to; empty for the element itself."""
    member = own.removeprefix(_root_of(own, roots)).removeprefix(SCOPE)
    last, first = (one.rpartition(SCOPE)[2] for one in (own, next(iter(roots), "")))
    return member or (last if without_numbers(last) != without_numbers(first) else "")


def _edge(path: str, one: FileEdge) -> Edge:
    return Edge(
        source=symbol_id(path, one.scope),
        target=one.target,
        kind=EdgeKind(one.kind),
        path=path,
        line=one.line,
        evidence=EvidenceKind(one.evidence),
        confidence=one.confidence,
    )


def _loose(path: str, one: Loose) -> Unresolved:
    return Unresolved(symbol_id(path, one.scope), one.line, one.written)
