"""The graph neighborhood of the best matches: implementations, and the nodes that a random walk from them visits."""

from collections.abc import Callable, Collection, Mapping
from itertools import islice

from msgspec import Struct

from clew.graph.edges import edges_between
from clew.graph.elements import Elements
from clew.graph.expansion import Added, expand
from clew.graph.paths import Path, Ways
from clew.graph.walk_graph import Web, nearest, walk
from clew.model.code import SCOPE, Edge, split_id, touch, without_numbers
from clew.model.words import EdgeKind
from clew.pack.dependents import About
from clew.pack.dependents import covering as tests_of
from clew.store.corpus import Corpus
from clew.store.links import is_unsure

NEAREST = 400  # nodes whose share of the walk is told
REACHED = 40  # of them that may stand in a pack
MOST_ASKED = 80  # of what the task asks for
TESTED = 2  # matches of which a test is named
BEFORE_TESTS = 2  # of what is near, that comes before these

# How the end of an edge is called: where it begins, and where it leads.
_WORDS: Mapping[EdgeKind, tuple[str, str]] = {
    EdgeKind.CALLS: ("calls", "called by"),
    EdgeKind.INHERITS: ("inherits from", "base of"),
    EdgeKind.IMPLEMENTS: ("implements", "implemented by"),
    EdgeKind.IMPORTS: ("imports", "imported by"),
    EdgeKind.EXPORTS: ("exports", "exported by"),
    EdgeKind.USES: ("uses", "used by"),
    EdgeKind.DATAFLOW: ("passes to", "gets from"),
    EdgeKind.TESTS: ("tests", "tested by"),
    EdgeKind.DOCUMENTS: ("documents", "documented by"),
    EdgeKind.MENTIONS: ("mentions", "mentioned by"),
    EdgeKind.CONTAINS: ("holds", "part of"),
    EdgeKind.DEFINES: ("defines", "defined in"),
    EdgeKind.CO_CHANGES: ("changes with", "changes with"),
}


class GraphReason(Struct, frozen=True):
    """In a few words, how the graph leads there with evidence, and the last step of that."""

    reason: str
    way: str
    edge: Edge | None


class Around(Struct, frozen=True, eq=False):
    """What is near, the nearest first; `shares` is what the walk gives to any node that it came by often.

    `asked` is what the task asks for, before all else: what depends on `about`, the best match that is no test.
    `covering` are tests of the best matches.
    """

    seeds: tuple[str, ...]
    about: About
    asked: Mapping[str, Edge]
    covering: Mapping[str, Edge]
    ids: tuple[str, ...]
    shares: Mapping[str, float]
    implementing: Mapping[str, Added]
    ways: Ways

    def why(self, id: str, is_there: Callable[[str], bool]) -> GraphReason:

        def called(other: str) -> str:
            path, scope = split_id(other)
            is_known = is_there(other) or is_there(other.rpartition(SCOPE)[0]) or path == split_id(id)[0] or not scope
            return short(other) if is_known else f"{short(other)} in {path.rpartition('/')[2]}"

        if edge := self.asked.get(id):
            return GraphReason(f"{_said(edge, id, called)} in line {edge.line}", str(edge.kind), edge)
        if edge := self.covering.get(id):
            return GraphReason(f"tests {called(edge.target)}", str(edge.kind), edge)
        if added := self.implementing.get(id):
            return GraphReason(f"implements {called(added.of)}", added.reason, added.edge)
        path = self.ways.to(id)
        reason = _reason(path, id, called)
        if path and len(path.edges) > 1 and is_there(path.seed):
            reason += f", near {short(path.seed)}"
        return GraphReason(reason, str(path or ""), path.edges[-1] if path and path.edges else None)


def around(web: Web, elements: Elements, seeds: Mapping[str, float], about: About, asked: Mapping[str, Edge]) -> Around:
    """From ids with their weights, the best first."""
    covering = {} if about.id else tests_of(web.corpus, list(islice(seeds, TESTED)))
    implementing = expand(web.corpus, elements, list(seeds))
    begun = {**{one.id: seeds[one.of] / 2 for one in implementing}, **seeds}
    shares = reached(web, begun, NEAREST)
    others = list(islice((one for one in shares if _is_around(web.corpus, one, begun)), REACHED))
    added = {one.id: one for one in implementing}
    ids = tuple(dict.fromkeys([*islice(asked, MOST_ASKED), *added, *others[:BEFORE_TESTS], *covering, *others]))
    return Around(tuple(seeds), about, asked, covering, ids, shares, added, Ways(web, list(seeds)))


def _is_around(corpus: Corpus, id: str, seeds: Collection[str]) -> bool:
    """A node that contains a seed is not; a part of a seed is only if another seed is linked to it."""
    touching = [seed for seed in seeds if touch(id, seed)]
    if not all(id.startswith(f"{seed}{SCOPE}") for seed in touching):
        return False
    others = [seed for seed in seeds if seed not in touching]
    return not touching or any(_are_tied(corpus, id, one) or _are_tied(corpus, one, id) for one in others)


def _are_tied(corpus: Corpus, source: str, target: str) -> bool:
    return any(edges_between(corpus, source, target, kind) for kind in (EdgeKind.CALLS, EdgeKind.USES))


def reached(web: Web, seeds: Mapping[str, float], most: int) -> dict[str, float]:
    """How much of a walk from ids, by their weights, ends at the nodes where most of it does; the nearest first."""
    return {near.id: near.share for near in nearest(web, walk(web, seeds), most)}


def short(id: str) -> str:
    """The last names of an id: enough to tell it in a line."""
    path, *scopes = without_numbers(id).split(SCOPE)
    return ".".join(scopes[-2:]) or path.rpartition("/")[2]


def _reason(path: Path | None, id: str, called: Callable[[str], str]) -> str:
    """By the last step."""
    return _said(path.edges[-1], id, called) if path and path.edges else "near the best matches"


def _said(edge: Edge, id: str, called: Callable[[str], str]) -> str:
    begins, leads = _WORDS[edge.kind]
    said = f"{begins} {called(edge.target)}" if edge.source == id else f"{leads} {called(edge.source)}"
    return f"perhaps {said}" if is_unsure(edge) else said
