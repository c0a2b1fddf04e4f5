"""The ten sections of a context pack: what belongs in which, by which rule, and how much of it (seed D §3.1, §4.2)."""

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct

from clew.graph.spreading import Along, Direction
from clew.model.code import split_id
from clew.model.words import EdgeKind, edges_named, pack_edge, pack_evidence
from clew.pack.artifact import Dropped
from clew.pack.gather import Candidate, Route, Step
from clew.pack.request import Budgets, Expansion, PackRequest
from clew.pack.scoring import Entry
from clew.pack.shelf import Standing, is_prose
from clew.text.paths import is_test_path

SECTIONS = (
    "seeds", "callers", "callees", "imports", "exports", "usages", "dataflow", "tests", "docs", "related",
)  # fmt: skip
_PLACES = {name: i for i, name in enumerate(SECTIONS)}

RULES = {
    "seed": "the retrieval found it",
    "focus": "the request is about it",
    "call-neighbor": "calls lead to it, or it calls what leads here",
    "import-neighbor": "a seed's module imports it, by way of imports alone",
    "import-consumer": "it imports a seed's module",
    "export-neighbor": "a seed's module offers it, or it offers what a seed is",
    "usage-neighbor": "it refers to a seed, or a seed to it; inheritance is a reference",
    "dataflow-neighbor": "data flows between it and a seed",
    "test-neighbor": "a test that leads to a seed",
    "test-hit": "a test that the retrieval found beside the seeds",
    "doc-neighbor": "prose that names a seed",
    "doc-hit": "prose that the retrieval found beside the seeds",
    "same-file": "it stands in the same class or file as a seed",
    "co-change": "its file changed together with a seed's, says history",
    "neighborhood": "several kinds of edges lead to it",
    "next-hit": "the retrieval found it beside the seeds, and the graph led to little",
}

_MODULE_WORDS = ("import", "export")
_SIDE_KINDS = frozenset({EdgeKind.DEFINES, EdgeKind.CONTAINS})
_ALWAYS = frozenset({EdgeKind.TESTS, EdgeKind.DOCUMENTS, EdgeKind.MENTIONS})


class Allotted(Struct, frozen=True):
    """Entries in the one order, as many as the caps on items allow; and how many were dropped, by reason."""

    entries: tuple[Entry, ...]
    dropped: Counter[Dropped]


def routes(request: PackRequest) -> list[Route]:
    """Along the edges that the request names; from modules along those that only modules have; to tests and prose."""
    expansion = request.expansion
    way, hops = Direction(expansion.direction), expansion.max_hops
    code, modules = _kinds(expansion, of_modules=False), _kinds(expansion, of_modules=True)
    found = [Route("code", Along(code, way, hops))] if code else []
    if modules:
        found.append(Route("modules", Along(modules, way, hops), modules=True))
    found.append(Route("tests", Along(frozenset({EdgeKind.TESTS}), Direction.BOTH, 1)))
    if request.seed_mode != "code":
        prose = frozenset({EdgeKind.DOCUMENTS, EdgeKind.MENTIONS})
        found.append(Route("docs", Along(prose, Direction.BOTH, 1)))
    if expansion.include_same_file_neighbors:
        found.append(SAME_FILE)
    return found


SAME_FILE = Route("same-file", Along(_SIDE_KINDS, Direction.BOTH, 2))
# Where the graph leads to little.
FALLBACK = (SAME_FILE, Route("history", Along(frozenset({EdgeKind.CO_CHANGES}), Direction.BOTH, 1), modules=True))


def _kinds(expansion: Expansion, *, of_modules: bool) -> frozenset[EdgeKind]:
    """What a symbol is offered by shows at itself, and what a module offers at the module."""
    words = [word for word in expansion.edge_types if (word in _MODULE_WORDS) is of_modules or word == "export"]
    return frozenset(kind for word in words for kind in edges_named(word))


def place(candidate: Candidate, standing: Standing, request: PackRequest) -> tuple[str, str]:
    """The section that what the graph led to belongs in, and by which rule."""
    seed_path = split_id(candidate.seed)[0]
    kinds = {step.kind for step in candidate.steps}
    if is_test_path(standing.path) and not is_test_path(seed_path):
        return "tests", "test-neighbor"
    if is_prose(standing.chunk.kind) or (kinds <= _ALWAYS and not candidate.steps[-1].forward):
        return ("tests", "test-neighbor") if EdgeKind.TESTS in kinds else ("docs", "doc-neighbor")
    if kinds <= _SIDE_KINDS:
        return "related", "same-file"
    if kinds == {EdgeKind.CO_CHANGES}:
        return "related", "co-change"
    return _by_edges(candidate.steps, request)


def _by_edges(steps: Sequence[Step], request: PackRequest) -> tuple[str, str]:
    """By what all steps have in common."""
    words, ways = {pack_edge(step.kind) for step in steps}, {step.forward for step in steps}
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


def place_hit(standing: Standing) -> tuple[str, str]:
    """Likewise, of what the retrieval found beside the seeds."""
    if is_test_path(standing.path):
        return "tests", "test-hit"
    return ("docs", "doc-hit") if is_prose(standing.chunk.kind) else ("related", "next-hit")


def gaps(candidate: Candidate, request: PackRequest) -> list[Step]:
    """Steps without evidence of the kinds that count; none where it is not required, or nobody wants to know."""
    if not request.expansion.require_evidence or request.strictness == "loose":
        return []
    return [step for step in candidate.steps if pack_evidence(step.evidence) not in request.expansion.evidence_kinds]


def distinct(entries: Iterable[Entry]) -> tuple[list[Entry], int]:
    """Each chunk once: as a seed, or in the first section that it fits, by its nearest way; and how many there were."""
    best: dict[str, tuple[tuple[int, float, float], Entry]] = {}
    seen = 0
    for entry in entries:
        seen += 1
        steps = entry.candidate.distance if entry.candidate else 0
        rank = _PLACES[entry.section], steps, -entry.scores.hybrid_score
        known = best.get(entry.standing.uid)
        if known is None or rank < known[0]:
            best[entry.standing.uid] = rank, entry
    return [entry for _, entry in best.values()], seen - len(best)


def allotted(entries: Sequence[Entry], budgets: Budgets) -> Allotted:
    """In their order, as many of a section as it may have, and as many in all."""
    taken: Counter[str] = Counter()
    kept = []
    for entry in entries:
        if taken[entry.section] < budgets.max_items_per_section:
            taken[entry.section] += 1
            kept.append(entry)
    kept = kept[: budgets.max_items]
    return Allotted(tuple(kept), Counter({"budget": len(entries) - len(kept)}))
