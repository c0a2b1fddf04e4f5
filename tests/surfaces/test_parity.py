"""One call, every surface, one answer."""

import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import httpx
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

import clew
from clew.model.errors import ClewError
from clew.tools.answer import Caller, Reply, answer
from clew.workspaces import Workspaces

from .processes import CLEW, PATIENCE, serving
from .processes import clew as run


class Call(NamedTuple):
    tool: str
    arguments: dict[str, Any]
    code: str = ""  # of the error that must come of it


CALLS = {
    "a question": Call("query_context", {"query": "validate token"}),
    "a question with every parameter": Call(
        "query_context",
        {
            "query": "token",
            "k": 2,
            "scope": {"paths": ["*.py"], "languages": ["python"], "kinds": ["function"], "exclude_patterns": ["v*"]},
            "filters": {"min_score": 0.1, "max_tokens": 900},
        },
    ),
    "a question in camel case": Call("query_context", {"query": "token", "maxTokens": 500}),
    "a question in nested camel case": Call(
        "query_context",
        {"query": "token", "scope": {"excludePatterns": ["guide.md"]}, "filters": {"minScore": 0.2, "maxTokens": 700}},
    ),
    "an episode": Call(
        "episode_add",
        {
            "type": "OBSERVATION",
            "content": "the vault knows its tokens",
            "entities": ["vault.py::Vault", "nowhere.py"],
            "occurredAt": "2026-01-01T00:00:00Z",
            "key": "parity",
            "agentId": "planner",
            "session_id": "s1",
        },
    ),
    "an episode that lacks something": Call(
        "episode_add", {"type": "ERROR", "content": "x", "metadata": {}}, "CLEW_E_INVALID_INPUT"
    ),
    "a recall": Call("episode_recall", {"query": "what does the vault know", "entities": ["vault.py"]}),
    "a recall by the formula": Call(
        "episode_recall", {"query": "vault", "ranking": "formula", "now": "2026-02-01", "profile": "debug"}
    ),
    "decisions": Call("decision_query", {"query": "tokens", "affected_files": ["tokens.py"]}),
    "nothing found": Call("query_context", {"query": "zeppelin"}),
    "few tokens": Call("query_context", {"query": "token", "max_tokens": 450}),
    "balanced": Call("query_context", {"query": "token", "profile": "balanced"}),
    "debug": Call("query_context", {"query": "token", "profile": "debug"}),
    "a slice": Call("semantic_slice", {"symbol": "Vault.knows", "context": "with-deps"}),
    "a slice with every parameter": Call(
        "semantic_slice",
        {
            "symbol": "validate_token",
            "file": "tokens.py",
            "query": "which tokens are valid",
            "context": "full",
            "pprScore": 0.25,
            "maxTokens": 400,
        },
    ),
    "a slice by a question": Call("semantic_slice", {"query": "which tokens are valid", "max_tokens": 600}),
    "a slice of a file": Call("semantic_slice", {"file": "file::vault.py", "context": "signature"}),
    "a slice of nothing": Call("semantic_slice", {}, "CLEW_E_INVALID_INPUT"),
    "a slice of what is not there": Call("semantic_slice", {"symbol": "validate_tokn"}, "CLEW_E_NOT_FOUND"),
    "a slice in too few tokens": Call("semantic_slice", {"symbol": "Vault", "max_tokens": 9}, "CLEW_E_BUDGET_EXCEEDED"),
    "health": Call("graph_health", {}),
    "health of a named project": Call("graph_health", {"project": "{root}"}),
    "health with the graph's hash": Call("graph_health", {"withHash": True, "profile": "balanced"}),
    "an element": Call("code_explain", {"element": "tokens.py::validate_token"}),
    "an element in full": Call("code_explain", {"element": "Vault", "profile": "debug"}),
    "an element as it was": Call(
        "code_explain", {"element": "file::vault.py", "asOf": "2999-01-01", "max_tokens": 900}
    ),
    "a question about an element": Call("code_explain", {"element": "which tokens are valid", "profile": "balanced"}),
    "an element by a near name": Call("code_explain", {"element": "validate_tokn"}, "CLEW_E_NOT_FOUND"),
    "an element at no time": Call("code_explain", {"element": "Vault", "as_of": "soon"}, "CLEW_E_INVALID_INPUT"),
    "an element in too few tokens": Call(
        "code_explain", {"element": "Vault", "max_tokens": 9}, "CLEW_E_BUDGET_EXCEEDED"
    ),
    "a neighbourhood": Call("query_graph_neighborhood", {"node_id": "symbol::vault.py::Vault"}),
    "a neighbourhood with every parameter": Call(
        "query_graph_neighborhood",
        {
            "nodeId": "tokens.py",
            "radius": 3,
            "undirected": False,
            "filterNodeTypes": "CODE_FUNCTION,file",
            "filterEdgeTypes": "import,DEFINES_SYMBOL",
            "maxNodes": 3,
            "profile": "debug",
        },
    ),
    "a neighbourhood of nothing": Call("query_graph_neighborhood", {"node_id": "nowhere"}, "CLEW_E_NOT_FOUND"),
    "a neighbourhood along strange edges": Call(
        "query_graph_neighborhood", {"node_id": "vault.py", "filter_edge_types": "sings"}, "CLEW_E_INVALID_INPUT"
    ),
    "a question to the graph": Call("graph_query", {"query": "who stores a token"}),
    "a question to the graph with every parameter": Call(
        "graph_query",
        {
            "query": "token",
            "language": "natural",
            "mode": "local",
            "limit": 4,
            "types": ["FUNCTION", "file"],
            "asOf": "2999-01-01",
            "profile": "debug",
        },
    ),
    "cypher": Call("graph_query", {"query": "MATCH (n) RETURN n", "language": "cypher"}),
    "a global question": Call("graph_query", {"query": "overview", "mode": "global"}),
    "a hybrid search": Call("hybrid_search", {"query": "validate token"}),
    "a hybrid search with every parameter": Call(
        "hybrid_search",
        {
            "query": "token",
            "nResults": 3,
            "nodeTypes": "CODE_FUNCTION,file",
            "serviceName": "",
            "anchorNodeId": "symbol::vault.py::Vault",
            "semanticWeight": 0.3,
            "graphWeight": 0.7,
            "profile": "balanced",
        },
    ),
    "a hybrid search in a service": Call(
        "hybrid_search", {"query": "token", "service_name": "billing"}, "CLEW_E_NOT_FOUND"
    ),
    "a claim": Call("agent_claim", {"target_id": "guide.md", "agent_id": "ann", "session_id": "1", "intent": "reword"}),
    "a claim that another has": Call(
        "agent_claim", {"targetId": "./guide.md", "claimType": "file", "agentId": "ben", "sessionId": "1"}
    ),
    "a briefing that claims": Call(
        "context_pack",
        {"task": "validate token", "claim": True, "agentId": "ann", "sessionId": "1", "includeEpisodes": False},
    ),
    "a briefing": Call("context_pack", {"task": "what the vault knows", "agent_id": "eve", "session_id": "1"}),
    "a briefing in fields": Call("context_pack", {"task": "guide to tokens", "format": "json", "max_tokens": 4000}),
    "a context pack": Call("context_pack_create", {"query": "validate token"}),
    "a context pack with every parameter": Call(
        "context_pack.create",
        {
            "query": "token",
            "intent": "impact",
            "focus": {"symbolId": "vault.py::Vault"},
            "seedMode": "code",
            "seedProvider": "fts",
            "expansion": {"maxHops": 3, "edgeTypes": ["call", "dataflow"], "direction": "in", "requireEvidence": True},
            "budgets": {"maxItems": 5, "max_bytes_per_item": 200},
            "ordering": {"primary": "ppr", "stableTieBreakers": ["startLine"]},
            "strictness": "strict",
            "includeExplain": False,
            "write": False,
        },
    ),
    "a context pack by vectors": Call("context_pack_create", {"query": "token", "seed_provider": "ann"}),
    "a small context pack": Call("context_pack_create", {"query": "token", "profile": "compact"}),
    "a context pack without room": Call(
        "context_pack_create", {"query": "token", "max_tokens": 20}, "CLEW_E_BUDGET_EXCEEDED"
    ),
    "a context pack that nobody wrote": Call("context_pack.get", {"packId": "0" * 64}, "CLEW_E_NOT_FOUND"),
    "a rebuild in no mode": Call("graph_rebuild", {"mode": "sideways"}, "CLEW_E_INVALID_INPUT"),
    "statistics": Call("get_context_stats", {"profile": "debug"}),
    "a search for tools": Call("tools_search", {"query": "index health", "profile": "debug"}),
    "a call by way of tools_call": Call("tools_call", {"name": "graph_health", "arguments": {"profile": "balanced"}}),
    "a budget on tools_call": Call(
        "tools_call", {"name": "blocking_issues", "arguments": {}, "max_tokens": 3}, "CLEW_E_BUDGET_EXCEEDED"
    ),
    "an unknown tool by way of tools_call": Call("tools_call", {"name": "query_contxt"}, "CLEW_E_NOT_FOUND"),
    "tools_call by way of tools_call": Call("tools_call", {"name": "tools_call"}, "CLEW_E_INVALID_INPUT"),
    "a bad argument by way of tools_call": Call(
        "tools_call", {"name": "query_context", "arguments": {"query": ""}}, "CLEW_E_INVALID_INPUT"
    ),
    "an unknown tool": Call("query_contxt", {"query": "token"}, "CLEW_E_NOT_FOUND"),
    "an unknown argument": Call("query_context", {"query": "token", "limit": 3}, "CLEW_E_INVALID_INPUT"),
    "an unknown field": Call("query_context", {"query": "token", "scope": {"path": []}}, "CLEW_E_INVALID_INPUT"),
    "a claim outside of the project": Call("agent_claim", {"target_id": "../other"}, "CLEW_E_DENIED"),
    "a release of nothing": Call("agent_release", {"claim_id": "nothing"}, "CLEW_E_NOT_FOUND"),
    "an agent that nobody knows": Call("agent_status", {"agent_id": "nobody", "profile": "debug"}),
    "tasks": Call("progress_query", {"status": ["pending", "blocked"], "limit": 3}),
    "a task that is not there": Call("task_update", {"task_id": "T-9", "status": "completed"}, "CLEW_E_NOT_FOUND"),
    "a task in a strange state": Call("task_update", {"task_id": "T-9", "status": "sad"}, "CLEW_E_INVALID_INPUT"),
    "what is in the way": Call("blocking_issues", {}),
    "a feature that is not there": Call("feature_status", {"feature_id": "checkout"}, "CLEW_E_NOT_FOUND"),
    "a missing argument": Call("query_context", {}, "CLEW_E_INVALID_INPUT"),
    "an empty question": Call("query_context", {"query": ""}, "CLEW_E_INVALID_INPUT"),
    "a wrong type": Call("query_context", {"query": "token", "k": "five"}, "CLEW_E_INVALID_INPUT"),
    "a number as text": Call("query_context", {"query": "token", "k": "5"}),
    "null for what is left out": Call("query_context", {"query": "token", "k": None, "scope": {"paths": None}}),
    "a number out of range": Call("query_context", {"query": "token", "k": 0}, "CLEW_E_INVALID_INPUT"),
    "a score out of range": Call(
        "query_context", {"query": "token", "filters": {"minScore": 2}}, "CLEW_E_INVALID_INPUT"
    ),
    "an unknown profile": Call("query_context", {"query": "token", "profile": "huge"}, "CLEW_E_INVALID_INPUT"),
    "one argument in two spellings": Call(
        "query_context", {"query": "token", "max_tokens": 9, "maxTokens": 9}, "CLEW_E_INVALID_INPUT"
    ),
    "an unknown kind": Call("query_context", {"query": "token", "scope": {"kinds": ["poem"]}}, "CLEW_E_INVALID_INPUT"),
    "a tiny budget": Call("query_context", {"query": "token", "max_tokens": 5}, "CLEW_E_BUDGET_EXCEEDED"),
    "an unknown project": Call("graph_health", {"project": "/nowhere/at/all"}, "CLEW_E_NOT_FOUND"),
    "a project that is no path": Call("graph_health", {"project": "a\0b"}, "CLEW_E_NOT_FOUND"),
}

# An index that is only read is the same for everyone who asks.
STILL = {"CLEW_METRICS_ENABLED": "false", "CLEW_QUERY_REFRESH": "false"}


def volatile_left_out(envelope: dict[str, Any]) -> dict[str, Any]:
    """The size on disk, to the byte, changes as processes come and go; caches and the latency of providers are of one
    process; a pack tells when it was made; only a server watches the tree."""
    envelope = {**envelope, "summary": re.sub(r"[\d.]+ MB", "MB", envelope["summary"])}
    data = envelope.get("data", {})
    if "watcherState" in data:
        return {**envelope, "_tokenEstimate": 0, "data": {**data, "watcherState": ""}}
    if "stats" in data and "packId" in data:
        stats = {name: value for name, value in data["stats"].items() if name != "timings"}
        return {**envelope, "_tokenEstimate": 0, "data": {**data, "stats": stats, "createdAt": ""}}
    storage = data.get("storage")
    if storage is None:
        return envelope
    kept = {name: value for name, value in storage.items() if name != "db_size_mb"}
    uncached = {name: value for name, value in data["performance"].items() if name != "cache_hit_rate"}
    providers = [{name: kept for name, kept in one.items() if name != "avg_latency_ms"} for one in data["providers"]]
    stable = {"storage": kept, "performance": uncached, "providers": providers}
    return {**envelope, "_tokenEstimate": 0, "data": {**data, **stable}}


class Said(NamedTuple):
    """An envelope, and whether the surface's own channel calls it a success."""

    envelope: dict[str, Any]
    mark: object


Surface = Callable[[Path, Path, Mapping[str, Call]], dict[str, Said]]


def over_cli(root: Path, logs: Path, calls: Mapping[str, Call]) -> dict[str, Said]:
    said = {}
    for name, call in calls.items():
        done = run("tool", call.tool, "--json", "--args", json.dumps(call.arguments), cwd=root, env=STILL)
        said[name] = Said(done.json, done.code)
    return said


def over_http(root: Path, logs: Path, calls: Mapping[str, Call]) -> dict[str, Said]:
    with (
        serving(root, logs / "http", env=STILL) as server,
        httpx.Client(base_url=server.url, timeout=PATIENCE) as client,
    ):
        replies = {name: client.post(f"/tools/{call.tool}", json=call.arguments) for name, call in calls.items()}
    return {name: Said(reply.json(), reply.status_code) for name, reply in replies.items()}


def over_mcp_on_stdio(root: Path, logs: Path, calls: Mapping[str, Call]) -> dict[str, Said]:
    environment = {**os.environ, **STILL, "CLEW_BOOTSTRAP_ENABLED": "false"}
    command = StdioServerParameters(command=CLEW[0], args=[*CLEW[1:], "-C", str(root), "mcp"], env=environment)
    with (logs / "stdio").open("w+") as log:
        said = anyio.run(_over_mcp, lambda: Client(stdio_client(command, log)), calls)
        log.seek(0)
        assert "Traceback" not in log.read()
    return said


def over_mcp_on_http(root: Path, logs: Path, calls: Mapping[str, Call]) -> dict[str, Said]:
    with serving(root, logs / "streamable", env=STILL) as server:
        return anyio.run(_over_mcp, lambda: Client(f"{server.url}/mcp"), calls)


async def _over_mcp(connect: Callable[[], Client], calls: Mapping[str, Call]) -> dict[str, Said]:
    said = {}
    async with connect() as client:
        for name, call in calls.items():
            result = await client.call_tool(call.tool, {**call.arguments, "repeat": True})
            (content,) = result.content
            assert content.type == "text"
            said[name] = Said(json.loads(content.text), result.is_error)
    return said


def over_library(root: Path, logs: Path, calls: Mapping[str, Call]) -> dict[str, Said]:
    """Typed values and errors, said as the other surfaces say them as far as they go."""
    with clew.open(root) as ws:
        return {name: _in_library(ws, call) for name, call in calls.items()}


def over_client(root: Path, logs: Path, calls: Mapping[str, Call]) -> dict[str, Said]:
    with serving(root, logs / "client", env=STILL) as server, clew.connect(server.url) as client:
        return {name: _in_library(client, call) for name, call in calls.items()}


def _in_library(ws: Any, call: Call) -> Said:
    try:
        return Said({"ok": True, "summary": getattr(ws, call.tool)(**call.arguments).summary()}, True)
    except ClewError as error:
        said = {"ok": False, "summary": error.message, "errorCode": error.code, "hint": error.hint}
        return Said(said, False)


MARKS: dict[Surface, Callable[[Reply], object]] = {
    over_cli: lambda reply: reply.exit_code,
    over_http: lambda reply: reply.status,
    over_mcp_on_stdio: lambda reply: not reply.ok,
    over_mcp_on_http: lambda reply: not reply.ok,
    over_library: lambda reply: reply.ok,
    over_client: lambda reply: reply.ok,
}

SERVERS = (
    over_http,
    over_mcp_on_stdio,
    over_mcp_on_http,
    over_client,
)  # these open the project they were started for, and no other


@pytest.mark.parametrize("surface", MARKS, ids=lambda surface: surface.__name__)
def test_a_call_gets_the_same_answer_on_every_surface(
    surface: Surface, indexed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in STILL.items():
        monkeypatch.setenv(name, value)
    calls = {name: _placed(call, indexed) for name, call in CALLS.items()}
    if surface in (over_library, over_client):
        del calls["an unknown tool"]  # of an object, that is an attribute it does not have
    workspaces = Workspaces(indexed, roots=() if surface in SERVERS else None)
    replies = {name: answer(Caller(workspaces), call.tool, call.arguments) for name, call in calls.items()}
    workspaces.close()

    said = surface(indexed, tmp_path, calls)

    for name, reply in replies.items():
        expected = volatile_left_out(json.loads(reply.body))
        heard = volatile_left_out(said[name].envelope)
        assert expected.get("errorCode", "") == calls[name].code, name
        assert heard == (_as_far_as(heard, expected) if surface in (over_library, over_client) else expected), name
        assert said[name].mark == MARKS[surface](reply), name


def _placed(call: Call, root: Path) -> Call:
    placed = {name: str(root) if value == "{root}" else value for name, value in call.arguments.items()}
    return call._replace(arguments=placed)


def _as_far_as(heard: dict[str, Any], expected: dict[str, Any]) -> dict[str, Any]:
    """The library has no envelope: what must be in an answer takes less."""
    told = {name: expected[name] for name in heard}
    return {**told, "hint": heard["hint"]} if told.get("errorCode") == "CLEW_E_BUDGET_EXCEEDED" else told
