"""Notes by their tool, and beside what is recalled."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from clew.model.agents import Identity
from clew.tools.answer import Caller, answer
from clew.workspaces import Workspaces

ANN, BEN = Identity("ann", "1"), Identity("ben", "1")


@pytest.fixture
def workspaces(tmp_path: Path, backend: str) -> Iterator[Workspaces]:
    workspaces = Workspaces(tmp_path)
    yield workspaces
    workspaces.close()


def said(workspaces: Workspaces, who: Identity, tool: str, **arguments: Any) -> dict[str, Any]:
    return dict(msgspec.json.decode(answer(Caller(workspaces, identity=who), tool, arguments).body))


def test_notes_are_kept_read_and_ended(workspaces: Workspaces) -> None:
    kept = said(workspaces, ANN, "notes", change="keep", content="half of the parser is done", task_id="T1")
    said(workspaces, ANN, "notes", change="keep", content="make test, not pytest", scope="shared", name="tests")
    said(workspaces, ANN, "notes", change="keep", content="answer in German", scope="user")

    assert kept["data"]["notes"][0]["scope"] == "working"
    mine, bens = (said(workspaces, who, "notes", profile="debug") for who in (ANN, BEN))
    assert mine["summary"] == "3 notes: 1 working, 1 shared, 1 user."
    assert [(one["scope"], one["agent_id"]) for one in bens["data"]["notes"]] == [("shared", "ann"), ("user", "ann")]
    assert bens["data"]["notes"][1]["project"] == workspaces.get().project_id
    assert said(workspaces, BEN, "notes", change="end", name="tests")["summary"] == "tests has ended."
    assert said(workspaces, BEN, "notes", scope="shared")["data"]["notes"] == []


def test_recall_and_decisions_tell_the_notes_that_fit_with_their_scope(workspaces: Workspaces) -> None:
    for scope in ("working", "shared", "user"):
        said(workspaces, ANN, "notes", change="keep", content=f"the cache is cleared at night, {scope}", scope=scope)

    recalled = said(workspaces, ANN, "episode_recall", query="when is the cache cleared")
    decided = said(workspaces, BEN, "decision_query", query="when is the cache cleared")
    narrow = said(workspaces, ANN, "episode_recall", query="when is the cache cleared", types=["ERROR"])

    assert [one["scope"] for one in recalled["data"]["notes"]] == ["working", "shared", "user"]
    assert recalled["summary"] == "No episode answers this. 3 notes on it."
    assert [one["scope"] for one in decided["data"]["notes"]] == ["shared", "user"]
    assert "notes" not in narrow["data"]


def test_working_notes_page_out_on_demand(workspaces: Workspaces) -> None:
    said(workspaces, ANN, "notes", change="keep", content="the lexer is quick")

    out = said(workspaces, ANN, "notes", change="page_out")

    assert len(out["data"]["paged_out"]) == 1
    found = said(workspaces, BEN, "episode_recall", query="lexer")["data"]["episodes"]
    assert [one["id"] for one in found] == out["data"]["paged_out"]


def test_secrets_are_not_noted_and_wrong_calls_are_told(workspaces: Workspaces) -> None:
    secret = "ghp_" + "a1B2" * 9
    kept = said(workspaces, ANN, "notes", change="keep", content=f"use {secret}", scope="user")
    empty = said(workspaces, ANN, "notes", change="keep")
    unsaid = said(workspaces, ANN, "notes", content="x")
    reader = Caller(workspaces, read_only=True, identity=ANN)

    assert kept["data"]["scrubbed"] == 1 and secret not in str(kept)
    assert (empty["errorCode"], unsaid["errorCode"]) == ("CLEW_E_INVALID_INPUT",) * 2
    assert msgspec.json.decode(answer(reader, "notes", {"change": "page_out"}).body)["errorCode"] == "CLEW_E_DENIED"
    assert msgspec.json.decode(answer(reader, "notes", {}).body)["ok"]
