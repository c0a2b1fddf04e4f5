"""Nodes and edges: what did not change keeps its version, what did is superseded, nothing is overwritten."""

import pytest

from clew.model.code import Defined
from clew.model.time import FOREVER
from clew.model.words import EdgeKind, EvidenceKind, Kind
from clew.store.database import Database, Where
from clew.store.files import Files, Stamp
from clew.store.graph import Edges, Nodes, NodeVersion, Shown
from tests.conftest import DAY_1, DAY_2, DAY_3
from tests.store.readings import a_reading, begin

FILE = 1


def defined(scope: str, digest: bytes = b"1", kind: Kind = Kind.FUNCTION) -> Defined:
    return Defined(scope, scope.rpartition("::")[2], kind, digest)


def shown(target: str, line: int = 1) -> Shown:
    return Shown("", EdgeKind.IMPORTS, target, line, EvidenceKind.IMPORT, 1.0)


def version(born: int, died: int = FOREVER, digest: bytes = b"1", kind: Kind = Kind.FUNCTION) -> NodeVersion:
    return NodeVersion(born, died, kind, digest)


@pytest.fixture
def nodes(db: Database, where: Where) -> Nodes:
    begin(Files(db, where), a_reading("app.py"), DAY_1, Stamp(1, DAY_1))
    return Nodes(db, where)


@pytest.fixture
def edges(nodes: Nodes, db: Database, where: Where) -> Edges:
    return Edges(db, where)


def test_a_changed_symbol_supersedes_its_old_version_and_an_unchanged_one_keeps_it(nodes: Nodes) -> None:
    nodes.define(FILE, 1, [defined("kept"), defined("changed")])
    nodes.define(FILE, 2, [defined("kept"), defined("changed", b"2")])

    assert nodes.versions("app.py", "kept") == [version(1)]
    assert nodes.versions("app.py", "changed") == [version(1, 2), version(2, digest=b"2")]


def test_a_symbol_that_became_another_kind_is_another_version(nodes: Nodes) -> None:
    nodes.define(FILE, 1, [defined("Thing")])
    nodes.define(FILE, 2, [defined("Thing", kind=Kind.CLASS)])

    assert nodes.versions("app.py", "Thing") == [version(1, 2), version(2, kind=Kind.CLASS)]


def test_a_symbol_that_went_and_came_back_has_two_versions(nodes: Nodes) -> None:
    nodes.define(FILE, 1, [defined("back")])
    nodes.define(FILE, 2, [])
    nodes.define(FILE, 3, [defined("back")])

    assert nodes.versions("app.py", "back") == [version(1, 2), version(3)]


def test_the_symbols_of_a_file_end_with_it(nodes: Nodes) -> None:
    nodes.define(FILE, 1, [defined("a"), defined("b", kind=Kind.CLASS)])
    nodes.end(FILE, 2)

    assert nodes.versions("app.py", "a") == [version(1, 2)]
    assert nodes.counts() == {}
    assert nodes.named("a", 9) == []


def test_symbols_are_found_by_name_in_path_order(nodes: Nodes, db: Database, where: Where) -> None:
    begin(Files(db, where), a_reading("also.py"), DAY_1, Stamp(1, DAY_1))
    nodes.define(FILE, 1, [defined("Card::charge", kind=Kind.METHOD), defined("other")])
    nodes.define(2, 1, [defined("charge")])

    assert nodes.named("charge", 9) == [("also.py::charge", Kind.FUNCTION), ("app.py::Card::charge", Kind.METHOD)]
    assert nodes.counts() == {"function": 2, "method": 1}


def test_names_are_sorted_by_their_bytes(nodes: Nodes, edges: Edges) -> None:
    """Every engine and server in the same order, whatever its language is."""
    names = ["B", "_", "a", "ä", "é", "日", "Z", "z_", "za"]
    nodes.define(FILE, 1, [Defined(f"{scope}::same", "same", Kind.FUNCTION, b"1") for scope in names])
    edges.show(FILE, 1, [shown(name) for name in names], DAY_1)

    ordered = sorted(names, key=str.encode)
    assert [symbol for symbol, _ in nodes.named("same", 99)] == [f"app.py::{name}::same" for name in ordered]
    assert [edge.target for edge in edges.of("app.py", "")] == ordered


def test_an_edge_that_stays_keeps_its_row(edges: Edges, db: Database, where: Where) -> None:
    edges.show(FILE, 1, [shown("a.py"), shown("b.py")], DAY_1)
    edges.show(FILE, 2, [shown("a.py"), shown("c.py")], DAY_2)

    assert [edge.target for edge in edges.of("app.py", "")] == ["a.py", "c.py"]
    assert edges.to("b.py") == []
    assert edges.counts() == {"IMPORTS": 2}


def test_an_edge_comes_with_its_evidence(edges: Edges) -> None:
    edges.show(FILE, 1, [shown("a.py", 7)], DAY_1)

    (edge,) = edges.to("a.py")

    assert (edge.source, edge.path, edge.line, edge.evidence) == ("app.py", "app.py", 7, EvidenceKind.IMPORT)


def test_an_edge_that_leads_elsewhere_now_is_believed_from_now_on(edges: Edges) -> None:
    edges.show(FILE, 1, [shown("external::lib")], DAY_1)
    edges.relink(FILE, 1, [shown("lib.py")], DAY_2)
    edges.relink(FILE, 1, [shown("external::lib")], DAY_3)

    assert [edge.target for edge in edges.of("app.py", "")] == ["external::lib"]


def test_the_edges_of_a_file_end_with_it(edges: Edges) -> None:
    edges.show(FILE, 1, [shown("a.py")], DAY_1)
    edges.end(FILE, 2)

    assert edges.of("app.py", "") == []
    assert edges.counts() == {}
