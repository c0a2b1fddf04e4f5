"""What lies around a node: by steps, then by PageRank; what is kept of it, and how much there was."""

import numpy as np
import pytest

from clew.graph.full_graph import Columns, FullGraph
from clew.graph.neighborhood import Neighborhood, Reach, neighborhood
from clew.model.words import EdgeKind, EvidenceKind
from clew.store.links import EVIDENCE, KINDS, SURE
from tests.graph.worlds import thing

CALLS, IMPORTS, DEFINES, CO_CHANGES = EdgeKind.CALLS, EdgeKind.IMPORTS, EdgeKind.DEFINES, EdgeKind.CO_CHANGES


Drawn = list[tuple[str, EdgeKind, str, float]]


def a_graph(kinds: dict[str, str], edges: Drawn, history: Drawn | None = None) -> FullGraph:
    ids = sorted(kinds)
    return FullGraph(ids, [kinds[one] for one in ids], columns(ids, edges), columns(ids, history or []))


def columns(ids: list[str], edges: Drawn) -> Columns:
    rows = sorted(
        (ids.index(a), ids.index(b), KINDS.index(kind), line, EVIDENCE.index(EvidenceKind.SPAN), round(sure * SURE))
        for line, (a, kind, b, sure) in enumerate(edges, 1)
    )
    return Columns(*np.array(rows, np.int64).reshape(-1, 6).T)


@pytest.fixture
def graph() -> FullGraph:
    """main calls run, which calls help twice and maybe odd; util.py defines help and is imported by app.py."""
    kinds = {"app.py": "file", "util.py": "file", "external::os": "external"}
    kinds |= {f"app.py::{name}": "function" for name in ("main", "run")}
    kinds |= {f"util.py::{name}": "function" for name in ("help", "odd")}
    return a_graph(
        kinds,
        [
            ("app.py", DEFINES, "app.py::main", 1),
            ("app.py", DEFINES, "app.py::run", 1),
            ("util.py", DEFINES, "util.py::help", 1),
            ("util.py", DEFINES, "util.py::odd", 1),
            ("app.py", IMPORTS, "util.py", 1),
            ("app.py", IMPORTS, "external::os", 1),
            ("app.py::main", CALLS, "app.py::run", 1),
            ("app.py::run", CALLS, "util.py::help", 0.7),
            ("app.py::run", CALLS, "util.py::help", 0.9),
            ("app.py::run", CALLS, "util.py::odd", 0.2),
        ],
    )


def around(graph: FullGraph, id: str, radius: int = 2, most: int = 50, undirected: bool = True) -> Neighborhood:
    return neighborhood(graph, thing(id), Reach(radius, undirected, most))


def ids(found: Neighborhood) -> list[str]:
    return [node.id for node in found.nodes]


def test_the_nearest_come_first_and_of_those_the_most_central(graph: FullGraph) -> None:
    found = around(graph, "app.py::run")

    assert [(node.id, node.distance) for node in found.nodes[:1]] == [("app.py::run", 0)]
    order = [(node.distance, -node.pagerank, node.id) for node in found.nodes]
    assert order == sorted(order)
    assert {node.id for node in found.nodes if node.distance == 1} == {"app.py", "app.py::main", "util.py::help"}


def test_an_unsure_edge_is_counted_and_not_followed(graph: FullGraph) -> None:
    found = around(graph, "app.py::run", radius=1)

    assert "util.py::odd" not in ids(found)
    assert found.candidates == 1


def test_directed_goes_only_where_edges_lead(graph: FullGraph) -> None:
    assert ids(around(graph, "app.py::run", undirected=False)) == ["app.py::run", "util.py::help"]


def test_radius_zero_is_the_node_itself(graph: FullGraph) -> None:
    found = around(graph, "app.py", radius=0)

    assert (ids(found), found.edges, found.total) == (["app.py"], (), 1)


def test_a_cap_leaves_the_total_as_it_was(graph: FullGraph) -> None:
    everything, some = around(graph, "app.py", radius=9), around(graph, "app.py", radius=9, most=3)

    assert (everything.total, some.total) == (7, 7)
    assert some.nodes == everything.nodes[:3]
    assert {edge.source for edge in some.edges} | {edge.target for edge in some.edges} <= set(ids(some))


def test_an_edge_of_a_kind_is_shown_once_by_its_surest_place(graph: FullGraph) -> None:
    found = around(graph, "app.py::run", radius=1)

    (edge,) = (e for e in found.edges if e.kind is CALLS and e.target == "util.py::help")
    assert (edge.confidence, edge.line, edge.path) == (0.9, 9, "app.py")


def test_kinds_of_nodes_are_filtered_after_the_steps_and_the_centre_stays(graph: FullGraph) -> None:
    found = neighborhood(graph, thing("app.py"), Reach(2, True, 50, frozenset({"function"})))

    assert ids(found)[0] == "app.py"
    assert set(ids(found)[1:]) == {"app.py::main", "app.py::run", "util.py::help", "util.py::odd"}
    assert found.total == 5


def test_kinds_of_edges_are_filtered_and_what_they_still_connect_comes_first(graph: FullGraph) -> None:
    found = neighborhood(graph, thing("app.py::main"), Reach(2, True, 50, edge_kinds=frozenset({CALLS})))

    assert ids(found)[:3] == ["app.py::main", "app.py::run", "util.py::help"]
    assert {edge.kind for edge in found.edges} == {CALLS}
    assert found.total == 6, "the steps go along every edge"


def test_a_node_without_edges_is_alone() -> None:
    found = around(a_graph({"a.txt": "file", "b.txt": "file"}, []), "a.txt")

    assert (ids(found), found.total) == (["a.txt"], 1)


def test_history_is_shown_and_followed_only_if_it_is_named() -> None:
    files = dict.fromkeys(("a.py", "b.py", "c.md"), "file")
    imports: Drawn = [("a.py", IMPORTS, "b.py", 1)]
    together: Drawn = [("a.py", CO_CHANGES, "b.py", 0.3), ("a.py", CO_CHANGES, "c.md", 0.3)]
    graph, without = a_graph(files, imports, together), a_graph(files, imports)

    usual = around(graph, "a.py")
    named = neighborhood(graph, thing("a.py"), Reach(1, True, 50, edge_kinds=frozenset({CO_CHANGES})))

    assert (ids(usual), usual.candidates) == (["a.py", "b.py"], 0)
    assert [(edge.kind, edge.line) for edge in usual.edges] == [(IMPORTS, 1), (CO_CHANGES, 1)]
    assert set(ids(named)) == set(files)
    assert {edge.kind for edge in named.edges} == {CO_CHANGES}
    assert graph.pagerank.tobytes() == without.pagerank.tobytes()
