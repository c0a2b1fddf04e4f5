"""Spreading: what a few steps lead to, by which way, what bounds leave out, and the same however it came together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.graph.spreading import Along, Bounds, Direction, Spread, SpreadLimit, spread
from clew.graph.walk_graph import Web
from clew.model.words import EdgeKind
from clew.store.corpus import Corpus
from clew.store.histories import Together
from clew.store.links import KINDS, FileEdge
from tests.graph.worlds import Shows, anew, laid_over, shown

CALLS, IMPORTS, USES = EdgeKind.CALLS, EdgeKind.IMPORTS, EdgeKind.USES
CHAIN = anew(
    {
        "a.py": [shown("f", CALLS, "b.py::g", 3), shown("", IMPORTS, "b.py", 1)],
        "b.py": [shown("g", CALLS, "c.py::h", 5)],
        "c.py": [shown("h", CALLS, "d.py::i", 7), shown("h", USES, "a.py::f", 8)],
    }
)


def reached(corpus: Corpus, begin: str, along: Along, bounds: Bounds | None = None) -> list[list[str]]:
    web = Web(corpus)
    return told(web, spread(web, [web.find(begin)], along, bounds))


def told(web: Web, found: Spread) -> list[list[str]]:
    return [[web.numbering.id(int(n)) for n in level.node] for level in found.levels[1:]]


def along(*kinds: EdgeKind, direction: Direction = Direction.BOTH, hops: int = 2) -> Along:
    return Along(frozenset(kinds), direction, hops)


@pytest.mark.parametrize(
    ("direction", "expected"),
    [
        (Direction.OUT, [["c.py::h"], ["d.py::i"]]),
        (Direction.IN, [["a.py::f"], []]),
        (Direction.BOTH, [["a.py::f", "c.py::h"], ["d.py::i"]]),
    ],
)
def test_edges_are_followed_the_way_that_is_asked_for(direction: Direction, expected: list[list[str]]) -> None:
    assert reached(CHAIN, "b.py::g", along(CALLS, direction=direction)) == expected


def test_only_kinds_that_are_asked_for_lead_on() -> None:
    assert reached(CHAIN, "c.py::h", along(USES)) == [["a.py::f"], []]
    assert reached(CHAIN, "a.py", along(IMPORTS)) == [["b.py"], []]


def test_it_ends_after_as_many_hops_as_are_asked_for() -> None:
    assert reached(CHAIN, "a.py::f", along(CALLS, direction=Direction.OUT, hops=1)) == [["b.py::g"]]
    assert reached(CHAIN, "a.py::f", along(CALLS, direction=Direction.OUT, hops=0)) == []
    assert len(reached(CHAIN, "a.py::f", along(CALLS, direction=Direction.OUT, hops=9))) == 4  # and a last empty one


def test_the_shortest_way_is_taken_and_of_these_the_surest() -> None:
    edges = [
        shown("start", CALLS, "a.py::weak", 1, 0.6),
        shown("start", CALLS, "a.py::sure", 2),
        shown("weak", CALLS, "a.py::end", 3),
        shown("sure", CALLS, "a.py::end", 4, 0.9),
        shown("start", CALLS, "a.py::near", 5, 0.5),
        shown("sure", CALLS, "a.py::near", 6),
    ]
    web = Web(anew({"a.py": edges}))
    _, first, second = spread(web, [web.find("a.py::start")], along(CALLS, direction=Direction.OUT)).levels

    assert "a.py::near" in [web.numbering.id(n) for n in first.node]
    (end,) = [i for i, n in enumerate(second.node) if web.numbering.id(n) == "a.py::end"]
    assert web.numbering.id(int(second.before[end])) == "a.py::sure"
    assert (int(second.line[end]), KINDS[second.kind[end]]) == (4, CALLS)
    assert second.evidence[end] == pytest.approx(0.9)


def test_neither_candidates_nor_what_is_outside_nor_what_was_seen_is_reached() -> None:
    edges = [
        shown("f", CALLS, "a.py::f"),
        shown("f", CALLS, "b.py::g", confidence=0.49),
        shown("f", CALLS, "external::print"),
    ]

    assert reached(anew({"a.py": edges}), "a.py::f", along(CALLS)) == [[]]


def test_what_contains_what_leads_inward_and_back() -> None:
    edges = [shown(scope, CALLS, "external::x") for scope in ("", "C", "C::m", "C::n")]
    kinds = EdgeKind.DEFINES, EdgeKind.CONTAINS

    assert reached(anew({"a.py": edges}), "a.py::C::m", along(*kinds)) == [["a.py::C"], ["a.py", "a.py::C::n"]]
    assert reached(anew({"a.py": edges}), "a.py", along(*kinds, direction=Direction.OUT)) == [
        ["a.py::C"],
        ["a.py::C::m", "a.py::C::n"],
    ]


def test_files_that_changed_together_lead_to_each_other() -> None:
    corpus = anew({name: [shown("", CALLS, "external::x")] for name in ("a.py", "b.py")})
    together: Together = {"a.py": (FileEdge("", EdgeKind.CO_CHANGES, "b.py", 7, "tooling", 0.75),)}
    web = Web(corpus, together)
    found = spread(web, [web.find("a.py")], along(EdgeKind.CO_CHANGES, hops=1))

    assert told(web, found) == [["b.py"]]
    assert found.levels[1].confidence.tolist() == [0.75]


def test_a_crowd_is_cut_and_counted_and_hides_nothing_of_another_kind() -> None:
    callers = [shown(f"f{i:03}", CALLS, "b.py::hub", i) for i in range(300)]
    web = Web(anew({"a.py": callers, "b.py": [shown("hub", CALLS, "c.py::one"), shown("hub", USES, "c.py::two")]}))
    favoured = {web.find("a.py::f222"): 0.5}
    found = spread(web, [web.find("b.py::hub")], along(CALLS, USES, hops=1), Bounds(alike=3), favoured)

    assert told(web, found) == [["a.py::f000", "a.py::f001", "a.py::f222", "c.py::one", "c.py::two"]]
    assert found.cuts == (SpreadLimit(1, "reached", 297),)


def test_what_a_bound_left_out_is_not_reached_by_a_longer_way() -> None:
    edges = [shown("start", CALLS, f"a.py::f{i}") for i in range(5)] + [shown("f0", CALLS, "a.py::f4")]

    found = reached(anew({"a.py": edges}), "a.py::start", along(CALLS, direction=Direction.OUT), Bounds(alike=2))
    assert found == [["a.py::f0", "a.py::f1"], []]


def test_no_more_is_gone_on_from_than_bounds_allow() -> None:
    edges = [shown("start", CALLS, f"a.py::f{i}") for i in range(5)]
    edges += [shown(f"f{i}", CALLS, f"a.py::g{i}") for i in range(5)]
    web = Web(anew({"a.py": edges}))
    begin = [web.find("a.py::start")]

    wide = spread(web, begin, along(CALLS, direction=Direction.OUT), Bounds(widest=2))
    assert told(web, wide)[1] == ["a.py::g0", "a.py::g1"]
    assert wide.cuts == (SpreadLimit(2, "front", 3),)
    few = spread(web, begin, along(CALLS, direction=Direction.OUT), Bounds(edges=1))
    assert told(web, few)[1] == ["a.py::g0"]


NAMES = st.sampled_from([f"{path}::{name}" for path in ("a.py", "b.py", "c.py") for name in "fgh"])
EDGES = st.lists(st.tuples(NAMES, NAMES, st.sampled_from([CALLS, USES, IMPORTS]), st.sampled_from([0.4, 0.7, 1.0])))


Drawn = list[tuple[str, str, EdgeKind, float]]


def shows(edges: Drawn) -> Shows:
    files: dict[str, list[FileEdge]] = {"a.py": [], "b.py": [], "c.py": []}
    for line, (source, target, kind, sure) in enumerate(edges, 1):
        path, _, scope = source.partition("::")
        files[path].append(shown(scope, kind, target, line, sure))
    return files


@given(EDGES, EDGES)
def test_laid_over_or_made_anew_it_is_the_same(before: Drawn, now: Drawn) -> None:
    found: list[list[list[object]]] = []
    for corpus in (anew(shows(now)), laid_over(shows(before), shows(now))):
        web = Web(corpus)
        begin = web.find("a.py::f")
        if begin < 0:
            found.append([])
            continue
        levels = spread(web, [begin], along(CALLS, USES, hops=3), Bounds(alike=2, widest=2)).levels
        rows = [
            [web.numbering.id(int(node)), web.numbering.id(int(before)), int(kind), bool(forward), int(line), strength]
            for level in levels[1:]
            for node, before, kind, forward, line, strength in zip(
                level.node, level.before, level.kind, level.forward, level.line, level.strength, strict=True
            )
        ]
        found.append(rows)
    assert found[0] == found[1]
