"""Tools that tell of elements see what was edited a moment ago, and mark what they could not."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.index.refresh import MOST_FILES
from clew.tools.answer import Caller, answer
from clew.workspaces import Workspaces
from tests.conftest import LONG_AGO_NS
from tests.tools.asking import Ask, asking


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text("def login(): ...\n\n\ndef leave(): ...\n", "utf-8")
    (tmp_path / "b.py").write_text("from a import login\n", "utf-8")
    for path in ("a.py", "b.py"):
        os.utime(tmp_path / path, ns=(LONG_AGO_NS, LONG_AGO_NS))
    workspaces = Workspaces(tmp_path)
    workspaces.get().index()
    workspaces.close()
    return tmp_path


@pytest.fixture
def ask(root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ask]:
    """Of one process; no run beside it could be the one who saw it."""
    monkeypatch.setenv("CLEW_BOOTSTRAP_ENABLED", "false")
    monkeypatch.setenv("CLEW_QUERY_REFRESH_BUDGET_MS", "60000")
    with asking(root) as asked:
        yield asked


def test_an_edit_is_explained(root: Path, ask: Ask) -> None:
    (root / "a.py").write_text("def login(again): ...\n", "utf-8")
    data = ask("code_explain", element="login")["data"]

    assert data["text"] == "def login(again): ..."
    assert "stale" not in data
    assert data["freshness"].keys() == {"refreshed", "sweep_ms", "refresh_ms"}
    assert data["freshness"]["refreshed"] == 1


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("code_explain", {"element": "login"}),
        ("semantic_slice", {"symbol": "login"}),
        ("query_context", {"query": "login"}),
        ("query_graph_neighborhood", {"node_id": "a.py", "radius": 1}),
    ],
)
def test_the_same_question_has_the_same_answer(root: Path, tool: str, arguments: dict[str, Any]) -> None:
    """What looking took is never the same twice: each process looks anew."""
    said = set()
    for _ in range(5):
        workspaces = Workspaces(root)
        said.add(answer(Caller(workspaces), tool, arguments).body)
        workspaces.close()

    assert len(said) == 1


def test_an_edit_is_in_the_neighbourhood(root: Path, ask: Ask) -> None:
    (root / "c.py").write_text("import a\n", "utf-8")
    data = ask("query_graph_neighborhood", node_id="a.py", radius=1)["data"]

    assert {node["id"] for node in data["nodes"]} == {
        "file::a.py", "file::b.py", "file::c.py", "symbol::a.py::leave", "symbol::a.py::login",
    }  # fmt: skip
    assert data["freshness"]["refreshed"] == 1


def test_what_is_quoted_is_looked_at_even_when_the_tree_was_swept_just_now(root: Path, ask: Ask) -> None:
    for tool, name in (("code_explain", "element"), ("query_graph_neighborhood", "node_id")):
        ask("code_explain", element="login")
        with (root / "a.py").open("a", encoding="utf-8") as file:
            file.write(f"\n\ndef {tool}(): ...\n")
        data = ask(tool, **{name: "a.py"})["data"]

        assert data["freshness"]["refreshed"] == 1
        assert tool in json.dumps(data)


def test_a_name_that_several_have_says_what_looking_cost(root: Path, ask: Ask) -> None:
    (root / "c.py").write_text("def login(): ...\n", "utf-8")
    data = ask("code_explain", element="login")["data"]

    assert [one["id"] for one in data["choices"]] == ["a.py::login", "c.py::login"]
    assert data["freshness"]["refreshed"] == 1


def test_the_status_counts_what_was_just_written(root: Path, ask: Ask) -> None:
    (root / "a.py").write_text("def login(): ...\n", "utf-8")

    assert ask("graph_health")["data"]["nodes_by_kind"] == {"function": 1}


@pytest.mark.needs(posix=os.name == "posix")
def test_an_edit_that_no_size_and_no_time_tells_of_is_seen_where_it_would_be_quoted(root: Path, ask: Ask) -> None:
    before = (root / "a.py").stat()
    (root / "a.py").write_text("def logon(): ...\n\n\ndef leave(): ...\n", "utf-8")
    os.utime(root / "a.py", ns=(before.st_atime_ns, before.st_mtime_ns))
    left = ask("code_explain", element="leave")["data"]

    assert "stale" not in left
    assert ask("code_explain", element="logon")["ok"]
    assert ask("query_context", query="login")["data"]["hits"][0]["file_path"] == "b.py"


@pytest.fixture
def unrefreshed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_QUERY_REFRESH", "false")


@pytest.mark.usefixtures("unrefreshed")
def test_a_file_that_could_not_be_refreshed_is_marked_and_quoted_only_as_it_stands(root: Path, ask: Ask) -> None:
    (root / "a.py").write_text("def login(again): ...\n\n\ndef leave(): ...\n", "utf-8")
    gone, stands = ask("code_explain", element="login"), ask("code_explain", element="leave")
    around = ask("query_graph_neighborhood", node_id="leave")

    assert gone["data"]["stale"] and stands["data"]["stale"]
    assert "changed since" in gone["summary"]
    assert ("text" in gone["data"], stands["data"]["text"]) == (False, "def leave(): ...")
    assert [one["data"]["freshness"]["stale"] for one in (gone, stands, around)] == [1, 1, 1]
    assert "1 file has changed since" in around["summary"]


def test_what_is_not_found_may_only_not_be_indexed_yet(root: Path, ask: Ask) -> None:
    assert "not indexed yet" not in ask("code_explain", element="okapi")["hint"]
    for n in range(MOST_FILES + 1):
        (root / f"new_{n}.py").write_text(f"def okapi_{n}(): ...\n", "utf-8")
    said = ask("code_explain", element="okapi_1")

    assert said["errorCode"] == "CLEW_E_NOT_FOUND"
    assert said["hint"].startswith(f"{MOST_FILES + 1} changed files are not indexed yet. Ask again in a moment.")


@pytest.mark.needs(pipes=hasattr(os, "mkfifo"))
@pytest.mark.usefixtures("unrefreshed")
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(root: Path, ask: Ask) -> None:
    (root / "a.py").unlink()
    os.mkfifo(root / "a.py")
    hit = ask("query_context", query="login")["data"]["hits"][0]

    assert (hit["file_path"], hit["stale"], hit["snippet"]) == ("a.py", True, "")
