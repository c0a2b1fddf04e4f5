"""graph_health and graph_set_workspace."""

import json
from pathlib import Path
from typing import Any

import pytest

from clew.engine import Engine, now
from clew.model.errors import IndexMissing
from clew.store.transactions import Author
from clew.tools.answer import Caller, answer
from clew.workspaces import Workspaces


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    (tmp_path / "empty").mkdir()
    return tmp_path / "empty"


def said(caller: Caller, name: str, **arguments: object) -> dict[str, Any]:
    envelope: dict[str, Any] = json.loads(answer(caller, name, arguments).body)
    return envelope


def test_health_counts_the_graph_and_names_the_last_run(caller: Caller, engine: Engine) -> None:
    data = said(caller, "graph_health", profile="debug")["data"]

    assert (data["status"], data["files"], data["files_seen"]) == ("ready", 5, 5)
    assert data["symbols"] == sum(data["nodes_by_kind"].values()) > 5
    assert data["edges"] == sum(data["edges_by_kind"].values())
    assert (data["tx_count"], data["latest_tx_status"]) == (1, "completed")
    assert data["latest_tx_id"] == engine.transactions.latest(1)[0].id
    assert data["project"] == engine.project_id


def test_a_run_that_was_killed_is_not_said_to_run(caller: Caller, engine: Engine) -> None:
    engine.transactions.start("killed", "incremental_rebuild", "", Author(), now())

    assert said(caller, "graph_health", profile="debug")["data"]["latest_tx_status"] == "interrupted"


def test_the_hash_fits_the_smallest_answer(caller: Caller) -> None:
    health = said(caller, "graph_health", with_hash=True, max_tokens=250)

    assert len(health["data"]["graph_hash"]) == 64


def test_a_question_about_a_project_without_an_index_writes_nothing_there(empty: Path) -> None:
    workspaces = Workspaces(empty)
    health = said(Caller(workspaces), "graph_health")
    workspaces.close()

    assert (health["errorCode"], "clew index" in health["hint"]) == (IndexMissing.code, True)
    assert list(empty.iterdir()) == []


def test_an_indexed_project_without_files_is_empty(empty: Path) -> None:
    with Engine.open(empty) as engine:
        engine.index()
    workspaces = Workspaces(empty)
    health = said(Caller(workspaces), "graph_health")
    workspaces.close()

    assert health["summary"] == "empty: 0 of 0 files indexed, 0 symbols."


def test_another_workspace_becomes_the_default(root: Path, empty: Path) -> None:
    workspaces = Workspaces(empty)
    caller = Caller(workspaces)
    chosen = said(caller, "graph_set_workspace", workspaceRoot=str(root))
    health = said(caller, "graph_health")
    workspaces.close()

    assert chosen["data"]["status"] == "ready"
    assert chosen["data"]["root"] == str(root)
    assert health["data"]["files"] == 5


@pytest.mark.parametrize("place", ["/nowhere/at/all", "~nobody-of-this-name/x", "a\0b"])
def test_a_workspace_that_is_not_there_is_not_found_and_the_old_one_stays(
    root: Path, place: str, caplog: pytest.LogCaptureFixture
) -> None:
    workspaces = Workspaces(root)
    caller = Caller(workspaces)
    chosen = said(caller, "graph_set_workspace", workspace_root=place)
    health = said(caller, "graph_health")
    workspaces.close()

    assert chosen["errorCode"] == "CLEW_E_NOT_FOUND"
    assert health["data"]["files"] == 5
    assert caplog.text == ""


def test_a_system_directory_is_no_workspace(workspaces: Workspaces) -> None:
    assert said(Caller(workspaces), "graph_set_workspace", workspace_root="/etc")["errorCode"] == "CLEW_E_DENIED"


def test_a_project_is_named_by_path_or_by_id(root: Path, empty: Path) -> None:
    workspaces = Workspaces(empty)
    caller = Caller(workspaces)
    by_path = said(caller, "graph_health", project=str(root))["data"]
    by_id = said(caller, "graph_health", project=by_path["project"])["data"]
    default = said(caller, "graph_health")
    workspaces.close()

    assert by_path["files"] == by_id["files"] == 5
    assert default["errorCode"] == IndexMissing.code
