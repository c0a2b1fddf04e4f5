"""The graph as text: the same content gives the same lines and the same hash, however it came about."""

import json

from clew.engine import Engine
from clew.graph.view import encode, graph_hash, lines, view, with_history
from clew.model.run import Mode
from tests.conftest import DAY_2, Repository
from tests.worlds import call, loose, show


def parsed(engine: Engine, *, candidates: bool = False) -> list[dict[str, object]]:
    return [json.loads(line) for line in lines(engine.db, engine.where, candidates=candidates)]


def test_every_file_symbol_and_edge_is_a_line_sorted_by_id(repository: Repository, engine: Engine) -> None:
    repository.write("b.py", "import a\n\n\nclass Card:\n    def charge(self): ...\n")
    repository.write("a.py", "def login(): ...\n")
    engine.index()

    found = parsed(engine)

    nodes = [(line["id"], line["kind"]) for line in found if line["type"] == "node"]
    assert nodes == [
        ("a.py", "file"),
        ("a.py::login", "function"),
        ("b.py", "file"),
        ("b.py::Card", "class"),
        ("b.py::Card::charge", "method"),
    ]
    assert [found[4][name] for name in ("path", "first_line", "last_line")] == ["b.py", 5, 5]
    (edge,) = (line for line in found if line["type"] == "edge")
    assert (edge["source"], edge["kind"], edge["target"], edge["confidence"]) == ("b.py", "IMPORTS", "a.py", 1.0)
    assert edge["evidence"] == {"path": "b.py", "line": 1, "kind": "importStmt"}


def test_an_edit_and_its_undoing_a_commit_and_a_rebuild_leave_the_hash(repository: Repository, engine: Engine) -> None:
    repository.write("a.py", "def login(): ...\n")
    repository.write("b.py", "import a\n")
    engine.index()
    first = graph_hash(engine.db, engine.where)
    repository.write("a.py", "def logout(): ...\n")
    repository.delete("b.py")
    engine.index()
    between = graph_hash(engine.db, engine.where)
    repository.write("a.py", "def login(): ...\n")
    repository.write("b.py", "import a\n")
    repository.commit(at=DAY_2)
    engine.index()
    engine.index(Mode.FULL)

    assert between != first
    assert graph_hash(engine.db, engine.where) == first


def test_candidates_and_unresolved_calls_are_lines_only_when_asked_for(repository: Repository, engine: Engine) -> None:
    repository.write("a.py", "import os\n\n\ndef login(): ...\n")
    engine.index()
    sure = call("login", "external::print", 4, 0.5)
    show(engine, "a.py", sure, call("login", "external::odd", 4, 0.49), loose("login", "x.go", 4))

    usual, all_of_it = parsed(engine), parsed(engine, candidates=True)

    ids = [line["id"] for line in usual if line["type"] == "node"]
    assert ids == ["a.py", "a.py::login", "external::os", "external::print"]
    assert [line["target"] for line in usual if line["type"] == "edge"] == ["external::os", "external::print"]
    assert [line for line in all_of_it if line["type"] == "unresolved"] == [
        {
            "type": "unresolved",
            "source": "a.py::login",
            "written": "x.go",
            "evidence": {"path": "a.py", "line": 4, "kind": "callsite"},
            "reason": "receiver",
        }
    ]
    assert "external::odd" in {line.get("id") for line in all_of_it}
    assert graph_hash(engine.db, engine.where) != graph_hash(engine.db, engine.where, candidates=True)


def test_history_is_told_when_asked_for_and_is_in_no_hash(repository: Repository, engine: Engine) -> None:
    repository.write("a.py", "def login(): ...\n")
    repository.write("b.py", "import a\n")
    engine.index()
    before = graph_hash(engine.db, engine.where)
    for i in range(3):
        for name in ("a.py", "b.py", "gone.py"):
            repository.write(name, f"# {i}\n")
        repository.commit()
    repository.write("a.py", "def login(): ...\n")
    repository.write("b.py", "import a\n")
    repository.delete("gone.py")
    repository.commit(at=DAY_2)
    engine.index()

    found = with_history(engine.db, engine.where, view(engine.db, engine.where))
    told = [json.loads(line) for line in encode(found)]

    assert graph_hash(engine.db, engine.where) == before
    assert "CO_CHANGES" not in {line.get("kind") for line in parsed(engine)}
    assert [line for line in told if line["kind"] == "CO_CHANGES"] == [
        {
            "type": "edge",
            "source": source,
            "kind": "CO_CHANGES",
            "target": target,
            "evidence": {"path": source, "line": 0, "kind": "tooling", "support": 4},
            "confidence": 1.0,
        }
        for source, target in (("a.py", "b.py"), ("b.py", "a.py"))
    ]
