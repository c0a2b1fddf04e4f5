"""HTTP as strict clients speak it, and as careless ones do."""

import gzip
import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from .processes import PATIENCE, Server, serving

ANSWER = {"jsonrpc": "2.0", "id": 1, "result": {}}
MEBIBYTE = 1024 * 1024


@pytest.fixture(scope="module")
def server(indexed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(indexed, tmp_path_factory.mktemp("server") / "log") as found:
        yield found


def pinging(**params: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": params}


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/tools/query_context", {"POST"}),
        ("OPTIONS", "/tools/query_context", {"POST"}),
        ("DELETE", "/tools", {"GET", "HEAD"}),
        ("GET", "/mcp", {"POST"}),
        ("DELETE", "/mcp", {"POST"}),
    ],
)
def test_another_method_is_told_which_is_meant(server: Server, method: str, path: str, allowed: set[str]) -> None:
    with server.client() as client:
        reply = client.request(method, path)

    assert (reply.status_code, reply.json()["errorCode"]) == (405, "CLEW_E_METHOD")
    assert set(reply.headers["allow"].split(", ")) == allowed
    assert "POST /tools/{name}" in reply.json()["hint"]


@pytest.mark.parametrize("path", ["/tools/query_context", "/mcp"])
def test_a_packed_body_is_refused_as_such(server: Server, path: str) -> None:
    body = gzip.compress(b'{"query": "token"}')
    with server.client() as client:
        reply = client.post(path, content=body, headers={"content-encoding": "gzip"})

    assert (reply.status_code, reply.json()["errorCode"]) == (400, "CLEW_E_MALFORMED")
    assert "Content-Encoding" in reply.json()["hint"]


@pytest.mark.parametrize("body", [b'\xef\xbb\xbf{"query": "token"}', b'{"query": "token \\ud83d"}'])
def test_a_mark_in_front_and_half_of_a_character_do_no_harm(server: Server, body: bytes) -> None:
    message = (
        b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "query_context", "arguments": %b}}'
    )
    with server.client(Accept="application/json", Content_Type="application/json") as client:
        assert client.post("/tools/query_context", content=body).json()["ok"]
        assert client.post("/mcp", content=message % body.removeprefix(b"\xef\xbb\xbf")).json()["id"] == 1
        assert client.post("/mcp", content=b"\xef\xbb\xbf" + json.dumps(pinging()).encode()).json() == ANSWER


def test_mcp_takes_as_much_as_the_other_routes(server: Server) -> None:
    with server.client(Accept="application/json") as client:
        assert client.post("/mcp", json=pinging(text="x" * 7 * MEBIBYTE)).json() == ANSWER


def test_a_client_that_does_not_end_its_body_does_not_keep_the_server(indexed: Path, tmp_path: Path) -> None:
    began = b"POST /tools/query_context HTTP/1.1\r\nHost: localhost\r\n"
    began += b"Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{"
    with serving(indexed, tmp_path / "log") as server:  # whose end is waited for
        slow = socket.create_connection(("127.0.0.1", server.port), PATIENCE)
        slow.sendall(began)
        time.sleep(0.2)

    with slow:
        assert b"shutting down" in slow.recv(4096)


@pytest.mark.parametrize("id", [1.5, None, True, [1]])
def test_a_request_by_what_is_no_id_is_refused(server: Server, id: object) -> None:
    with server.client() as client:
        reply = client.post("/mcp", json={**pinging(), "id": id})
        notified = client.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"})

    assert (reply.status_code, reply.json()["id"], reply.json()["error"]["code"]) == (400, None, -32600)
    assert notified.status_code == 202
