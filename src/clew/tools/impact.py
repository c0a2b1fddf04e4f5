"""The answer of `impact_analyze`: affected code by probability, with tests, claims and files that change together."""

import re
from collections import Counter
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
from clew.tools.budget import Priority, Shape, grow_lists, only
from clew.tools.changed_code import Changed, ChangeSelection, find_changed
from clew.tools.freshness import NOTHING_TO_TELL, FreshnessState, count_of, paths_of

if TYPE_CHECKING:
    from clew.graph.full_graph import FullGraph
    from clew.graph.impact import Impact

MOST_TESTS = 50
MOST_COMPARED = 300  # files whose versions are compared for breaking changes
MOST_TOGETHER = 20
DIGITS = 3
RISKS = ((0, "none"), (1, "low"), (10, "medium"), (50, "high"))  # by the files that are probably affected
PROBABLE = 0.3
# Files that declare more than one service; without any, nothing of services is read for a question about a change.
_DEPLOYMENT = re.compile(r"(?:^|/)(?:(?:docker-)?compose[\w.-]*\.ya?ml|Chart\.yaml|skaffold\.ya?ml|Dockerfile[\w.-]*)$")


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


class BreakingChange(Struct, frozen=True, omit_defaults=True):
    """A change after which code that uses the symbol may fail: `reason` says why. Signatures are empty where the
    symbol was removed or is no function."""

    symbol: str
    reason: str
    old_signature: str = ""
    signature: str = ""


class AffectedService(Struct, frozen=True, omit_defaults=True):
    """A service that the change reaches: through its own `files`, or over `contracts`, the endpoints and events of
    affected code that it uses."""

    service: str
    files: int = 0
    contracts: tuple[str, ...] = ()


class BlastRadius(Struct, frozen=True):
    """Counts of what is probably affected: by a confidence of at least 0.3."""

    files: int
    symbols: int
    tests: int
    all_symbols: int


class ImpactAnalyze(Struct, frozen=True, omit_defaults=True):
    """`unresolved_calls` counts calls by a changed name that lead nowhere known: each may be a missing dependent.
    `not_indexed` are changed files that the graph does not cover. `breaking` is derived where both texts of a change
    are known: from a diff, a commit or the working tree, not from a named symbol."""

    blast_radius: BlastRadius
    risk: str
    changed: tuple[str, ...]
    impacted: tuple[Affected, ...]
    breaking: tuple[BreakingChange, ...] = ()
    direct_tests: tuple[str, ...] = ()
    transitive_tests: tuple[str, ...] = ()
    services: tuple[AffectedService, ...] = ()
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
            missing = f" {count_of(len(self.not_indexed), 'changed file is', 'changed files are')} not indexed."
            return f"No indexed code changed ({self.origin}).{missing if self.not_indexed else ''}"
        said = (
            f"{count_of(len(self.changed), 'changed place', 'changed places')} ({self.origin}) probably affect "
            f"{count_of(radius.symbols, 'symbol', 'symbols')} in {count_of(radius.files, 'file', 'files')} and "
            f"{count_of(radius.tests, 'test', 'tests')}; risk {self.risk}."
        )
        notes = []
        if self.breaking:
            notes.append(f"{count_of(len(self.breaking), 'change breaks', 'changes break')} what others may use.")
        if self.unresolved_calls:
            notes.append(f"{unresolved_said(self.unresolved_calls)} may hide more.")
        if self.not_indexed:
            notes.append(f"{count_of(len(self.not_indexed), 'changed file is', 'changed files are')} not indexed.")
        if self.claims:
            notes.append(f"{count_of(len(self.claims), 'claim', 'claims')} of others on affected code.")
        if self.cut:
            notes.append("The impact is larger than is followed: it was cut.")
        return " ".join([said, *notes, self.freshness.unseen()]).rstrip()

    def quoted_files(self) -> Iterable[str]:
        """Files that the answer quotes lines of."""
        return paths_of(one.symbol for one in self.impacted)


_IN_TURNS = ("impacted", "direct_tests", "breaking", "changed", "claims", "not_indexed")
IMPACT_SHAPE = Shape(
    {
        "breaking": Priority.HIGH,
        "direct_tests": Priority.HIGH,
        "services": Priority.MEDIUM,
        "changed": Priority.HIGH,
        "claims": Priority.HIGH,
        "unresolved_calls": Priority.HIGH,
        "not_indexed": Priority.HIGH,
        "transitive_tests": Priority.MEDIUM,
        "changes_together": Priority.MEDIUM,
        "origin": Priority.LOW,
        "freshness": Priority.LOW,
    },
    grow_lists(
        *_IN_TURNS,
        "transitive_tests",
        forms={"impacted": (only("symbol", "confidence"), only("symbol", "distance", "confidence", "why"))},
        in_turns=_IN_TURNS,
    ),
    pages=("impacted",),
)


def impact(engine: Engine, asked: ChangeSelection, limit: int) -> ImpactAnalyze:
    from clew.graph.impact import spread  # numpy is heavy, and most tools do not need it
    from clew.graph.test_selection import suite_of

    engine.require_index()
    what = find_changed(engine, asked)
    graph = engine.graph()
    seeds = seeds_in(graph, what.seeds)
    found = spread(graph, seeds)
    affected = _order_nodes(graph, found)
    probable = [node for node in affected if found.reached[node].probability >= PROBABLE]
    tests = suite_of(graph).select(found)
    direct = tuple(one.id for one in tests if len(one.path) <= 2)[:MOST_TESTS]
    transitive = tuple(one.id for one in tests if len(one.path) > 2)[:MOST_TESTS]
    files = {split_id(graph.ids[node])[0] for node in probable}
    breaking = breaking_changes(engine, what)
    return ImpactAnalyze(
        blast_radius=BlastRadius(len(files), len(probable), sum(one.score >= PROBABLE for one in tests), len(affected)),
        risk=_risk(len(files)),
        changed=tuple(dict.fromkeys(seed.id for seed in what.seeds)),
        impacted=tuple(_describe_node(graph, found, node) for node in affected[:limit]),
        breaking=breaking,
        direct_tests=direct,
        transitive_tests=transitive,
        services=_services(engine, [*what.paths, *(graph.ids[node] for node in probable)]),
        claims=_claims(engine, [*(seed.id for seed in what.seeds), *(graph.ids[node] for node in probable)]),
        changes_together=_together(engine, what),
        unresolved_calls=unresolved_calls(engine, what.seeds),
        not_indexed=what.unindexed,
        cut=found.cut,
        origin=what.origin,
    )


def breaking_changes(engine: Engine, what: Changed) -> tuple[BreakingChange, ...]:
    """Removed exports and changed signatures, where both texts of a file are known."""
    versions = [one for one in what.versions if not is_test_path(one.new_path or one.old_path)]
    if not versions:
        return ()
    from clew.history.definitions import read_definitions  # parsers are heavy
    from clew.history.differ import FilePair, difference
    from clew.languages.plugins import load_languages, offered_languages

    known = load_languages(offered_languages()).known
    texts = [one for one in versions if one.old_path][:MOST_COMPARED]
    old = {one.old_path: read_definitions(one.old_path, one.old.encode(), known) for one in texts}
    new = {one.new_path: read_definitions(one.new_path, one.new.encode(), known) for one in texts if one.new_path}
    deltas = difference([FilePair(one.old_path, one.new_path) for one in texts], old, new).all()
    found = {
        one.origin or one.id: BreakingChange(one.origin or one.id, one.breaking, one.old_signature, one.signature)
        for one in deltas
        if one.breaking and one.kind != Kind.FILE
    }
    return tuple(found[name] for name in sorted(found))


def _services(engine: Engine, ids: Sequence[str]) -> tuple[AffectedService, ...]:
    """Services with affected code, and those that use its endpoints or events; none if the project has no several."""
    settings = engine.config.services
    declares = settings.folders or any(_DEPLOYMENT.search(one.path) for one in engine.files.contents())
    if not (settings.enabled and declares):
        return ()
    owned = engine.services.current()
    if len({one.path for one in owned.system.services if one.path}) < 2:
        return ()
    system, affected = owned.system, set(ids)
    files = {split_id(node_id)[0] for node_id in ids}
    own = Counter(owner for path in files if (owner := owned.owner.get(path)))
    endpoints = {one.id: f"{one.method} {one.path}" for one in system.endpoints if one.handler in affected}
    events = {one.event for one in system.events if one.publishes and one.evidence.path in files}
    contracts: dict[str, set[str]] = {}
    for edge in system.edges:
        if edge.endpoint in endpoints:
            contracts.setdefault(edge.source, set()).add(endpoints[edge.endpoint])
    for use in system.events:
        if use.event in events and not use.publishes:
            contracts.setdefault(use.service, set()).add(use.event)
    return tuple(
        AffectedService(name, own.get(name, 0), tuple(sorted(contracts.get(name, ()))[:MOST_TOGETHER]))
        for name in sorted({*own, *contracts}, key=lambda name: (-own.get(name, 0), name))
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
    from clew.graph.impact import POSSIBLE  # numpy is heavy

    edges = graph.edges
    while (reached := found.reached[node]).via >= 0:
        node_id = graph.ids[node]
        if reached.edge < 0:
            yield ImpactStep(node_id, "inside" if reached.edge != POSSIBLE else "may be called by")
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


def _order_nodes(graph: "FullGraph", found: "Impact") -> list[int]:
    """Affected nodes of the project that did not change themselves, the most probable first; tests are listed apart."""
    around = _changed_with(graph, found)
    nodes = [
        node
        for node, reached in found.reached.items()
        if node not in around
        and graph.kinds[node] != Kind.EXTERNAL
        and not graph.ids[node].startswith(EXTERNAL)
        and not is_test_path(split_id(graph.ids[node])[0])
    ]
    return sorted(nodes, key=lambda n: (-round(found.reached[n].probability, 9), found.reached[n].distance, n))


def _changed_with(graph: "FullGraph", found: "Impact") -> set[int]:
    """Changed nodes, their members, and what they are members of: these changed, too, and depend on nothing new."""
    from clew.graph.impact import POSSIBLE  # numpy is heavy

    kinds, around = graph.edges.kind, set[int]()
    for node, reached in sorted(found.reached.items(), key=lambda one: one[1].distance):
        if reached.via < 0 or (
            reached.via in around
            and reached.edge != POSSIBLE
            and (reached.edge < 0 or KINDS[kinds[reached.edge]] in (EdgeKind.CONTAINS, EdgeKind.DEFINES))
        ):
            around.add(node)
    return around


def _describe_node(graph: "FullGraph", found: "Impact", node: int) -> Affected:
    reached = found.reached[node]
    said, steps = why(graph, found, node)
    node_id = graph.ids[node]
    return Affected(split_id(node_id)[0], node_id, reached.distance, round(reached.probability, DIGITS), said, steps)


def unresolved_said(count: int) -> str:
    return f"{count_of(count, 'unresolved call', 'unresolved calls')} by a changed name"


def _risk(files: int) -> str:
    return next(name for least, name in reversed(RISKS) if files >= least)


def _claims(engine: Engine, ids: Sequence[str]) -> tuple[HeldClaim, ...]:
    held = Meeting((claim.target, claim) for claim in engine.open_claims())
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
