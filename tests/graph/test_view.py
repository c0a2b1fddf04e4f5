"""The graph as text: the same content gives the same lines and the same hash, however it came about."""

import json

from clew.engine import Engine
from clew.graph.view import graph_hash, lines
from clew.model.run import Mode
from tests.conftest import DAY_2, Repository


def parsed(engine: Engine) -> list[dict[str, object]]:
    return [json.loads(line) for line in lines(engine.db, engine.where)]


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
    (edge,) = (line for line in found if line["type"] == "edge")
    assert (edge["source"], edge["kind"], edge["target"], edge["line"]) == ("b.py", "IMPORTS", "a.py", 1)


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
