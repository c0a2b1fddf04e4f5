"""A server does not wait for slow clients, nor work for clients that are gone, and stops when it is asked to."""

import json
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from .processes import PATIENCE, Server, mcp_on_pipes, serving

STOPS_WITHIN = 5.0  # seconds, and what a busy machine takes beside
# Clew with two tools that never end, one of which looks at its deadline, and less patience for slow clients.
ENDLESS = (
    sys.executable,
    "-c",
    """
import time
from pathlib import Path
from msgspec import Struct
from clew.engine import Engine
from clew.runtime.deadline import check
from clew.surfaces import http, http_server
from clew.tools.registry import Effect, tool

http_server.HEAD_SECONDS = http.SILENCE = 0.5
http.BODY_SECONDS = 1.5

class Nothing(Struct):
    def summary(self) -> str:
        return ""

@tool(Effect.READ, toolset="core")
def spin(engine: Engine, file: str) -> Nothing:
    "Spins until its request is over."
    Path(file).write_text("begun")
    try:
        while True:
            check()
            time.sleep(0.01)
    except Exception as error:
        Path(file).write_text(str(error))
        raise

@tool(Effect.READ, toolset="core")
def deaf(engine: Engine, file: str) -> Nothing:
    "Spins for ever."
    Path(file).write_text("begun")
    while True:
        pass

from clew.surfaces.cli import main
main()
""",
)


@pytest.fixture(scope="module")
def endless(indexed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(indexed, tmp_path_factory.mktemp("endless") / "log", clew=ENDLESS) as server:
        yield server


def until(holds: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "it never came about"
        time.sleep(0.02)


def request(path: str, body: bytes) -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def call(tool: str, file: Path) -> bytes:
    params = {"name": tool, "arguments": {"file": str(file)}}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()


def said(file: Path) -> str:
    return file.read_text() if file.exists() else ""


@pytest.mark.parametrize("path", ["/tools/spin", "/mcp"])
def test_a_request_ends_when_its_client_hangs_up(endless: Server, tmp_path: Path, path: str) -> None:
    seen = tmp_path / "seen"
    body = call("spin", seen) if path == "/mcp" else json.dumps({"file": str(seen)}).encode()
    with socket.create_connection(("127.0.0.1", endless.port)) as client:
        client.sendall(request(path, body))
        until(lambda: said(seen) == "begun")

    until(lambda: said(seen) == "the client that asked this is gone")
    assert endless.get("/tools").status_code == 200


def test_a_request_that_takes_too_long_is_told_so(indexed: Path, tmp_path: Path) -> None:
    with serving(indexed, tmp_path / "log", env={"CLEW_SERVER_REQUEST_SECONDS": "0.5"}, clew=ENDLESS) as server:
        reply = server.post("spin", {"file": str(tmp_path / "seen")})

    assert (reply.status_code, reply.json()["errorCode"]) == (504, "CLEW_E_TIMEOUT")
    assert "server.request_seconds" in reply.json()["hint"]


def test_a_client_of_mcp_cancels_what_it_asked(indexed: Path, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    with mcp_on_pipes(indexed, tmp_path / "log", clew=ENDLESS) as pipes:
        pipes.greet()
        pipes.write(call("spin", seen).replace(b'"id": 1', b'"id": 99'))
        until(lambda: said(seen) == "begun")
        cancelled = {"method": "notifications/cancelled", "params": {"requestId": 99}}
        pipes.write(json.dumps({"jsonrpc": "2.0", **cancelled}).encode())

        until(lambda: said(seen) == "the client that asked this is gone")


@pytest.mark.parametrize("tool", ["spin", "deaf"])
def test_a_server_that_is_asked_to_stop_stops_in_the_middle_of_a_request(
    indexed: Path, tmp_path: Path, tool: str
) -> None:
    seen = tmp_path / "seen"
    with (
        serving(indexed, tmp_path / "log", clew=ENDLESS, stops=True) as server,
        socket.create_connection(("127.0.0.1", server.port)) as client,
    ):
        client.sendall(request(f"/tools/{tool}", json.dumps({"file": str(seen)}).encode()))
        until(lambda: said(seen) == "begun")
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(STOPS_WITHIN + 5)


def test_an_mcp_server_that_is_asked_to_stop_stops_in_the_middle_of_a_call(indexed: Path, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    with mcp_on_pipes(indexed, tmp_path / "log", clew=ENDLESS) as pipes:
        pipes.greet()
        pipes.write(call("deaf", seen).replace(b'"id": 1', b'"id": 99'))
        until(lambda: said(seen) == "begun")
        pipes.process.send_signal(signal.SIGTERM)

        assert pipes.process.wait(STOPS_WITHIN + 5) == 130
        pipes.close()


@pytest.mark.parametrize("sent", [b"", b"GET /tools HT", b"GET /tools HTTP/1.1\r\nHost: localhost\r\nX-Slow: "])
def test_headers_that_do_not_come_end_the_connection(endless: Server, sent: bytes) -> None:
    with socket.create_connection(("127.0.0.1", endless.port), timeout=PATIENCE) as client:
        client.sendall(sent)
        with pytest.raises((EOFError, BrokenPipeError, ConnectionResetError)):
            drip(client, b"a" if sent else b"")


def drip(client: socket.socket, byte: bytes) -> None:
    """A byte now and then, for ever; until the other side closes."""
    end = time.monotonic() + PATIENCE
    client.settimeout(0.1)
    while time.monotonic() < end:
        client.sendall(byte)
        with suppress(TimeoutError):
            if client.recv(100) == b"":
                raise EOFError


@pytest.mark.parametrize("path", ["/tools/graph_health", "/mcp"])
def test_a_body_that_drips_is_refused(endless: Server, path: str) -> None:
    head = request(path, b"x" * 4000)[:-4000]
    answer = b""
    with socket.create_connection(("127.0.0.1", endless.port), timeout=0.1) as client:
        client.sendall(head)
        end = time.monotonic() + PATIENCE
        while b"CLEW_E_MALFORMED" not in answer and time.monotonic() < end:
            client.sendall(b" ")
            try:
                answer += client.recv(4096)
            except TimeoutError:
                continue

    assert answer.startswith(b"HTTP/1.1 400") and b"in time" in answer


@pytest.mark.parametrize(
    "kind", ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]
)
@pytest.mark.parametrize("path", ["/tools/graph_rebuild", "/tools/graph_health", "/mcp"])
def test_what_a_page_can_send_without_asking_is_refused(server: Server, path: str, kind: str) -> None:
    headers = {"Content-Type": kind} if kind else {}
    reply = httpx.post(f"{server.url}{path}", content=b"{}", headers=headers, timeout=PATIENCE, verify=False)

    assert (reply.status_code, reply.json()["errorCode"]) == (415, "CLEW_E_CONTENT_TYPE")


def test_json_may_say_its_encoding(server: Server) -> None:
    headers = {"Content-Type": "Application/JSON; charset=utf-8"}
    reply = httpx.post(
        f"{server.url}/tools/graph_health", content=b"{}", headers=headers, timeout=PATIENCE, verify=False
    )

    assert reply.json()["ok"] is True


def test_a_page_of_another_port_of_this_machine_is_refused_unless_it_is_allowed(indexed: Path, tmp_path: Path) -> None:
    allowed = "http://localhost:3000"
    with serving(indexed, tmp_path / "log", env={"CLEW_SERVER_ALLOWED_ORIGINS": allowed}) as server:
        own = f"http://127.0.0.1:{server.port}"
        statuses = {
            origin: server.get("/tools", Origin=origin).status_code
            for origin in (own, allowed, "http://localhost:3001", f"http://localhost:{server.port}", "http://127.0.0.1")
        }

    assert [*statuses.values()] == [200, 200, 403, 403, 403]
