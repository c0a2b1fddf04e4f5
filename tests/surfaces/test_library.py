"""The library: typed values, errors that are raised, and a small front door."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import clew
from clew.model.errors import BudgetExceeded, Denied, IndexMissing, InvalidInput, NotFound, StoreReadOnly, Unavailable
from clew.model.run import Progress
from clew.model.search import Scope
from clew.surfaces.library import Workspace
from clew.tools import TOOLS
from clew.tools.context import QueryContext

FORKS = 16
EXAMPLE = """
import clew

with clew.open("path/to/repo") as ws:
    ws.index()
    for hit in ws.search("where are tokens validated?", limit=10):
        print(hit.path, hit.symbol, hit.first_line, hit.last_line, hit.score, hit.reasons)
"""


def test_the_example_works_as_written(tmp_path: Path) -> None:
    repository = tmp_path / "path" / "to" / "repo"
    repository.mkdir(parents=True)
    (repository / "auth.py").write_text('def validate_token(t):\n    """Tokens are validated here."""\n', "utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", EXAMPLE], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("auth.py auth.py::validate_token 1 2 0.")
    assert (repository / ".clew" / ".gitignore").read_text("utf-8") == "*\n"


def test_the_public_names_are_the_intended_ones() -> None:
    assert clew.__all__ == ["__version__", "connect", "open"]
    assert {name for name in dir(Workspace) if not name.startswith("_")} == {
        "close", "engine", "get_task_context", "index", "notices", "open", "root", "search",
    }  # fmt: skip


def test_importing_is_light() -> None:
    heavy = ("numpy", "msgspec", "tree_sitter", "mcp", "click", "starlette", "sqlite3", "rich")
    code = f"import sys, clew; print([name for name in {heavy!r} if name in sys.modules])"

    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_every_tool_is_a_method(indexed: Path) -> None:
    with clew.open(indexed) as ws:
        assert set(TOOLS) <= set(dir(ws))
        assert all(callable(getattr(ws, name)) for name in TOOLS)
        with pytest.raises(AttributeError, match="nonsense"):
            ws.nonsense()


def test_a_tool_returns_a_typed_value_without_a_budget(indexed: Path) -> None:
    with clew.open(indexed) as ws:
        found = ws.query_context(query="token", scope={"excludePatterns": ["guide.md"]})

    assert isinstance(found, QueryContext)
    assert found.hits[0].file_path == "tokens.py"
    assert not any(hit.elided for hit in found.hits)


def test_a_tool_keeps_to_a_budget_that_is_asked_for(indexed: Path) -> None:
    with clew.open(indexed) as ws:
        free, tight = ws.query_context(query="token"), ws.query_context(query="token", max_tokens=500)

        assert isinstance(tight, QueryContext)
        assert 0 < len(tight.hits) < len(free.hits)
        places = [(hit.file_path, hit.first_line) for hit in free.hits]
        assert [(hit.file_path, hit.first_line) for hit in tight.hits] == places[: len(tight.hits)]
        with pytest.raises(BudgetExceeded):
            ws.query_context(query="token", max_tokens=3)


def test_rows_that_a_budget_shortens_are_values_all_the_same(indexed: Path) -> None:
    with clew.open(indexed) as ws:
        for number in range(20):
            ws.agent_claim(target_id=f"src/part{number}.py", agent_id="ann", intent="round to cents")
        tight, free = ws.coordination_overview(max_tokens=300), ws.coordination_overview()

    assert 5 < len(tight.active_claims) < len(free.active_claims) == 20
    assert (tight.active_claims[0].holder.agent_id, tight.active_claims[0].claim_id) == ("ann", "")
    assert free.active_claims[0].claim_id


def test_tools_call_is_a_method_like_any_other(indexed: Path) -> None:
    with clew.open(indexed) as ws:
        assert ws.tools_call(name="graph_health").files == 3
        with pytest.raises(NotFound):
            ws.tools_call(name="nonsense")


def test_wrong_arguments_raise(indexed: Path) -> None:
    with clew.open(indexed) as ws:
        for arguments in ({}, {"query": ""}, {"query": "x", "k": 0}, {"query": "x", "nonsense": 1}):
            with pytest.raises(InvalidInput):
                ws.query_context(**arguments)
        for limit in (0, -1):
            with pytest.raises(InvalidInput):
                ws.search("token", limit=limit)


def test_a_search_takes_a_limit_and_a_scope(indexed: Path) -> None:
    with clew.open(indexed) as ws:
        assert len(ws.search("token", limit=2)) == 2
        assert {hit.path for hit in ws.search("token", scope=Scope(paths=("vault.py",)))} == {"vault.py"}
        assert ws.search("zeppelin") == []


def test_an_index_run_reports_and_counts(project: Path) -> None:
    (project / "new.py").write_text("def brand_new(): ...\n", "utf-8")
    heard: list[Progress] = []
    with clew.open(project) as ws:
        report = ws.index(report=heard.append)
        again = ws.index()
        full = ws.index(full=True)

    assert (report.files, report.read, report.unchanged) == (4, 1, 3)
    assert heard[-1].done == heard[-1].total > 0
    assert (again.read, again.unchanged) == (0, 4)
    assert full.read == 4


def test_a_path_inside_opens_the_project_that_holds_it(indexed: Path) -> None:
    with clew.open(str(indexed / "tokens.py")) as ws:
        assert ws.root == indexed


def test_what_is_missing_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="missing"):
        clew.open(tmp_path / "missing")
    with pytest.raises(NotFound):
        clew.open("a\0b")
    with pytest.raises(Denied):
        clew.open("/etc")


def test_reading_only_writes_nothing(indexed: Path, tmp_path: Path) -> None:
    with clew.open(indexed, read_only=True) as ws:
        assert ws.search("validate token")[0].label == "validate_token"
        assert ws.graph_health().status == "ready"
        with pytest.raises(StoreReadOnly):
            ws.index()
    with pytest.raises(IndexMissing):
        clew.open(tmp_path, read_only=True)
    assert list(tmp_path.iterdir()) == []


def test_a_closed_workspace_says_so(indexed: Path) -> None:
    with clew.open(indexed) as ws:
        ws.close()
        ws.close()
        for use in (lambda: ws.search("token"), ws.index, ws.graph_health):
            with pytest.raises(Unavailable, match="closed"):
                use()


def test_a_search_before_the_first_index_run_says_what_to_do(tmp_path: Path) -> None:
    with clew.open(tmp_path) as ws, pytest.raises(IndexMissing) as caught:
        ws.search("token")

    assert "clew index" in caught.value.hint


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes are forked here")
def test_a_forked_process_opens_the_project_for_itself(indexed: Path) -> None:
    """Whatever the threads of the other one, which a fork does not take along, were in the middle of."""
    ended = threading.Event()
    codes = []
    with clew.open(indexed) as ws:
        assert ws.search("token")  # while modules are imported, Python itself can not be forked
        asking = threading.Thread(target=lambda: [ws.search("token") for _ in iter(ended.is_set, True)])
        asking.start()
        for _ in range(FORKS):
            time.sleep(0.02)
            if not (child := os.fork()):
                signal.alarm(20)  # a lock that nobody gives back would be waited for without end
                os._exit(0 if ws.search("token") else 1)
            codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        ended.set()
        asking.join()
        assert ws.search("token")

    assert codes == [0] * FORKS
