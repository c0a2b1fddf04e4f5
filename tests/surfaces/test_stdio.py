"""MCP on pipes, by clients that keep to the letter of JSON-RPC, end early, or are gone."""

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

from .processes import CLEW, PATIENCE, clew, mcp_on_pipes

CLIENT = {"name": "pipes", "version": "1"}
ODD: tuple[object, ...] = (1.5, None, True, [1], {})  # for the number of a request
GREETING = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": CLIENT}


def asking(number: object, method: str, params: object = None) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": {} if params is None else params}


def calling(number: object, tool: str, **arguments: object) -> dict[str, object]:
    return asking(number, "tools/call", {"name": tool, "arguments": arguments})


def answers(root: Path, *sent: object) -> dict[object, dict[str, Any]]:
    """All that comes back where everything is sent at once, and then nothing more; by the number it was asked by."""
    lines = [one if isinstance(one, str) else json.dumps(one) for one in (asking(0, "initialize", GREETING), *sent)]
    done = clew("mcp", cwd=root, stdin="\n".join(lines) + "\n")
    assert (done.code, done.err) == (0, "")
    return {answer["id"]: answer for answer in map(json.loads, done.out.splitlines())}


def test_all_that_was_asked_is_answered_though_nothing_more_is_sent(indexed: Path) -> None:
    adding = [calling(n, "episode_add", type="OBSERVATION", content=f"seen {n} times") for n in range(2, 6)]
    said = answers(indexed, calling(1, "query_context", query="token"), *adding)
    assert {number: "result" in answer for number, answer in said.items()} == dict.fromkeys(range(6), True)
    listed = clew("memory", "list", cwd=indexed).out
    assert all(f"seen {n} times" in listed for n in range(2, 6))


def test_what_is_no_message_is_refused_by_its_number(indexed: Path) -> None:
    said = answers(indexed, asking(1, "tools/call", [1]), {"id": "two", "method": "ping"}, "no json", asking(3, "ping"))
    assert {number: answer.get("error", {}).get("code") for number, answer in said.items()} == {
        0: None,
        1: -32600,
        "two": -32600,
        None: -32700,
        3: None,
    }


def test_a_request_by_what_is_no_id_is_refused(indexed: Path) -> None:
    strange = [one for odd in ODD for one in (asking(odd, "ping"), [asking(odd, "ping")])]
    lines = [json.dumps(one) for one in (asking(0, "initialize", GREETING), *strange, asking(3.0, "ping"))]
    told = [json.loads(line) for line in clew("mcp", cwd=indexed, stdin="\n".join(lines) + "\n").out.splitlines()]
    refused = {"code": -32600, "message": "a request's id is a string or a whole number"}
    assert [one["error"] for one in told if one["id"] is None] == [refused] * len(strange)
    assert [one["result"] for one in told if one["id"] == 3] == [{}]


def test_messages_in_a_list_are_answered_each(indexed: Path) -> None:
    said = answers(indexed, [asking(1, "ping"), asking(2, "ping"), 3])
    assert said[1]["result"] == said[2]["result"] == {}
    assert said[None]["error"]["code"] == -32600


def test_two_that_are_asked_by_one_number_are_both_answered(indexed: Path) -> None:
    lines = [asking(0, "initialize", GREETING), asking(1, "ping"), calling(1, "query_context", query="token")]
    done = clew("mcp", cwd=indexed, stdin="".join(json.dumps(one) + "\n" for one in lines))
    assert [json.loads(line)["id"] for line in done.out.splitlines()] == [0, 1, 1]


def test_to_take_back_what_was_never_asked_ends_nothing(indexed: Path) -> None:
    taken_back = [
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}} for number in (*ODD, 7)
    ]
    lines = [asking(0, "initialize", GREETING), *taken_back, asking(1, "ping")]
    done = clew("mcp", cwd=indexed, stdin="".join(json.dumps(one) + "\n" for one in lines))
    assert (done.code, [json.loads(line)["id"] for line in done.out.splitlines()]) == (0, [0, 1])


def test_a_line_that_is_too_long_is_refused_and_the_next_is_answered(indexed: Path) -> None:
    long = json.dumps(calling(1, "query_context", query="x" * 300_000))
    lines = [json.dumps(asking(0, "initialize", GREETING)), long, json.dumps(asking(2, "ping")), "y" * 300_000]
    env = {"CLEW_SERVER_MAX_BODY_MB": "0.1"}
    said = [json.loads(line) for line in clew("mcp", cwd=indexed, stdin="\n".join(lines), env=env).out.splitlines()]
    refused = [one["error"] for one in said if one["id"] is None]

    assert [one["result"] for one in said if one["id"] == 2] == [{}]
    assert [error["code"] for error in refused] == [-32600, -32600]
    assert all("104857 bytes" in error["message"] and "max_body_mb" in error["message"] for error in refused)


def test_a_line_may_begin_with_a_byte_order_mark(indexed: Path) -> None:
    assert answers(indexed, "\ufeff" + json.dumps(asking(1, "ping")))[1]["result"] == {}


def test_being_asked_to_stop_counts_while_the_client_is_silent(indexed: Path, tmp_path: Path) -> None:
    with mcp_on_pipes(indexed, tmp_path / "log") as pipes:
        pipes.greet()
        pipes.process.send_signal(signal.SIGTERM)
        assert pipes.process.wait(PATIENCE) == 130
        pipes.close()


def test_a_client_that_is_gone_is_no_fault(indexed: Path) -> None:
    command = [*CLEW, "-C", str(indexed), "mcp"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as server:
        assert server.stdin and server.stdout and server.stderr
        server.stdout.close()
        for message in (asking(0, "initialize", GREETING), asking(1, "ping")):
            server.stdin.write(json.dumps(message).encode() + b"\n")
        server.stdin.flush()
        assert server.wait(PATIENCE) == 0
        assert "error:" not in server.stderr.read().decode()


def test_without_standard_input_it_is_said_who_starts_it(indexed: Path) -> None:
    done = clew(cwd=indexed, under=("sh", "-c", 'exec "$@" mcp <&-', "sh"))
    assert done.code == 6
    assert "standard input is closed" in done.err
