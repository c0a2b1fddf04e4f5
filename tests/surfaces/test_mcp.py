"""MCP over standard streams: answers come before the index is complete, and nothing but stdin ends the server."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.trusting import copied

from .processes import Pipes, clew, mcp_on_pipes, offered

MANY = 600
LONGEST_LIST = 12 * 1024  # bytes of an agent's attention, before it has asked anything


@pytest.fixture
def fresh(tmp_path: Path) -> Path:
    """A repository that Clew has never seen, large enough that indexing takes a while."""
    root = tmp_path / "fresh"
    (root / ".git").mkdir(parents=True)
    body = "\n".join(f"    step_{n} = weigh(value, {n})" for n in range(60))
    for n in range(MANY):
        text = f'def handle_case_{n}(value: int) -> int:\n    """Handle case {n}."""\n{body}\n    return value\n'
        (root / f"case_{n}.py").write_text(text, "utf-8")
    (root / "zeppelin.py").write_text('def land_zeppelin():\n    """Moor the airship."""\n', "utf-8")
    return root


def wait_for(pipes: Pipes, query: str) -> dict[str, Any]:
    """The first answer with a hit."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        said = pipes.call("query_context", query=query)
        assert said["ok"], said
        if said["data"]["hits"]:
            return said
        time.sleep(0.1)
    raise AssertionError("never found")


def test_answers_arrive_before_the_index_is_complete(fresh: Path, tmp_path: Path) -> None:
    with mcp_on_pipes(fresh, tmp_path / "log") as pipes:
        pipes.greet()
        tools = pipes.ask("tools/list")["tools"]
        early = pipes.call("query_context", query="handle case", maxTokens=1500)
        late = wait_for(pipes, "land zeppelin")
        code = pipes.close()

    assert [tool["name"] for tool in tools] == offered("core")
    assert early["ok"], early
    assert early["data"]["index"]["indexing"] is True
    assert "Indexing: " in early["summary"]
    assert late["data"]["hits"][0]["label"] == "land_zeppelin"
    assert code == 0


def test_the_index_is_complete_in_the_end_and_says_so(fresh: Path, tmp_path: Path) -> None:
    with mcp_on_pipes(fresh, tmp_path / "log") as pipes:
        pipes.greet()
        deadline = time.monotonic() + 60
        health = pipes.call("graph_health")
        while health["data"]["status"] != "ready" and time.monotonic() < deadline:
            time.sleep(0.1)
            health = pipes.call("graph_health")
        said = pipes.call("query_context", query="zeppelin")
        while "index" in said["data"] and time.monotonic() < deadline:  # a look at what has changed since
            time.sleep(0.1)
            said = pipes.call("query_context", query="zeppelin")

    assert (health["data"]["files"], health["data"]["files_seen"]) == (MANY + 1, MANY + 1)
    assert "index" not in said["data"], "it says so only as long as it is not complete"
    assert "Indexing" not in said["summary"]


def test_indexing_goes_on_when_the_client_leaves(fresh: Path, tmp_path: Path) -> None:
    with mcp_on_pipes(fresh, tmp_path / "log") as pipes:
        pipes.greet()
        pipes.call("graph_health")
    with mcp_on_pipes(fresh, tmp_path / "again", "--read-only") as pipes:  # which starts no run of its own
        pipes.greet()
        assert wait_for(pipes, "land zeppelin")["ok"]


def test_the_list_is_short_and_says_what_only_reads(indexed: Path, tmp_path: Path) -> None:
    with mcp_on_pipes(indexed, tmp_path / "log") as pipes:
        welcome = pipes.greet()
        listed = pipes.ask("tools/list")

    assert welcome["serverInfo"]["name"] == "clew"
    assert "query_context" in welcome["instructions"]
    assert len(json.dumps(listed)) <= LONGEST_LIST
    writing = [tool["name"] for tool in listed["tools"] if not tool["annotations"]["readOnlyHint"]]
    assert writing == ["context_pack", "episode_add", "agent_claim", "agent_release", "tools_call"]


def test_the_first_answers_are_those_of_the_server_itself(indexed: Path, tmp_path: Path) -> None:
    """They come from a file while the SDK is loading; the toolset named twice has none."""
    told = []
    for options in ((), ("--toolsets", "core,core")):
        with mcp_on_pipes(indexed, tmp_path / "log", *options) as pipes:
            told.append((pipes.greet(), pipes.ask("tools/list"), pipes.ask("tools/list")))
            assert pipes.call("query_context", query="token")["data"]["hits"]
            assert pipes.close() == 0

    assert told[0] == told[1]


def test_options_choose_toolsets(indexed: Path, tmp_path: Path) -> None:
    with mcp_on_pipes(indexed, tmp_path / "log", "--toolsets", "code,context") as pipes:
        pipes.greet()
        names = [tool["name"] for tool in pipes.ask("tools/list")["tools"]]

    assert names == offered("code", "context")


def test_a_toolset_that_does_not_exist_is_said_at_once(indexed: Path) -> None:
    done = clew("mcp", "--toolsets", "core,cide", "--json", cwd=indexed)

    assert (done.code, done.json["errorCode"]) == (2, "CLEW_E_INVALID_INPUT")
    assert "code, context, core" in done.json["hint"]


def test_stray_lines_do_not_end_the_server(indexed: Path, tmp_path: Path) -> None:
    strays = (b"no json", b"{", b"[]", b"\xff\xfe\x00", b'{"jsonrpc": "2.0"}', b"42", b"", b"[" * 5000)
    with mcp_on_pipes(indexed, tmp_path / "log") as pipes:
        pipes.greet()
        for stray in strays:
            pipes.write(stray)
            assert pipes.call("query_context", query="token")["ok"], stray
        assert pipes.close() == 0


def test_a_text_that_was_cut_inside_of_a_character_is_answered(indexed: Path, tmp_path: Path) -> None:
    with mcp_on_pipes(indexed, tmp_path / "log") as pipes:
        pipes.greet()
        assert pipes.call("query_context", query="token \ud83d")["data"]["hits"]
        assert pipes.call("episode_add", type="OBSERVATION", content="tokens \udc00")["ok"]
        assert pipes.call("episode_recall", query="tokens")["data"]["episodes"][0]["content"] == "tokens ?"
        assert pipes.close() == 0


def test_the_workspace_moves_with_the_connection(indexed: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    with mcp_on_pipes(empty, tmp_path / "log", "--toolsets", "all", "--allow-root", str(indexed)) as pipes:
        pipes.greet()
        chosen = pipes.call("graph_set_workspace", workspaceRoot=str(indexed))
        said = pipes.call("query_context", query="validate token")

    assert chosen["ok"]
    assert said["data"]["hits"][0]["label"] == "validate_token"


def test_a_client_may_name_the_project_later(indexed: Path, tmp_path: Path) -> None:
    """Some clients start their servers in the root directory, or in a home."""
    with mcp_on_pipes(Path("/"), tmp_path / "log", "--allow-root", str(indexed.parent)) as pipes:
        pipes.greet()
        refused = pipes.call("query_context", query="token")
        said = pipes.call("query_context", query="token", project=str(indexed))

    assert refused["errorCode"] == "CLEW_E_DENIED"
    assert said["ok"]


def test_a_home_is_indexed_only_if_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that starts its server there knows nothing of it."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(home)
    with mcp_on_pipes(Path(), tmp_path / "log") as pipes:
        pipes.greet()
        refused = pipes.call("query_context", query="token")

    assert refused["errorCode"] == "CLEW_E_DENIED"
    assert not (home / ".clew").exists()
    assert clew("index", cwd=home).code == 5
    assert clew("-C", str(home), "index", cwd=home).code == 0
    assert clew("index", cwd=home).code == 0  # it is a project now


def test_a_database_that_cannot_be_read_is_said_to_the_client(project: Path, tmp_path: Path) -> None:
    (project / ".clew" / "clew.db").write_bytes(b"this is no database" * 500)
    with mcp_on_pipes(project, tmp_path / "log") as pipes:
        pipes.greet()
        assert pipes.call("query_context", query="token")["errorCode"] == "CLEW_E_STORE_CORRUPT"
        assert pipes.close() == 0


def test_a_client_writes_under_its_own_name_and_each_connection_is_a_session(indexed: Path, tmp_path: Path) -> None:
    root = copied(indexed, tmp_path / "project")
    spoken = []
    for log in ("one", "two"):
        with mcp_on_pipes(root, tmp_path / log) as pipes:
            pipes.greet()
            spoken.append([pipes.call("episode_add", type="OBSERVATION", content=text)["data"] for text in ("a", "b")])
    first, second = spoken

    assert {one["agent_id"] for one in [*first, *second]} == {"pipes"}
    assert first[0]["session_id"] == first[1]["session_id"] != second[0]["session_id"]
    assert first[1]["previous_episode_id"] == first[0]["episode_id"]
    assert "previous_episode_id" not in second[0]
