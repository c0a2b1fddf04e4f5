"""Finding tools: the rest of the registry is a search away."""

import json
from typing import Any

import pytest
from msgspec import structs

from clew.tools import TOOLS
from clew.tools.answer import Caller, answer


def found(caller: Caller, **arguments: object) -> list[dict[str, Any]]:
    envelope = json.loads(answer(caller, "tools_search", {"profile": "debug", **arguments}).body)
    tools: list[dict[str, Any]] = envelope["data"]["tools"]
    return tools


def test_words_find_the_tool_that_does_it(caller: Caller) -> None:
    assert found(caller, query="is the index ready?")[0]["name"] == "graph_health"
    assert found(caller, query="statistics: how large, how fast")[0]["name"] == "get_context_stats"


@pytest.mark.parametrize(
    ("query", "tool"),
    [
        ("store a decision", "episode_add"),
        ("what did we decide", "decision_query"),
        ("lessons learned", "reflect"),
        ("lock a file", "agent_claim"),
        ("unlock", "agent_release"),
        ("who is working on this file", "coordination_overview"),
        ("what tasks are left", "progress_query"),
        ("create a todo", "task_update"),
        ("mark task done", "task_update"),
        ("handoff to another agent", "agent_status"),
        ("find callers", "code_explain"),
        ("switch to another repository", "graph_set_workspace"),
        ("how many tokens were used", "get_context_stats"),
        ("user preferences", "notes"),
    ],
)
def test_a_tool_is_found_by_words_that_others_have_for_it(caller: Caller, query: str, tool: str) -> None:
    assert tool in [one["name"] for one in found(caller, query=query)]


def test_who_asks_for_all_tools_sees_them_all(caller: Caller) -> None:
    assert found(caller, query="list all available tools") == found(caller)


def test_a_found_tool_says_how_to_call_it(caller: Caller) -> None:
    (tool,) = found(caller, query="query_context", limit=1)

    assert (tool["name"], tool["toolset"], tool["writes"]) == ("query_context", "context", False)
    assert tool["arguments"]["query"] == "string, required: A question, words, or a symbol's name."
    assert tool["arguments"]["k"].startswith("integer: ")
    assert not tool["arguments"].keys() & {"project", "profile", "max_tokens"}
    assert all(about.partition(": ")[2] for about in tool["arguments"].values())


def test_arguments_of_a_few_words_name_them_and_objects_their_fields(caller: Caller) -> None:
    (rebuild,) = found(caller, query="graph_rebuild", limit=1)
    (episode,) = found(caller, query="episode_add", limit=1)
    (search,) = found(caller, query="query_context", limit=1)

    assert rebuild["arguments"]["mode"].startswith("full or incremental: ")
    assert episode["arguments"]["outcome"].startswith("failure or partial or success: ")
    assert "DECISION" in episode["arguments"]["type"].partition(", required: ")[0].split(" or ")
    assert search["arguments"]["scope"] == "object of paths, languages, kinds, exclude_patterns: Where to look."


def test_no_words_list_every_tool(caller: Caller) -> None:
    assert {tool["name"] for tool in found(caller)} == set(TOOLS)


def test_more_tools_that_fit_are_counted(caller: Caller) -> None:
    said = json.loads(answer(caller, "tools_search", {"query": "graph", "limit": 2}).body)

    assert said["data"]["total"] > 2
    assert said["summary"].startswith(f"{said['data']['tools'][0]['name']}, ")
    assert f" and {said['data']['total'] - 2} more." in said["summary"]


def test_the_smallest_profile_shows_what_the_summary_names(caller: Caller) -> None:
    said = json.loads(answer(caller, "tools_search", {"query": "who calls this", "profile": "compact"}).body)

    assert said["profile"] == "compact"
    assert len(said["data"]["tools"]) == said["data"]["total"] > 0


def test_words_that_fit_nothing_say_so(caller: Caller) -> None:
    said = json.loads(answer(caller, "tools_search", {"query": "zeppelin"}).body)

    assert said["summary"] == "No tool fits these words. An empty query lists all tools."
    assert said["data"]["tools"] == []


def test_without_words_every_tool_has_a_line(caller: Caller) -> None:
    said = json.loads(answer(caller, "tools_search", {}).body)
    lines = said["data"]["tools"]

    assert [line.partition(": ")[0] for line in lines] == sorted(TOOLS)
    assert "code_explain: Explain a symbol or file" in " ".join(lines)


def test_in_little_room_tools_are_only_named(caller: Caller) -> None:
    said = json.loads(answer(caller, "tools_search", {"max_tokens": 400}).body)
    less = json.loads(answer(caller, "tools_search", {"profile": "compact"}).body)["data"]

    assert said["data"]["tools"].split() == sorted(TOOLS)
    assert less["tools"].split() == sorted(TOOLS)[: -less["tools_left_out"]]


def test_tools_in_the_list_of_the_client_are_only_named(caller: Caller) -> None:
    listing = structs.replace(caller, listed=frozenset({"code_explain"}))
    said = json.loads(answer(listing, "tools_search", {"query": "callers"}).body)

    assert "code_explain" not in [one["name"] for one in said["data"]["tools"]]
    assert said["summary"].endswith("In your list: code_explain.")


def test_words_that_only_fit_the_list_of_the_client_say_so(caller: Caller) -> None:
    listing = structs.replace(caller, listed=frozenset(TOOLS))
    said = json.loads(answer(listing, "tools_search", {"query": "callers"}).body)

    assert said["data"]["tools"] == []
    assert said["summary"].startswith("No tool beyond your list fits these words. In your list: code_explain")


def test_a_call_by_way_of_another_keeps_the_smaller_budget(caller: Caller) -> None:
    asked = {"name": "tools_search", "arguments": {"limit": 100, "max_tokens": 4000}, "max_tokens": 500}
    small = json.loads(answer(caller, "tools_call", asked).body)
    other = {**asked, "arguments": {"limit": 100, "max_tokens": 500}, "max_tokens": 4000}

    assert small["_tokenEstimate"] <= 500
    assert json.loads(answer(caller, "tools_call", other).body)["_tokenEstimate"] <= 500


def test_what_may_call_a_tool_that_writes_is_not_told_to_read_only() -> None:
    assert TOOLS["tools_call"].writes_if
