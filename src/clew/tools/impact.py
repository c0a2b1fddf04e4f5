"""The answer of `impact_analyze`: affected code by probability, with tests, claims and files that change together."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from clew.coordinate.targets import Meeting
from clew.engine import Engine
from clew.graph.changes import Seed
from clew.model.code import EXTERNAL, split_id
from clew.model.words import EdgeKind, Kind
from clew.store.links import KINDS
from clew.text.paths import is_test_path
from clew.tools.budget import Priority, Shape, listing, only
from clew.tools.changed_code import Changed, ChangeSelection, changed
from clew.tools.freshness import NOTHING_TO_TELL, FreshnessState, counted, paths_of

if TYPE_CHECKING:
    from clew.graph.full_graph import FullGraph
    from clew.graph.impact import Impact

MOST_TESTS = 50
MOST_TOGETHER = 20
DIGITS = 3
RISKS = ((0, "none"), (1, "low"), (10, "medium"), (50, "high"))  # by the files that are probably affected
PROBABLE = 0.3


class ImpactStep(Struct, frozen=True):
    """One step of the path from the changed code: `id` depends on the step before by an edge of this kind, seen at
    `path` and `line`."""

    id: str
    relation: str
    path: str = ""
    line: int = 0


class Affected(Struct, frozen=True, omit_defaults=True):
    """Affected code. `why` is the shortest path in words, `steps` the same with the line of each step."""

    path: str
    symbol: str
    distance: int
    confidence: float
    why: str
    steps: tuple[ImpactStep, ...] = ()


class HeldClaim(Struct, frozen=True):
    """A claim of somebody on affected code."""

    target: str
    holder: str
    id: str


class Together(Struct, frozen=True):
    """A file that changed in `share` of the commits that changed one of these."""

    path: str
    with_path: str
    share: float
    commits: int


class BlastRadius(Struct, frozen=True):
    """Counts of what is probably affected: by a confidence of at least 0.3."""

    files: int
    symbols: int
    tests: int
    all_symbols: int


class ImpactAnalyze(Struct, frozen=True, omit_defaults=True):
    """`unresolved_calls` counts calls by a changed name that lead nowhere known: each may be a missing dependent.
    `not_indexed` are changed files that the graph does not cover."""

    blast_radius: BlastRadius
    risk: str
    changed: tuple[str, ...]
    impacted: tuple[Affected, ...]
    direct_tests: tuple[str, ...] = ()
    transitive_tests: tuple[str, ...] = ()
    claims: tuple[HeldClaim, ...] = ()
    changes_together: tuple[Together, ...] = ()
    unresolved_calls: int = 0
    not_indexed: tuple[str, ...] = ()
    cut: bool = False
    origin: str = ""
    freshness: FreshnessState = NOTHING_TO_TELL

    def summary(self) -> str:
        radius = self.blast_radius
        if not self.changed:
            missing = f" {counted(len(self.not_indexed), 'changed file is', 'changed files are')} not indexed."
            return f"No indexed code changed ({self.origin}).{missing if self.not_indexed else ''}"
        said = (
            f"{counted(len(self.changed), 'changed place', 'changed places')} ({self.origin}) probably affect "
            f"{counted(radius.symbols, 'symbol', 'symbols')} in {counted(radius.files, 'file', 'files')} and "
            f"{counted(radius.tests, 'test', 'tests')}; risk {self.risk}."
        )
        notes = []
        if self.unresolved_calls:
            notes.append(f"{unresolved_said(self.unresolved_calls)} may hide more.")
        if self.not_indexed:
            notes.append(f"{counted(len(self.not_indexed), 'changed file is', 'changed files are')} not indexed.")
        if self.claims:
            notes.append(f"{counted(len(self.claims), 'claim', 'claims')} of others on affected code.")
        if self.cut:
            notes.append("The impact is larger than is followed: it was cut.")
        return " ".join([said, *notes, self.freshness.unseen()]).rstrip()

    def quoted(self) -> Iterable[str]:
        """Files that the answer quotes lines of."""
        return paths_of(one.symbol for one in self.impacted)


IMPACT_SHAPE = Shape(
    {
        "direct_tests": Priority.HIGH,
        "changed": Priority.HIGH,
        "claims": Priority.HIGH,
        "unresolved_calls": Priority.HIGH,
        "not_indexed": Priority.HIGH,
        "transitive_tests": Priority.MEDIUM,
        "changes_together": Priority.MEDIUM,
        "origin": Priority.LOW,
        "freshness": Priority.LOW,
    },
    listing(
        "impacted",
        "direct_tests",
        "transitive_tests",
        forms={"impacted": (only("symbol", "confidence"), only("symbol", "distance", "confidence", "why"))},
        in_turns=("impacted", "direct_tests"),
    ),
    pages=("impacted",),
)


def impact(engine: Engine, asked: ChangeSelection, limit: int) -> ImpactAnalyze:
    from clew.graph.impact import spread  # numpy is heavy, and most tools do not need it
    from clew.graph.test_selection import suite_of

    engine.require_index()
    what = changed(engine, asked)
    graph = engine.graph()
    seeds = seeds_in(graph, what.seeds)
    found = spread(graph, seeds)
    affected = _ordered(graph, found)
    probable = [node for node in affected if found.reached[node].probability >= PROBABLE]
    tests = suite_of(graph).select(found)
    direct = tuple(one.id for one in tests if len(one.path) <= 2)[:MOST_TESTS]
    transitive = tuple(one.id for one in tests if len(one.path) > 2)[:MOST_TESTS]
    files = {split_id(graph.ids[node])[0] for node in probable}
    return ImpactAnalyze(
        blast_radius=BlastRadius(len(files), len(probable), sum(one.score >= PROBABLE for one in tests), len(affected)),
        risk=_risk(len(files)),
        changed=tuple(dict.fromkeys(seed.id for seed in what.seeds)),
        impacted=tuple(_described(graph, found, node) for node in affected[:limit]),
        direct_tests=direct,
        transitive_tests=transitive,
        claims=_claims(engine, [*(seed.id for seed in what.seeds), *(graph.ids[node] for node in probable)]),
        changes_together=_together(engine, what),
        unresolved_calls=unresolved_calls(engine, what.seeds),
        not_indexed=what.unindexed,
        cut=found.cut,
        origin=what.origin,
    )


def seeds_in(graph: "FullGraph", seeds: Iterable[Seed]) -> dict[int, float]:
    """Seeds by their places in the graph; a seed that is no node counts as a change of what contains it."""
    found: dict[int, float] = {}
    for seed in seeds:
        node = graph.find(seed.id)
        if node < 0:
            node = graph.find(split_id(seed.id)[0])
        if node >= 0:
            found[node] = max(found.get(node, 0.0), seed.probability)
    return found


def why(graph: "FullGraph", found: "Impact", node: int) -> tuple[str, tuple[ImpactStep, ...]]:
    """The path from the changed code to a node, in words and step by step."""
    steps = list(reversed(list(_steps(graph, found, node))))
    said = " ← ".join([_short(graph.ids[_origin(found, node)]), *(f"{s.relation} {_short(s.id)}" for s in steps)])
    return said, tuple(steps)


def _steps(graph: "FullGraph", found: "Impact", node: int) -> Iterator[ImpactStep]:
    edges = graph.edges
    while (reached := found.reached[node]).via >= 0:
        node_id = graph.ids[node]
        if reached.edge < 0:
            yield ImpactStep(node_id, "inside")
        else:
            relation = _RELATIONS[KINDS[edges.kind[reached.edge]]]
            yield ImpactStep(node_id, relation, split_id(node_id)[0], int(edges.line[reached.edge]))
        node = reached.via


_RELATIONS = {
    EdgeKind.CALLS: "called by",
    EdgeKind.USES: "used by",
    EdgeKind.INHERITS: "inherited by",
    EdgeKind.IMPLEMENTS: "implemented by",
    EdgeKind.TESTS: "tested by",
    EdgeKind.IMPORTS: "imported by",
    EdgeKind.EXPORTS: "exported by",
    EdgeKind.DEFINES: "defined in",
    EdgeKind.CONTAINS: "member of",
    EdgeKind.DOCUMENTS: "documented in",
    EdgeKind.MENTIONS: "mentioned in",
}


def _origin(found: "Impact", node: int) -> int:
    while (via := found.reached[node].via) >= 0:
        node = via
    return node


def _short(node_id: str) -> str:
    path, scope = split_id(node_id)
    return scope.replace("::", ".") or path


def _ordered(graph: "FullGraph", found: "Impact") -> list[int]:
    """Affected nodes of the project that did not change themselves, the most probable first; tests are listed apart."""
    nodes = [
        node
        for node, reached in found.reached.items()
        if reached.via >= 0
        and graph.kinds[node] != Kind.EXTERNAL
        and not graph.ids[node].startswith(EXTERNAL)
        and not is_test_path(split_id(graph.ids[node])[0])
    ]
    return sorted(nodes, key=lambda n: (-round(found.reached[n].probability, 9), found.reached[n].distance, n))


def _described(graph: "FullGraph", found: "Impact", node: int) -> Affected:
    reached = found.reached[node]
    said, steps = why(graph, found, node)
    node_id = graph.ids[node]
    return Affected(split_id(node_id)[0], node_id, reached.distance, round(reached.probability, DIGITS), said, steps)


def unresolved_said(count: int) -> str:
    return f"{counted(count, 'unresolved call', 'unresolved calls')} by a changed name"


def _risk(files: int) -> str:
    return next(name for least, name in reversed(RISKS) if files >= least)


def _claims(engine: Engine, ids: Sequence[str]) -> tuple[HeldClaim, ...]:
    if not engine.ground.marks().claims:
        return ()
    held = Meeting((claim.target, claim) for claim in engine.fleet.claims.open())
    found = {claim.id: claim for node_id in ids for claim in held.at(node_id)}
    return tuple(HeldClaim(one.target, str(one.holder), one.id) for _, one in sorted(found.items()))


def _together(engine: Engine, what: Changed) -> tuple[Together, ...]:
    """Files that changed with the changed ones in git's history, and are not among them."""
    together, paths = engine.histories.together(), set(what.paths)
    found = [
        Together(edge.target, path, round(edge.confidence, DIGITS), edge.line)
        for path in what.paths
        for edge in together.get(path, ())
        if edge.target not in paths
    ]
    best: dict[str, Together] = {}
    for one in sorted(found, key=lambda one: (-one.share, one.path, one.with_path)):
        best.setdefault(one.path, one)
    return tuple(best.values())[:MOST_TOGETHER]


def unresolved_calls(engine: Engine, seeds: Sequence[Seed]) -> int:
    """Calls by the names of changed code that lead nowhere known: each may be a dependent that nobody sees."""
    from clew.graph.edges import unresolved_calls

    corpus = engine.corpus()
    names = {split_id(seed.id)[1].rpartition("::")[2].partition("#")[0] for seed in seeds}
    return sum(len(unresolved_calls(corpus, name)) for name in sorted(names) if name)
