"""Finding tools: the rest of the registry is a search away."""

import json
from typing import Any

from clew.tools import TOOLS
from clew.tools.answer import Caller, answer


def found(caller: Caller, **arguments: object) -> list[dict[str, Any]]:
    envelope = json.loads(answer(caller, "tools_search", {"profile": "debug", **arguments}).body)
    tools: list[dict[str, Any]] = envelope["data"]["tools"]
    return tools


def test_words_find_the_tool_that_does_it(caller: Caller) -> None:
    assert found(caller, query="is the index ready?")[0]["name"] == "graph_health"
    assert found(caller, query="statistics: how large, how fast")[0]["name"] == "get_context_stats"


def test_a_found_tool_says_how_to_call_it(caller: Caller) -> None:
    (tool,) = found(caller, query="query_context", limit=1)

    assert (tool["name"], tool["toolset"], tool["writes"]) == ("query_context", "context", False)
    assert tool["arguments"]["query"] == "string, required: A question, words, or a symbol's name."
    assert tool["arguments"]["k"].startswith("integer: ")
    assert not tool["arguments"].keys() & {"project", "profile", "max_tokens"}
    assert all(about.partition(": ")[2] for about in tool["arguments"].values())


def test_no_words_list_every_tool(caller: Caller) -> None:
    assert {tool["name"] for tool in found(caller, limit=100)} == set(TOOLS)


def test_words_that_fit_nothing_say_so(caller: Caller) -> None:
    said = json.loads(answer(caller, "tools_search", {"query": "zeppelin"}).body)

    assert said["summary"] == "No tool fits these words."
    assert said["data"]["tools"] == []


def test_a_budget_shows_the_first_tools(caller: Caller) -> None:
    everything = [tool["name"] for tool in found(caller, limit=100)]
    some = [tool["name"] for tool in found(caller, limit=100, max_tokens=500)]

    assert 0 < len(some) < len(everything)
    assert everything[: len(some)] == some
