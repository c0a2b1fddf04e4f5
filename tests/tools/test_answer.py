"""The envelope that every surface hands out."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec
import pytest
from msgspec import Meta

from clew.engine import Engine
from clew.model.agents import Identity
from clew.model.errors import ClewError, DiskFull, NotFound
from clew.text.tokens import estimate
from clew.tools import TOOLS
from clew.tools.answer import Caller, answer, failure
from clew.tools.registry import Effect, tool
from clew.workspaces import Workspaces


class Written(msgspec.Struct, frozen=True):
    text: str

    def summary(self) -> str:
        return "Written."


def write_down(engine: Engine, text: Annotated[str, Meta(description="What to write.")]) -> Written:
    """Write a text down."""
    return Written(text)


def name_me(engine: Engine, who: Identity, session_id: Annotated[str, Meta(description="Theirs.")] = "") -> Written:
    """Say who calls."""
    return Written(str(who.with_ids("", session_id)))


def stumble(engine: Engine) -> Written:
    """Fail as no tool should."""
    raise RuntimeError("inner detail")


@pytest.fixture(autouse=True)
def more_tools() -> Iterator[None]:
    tool(Effect.WRITE)(write_down)
    tool(Effect.READ)(stumble)
    tool(Effect.READ)(name_me)
    yield
    del TOOLS["write_down"], TOOLS["stumble"], TOOLS["name_me"]


def envelope(caller: Caller, name: str, /, **arguments: object) -> dict[str, Any]:
    said: dict[str, Any] = json.loads(answer(caller, name, arguments).body)
    return said


def test_an_answer_opens_with_what_matters(caller: Caller) -> None:
    said = envelope(caller, "graph_health")

    assert list(said) == ["ok", "summary", "profile", "_tokenEstimate", "data"]
    assert said["ok"] is True
    assert said["summary"].startswith("ready: 5 of 5 files indexed")


def test_a_refusal_opens_with_what_is_wrong_and_says_what_to_do(caller: Caller) -> None:
    said = envelope(caller, "query_context", query="")

    assert list(said) == ["ok", "summary", "profile", "_tokenEstimate", "errorCode", "hint"]
    assert said["ok"] is False
    assert said["hint"]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("semantic_slice", {"symbol": "x" * 100_000}),
        ("semantic_slice", {"symbol": "x", "context": "x" * 100_000}),
        ("tools_call", {"name": "x" * 100_000}),
        ("graph_health", {"project": "x" * 100_000}),
    ],
)
def test_a_refusal_is_short_however_long_what_it_quotes(caller: Caller, name: str, arguments: dict[str, str]) -> None:
    said = envelope(caller, name, **arguments)

    assert said["errorCode"] in ("CLEW_E_INVALID_INPUT", "CLEW_E_NOT_FOUND")
    assert said["_tokenEstimate"] <= 600


def test_a_reply_carries_what_each_surface_reports() -> None:
    reply = failure(DiskFull("no space"))

    assert (reply.ok, reply.status, reply.exit_code) == (False, 503, 6)


@pytest.mark.parametrize("name", ["query_context", "graph_health", "get_context_stats", "tools_search"])
def test_the_estimate_is_that_of_the_rendered_answer(caller: Caller, name: str) -> None:
    arguments = {"query": "token"} if "query" in TOOLS[name].schema["properties"] else {}
    body = answer(caller, name, {**arguments, "profile": "debug"}).body.decode()

    assert 0 <= json.loads(body)["_tokenEstimate"] - estimate(body) <= 2


def test_a_question_gets_the_default_budget_and_others_the_compact_one(caller: Caller) -> None:
    question = envelope(caller, "query_context", query="token")
    health = envelope(caller, "graph_health")

    assert 300 < question["_tokenEstimate"] <= 1500
    assert health["_tokenEstimate"] <= 300
    assert (question["profile"], health["profile"]) == ("default", "compact")


def test_the_default_budget_is_a_setting(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_BUDGET_DEFAULT_MAX_TOKENS", "250")
    workspaces = Workspaces(root)
    said = envelope(Caller(workspaces), "query_context", query="token")
    workspaces.close()

    assert said["_tokenEstimate"] <= 250


@pytest.mark.parametrize(("profile", "limit"), [("compact", 300), ("balanced", 1200)])
def test_a_profile_limits_the_whole_answer(caller: Caller, profile: str, limit: int) -> None:
    said = envelope(caller, "query_context", query="token", profile=profile)

    assert said["profile"] == profile
    assert said["_tokenEstimate"] <= limit


def test_debug_shows_everything(caller: Caller) -> None:
    said = envelope(caller, "query_context", query="token", profile="debug")

    assert said["_tokenEstimate"] > 5000
    assert "hits_left_out" not in said["data"]
    assert not any(hit.get("elided") for hit in said["data"]["hits"])


def test_max_tokens_replaces_the_limit_of_the_profile(caller: Caller) -> None:
    said = envelope(caller, "query_context", query="token", profile="debug", max_tokens=200)

    assert said["_tokenEstimate"] <= 200


def test_max_tokens_among_the_filters_counts_as_well(caller: Caller) -> None:
    said = envelope(caller, "query_context", query="token", filters={"max_tokens": 200})

    assert said["_tokenEstimate"] <= 200


def test_tools_call_answers_as_the_tool_it_names(caller: Caller) -> None:
    direct = envelope(caller, "query_context", query="token", max_tokens=400)

    assert (
        envelope(caller, "tools_call", name="query_context", arguments={"query": "token", "maxTokens": 400}) == direct
    )
    assert envelope(caller, "tools_call", name="query_context", arguments={"query": "token"}, max_tokens=400) == direct


def test_tools_call_carries_the_project_on(caller: Caller) -> None:
    said = envelope(caller, "tools_call", name="graph_health", project="/nowhere/at/all")

    assert said["errorCode"] == NotFound.code


def test_a_writer_is_refused_where_only_reading_is_allowed(workspaces: Workspaces) -> None:
    reader = Caller(workspaces, read_only=True)

    assert envelope(Caller(workspaces), "write_down", text="x")["ok"]
    assert envelope(reader, "write_down", text="x")["errorCode"] == "CLEW_E_DENIED"
    assert envelope(reader, "tools_call", name="write_down", arguments={"text": "x"})["errorCode"] == "CLEW_E_DENIED"


def test_a_tool_that_asks_is_told_who_calls(workspaces: Workspaces) -> None:
    caller = Caller(workspaces, identity=Identity("planner", "s1"))

    assert "who" not in TOOLS["name_me"].schema["properties"]
    assert envelope(caller, "name_me")["data"]["text"] == str(Identity("planner", "s1"))
    assert envelope(caller, "name_me", session_id="s2")["data"]["text"] == str(Identity("planner", "s2"))
    assert envelope(Caller(workspaces), "name_me", who="me")["errorCode"] == "CLEW_E_INVALID_INPUT"


def test_a_fault_of_ours_is_logged_and_does_not_show_its_inside(
    caller: Caller, caplog: pytest.LogCaptureFixture
) -> None:
    reply = answer(caller, "stumble", {})
    said = json.loads(reply.body)

    assert (said["errorCode"], reply.status, reply.exit_code) == (ClewError.code, 500, 1)
    assert "inner detail" not in said["summary"]
    assert "inner detail" in caplog.text


def test_a_message_that_is_no_text_is_still_an_answer() -> None:
    assert r"\udcff" in json.loads(failure(NotFound("\udcff is missing")).body)["summary"]


def test_a_question_is_recorded_once_the_project_is_closed(root: Path) -> None:
    workspaces = Workspaces(root)
    before = workspaces.get().usage.summary("query_context").calls
    answer(Caller(workspaces), "query_context", {"query": "token"})
    workspaces.close()

    with Engine.open(root, environ={}) as engine:
        assert engine.usage.summary("query_context").calls >= before + 1


def test_nothing_is_recorded_where_metrics_are_off(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_METRICS_ENABLED", "false")
    workspaces = Workspaces(root)
    answer(Caller(workspaces), "tools_search", {"query": "zeppelin"})
    answer(Caller(workspaces), "write_down", {"text": "x"})
    workspaces.close()

    with Engine.open(root, environ={}) as engine:
        assert engine.usage.summary("write_down").calls == 0
