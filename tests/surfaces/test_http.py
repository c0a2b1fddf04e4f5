"""HTTP: routes, headers, and the bodies that nobody should send."""

import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import jsonschema  # type: ignore[import-untyped]  # it carries no types; the MCP SDK brings it
import pytest

from clew import __version__
from clew.tools import TOOLS
from clew.tools.params import MOST_TEXT

from .processes import PATIENCE, Server, clew, offered, serving

HUNDRED_MEGABYTES = 100 * 1024 * 1024
CHUNK = b"x" * 64 * 1024

JSON = {"Content-Type": "application/json"}


def raw(server: Server, *parts: bytes) -> socket.socket:
    """A connection that has sent these bytes."""
    connection = socket.create_connection(("127.0.0.1", server.port), PATIENCE)
    for part in parts:
        connection.sendall(part)
    return connection


def head(*lines: str) -> bytes:
    return "\r\n".join(["POST /tools/query_context HTTP/1.1", "Host: 127.0.0.1", *lines, "", ""]).encode()


def test_tools_lists_the_core_with_schemas(server: Server) -> None:
    tools = server.get("/tools").json()["tools"]

    assert [tool["name"] for tool in tools] == offered("core")
    for tool in tools:
        assert tool["description"]
        jsonschema.Draft202012Validator.check_schema(tool["input_schema"])


def test_a_header_chooses_other_toolsets(server: Server) -> None:
    names = [tool["name"] for tool in server.get("/tools", X_Clew_Toolsets="code, context").json()["tools"]]

    assert names == offered("code", "context")


def test_a_header_that_names_no_toolset_is_refused(server: Server) -> None:
    reply = server.get("/tools", X_Clew_Toolsets="cide")

    assert (reply.status_code, reply.json()["errorCode"]) == (422, "CLEW_E_INVALID_INPUT")


def test_openapi_describes_every_tool(server: Server) -> None:
    described = server.get("/openapi.json").json()

    assert described["openapi"].startswith("3.1")
    assert described["info"]["version"] == __version__
    plain = {"/add_context", "/delete_context", "/query_context", "/stats", "/metrics", "/healthz", "/readyz"}
    assert described["paths"].keys() == {f"/tools/{name}" for name in TOOLS} | plain
    for path in (one for one in described["paths"].values() if "post" in one):
        jsonschema.Draft202012Validator.check_schema(
            path["post"]["requestBody"]["content"]["application/json"]["schema"]
        )


def test_openapi_can_be_followed_and_is_what_is_answered(server: Server) -> None:
    described = server.get("/openapi.json").json()
    bodies = {path: one["post"]["requestBody"] for path, one in described["paths"].items() if "post" in one}
    for kind, told in (("Answer", server.post("graph_health", {})), ("Error", server.post("code_explain", {}))):
        schema = {"$ref": f"#/components/schemas/{kind}", "components": described["components"]}
        jsonschema.Draft202012Validator(schema).validate(told.json())

    assert (bodies["/tools/graph_health"]["required"], bodies["/tools/code_explain"]["required"]) == (False, True)
    for name, schema in described["components"]["schemas"].items():
        whole = {"$ref": f"#/components/schemas/{name}", "components": described["components"]}
        jsonschema.Draft202012Validator.check_schema(schema)
        list(jsonschema.Draft202012Validator(whole).iter_errors({}))  # raises if a reference leads nowhere
        assert "#/$defs/" not in json.dumps(schema)


def test_an_empty_body_is_no_arguments(server: Server) -> None:
    with server.client() as client:
        assert client.post("/tools/graph_health", headers=JSON).json()["ok"] is True


def over_mcp(server: Server, method: str, params: dict[str, object], **headers: str) -> dict[str, Any]:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    with server.client(Accept="application/json, text/event-stream", **headers) as client:
        reply: dict[str, Any] = client.post("/mcp", json=message).json()
    return reply


def test_headers_count_for_mcp_as_well(server: Server) -> None:
    listed = over_mcp(server, "tools/list", {}, X_Clew_Toolsets="code")["result"]["tools"]
    strange = over_mcp(server, "tools/list", {}, X_Clew_Toolsets="cide")
    moved = over_mcp(server, "tools/call", {"name": "graph_health", "arguments": {}}, X_Clew_Project="/nowhere/at/all")

    assert [tool["name"] for tool in listed] == offered("code")
    assert "cide" in strange["error"]["message"]
    assert moved["result"]["isError"] is True


@pytest.mark.parametrize(
    "body", [b"{", b"[]", b'["query"]', b"42", b"null", b'"text"', b"\xff\xfe", b'{"a": NaN}', b"[" * 100_000]
)
def test_a_body_that_is_no_json_object_is_malformed(server: Server, body: bytes) -> None:
    with server.client() as client:
        reply = client.post("/tools/query_context", content=body, headers=JSON)

    assert (reply.status_code, reply.json()["errorCode"]) == (400, "CLEW_E_MALFORMED")
    assert reply.json()["hint"]


@pytest.mark.parametrize("path", ["/", "/nothing", "/tools/query_context/more"])
def test_what_is_not_served_is_not_found_and_says_what_is(server: Server, path: str) -> None:
    reply = server.get(path)

    assert (reply.status_code, reply.json()["errorCode"]) == (404, "CLEW_E_NOT_FOUND")
    assert "GET /tools" in reply.json()["hint"]


@pytest.mark.parametrize("path", ["/tools/query_context", "/mcp"])
def test_a_body_that_says_it_is_too_large_is_refused_unread(server: Server, path: str) -> None:
    start = head(f"Content-Length: {HUNDRED_MEGABYTES}").replace(b"/tools/query_context", path.encode())
    with raw(server, start) as connection:
        said = connection.recv(4096)

    assert said.startswith(b"HTTP/1.1 413 ")


@pytest.mark.parametrize("path", ["/tools/query_context", "/mcp"])
def test_a_body_that_grows_too_large_is_refused_while_it_arrives(server: Server, path: str) -> None:
    before = server.resident_bytes()
    sent = 0

    def growing() -> Iterator[bytes]:
        nonlocal sent
        while sent < HUNDRED_MEGABYTES:
            sent += len(CHUNK)
            yield CHUNK

    accepted = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
    with server.client() as client:
        try:
            reply: httpx.Response | None = client.post(path, content=growing(), headers=accepted)
        except httpx.TransportError:  # the server may also hang up before the client stops to listen
            reply = None

    assert reply is None or reply.status_code == 413
    assert reply is None or path == "/mcp" or reply.json()["errorCode"] == "CLEW_E_TOO_LARGE"
    assert server.resident_bytes() - before < HUNDRED_MEGABYTES / 4
    assert server.post("graph_health", {}).status_code == 200


def test_a_body_just_under_the_limit_is_read(server: Server) -> None:
    reply = server.post("query_context", {"query": "x" * 1_000_000})

    assert reply.status_code == 200
    assert "980,000 characters in the middle of the question were not read" in reply.json()["summary"]


def test_the_longest_task_fits_in_any_language_however_it_is_escaped(server: Server) -> None:
    body = json.dumps({"query": "ж" * MOST_TEXT, "k": 1}).encode()
    with server.client() as client:
        reply = client.post("/tools/query_context", content=body, headers=JSON)

    assert len(body) > 6 * MOST_TEXT
    assert (reply.status_code, reply.json()["ok"]) == (200, True)


def test_clients_that_hang_up_in_the_middle_do_no_harm(server: Server) -> None:
    body = json.dumps({"query": "token"}).encode()
    raw(server, head("Content-Length: 1000"), b'{"query":').close()
    raw(server, head("Transfer-Encoding: chunked"), b"9\r\n{").close()
    for _ in range(5):
        raw(server, head(f"Content-Length: {len(body)}"), body).close()
    time.sleep(0.3)

    assert server.post("query_context", {"query": "token"}).json()["ok"] is True
    assert "ERROR" not in server.log.read_text("utf-8")


def test_what_is_no_http_gets_an_answer_and_no_traceback(server: Server) -> None:
    with raw(server, b"\x16\x03\x01\x00garbage\r\n\r\n") as connection:
        assert connection.recv(4096).startswith(b"HTTP/1.1 400 ")


def test_options_choose_toolsets_for_the_list_and_for_mcp(indexed: Path, tmp_path: Path) -> None:
    with serving(indexed, tmp_path / "log", "--toolsets", "code", "--read-only") as server:
        names = [tool["name"] for tool in server.get("/tools").json()["tools"]]
        listed = over_mcp(server, "tools/list", {})["result"]["tools"]

    assert names == offered("code", read_only=True)
    assert "graph_rebuild" not in names
    assert [tool["name"] for tool in listed] == names


def test_the_largest_body_is_a_setting(indexed: Path, tmp_path: Path) -> None:
    with serving(indexed, tmp_path / "log", env={"CLEW_SERVER_MAX_BODY_MB": "0.01"}) as server:
        reply = server.post("query_context", {"query": "x" * 20_000})

    assert (reply.status_code, reply.json()["errorCode"]) == (413, "CLEW_E_TOO_LARGE")


def test_a_port_that_is_taken_is_said(indexed: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = clew("serve", "--port", str(taken.getsockname()[1]), cwd=indexed)

    assert done.code == 6
    assert "cannot be bound" in done.err
    assert "--port" in done.err


def test_a_server_of_nothing_does_not_start(tmp_path: Path) -> None:
    done = clew("-C", "missing", "serve", "--json", cwd=tmp_path)

    assert (done.code, done.json["errorCode"]) == (3, "CLEW_E_NOT_FOUND")
