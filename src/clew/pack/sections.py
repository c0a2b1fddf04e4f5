"""The ten sections of a context pack: their contents, rules and shares (seed D §3.1, §4.2)."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from msgspec import Struct

from clew.graph.spreading import Along, Direction
from clew.model.code import Edge, split_id
from clew.model.words import EdgeKind, edges_named, pack_edge, pack_evidence
from clew.pack.artifact import Dropped
from clew.pack.gather import Candidate, Route, RouteStep
from clew.pack.request import Expansion, PackRequest
from clew.pack.scoring import SEEDS, Lead, rank, ties
from clew.pack.shelf import Standing, is_prose
from clew.text.paths import is_test_path

SECTIONS = (
    SEEDS, "callers", "callees", "imports", "exports", "usages", "dataflow", "tests", "docs", "related",
)  # fmt: skip
_PLACES = {name: i for i, name in enumerate(SECTIONS)}

RULES = {
    "seed": "found by search",
    "focus": "named as the focus of the request",
    "call-neighbor": "connected with a seed by calls",
    "import-neighbor": "imported by a seed's module, directly or through imports",
    "import-consumer": "imports a seed's module",
    "export-neighbor": "exported by a seed's module, or exports a seed",
    "usage-neighbor": "refers to a seed, or a seed refers to it; inheritance included",
    "dataflow-neighbor": "exchanges data with a seed",
    "test-neighbor": "test that reaches a seed",
    "test-hit": "test found by search",
    "doc-neighbor": "prose that names a seed",
    "doc-hit": "prose found by search",
    "same-file": "in the same class or file as a seed",
    "co-change": "in a file that often changed together with a seed's file",
    "neighborhood": "reached by several kinds of edges",
    "next-hit": "further search hit, because the graph led to few items",
}

_CALLS_OR_FLOWS = frozenset({"callers", "callees", "dataflow"})
_MODULE_WORDS = ("import", "export")
_SIDE_KINDS = frozenset({EdgeKind.DEFINES, EdgeKind.CONTAINS})
_ALWAYS = frozenset({EdgeKind.TESTS, EdgeKind.DOCUMENTS, EdgeKind.MENTIONS})


class SectionEntry(NamedTuple):
    """A lead that was followed to the chunk that shows it."""

    lead: Lead
    standing: Standing

    @property
    def section(self) -> str:
        return self.lead.section

    @property
    def size(self) -> int:
        return self.standing.size


class Allotted(Struct, frozen=True):
    """Entries in the one order of rank, as many of each section as it may have; and how many were dropped, by why."""

    entries: tuple[SectionEntry, ...]
    dropped: Counter[Dropped]


def routes(request: PackRequest) -> list[Route]:
    """Along the edges that the request names; from modules along those that only modules have; to tests and prose."""
    expansion = request.expansion
    way, hops = Direction(expansion.direction), expansion.max_hops
    code, modules = _kinds(expansion, of_modules=False), _kinds(expansion, of_modules=True)
    found = [Route("code", Along(code, way, hops))] if code else []
    if expansion.include_dataflow:
        found.append(Route("dataflow", Along(frozenset({EdgeKind.DATAFLOW}), way, hops)))
    if modules:
        found.append(Route("modules", Along(modules, way, hops), modules=True))
    found.append(Route("tests", Along(frozenset({EdgeKind.TESTS}), Direction.BOTH, 1)))
    if request.seed_mode != "code":
        prose = frozenset({EdgeKind.DOCUMENTS, EdgeKind.MENTIONS})
        found.append(Route("docs", Along(prose, Direction.BOTH, 1)))
    if expansion.include_same_file_neighbors:
        found.append(_same_file(request))
    return found


def fallback(request: PackRequest) -> list[Route]:
    """Routes for sparse graphs: elements of the same file, and files that changed together."""
    history = Route("history", Along(frozenset({EdgeKind.CO_CHANGES}), Direction.BOTH, 1), modules=True)
    return [history] if request.expansion.include_same_file_neighbors else [_same_file(request), history]


def _same_file(request: PackRequest) -> Route:
    """Via the common container, if that is not too far."""
    return Route("same-file", Along(_SIDE_KINDS, Direction.BOTH, min(request.expansion.max_hops, 2)))


def _kinds(expansion: Expansion, *, of_modules: bool) -> frozenset[EdgeKind]:
    """Edge kinds of a symbol, or of a module; exports of either have an edge at itself."""
    words = [word for word in expansion.edge_types if (word in _MODULE_WORDS) is of_modules or word == "export"]
    words = [word for word in words if word != "dataflow"]  # on a route of its own: most of its edges are calls, too
    return frozenset(kind for word in words for kind in edges_named(word))


def place(candidate: Candidate, request: PackRequest, *, prose: bool) -> tuple[str, str]:
    """The section of a node that the graph led to, and the rule; tests and `prose` have sections of their own."""
    path, seed_path = split_id(candidate.id)[0], split_id(candidate.seed)[0]
    kinds = {step.edge.kind for step in candidate.steps}
    if is_test_path(path) and not is_test_path(seed_path):
        return "tests", "test-neighbor"
    if prose or (kinds <= _ALWAYS and not candidate.steps[-1].forward):
        return ("tests", "test-neighbor") if EdgeKind.TESTS in kinds else ("docs", "doc-neighbor")
    if kinds <= _SIDE_KINDS:
        return "related", "same-file"
    if kinds == {EdgeKind.CO_CHANGES}:
        return "related", "co-change"
    return _by_edges(candidate.steps, request)


def _by_edges(steps: Sequence[RouteStep], request: PackRequest) -> tuple[str, str]:
    """By the kind and direction that all steps share."""
    words, ways = {pack_edge(step.edge.kind) for step in steps}, {step.forward for step in steps}
    if len(words) > 1 or (words <= {"call", "import"} and len(ways) > 1):
        return "related", "neighborhood"
    (word,) = words
    forward = True in ways
    if word == "call":
        return ("callees" if forward else "callers"), "call-neighbor"
    if word == "import" and not forward:
        return ("exports" if request.expansion.include_exports else "usages"), "import-consumer"
    named = {"import": "imports", "export": "exports", "usage": "usages", "dataflow": "dataflow"}
    return (named[word], f"{word}-neighbor") if word in named else ("related", "neighborhood")


def place_hit(hit: Standing) -> tuple[str, str]:
    """The section of a further match, and the rule."""
    if is_test_path(hit.path):
        return "tests", "test-hit"
    return ("docs", "doc-hit") if is_prose(hit.chunk.kind) else ("related", "next-hit")


def gaps(candidate: Candidate, request: PackRequest) -> list[Edge]:
    """Edges without evidence of the kinds that count; none where it is not required, or nobody wants to know."""
    if not request.expansion.require_evidence or request.strictness == "loose":
        return []
    counts, edges = request.expansion.evidence_kinds, (step.edge for step in candidate.steps)
    return [edge for edge in edges if pack_evidence(edge.evidence) not in counts]


def distinct(leads: Iterable[Lead]) -> tuple[list[Lead], int]:
    """Each node once: as a seed, or in the first section that it fits, by its nearest way; and how many more were.

    A data-flow path is preferred to calls unless these are shorter, since it says more.
    """
    best: dict[str, Lead] = {}
    seen = 0
    for seen, lead in enumerate(leads, 1):  # noqa: B007 - counted on
        key = lead.chunk if lead.is_seed else lead.id
        if key not in best or _fit(lead) < _fit(best[key]):
            best[key] = lead
    return list(best.values()), seen - len(best)


def _fit(lead: Lead) -> tuple[int, int, int, float]:
    distance = lead.candidate.distance if lead.candidate else 0
    if lead.section in _CALLS_OR_FLOWS:
        return _PLACES["callers"], distance, lead.section != "dataflow", -lead.scores.hybrid_score
    return _PLACES[lead.section], distance, 0, -lead.scores.hybrid_score


def allot(leads: Iterable[Lead], request: PackRequest, follow: Callable[[Lead], Standing | None]) -> Allotted:
    """In the one order of rank: each chunk once, and as many of a section as it may have.

    Those of one rank are followed together, to be told apart; once a section is full, no more files are opened for it.
    """
    taking = _Taking(request)
    ranked = sorted(((rank(lead, request), lead.id, lead.chunk, lead) for lead in leads), key=itemgetter(0, 1, 2))
    taking.shown = {lead.chunk for *_, lead in ranked if lead.is_seed}
    for _, alike in groupby(ranked, key=itemgetter(0)):
        taking.take([lead for *_, lead in alike], follow)
    return Allotted(tuple(taking.kept), taking.dropped)


class _Taking:
    def __init__(self, request: PackRequest) -> None:
        self._request = request
        self._taken: Counter[str] = Counter()
        self.shown: set[str] = set()  # chunks that are here already, or will be as seeds
        self.kept: list[SectionEntry] = []
        self.dropped: Counter[Dropped] = Counter()

    def take(self, alike: list[Lead], follow: Callable[[Lead], Standing | None]) -> None:
        open_ = [lead for lead in alike if self._has_room(lead)]
        self.dropped["budget"] += len(alike) - len(open_)
        found = [(lead, follow(lead)) for lead in open_]
        self.dropped["unsupported"] += sum(standing is None for _, standing in found)
        entries = [SectionEntry(lead, standing) for lead, standing in found if standing]
        for entry in sorted(entries, key=lambda one: ties(one.standing, self._request)):
            self._take(entry)

    def _take(self, entry: SectionEntry) -> None:
        lead = entry.lead
        if not lead.is_seed and entry.standing.uid in self.shown:
            self.dropped["duplicate"] += 1
        elif not self._has_room(lead):
            self.dropped["budget"] += 1
        else:
            self.shown.add(entry.standing.uid)
            self._taken[lead.section] += 1
            self.kept.append(entry)

    def _has_room(self, lead: Lead) -> bool:
        budgets = self._request.budgets
        return self._taken[lead.section] < min(budgets.max_items_per_section, budgets.max_items)
