"""What was edited a moment ago is in the answer, whoever asks; what could not be is said."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import clew
from clew.tools.answer import Caller, answer
from clew.workspaces import Workspaces

from .processes import clew as run
from .processes import mcp_on_pipes, serving

QUESTION = "okapi"
EDIT = "\n\ndef okapi(token: str) -> str:\n    return token\n"


@pytest.fixture(autouse=True)
def nobody_beside(monkeypatch: pytest.MonkeyPatch) -> None:
    """No run in the background that could be the one who saw it."""
    monkeypatch.setenv("CLEW_BOOTSTRAP_ENABLED", "false")
    monkeypatch.setenv("CLEW_QUERY_REFRESH_BUDGET_MS", "60000")


def edit(project: Path) -> None:
    with (project / "vault.py").open("a", encoding="utf-8") as file:
        file.write(EDIT)


def assert_seen(envelope: dict[str, Any]) -> None:
    data = envelope["data"]
    assert [hit["label"] for hit in data["hits"]] == ["okapi"]
    assert data["freshness"] == {"refreshed": 1}


def test_an_edit_is_seen_on_the_command_line(project: Path) -> None:
    edit(project)

    assert_seen(run("search", "--json", QUESTION, cwd=project).json)
    again = run("search", "--json", QUESTION, cwd=project).json["data"]
    assert ([hit["label"] for hit in again["hits"]], again.get("freshness")) == (["okapi"], None)


def test_an_edit_is_seen_over_mcp(project: Path, tmp_path: Path) -> None:
    with mcp_on_pipes(project, tmp_path / "log") as pipes:
        pipes.greet()
        assert pipes.call("query_context", query=QUESTION)["data"]["hits"] == []
        edit(project)
        assert_seen(pipes.call("query_context", query=QUESTION))


def test_an_edit_is_seen_over_http(project: Path, tmp_path: Path) -> None:
    with serving(project, tmp_path / "log") as server:
        assert server.post("query_context", {"query": QUESTION}).json()["data"]["hits"] == []
        edit(project)
        assert_seen(server.post("query_context", {"query": QUESTION}).json())


def test_an_edit_is_seen_in_the_library(project: Path) -> None:
    with clew.open(project) as ws:
        edit(project)
        assert [hit.label for hit in ws.search(QUESTION)] == ["okapi"]
        (project / "vault.py").write_text("def tapir(): pass\n", "utf-8")
        assert [hit.label for hit in ws.search("tapir")] == ["tapir"]
        assert ws.search(QUESTION) == []


def test_the_cost_of_looking_is_not_the_question_s(project: Path) -> None:
    edit(project)
    workspaces = Workspaces(project)
    started = time.perf_counter()
    said = json.loads(answer(Caller(workspaces), "query_context", {"query": QUESTION, "profile": "debug"}).body)
    took = (time.perf_counter() - started) * 1000
    engine = workspaces.get()
    engine.usage_log.flush()
    recorded = engine.usage.latest(1)[0].latency / 1000
    workspaces.close()

    apart = said["data"]["freshness"]["sweep_ms"] + said["data"]["freshness"]["refresh_ms"]
    assert apart > 0
    assert 0 < recorded <= took - apart + 1


def test_a_search_where_nothing_changed_loads_no_parser(project: Path) -> None:
    run("index", cwd=project)
    code = (
        "import sys; from clew.surfaces.cli import _run;"
        "_run(['search', '-q', 'token']);"
        "sys.exit(any(name.startswith('tree_sitter') or name == 'clew.index.pipeline' for name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=project, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")


def test_a_search_loads_nothing_that_it_does_not_need(project: Path) -> None:
    run("index", cwd=project)
    needless = {"tempfile", "hashlib", "secrets", "tomllib", "json", "importlib.resources", "socket"}
    code = (
        "import sys; from clew.surfaces.cli import _run;"
        "_run(['search', '-q', 'token']);"
        f"sys.exit(' '.join({needless!r} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=project, capture_output=True, text=True, check=False)

    assert done.stderr.strip() == ""


def test_a_project_that_was_moved_is_looked_at_anew(project: Path, tmp_path: Path) -> None:
    run("index", cwd=project)
    moved = project.rename(tmp_path / "moved")
    edit(moved)
    (moved / "new.py").write_text("def tapir(): pass\n", "utf-8")

    said = run("search", "--json", "okapi tapir", cwd=moved).json

    assert sorted(hit["label"] for hit in said["data"]["hits"]) == ["okapi", "tapir"]
