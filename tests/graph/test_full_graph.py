"""The whole graph: in id order, the same however it came together, with what contains what."""

from clew.engine import Engine
from clew.graph.full_graph import FullGraph
from clew.store.links import KINDS
from tests.conftest import Repository
from tests.worlds import call, show


def told(whole: FullGraph) -> list[tuple[str, str, str]]:
    e = whole.edges
    ends = zip(e.source.tolist(), e.kind.tolist(), e.target.tolist(), strict=True)
    return [(whole.ids[source], KINDS[kind].value, whole.ids[target]) for source, kind, target in ends]


def test_a_file_defines_and_a_class_contains(repository: Repository, engine: Engine) -> None:
    repository.write("b.py", "import a\nimport os\n\n\nclass Card:\n    def charge(self): ...\n")
    repository.write("a.py", "def login(): ...\n")
    engine.index()

    whole = engine.graph()

    assert whole.ids == ["a.py", "a.py::login", "b.py", "b.py::Card", "b.py::Card::charge", "external::os"]
    assert whole.kinds == ["file", "function", "file", "class", "method", "external"]
    assert told(whole) == [
        ("a.py", "DEFINES", "a.py::login"),
        ("b.py", "DEFINES", "b.py::Card"),
        ("b.py", "IMPORTS", "a.py"),
        ("b.py", "IMPORTS", "external::os"),
        ("b.py::Card", "CONTAINS", "b.py::Card::charge"),
    ]
    assert whole.find("b.py::Card") == 3
    assert whole.find("nowhere") == -1


def test_laying_over_changes_no_bit(repository: Repository, engine: Engine) -> None:
    for name in "abcdef":
        repository.write(f"{name}.py", f"import {chr(ord(name) + 1)}\n\n\ndef run_{name}(): ...\n")
    engine.index()
    show(engine, "a.py", call("run_a", "b.py::run_b", 4, 0.7), call("run_a", "b.py::run_b", 5))
    engine.corpus()
    repository.write("c.py", "import a\n\n\ndef run_c(): ...\n\n\ndef more(): ...\n")
    repository.delete("e.py")
    engine.index()
    show(engine, "c.py", call("more", "a.py::run_a", 8, 0.2))

    laid_over = engine.graph()
    assert len(engine.corpus().parts) == 2
    engine._corpora.renew()
    with Engine.open(repository.root) as again:
        assert len(again.corpus().parts) == 1
        anew = again.graph()

    assert laid_over.ids == anew.ids
    assert told(laid_over) == told(anew)
    assert laid_over.pagerank.tobytes() == anew.pagerank.tobytes()


def test_it_is_kept_until_the_store_moves_on(repository: Repository, engine: Engine) -> None:
    repository.write("a.py", "def login(): ...\n")
    engine.index()
    first = engine.graph()
    assert engine.graph() is first

    show(engine, "a.py", call("login", "external::print"))
    assert "external::print" in engine.graph().ids


def test_an_empty_tree_has_an_empty_graph(engine: Engine) -> None:
    whole = engine.graph()

    assert (whole.ids, len(whole.pagerank)) == ([], 0)


def test_what_history_tells_stands_apart_and_follows_the_commits(repository: Repository, engine: Engine) -> None:
    for i in range(3):
        for name in ("a.py", "b.py", "c.py"):
            repository.write(name, f"x = {i}\n")
        repository.commit()
        engine.index()
        assert len(engine.graph().history.source) == (0 if i < 2 else 6)
    repository.delete("c.py")
    engine.index()

    whole = engine.graph()
    ends = zip(whole.history.source.tolist(), whole.history.target.tolist(), strict=True)
    assert [(whole.ids[source], whole.ids[target]) for source, target in ends] == [("a.py", "b.py"), ("b.py", "a.py")]
    assert (whole.history.line.tolist(), whole.history.confidence.tolist()) == ([3, 3], [1000, 1000])
    assert "CO_CHANGES" not in {kind for _, kind, _ in told(whole)}
