"""Gathering: from seeds to candidates, each with the path that led there."""

from clew.graph.spreading import Along, Bounds, Direction
from clew.graph.walk_graph import Web
from clew.model.code import Edge
from clew.model.words import EdgeKind, EvidenceKind
from clew.pack.artifact import CapMet
from clew.pack.gather import MOST_INSIDE, Candidate, Route, RouteStep, gather
from clew.pack.matching import Match
from tests.graph.worlds import anew, shown
from tests.pack.standings import a_standing

CALLS, IMPORTS = EdgeKind.CALLS, EdgeKind.IMPORTS
CODE = Route("code", Along(frozenset({CALLS})))
MODULES = Route("modules", Along(frozenset({IMPORTS}), hops=1), modules=True)


def a_seed(id: str, *, focus: bool = False) -> Match:
    path, _, scope = id.partition("::")
    return Match(a_standing(path, scope), 0.9, named=id if focus else "")


def test_a_candidate_tells_every_step_with_its_evidence() -> None:
    edges = {"a.py": [shown("f", CALLS, "b.py::g", 3, 0.8)], "c.py": [shown("h", CALLS, "b.py::g", 5)]}
    found = gather(Web(anew(edges)), [a_seed("a.py::f")], [CODE])

    out = RouteStep(Edge("a.py::f", "b.py::g", CALLS, "a.py", 3, EvidenceKind.CALLSITE, 0.8), forward=True)
    back = RouteStep(Edge("c.py::h", "b.py::g", CALLS, "c.py", 5, EvidenceKind.CALLSITE, 1.0), forward=False)
    assert found.candidates == (
        Candidate("b.py::g", "a.py::f", (out,), 0.8),
        Candidate("c.py::h", "a.py::f", (out, back), 0.8),
    )
    assert found.candidates[1].distance == 2


def test_a_class_is_begun_at_with_all_its_methods() -> None:
    edges = {"a.py": [shown("C::m", CALLS, "b.py::g"), shown("Card::m", CALLS, "b.py::other")]}
    found = gather(Web(anew(edges)), [a_seed("a.py::C")], [CODE])

    assert [(one.id, one.seed, one.steps[0].edge.source) for one in found.candidates] == [
        ("b.py::g", "a.py::C", "a.py::C::m")
    ]


def test_a_module_is_begun_at_alone_unless_it_is_the_focus() -> None:
    web = Web(anew({"a.py": [shown("", CALLS, "b.py::top"), shown("f", CALLS, "b.py::g")]}))

    assert [one.id for one in gather(web, [a_seed("a.py")], [CODE]).candidates] == ["b.py::top"]
    whole = gather(web, [a_seed("a.py", focus=True)], [CODE])
    assert [one.id for one in whole.candidates] == ["b.py::g", "b.py::top"]


def test_what_modules_import_is_found_from_the_files_of_seeds() -> None:
    web = Web(anew({"a.py": [shown("", IMPORTS, "b.py"), shown("f", CALLS, "b.py::g")]}))
    found = gather(web, [a_seed("a.py::f")], [CODE, MODULES])

    assert [one.id for one in found.candidates] == ["b.py::g", "b.py"]


def test_seeds_are_no_candidates_and_the_unknown_is_no_seed() -> None:
    web = Web(anew({"a.py": [shown("f", CALLS, "b.py::g")]}))

    assert gather(web, [a_seed("a.py::f"), a_seed("b.py::g")], [CODE]).candidates == ()
    assert gather(web, [a_seed("nowhere.py::f")], [CODE, MODULES]).candidates == ()
    assert gather(web, [], [CODE]).candidates == ()


def test_bounds_that_are_met_are_told_by_route() -> None:
    web = Web(anew({"a.py": [shown(f"f{i}", CALLS, "b.py::hub", i) for i in range(9)]}))
    one_hop = Route("callers", Along(frozenset({CALLS}), Direction.IN, 1))
    found = gather(web, [a_seed("b.py::hub")], [one_hop], {"a.py::f7": 0.3}, Bounds(alike=2))

    assert [one.id for one in found.candidates] == ["a.py::f0", "a.py::f7"]
    assert found.capped == (CapMet("callers", 1, "reached", 7),)


def test_of_a_class_with_too_many_members_the_first_are_begun_at() -> None:
    edges = [shown(f"C::m{i:03}", CALLS, f"b.py::g{i:03}") for i in range(MOST_INSIDE + 5)]
    found = gather(Web(anew({"a.py": edges})), [a_seed("a.py::C")], [CODE], bounds=Bounds(alike=1000))

    assert len(found.candidates) == MOST_INSIDE
    assert found.capped == (CapMet("code", 0, "inside", 5),)
