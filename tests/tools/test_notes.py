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
    assert recalled["summary"] == "There are no episodes yet. 3 notes on it."
    assert [one["scope"] for one in decided["data"]["notes"]] == ["shared", "user"]
    assert "notes" not in narrow["data"]


def test_working_notes_page_out_on_demand(workspaces: Workspaces) -> None:
    said(workspaces, ANN, "notes", change="keep", content="the lexer is quick")

    out = said(workspaces, ANN, "notes", change="page_out")

    assert len(out["data"]["paged_out"]) == 1
    found = said(workspaces, BEN, "episode_recall", query="lexer")["data"]["episodes"]
    assert [one["id"] for one in found] == out["data"]["paged_out"]


def test_a_note_says_what_became_of_the_code_that_it_is_about(workspaces: Workspaces, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def login(user):\n    return check(user)\n\n\ndef logout():\n    pass\n")
    workspaces.get().index()
    about = ["a.py::login", "a.py::logout", "a.py::nothing"]
    kept = said(workspaces, ANN, "notes", change="keep", content="login is slow", entities=about, scope="shared")
    said(workspaces, ANN, "notes", change="keep", content="logout is empty", entities=["a.py::logout"])

    (tmp_path / "a.py").write_text("def login(user):\n    return True\n")

    assert [one["state"] for one in kept["data"]["notes"][0]["entities"]] == ["current", "current", "unknown"]
    read = said(workspaces, ANN, "notes", profile="debug")
    states = [[(one["id"], one["state"]) for one in note["entities"]] for note in read["data"]["notes"]]
    gone = ("a.py::logout", "gone")
    assert states == [[gone], [("a.py::login", "changed since"), gone, ("a.py::nothing", "unknown")]]
    assert read["summary"] == "2 notes: 1 working, 1 shared. Of 2, the code has moved on."
    recalled = said(workspaces, BEN, "episode_recall", query="why is login slow", profile="debug")
    assert recalled["data"]["notes"][0]["entities"][0]["state"] == "changed since"


def test_what_a_note_is_about_goes_along_when_it_pages_out(workspaces: Workspaces, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def login(user):\n    return check(user)\n")
    workspaces.get().index()
    said(workspaces, ANN, "notes", change="keep", content="login is slow", entities=["a.py::login"])
    (tmp_path / "a.py").write_text("def login(user):\n    return True\n")

    said(workspaces, ANN, "notes", change="page_out")

    (found,) = said(workspaces, BEN, "episode_recall", query="slow login", profile="debug")["data"]["episodes"]
    assert found["entities"] == [{"id": "a.py::login", "state": "changed since"}]


def test_a_note_that_is_kept_again_is_about_the_code_as_it_is_now(workspaces: Workspaces, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def login(user):\n    return check(user)\n")
    workspaces.get().index()
    note = {"change": "keep", "content": "login is slow", "name": "slow", "entities": ["a.py::login"]}
    said(workspaces, ANN, "notes", **note)
    (tmp_path / "a.py").write_text("def login(user):\n    return True\n")

    (kept,) = said(workspaces, ANN, "notes", **note)["data"]["notes"]

    assert (kept["revision"], kept["entities"][0]["state"]) == (2, "current")


def test_a_preference_is_about_no_code(workspaces: Workspaces) -> None:
    refused = said(workspaces, ANN, "notes", change="keep", content="x", scope="user", entities=["a.py"])

    assert (refused["ok"], refused["hint"]) == (False, "Share it instead.")


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
