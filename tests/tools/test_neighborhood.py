"""query_graph_neighborhood, as its document has it; and graph_rebuild."""

import json
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from clew.engine import Engine
from clew.model.agents import Identity
from clew.model.errors import StoreReadOnly
from clew.model.run import Mode
from clew.store.leases import INDEXING
from clew.store.transactions import Author
from clew.tools import TOOLS
from clew.tools.answer import Caller, answer
from clew.workspaces import Workspaces
from tests.conftest import Repository

PATIENCE = 60.0


def said(caller: Caller, name: str, **arguments: object) -> dict[str, Any]:
    envelope: dict[str, Any] = json.loads(answer(caller, name, arguments).body)
    return envelope


def around(caller: Caller, node_id: str, **arguments: object) -> dict[str, Any]:
    return said(caller, "query_graph_neighborhood", **{"node_id": node_id, "profile": "debug", **arguments})


def test_its_parameters_and_defaults_are_the_document_s() -> None:
    properties = TOOLS["query_graph_neighborhood"].schema["properties"]
    defaults = {name: about.get("default") for name, about in properties.items()}

    assert [*properties][:6] == [
        "node_id", "radius", "undirected", "filter_node_types", "filter_edge_types", "max_nodes",
    ]  # fmt: skip
    assert [defaults[name] for name in [*properties][1:6]] == [2, True, "", "", 50]


def test_its_fields_are_the_document_s(caller: Caller) -> None:
    data = around(caller, "vault.py::Vault")["data"]

    fields = {"center_node", "nodes", "edges", "total_nodes_in_neighborhood", "truncated"}
    assert {*data} - {"freshness"} == fields
    assert data["nodes"][0] == data["center_node"]
    assert {
        name: value for name, value in data["center_node"].items() if name not in ("pagerank", "summary", "signature")
    } == {
        "id": "symbol::vault.py::Vault",
        "node_type": "symbol",
        "kind": "class",
        "name": "Vault",
        "distance": 0,
        "file_path": "vault.py",
        "first_line": 1,
        "last_line": 10,
        "language": "python",
        "is_exported": True,
    }
    assert 0 < data["center_node"]["pagerank"] < 1
    assert data["center_node"]["summary"] == "Keeps tokens by their owner"


def test_what_contains_what_is_part_of_it(caller: Caller) -> None:
    data = around(caller, "symbol::vault.py::Vault", radius=1)["data"]

    edges = [(edge["source"], edge["relation"], edge["target"], edge["line"]) for edge in data["edges"]]
    assert edges == [
        ("file::vault.py", "DEFINES", "symbol::vault.py::Vault", 1),
        ("symbol::vault.py::Vault", "CONTAINS", "symbol::vault.py::Vault::find_token", 8),
        ("symbol::vault.py::Vault", "CONTAINS", "symbol::vault.py::Vault::store_token", 4),
    ]
    assert (data["total_nodes_in_neighborhood"], data["truncated"]) == (4, False)


def test_a_question_is_about_what_answers_it_best(caller: Caller) -> None:
    asked = around(caller, "where is a vault kept?")

    assert asked["ok"], asked
    assert asked["data"]["center_node"]["id"] == "symbol::vault.py::Vault"


def test_a_cap_says_what_it_cut(caller: Caller) -> None:
    data = around(caller, "vault.py", max_nodes=2)["data"]

    assert (len(data["nodes"]), data["total_nodes_in_neighborhood"], data["truncated"]) == (2, 4, True)


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("method", {"method"}),
        ("CODE_CLASS, file", {"class", "file"}),
        ("symbol", {"class", "method"}),
        ("FUNCTION", set[str]()),
    ],
)
def test_nodes_are_filtered_by_our_words_and_the_documents(caller: Caller, words: str, kept: set[str]) -> None:
    data = around(caller, "vault.py", filter_node_types=words)["data"]

    assert {node["kind"] for node in data["nodes"][1:]} == kept - {"file"}


@pytest.mark.parametrize("words", ["DEFINES", "defines", "DEFINES_SYMBOL", "DEFINED_IN,call", "usage,DEFINES"])
def test_edges_too(caller: Caller, words: str) -> None:
    data = around(caller, "vault.py", filter_edge_types=words)["data"]

    assert ("DEFINES" in {edge["relation"] for edge in data["edges"]}) is True
    assert {edge["relation"] for edge in data["edges"]} <= {"DEFINES", "CONTAINS"}


@pytest.mark.parametrize("filters", [{"filter_node_types": "poem"}, {"filter_edge_types": "CALLS,sings"}])
def test_an_unknown_word_is_refused_with_the_known_ones(caller: Caller, filters: dict[str, str]) -> None:
    refused = around(caller, "vault.py", **filters)

    assert refused["errorCode"] == "CLEW_E_INVALID_INPUT"
    assert "Kinds: " in refused["hint"]


def test_an_unknown_node_comes_with_near_ones(caller: Caller) -> None:
    envelope = around(caller, "symbol::vault.py::Vualt")

    assert envelope["errorCode"] == "CLEW_E_NOT_FOUND"
    assert "vault.py::Vault" in envelope["hint"]


def test_a_small_budget_shows_the_nearest(caller: Caller) -> None:
    compact = around(caller, "vault.py", profile="compact")
    full = around(caller, "vault.py")["data"]

    shown = compact["data"]["nodes"]
    assert compact["_tokenEstimate"] <= 300
    assert shown == [{name: node[name] for name in ("id", "distance")} for node in full["nodes"][1 : 1 + len(shown)]]
    assert compact["data"].get("nodes_left_out", 0) == len(full["nodes"]) - 1 - len(shown)


def test_all_neighbours_come_before_what_they_have_to_do_with_each_other(tmp_path: Path) -> None:
    names = [f"caller_number_{n}" for n in range(12)]
    calls = "\n".join(f"def {name}():\n    centre()\n    {'(); '.join(names)}()\n\n" for name in names)
    (tmp_path / "a.py").write_text(f"def centre(): ...\n\n\n{calls}", "utf-8")
    with Engine.open(tmp_path, environ={}) as engine:
        engine.index()
    with closing(Workspaces(tmp_path)) as workspaces:
        asked = {"undirected": True, "radius": 1, "max_tokens": 1500}
        data = around(Caller(workspaces), "centre", **asked)["data"]

    assert len(data["nodes"]) == data["total_nodes_in_neighborhood"] == 14
    assert len([edge for edge in data["edges"] if edge["target"] == "symbol::a.py::centre"]) == 13
    assert data["edges_left_out"] > 100


def test_a_long_signature_does_not_take_the_room_of_neighbours(tmp_path: Path) -> None:
    parameters = ", ".join(f"parameter_number_{n}: dict[str, tuple[int, ...]]" for n in range(60))
    (tmp_path / "a.py").write_text(f"def called({parameters}): ...\n\n\ndef caller():\n    called()\n", "utf-8")
    workspaces = Workspaces(tmp_path)
    workspaces.get().index()
    small, usual = (said(Caller(workspaces), "query_graph_neighborhood", node_id="called", **more)["data"]
                    for more in ({"profile": "compact"}, {"max_tokens": 1500}))  # fmt: skip
    workspaces.close()

    assert small["center_node"] == {"id": "symbol::a.py::called", "distance": 0}
    assert "symbol::a.py::caller" in [node["id"] for node in usual["nodes"]]
    assert "CALLS" in {edge["relation"] for edge in usual["edges"]}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text("def login(): ...\n", "utf-8")
    return tmp_path


def ended(engine: Engine, transaction: str) -> str:
    """The status of a run, once it is over."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if engine.transactions.has(transaction) and (one := engine.transactions.get(transaction)).status != "running":
            return f"{one.type} {one.status}"
        time.sleep(0.05)
    return "never"


@pytest.mark.parametrize("mode", list(Mode))
def test_a_rebuild_is_queued_and_runs_as_the_transaction_that_was_named(project: Path, mode: Mode) -> None:
    workspaces = Workspaces(project)
    engine = workspaces.get()
    caller = Caller(workspaces, identity=Identity("-rook", "one two"))
    data = said(caller, "graph_rebuild", mode=mode.value)["data"]
    (child,) = engine.runs.children
    status = ended(engine, data["transaction_id"])
    child.process.wait(PATIENCE)
    lately = said(caller, "get_context_stats", profile="debug")["data"]["recent_activity"]
    author = engine.transactions.get(data["transaction_id"]).author
    workspaces.close()

    assert (data["status"], data["mode"], data["waits_for"]) == ("queued", mode, "")
    assert status == f"{mode}_rebuild completed"
    assert (author.agent, author.session) == ("-rook", "one two")
    assert "completed, for -rook" in [one["detail"] for one in lately]


def test_a_run_that_is_under_way_is_named_and_one_that_waits_serves_all(project: Path) -> None:
    workspaces = Workspaces(project)
    engine = workspaces.get()
    lease = engine.leases.acquire(INDEXING, "somebody", int(time.time() * 1e6))
    assert lease is not None
    running = engine.transactions.start("their-run", "full_rebuild", "", Author(), 1)
    first = said(Caller(workspaces), "graph_rebuild", mode="full")
    again = said(Caller(workspaces), "graph_rebuild", mode="full")["data"]
    other = said(Caller(workspaces), "graph_rebuild")["data"]
    children = list(engine.runs.children)
    engine.transactions.end(running.id, "completed", 0, {})
    engine.leases.release(lease, int(time.time() * 1e6))
    codes = [child.process.wait(PATIENCE) for child in children]
    workspaces.close()

    assert first["data"]["waits_for"] == "their-run"
    assert "waits for one that is under way" in first["summary"]
    assert (again["status"], again["transaction_id"]) == ("queued already", first["data"]["transaction_id"])
    assert (other["status"], other["mode"]) == ("queued", "incremental")
    assert codes == [0, 0]


def test_a_rebuild_writes_and_is_refused_where_nothing_may_be_written(project: Path) -> None:
    with Engine.open(project) as engine:
        engine.index()
    reading = Workspaces(project, read_only=True)
    refused = said(Caller(reading, read_only=True), "graph_rebuild")
    with pytest.raises(StoreReadOnly):
        reading.get().be_writable()
    reading.close()

    assert refused["errorCode"] == "CLEW_E_DENIED"


def test_files_that_change_together_are_shown_with_how_often(repository: Repository) -> None:
    for i in range(3):
        repository.write("a.py", f"import b  # {i}\n")
        repository.write("b.py", f"x = {i}\n")
        repository.commit()
    workspaces = Workspaces(repository.root)
    workspaces.get().index()
    edges = around(Caller(workspaces), "a.py", filter_edge_types="CO_CHANGES")["data"]["edges"]
    workspaces.close()

    told = {"relation": "CO_CHANGES", "evidence": "tooling", "confidence": 1.0, "support": 3}
    assert edges == [
        {"source": "file::a.py", "target": "file::b.py", "path": "a.py", **told},
        {"source": "file::b.py", "target": "file::a.py", "path": "b.py", **told},
    ]
