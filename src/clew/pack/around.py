"""The graph neighborhood of the best matches: implementations, the nodes that a random walk from them visits, and the
dependents of the symbol that a task asks about."""

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from clew.graph.edges import edges_between, edges_to
from clew.graph.elements import Elements
from clew.graph.expansion import Added, expand
from clew.graph.paths import Ways
from clew.graph.walk_graph import Web, nearest, walk
from clew.model.code import SCOPE, Edge, split_id, touch, without_numbers
from clew.model.words import EdgeKind
from clew.pack.request import Intent
from clew.retrieve.question import understand
from clew.store.corpus import Corpus
from clew.store.links import LIKELY, is_unsure
from clew.text.paths import is_test_path

if TYPE_CHECKING:
    from clew.store.corpus import Corpus


_KINDS = (EdgeKind.CALLS, EdgeKind.INHERITS, EdgeKind.IMPLEMENTS, EdgeKind.USES, EdgeKind.TESTS)  # the best first
_OF_TESTS = re.compile(r"\btests\s+(?:\w+\s+)?(?:call|check|cover|exercise|for|of|use)\b", re.IGNORECASE)
_OF_CALLERS = re.compile(
    r"\b(?:who|what) (?:breaks|calls|depends on|relies on|uses)\b|\b(?:callers|dependents|usages) of\b|\A\W*impact of\b"
    r"|\bwhat (?:happens if|is affected|would be affected)\b|\bis \S+ safe to\b",
    re.IGNORECASE,
)


def is_asked(task: str, intent: Intent) -> bool:
    return intent == "impact" or _OF_CALLERS.search(task) is not None or _OF_TESTS.search(task) is not None


class About(NamedTuple):
    """The symbol that a task asks about, and others of the same name; empty if it asks about none."""

    id: str = ""
    others: tuple[str, ...] = ()


def names_asked_about(task: str, intent: Intent) -> list[str]:
    """The names by which a task may mean the symbol that it asks about, the most exact first."""
    if not is_asked(task, intent):
        return []
    names = understand(task).names
    clear = [name for name in names if len(name) > 1 or len(names) == 1]
    if not clear:
        return []
    name, mark = SCOPE.join(clear[0]), re.search(rf"\b{re.escape(clear[0][-1])}([!?])", task)
    return [*([f"{name}{mark[1]}"] if mark else ()), name]  # as in Ruby's `Card.charge!`; else it ends a sentence


def choose_subject(seeds: Sequence[str], named: Sequence[str]) -> About:
    """Of the symbols with the name that the task says, the best match; else the best match that is no test."""
    found, best = _but_tests(named), _but_tests(seeds)
    meant = found[0] if len(found) == 1 else next(iter([*(one for one in best if one in found), *best]), "")
    others = [one for one in found if without_numbers(one) != without_numbers(meant)]
    return About(meant, tuple(others) if meant in found else ())


def _but_tests(ids: Sequence[str]) -> list[str]:
    return [one for one in ids if not is_test_path(split_id(one)[0])]


def find_covering_tests(corpus: "Corpus", seeds: Sequence[str]) -> dict[str, Edge]:
    """Of each of some ids that are no tests, one test that surely calls it, with the edge: the one most like it."""
    found: dict[str, Edge] = {}
    for one in _but_tests(seeds):
        edges = edges_to(corpus, one, (EdgeKind.CALLS, EdgeKind.TESTS))
        tests = [edge for edge in edges if edge.confidence > LIKELY and is_test_path(edge.path)]
        if tests:
            best = min(tests, key=lambda edge: (*_unlike(one, edge.source), edge.source, edge.line))
            found.setdefault(best.source, best)
    return found


def _unlike(id: str, test: str) -> tuple[bool, bool, int]:
    """Whether its file is called otherwise, whether it is itself, and how far it lies from the id's file."""
    (path, scope), (its, own) = split_id(id), split_id(test)
    stem, name = path.rpartition("/")[2].partition(".")[0], scope.rpartition(SCOPE)[2]
    here, there = path.split("/")[:-1], its.split("/")[:-1]
    return (
        _bare(stem) not in _bare(its.rpartition("/")[2]),
        _bare(name) not in _bare(own.rpartition(SCOPE)[2]),
        -len(set(here) & set(there)),
    )


def _bare(name: str) -> str:
    return without_numbers(name).replace("_", "").replace("-", "").lower()


def dependents(corpus: "Corpus", elements: Elements, of: Sequence[str], task: str) -> dict[str, Edge]:
    """By id, with the edge that tells it, the unsure behind the others; none of nothing. Tests come last, or alone if
    asked for."""
    tests = _OF_TESTS.search(task) is not None
    inside = dict.fromkeys(elements.inside(*of))
    edges = [edge for one in inside for edge in edges_to(corpus, one, _KINDS)]
    found = [one for one in edges if one.confidence >= LIKELY and one.source not in inside]
    testing = {one.source for one in found if one.kind is EdgeKind.TESTS or is_test_path(one.path)}
    asked = [one for one in found if not tests or one.source in testing]
    best: dict[str, Edge] = {}
    for one in sorted(
        asked,
        key=lambda e: (e.source in testing, is_unsure(e), _KINDS.index(e.kind), -e.confidence, e.source, e.line),
    ):
        best.setdefault(one.source, one)
    return best


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

    def why(self, id: str, known: Collection[str]) -> GraphReason:
        """`known` are the ids that the reader has seen: only these are named without their file."""
        if edge := self.asked.get(id):
            return GraphReason(f"{_describe_edge(edge, id, known)} in line {edge.line}", str(edge.kind), edge)
        if edge := self.covering.get(id):
            return GraphReason(f"tests {_name(edge.target, id, known)}", str(edge.kind), edge)
        if added := self.implementing.get(id):
            return GraphReason(f"implements {_name(added.of, id, known)}", added.reason, added.edge)
        path = self.ways.to(id)
        reason = _describe_edge(path.edges[-1], id, known) if path and path.edges else "near the best matches"
        if path and len(path.edges) > 1 and path.seed in known:
            reason += f", near {short(path.seed)}"
        return GraphReason(reason, str(path or ""), path.edges[-1] if path and path.edges else None)


def around(web: Web, elements: Elements, seeds: Mapping[str, float], about: About, asked: Mapping[str, Edge]) -> Around:
    """From ids with their weights, the best first."""
    covering = {} if about.id else find_covering_tests(web.corpus, list(islice(seeds, TESTED)))
    implementing = expand(web.corpus, elements, list(seeds))
    begun = {**{one.id: seeds[one.of] / 2 for one in implementing}, **seeds}
    shares = nearest_by_walk(web, begun, NEAREST)
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


def nearest_by_walk(web: Web, seeds: Mapping[str, float], most: int) -> dict[str, float]:
    """How much of a walk from ids, by their weights, ends at the nodes where most of it does; the nearest first."""
    return {near.id: near.share for near in nearest(web, walk(web, seeds), most)}


def short(id: str) -> str:
    """The last names of an id: enough to tell it in a line."""
    path, *scopes = without_numbers(id).split(SCOPE)
    return ".".join(scopes[-2:]) or path.rpartition("/")[2]


def _describe_edge(edge: Edge, id: str, known: Collection[str]) -> str:
    begins, leads = _WORDS[edge.kind]
    is_source = edge.source == id
    text = f"{begins} {_name(edge.target, id, known)}" if is_source else f"{leads} {_name(edge.source, id, known)}"
    return f"perhaps {text}" if is_unsure(edge) else text


def _name(other: str, id: str, known: Collection[str]) -> str:
    """The last names of another id, with its file if the reader cannot know it."""
    path, scope = split_id(other)
    is_known = other in known or other.rpartition(SCOPE)[0] in known or path == split_id(id)[0] or not scope
    return short(other) if is_known else f"{short(other)} in {path.rpartition('/')[2]}"
