"""Memory by its tools: what goes in, what comes out, and what is refused."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from clew.engine import Engine
from clew.model.agents import Identity
from clew.tools.answer import Caller, answer
from clew.workspaces import Workspaces

WHO = Identity("planner", "s1")
DECISION = {"title": "tokens", "rationale": "safer", "tradeoffs": ["slower"], "affectedFiles": ["tokens.py"]}


@pytest.fixture
def speaker(tmp_path: Path) -> Iterator[Caller]:
    (tmp_path / "tokens.py").write_text("def validate_token(token):\n    return bool(token)\n", "utf-8")
    with Engine.open(tmp_path, environ={}) as engine:
        engine.index()
    workspaces = Workspaces(tmp_path)
    yield Caller(workspaces, identity=WHO)
    workspaces.close()


def said(caller: Caller, tool: str, /, **arguments: object) -> dict[str, Any]:
    envelope: dict[str, Any] = json.loads(answer(caller, tool, arguments).body)
    return envelope


def seen(caller: Caller, content: str, **more: object) -> dict[str, Any]:
    data: dict[str, Any] = said(caller, "episode_add", type="OBSERVATION", content=content, **more)["data"]
    return data


def test_an_episode_is_kept_for_who_speaks(speaker: Caller) -> None:
    kept = seen(speaker, "tokens are checked", entities=["tokens.py::validate_token", "nowhere.py::f"])
    other = seen(speaker, "next", agent_id="coder", session_id="s9")
    after = seen(speaker, "third")

    assert (kept["agent_id"], kept["session_id"]) == ("planner", "s1")
    assert kept["unknown_entities"] == ["nowhere.py::f"]
    assert (other["agent_id"], other["session_id"]) == ("coder", "s9")
    assert after["previous_episode_id"] == kept["episode_id"]


@pytest.mark.parametrize("name", ["validate_token", "tokens.validate_token", "symbol::tokens.py::validate_token"])
def test_a_name_that_means_one_thing_ties_an_episode_to_it(speaker: Caller, name: str) -> None:
    kept = seen(speaker, "empty ones are refused", entities=[name, "nothing_of_that_name"])
    (found,) = said(speaker, "episode_recall", query="refused", entities=[name])["data"]["episodes"]

    assert kept["unknown_entities"] == ["nothing_of_that_name"]
    assert found["entities"][0] == {"id": "tokens.py::validate_token", "state": "current"}
    assert found["proximity"] == 0.5, "of two"


@pytest.mark.parametrize("name", ["./tokens.py:1", "tokens.py::validate_token()", "`validate_token`", "tokens.py#L2"])
def test_code_is_named_to_memory_as_to_other_tools(speaker: Caller, name: str) -> None:
    kept = seen(speaker, "empty ones are refused", entities=[name])
    (found,) = said(speaker, "episode_recall", query="refused")["data"]["episodes"]

    assert "unknown_entities" not in kept
    assert found["entities"] == [{"id": "tokens.py::validate_token", "state": "current"}]


@pytest.mark.parametrize("path", ["{root}/tokens.py", "./tokens.py", "file://{root}/tokens.py"])
def test_a_file_that_metadata_names_otherwise_is_the_projects(speaker: Caller, tmp_path: Path, path: str) -> None:
    path = path.format(root=tmp_path)
    decision = {**DECISION, "affectedFiles": [path, f"{tmp_path}/later.py"]}
    kept = said(speaker, "episode_add", type="DECISION", content="tokens are hashed", metadata=decision)["data"]
    (found,) = said(speaker, "decision_query", query="anything", affected_files=[path])["data"]["episodes"]

    assert kept["unknown_entities"] == ["later.py"]
    assert found["metadata"]["affected_files"] == ["tokens.py", "later.py"]
    assert found["entities"][0] == {"id": "tokens.py", "state": "current"}


def test_an_episode_says_what_it_is_there_for(speaker: Caller) -> None:
    seen(speaker, "tokens are checked", entities=["tokens.py"])
    seen(speaker, "the build is slow")
    seen(speaker, "nobody knows", entities=["tokens.py"], session_id="s2")
    found = said(speaker, "episode_recall", query="Which tokens are checked?", entities=["tokens.py"],
                 cut=False, profile="debug")  # fmt: skip
    beside = said(speaker, "episode_recall", query="slow build", limit=2, cut=False)

    assert {one["content"]: one["why"] for one in found["data"]["episodes"]} == {
        "tokens are checked": "says checked, tokens; about the same code",
        "nobody knows": "says tokens; about the same code",
        "the build is slow": "similar in meaning, or beside what says it",
    }
    assert found["summary"].startswith("3 episodes, 2 with words of the question; best: ")
    cut = said(speaker, "episode_recall", query="slow build", limit=2)["data"]
    assert [one["content"] for one in cut["episodes"]] == ["the build is slow"]
    assert [one["why"] for one in beside["data"]["episodes"]] == [
        "says build, slow",
        "similar in meaning, or beside what says it",
    ]


def test_an_answer_without_episodes_says_why(speaker: Caller) -> None:
    before = said(speaker, "episode_recall", query="expired tokens")
    seen(speaker, "expired tokens are refused", task_id="T-1", agent_id="coder")
    own = said(speaker, "episode_recall", query="expired tokens", agent_id="planner", types=["ERROR"])
    decided = said(speaker, "decision_query", query="expired tokens")
    unrelated = said(speaker, "episode_recall", query="weather", agent_id="coder")

    assert before["summary"] == "There are no episodes yet."
    told = "No episode by planner of type ERROR answers this. 1 other does: ask without that."
    assert (own["summary"], own["data"]["others"]) == (told, 1)
    assert decided["summary"] == "No episode of type DECISION answers this. 1 other does: ask without that."
    assert unrelated["summary"] == "No episode by coder answers this."


def test_what_not_every_database_can_hold_is_replaced(speaker: Caller) -> None:
    seen(speaker, "it prints \0 and half a face: \ud83d", entities=["a\0.py"], metadata={"k\0": ["\0"]})
    found = said(speaker, "episode_recall", query="\ud83d prints \0")["data"]["episodes"]

    assert found[0]["content"] == "it prints \ufffd and half a face: \ufffd"
    assert found[0]["entities"] == [{"id": "a\ufffd.py", "state": "unknown"}]
    assert found[0]["metadata"] == {"k\ufffd": ["\ufffd"]}


def test_recall_gives_the_parts_of_each_score_and_what_became_of_the_code(speaker: Caller) -> None:
    kept = seen(speaker, "validate_token only looks for emptiness", entities=["tokens.py::validate_token"])
    root = speaker.workspaces.get().place.root
    (root / "tokens.py").write_text("def validate_token(token):\n    return token.valid\n", "utf-8")

    found = said(speaker, "episode_recall", query="what does validate_token look for")["data"]["episodes"]

    assert found[0]["id"] == kept["episode_id"]
    assert {"score", "similarity", "recency", "proximity"} <= found[0].keys()
    assert found[0]["entities"] == [{"id": "tokens.py::validate_token", "state": "changed since"}]


def test_a_missing_field_is_named(speaker: Caller) -> None:
    refused = said(speaker, "episode_add", type="DECISION", content="use tokens", metadata={"title": "tokens"})

    assert refused["errorCode"] == "CLEW_E_INVALID_INPUT"
    assert "needs metadata: rationale (a text), tradeoffs" in refused["summary"]
    assert "affected_files" in refused["hint"]


def test_decisions_are_found_by_what_they_affect(speaker: Caller) -> None:
    elsewhere = {**DECISION, "affectedFiles": ["other.py"]}
    said(speaker, "episode_add", type="DECISION", content="use tokens at login", metadata=elsewhere)
    said(speaker, "episode_add", type="DECISION", content="use tokens at login", metadata=DECISION)
    seen(speaker, "use tokens at login")

    found = said(speaker, "decision_query", query="tokens login", affected_files=["tokens.py"], profile="debug")
    first, second = found["data"]["episodes"]
    assert first["metadata"]["affected_files"] == ["tokens.py"]
    assert first["proximity"] > second["proximity"]


def test_a_decision_takes_the_place_of_an_earlier_one(speaker: Caller) -> None:
    def decide(content: str, **more: object) -> dict[str, Any]:
        return said(speaker, "episode_add", type="DECISION", content=content, metadata={**DECISION, **more})

    first = decide("tokens live for an hour, for an hour and no longer")["data"]["episode_id"]
    again = decide("tokens live for a day", supersedes=first)["data"]["episode_id"]
    unknown = decide("tokens live for ever", supersedes="nothing")
    told = said(speaker, "decision_query", query="do tokens live for an hour")["data"]
    pack = said(speaker, "context_pack", task="tokens that live for an hour", max_tokens=3000)["data"]["text"]

    assert unknown["errorCode"] == "CLEW_E_NOT_FOUND"
    assert [one["id"] for one in told["episodes"]] == [again]
    assert [(one["id"], one["superseded_by"]) for one in told["nearest_misses"]] == [(first, again)]
    assert pack.index("for a day") < pack.index(f"superseded by {again}")


def test_what_is_sensitive_is_not_told(speaker: Caller) -> None:
    seen(speaker, "the key is under the mat", sensitive=True)

    assert said(speaker, "episode_recall", query="key mat")["data"]["episodes"] == []
    assert said(speaker, "episode_recall", query="key mat", include_sensitive=True)["data"]["episodes"]
    assert said(speaker, "reflect")["data"]["reflection_id"] == ""


def test_a_reflection_answers_with_its_patterns(speaker: Caller) -> None:
    edit = {"file": "tokens.py", "diff_summary": "d", "lines_before": 1, "lines_after": 2, "reason": "r"}
    for n in range(3):
        said(speaker, "episode_add", type="EDIT", content=f"edit {n}", metadata=edit)

    data = said(speaker, "reflect", profile="debug")["data"]

    assert data["learnings_created"] == 1
    assert [(one["kind"], len(one["evidence"])) for one in data["patterns"]] == [("hotspot", 3)]
    assert "tokens.py" in data["insight"]

    again = said(speaker, "reflect", profile="debug")
    said(speaker, "episode_add", type="EDIT", content="edit 3", metadata=edit)
    stronger = said(speaker, "reflect", profile="debug")["data"]

    assert again["data"]["learnings_created"] == 0, "it was learned before"
    assert "0 new learnings, 1 known before" in again["summary"]
    assert (stronger["learnings_created"], stronger["learning_ids"]) == (0, data["learning_ids"])


def test_a_time_that_is_none_is_refused(speaker: Caller) -> None:
    assert "since" in said(speaker, "episode_recall", query="x", since="yesterday")["summary"]
    assert "occurred_at" in said(speaker, "episode_add", type="OBSERVATION", content="x", occurred_at="?")["summary"]


@pytest.mark.parametrize("at", ["9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+12:00", "9999-12-31"])
def test_nothing_is_kept_of_a_time_that_cannot_have_been(speaker: Caller, at: str) -> None:
    refused = said(speaker, "episode_add", type="OBSERVATION", content="tokens are checked", occurred_at=at)

    assert refused["errorCode"] == "CLEW_E_INVALID_INPUT"
    assert said(speaker, "episode_recall", query="tokens checked")["data"]["episodes"] == []


def test_a_time_of_a_clock_that_goes_before_ours_is_taken(speaker: Caller) -> None:
    ahead = (datetime.now(UTC) + timedelta(hours=13)).isoformat()

    assert said(speaker, "episode_add", type="OBSERVATION", content="x", occurred_at=ahead)["ok"]


def test_a_reader_may_recall_and_not_add(speaker: Caller) -> None:
    reader = Caller(speaker.workspaces, read_only=True, identity=WHO)

    assert said(reader, "episode_recall", query="x")["ok"]
    assert said(reader, "episode_add", type="OBSERVATION", content="x")["errorCode"] == "CLEW_E_DENIED"


def test_a_small_budget_shows_the_best_first(speaker: Caller) -> None:
    for n in range(8):
        seen(speaker, f"the cache was cleared for the {n}th time, as everybody could see in the log")

    short = said(speaker, "episode_recall", query="cache cleared", limit=8, max_tokens=300)
    full = said(speaker, "episode_recall", query="cache cleared", limit=8, profile="debug")

    assert short["_tokenEstimate"] <= 300
    shown = short["data"]["episodes"]
    assert [one["id"] for one in shown] == [one["id"] for one in full["data"]["episodes"][: len(shown)]]
    assert short["data"]["episodes_left_out"] == 8 - len(shown)
