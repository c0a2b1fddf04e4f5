"""Surroundings: the past is looked through as the present is, and what lies inside of a thing is its own affair."""

from clew.engine import Engine
from clew.graph.edges import edges_around
from clew.graph.elements import Elements
from clew.graph.surroundings import Touching, surroundings, touching_then
from clew.model.code import Edge
from clew.model.time import NOW
from clew.model.words import EdgeKind, EvidenceKind
from tests.conftest import Repository
from tests.worlds import call, loose, show


def edge(source: str, target: str, line: int = 1, confidence: float = 1.0, kind: EdgeKind = EdgeKind.CALLS) -> Edge:
    return Edge(source, target, kind, source.partition("::")[0], line, EvidenceKind.CALLSITE, confidence)


def test_links_looked_through_say_what_the_corpus_says(repository: Repository, engine: Engine) -> None:
    repository.write("a.py", "import b\n\n\nclass Card:\n    def charge(self): ...\n")
    repository.write("b.py", "import a\n\n\ndef main(): ...\n")
    engine.index()
    show(engine, "b.py", call("main", "a.py::Card::charge", 4, 0.7), loose("main", "x.charge", 4), loose("", "y", 1))
    show(engine, "a.py", call("Card::charge", "b.py::main", 5), loose("Card::charge", "self.gone", 5))
    ids = Elements(engine.files).inside("a.py")

    now = edges_around(engine.corpus(), ids, "charge")
    then = touching_then(engine.files, engine.links, NOW, ids, "charge")

    assert ids == ["a.py", "a.py::Card", "a.py::Card::charge"]
    assert surroundings(["a.py"], now) == surroundings(["a.py"], then)
    assert len(now.out) == len(then.out) == 2
    assert [one.written for one in now.by_name] == ["x.charge"]
    assert [one.written for one in now.from_here] == ["self.gone"]


def test_relations_are_grouped_and_the_surest_come_first() -> None:
    into = [
        edge("a.py::x", "b.py::C::f", 9, 0.6),
        edge("a.py::x", "b.py::C", 3, 0.8),
        edge("a.py", "b.py::C", 1, 0.8, EdgeKind.IMPORTS),
        edge("a.py::y", "b.py::C", 2),
        edge("a.py::z", "b.py::C", 2, 0.49),
        edge("b.py::C::g", "b.py::C::f", 4),
        edge("b.py::Cat", "b.py::C", 5, 0.5),
    ]

    found = surroundings(["b.py::C"], Touching([], into, [], []))

    assert [(one.id, one.relation, one.line, one.times, one.member) for one in found.dependents] == [
        ("a.py::y", "CALLS", 2, 1, ""),
        ("a.py::x", "CALLS", 3, 2, ""),
        ("a.py", "IMPORTS", 1, 1, ""),
        ("b.py::Cat", "CALLS", 5, 1, ""),
    ]
    assert [one.id for one in found.candidates] == ["a.py::z"]
    assert found.callers == 3
