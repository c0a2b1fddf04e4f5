"""Who may ask over HTTP: every route is behind the same door."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from .processes import PATIENCE, Server, clew, serving

TOKEN = "a-token-for-the-tests"
USERS = {name: f"a-token-of-{name}-for-the-tests" for name in ("ann", "ben")}
ROUTES = [
    ("GET", "/tools"),
    ("POST", "/tools/query_context"),
    ("GET", "/openapi.json"),
    ("POST", "/mcp"),
    ("GET", "/mcp"),
    ("DELETE", "/mcp"),
    ("GET", "/nothing/here"),
    ("OPTIONS", "/tools"),
]

every_route = pytest.mark.parametrize(("method", "path"), ROUTES, ids=lambda part: part)


@pytest.fixture(scope="module")
def locked(indexed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that can be reached from elsewhere, and asks for its token."""
    log = tmp_path_factory.mktemp("locked") / "log"
    users = ",".join(f"{name}={token}" for name, token in USERS.items())
    env = {"CLEW_SERVER_TOKEN": TOKEN, "CLEW_SERVER_USER_TOKENS": users}
    with serving(indexed, log, "--host", "0.0.0.0", env=env) as server:
        yield server


def request(server: Server, method: str, path: str, **headers: str) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.request(method, f"http://127.0.0.1:{server.port}{path}", headers=named, timeout=PATIENCE, verify=False)


@every_route
@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.nip.io", "::"]
)
def test_a_host_that_is_not_ours_is_refused(server: Server, method: str, path: str, host: str) -> None:
    reply = request(server, method, path, Host=host)

    assert (reply.status_code, reply.json()["errorCode"]) == (403, "CLEW_E_DENIED")


@every_route
@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost.evil.example", "file://"])
def test_a_page_of_another_site_is_refused(server: Server, method: str, path: str, origin: str) -> None:
    reply = request(server, method, path, Origin=origin)

    assert (reply.status_code, reply.json()["errorCode"]) == (403, "CLEW_E_DENIED")


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "LOCALHOST", "[::1]"])
def test_this_machine_is_welcome_by_all_its_names(server: Server, host: str) -> None:
    assert request(server, "GET", "/tools", Host=f"{host}:{server.port}").status_code == 200
    assert request(server, "GET", "/tools", Host=f"{host}:1", Origin=f"http://{host}:1").status_code == 200


@every_route
@pytest.mark.parametrize("authorization", ["", "Bearer", "Bearer wrong", f"Bearer {TOKEN}x", f"Basic {TOKEN}", TOKEN])
def test_without_the_token_nothing_answers(locked: Server, method: str, path: str, authorization: str) -> None:
    headers = {"Authorization": authorization} if authorization else {}
    reply = request(locked, method, path, **headers)

    assert (reply.status_code, reply.json()["errorCode"]) == (401, "CLEW_E_UNAUTHORIZED")


def test_with_the_token_everything_answers(locked: Server) -> None:
    bearer = f"Bearer {TOKEN}"

    assert request(locked, "GET", "/tools", Authorization=bearer).status_code == 200
    assert locked_post(locked, bearer).json()["ok"] is True


def locked_post(server: Server, bearer: str) -> httpx.Response:
    url = f"http://127.0.0.1:{server.port}/tools/query_context"
    return httpx.post(url, json={"query": "token"}, headers={"Authorization": bearer}, timeout=PATIENCE, verify=False)


def notes(server: Server, token: str, said: dict[str, str], **headers: str) -> list[str]:
    """The preferences that a request sees, by the tool's own route."""
    url = f"http://127.0.0.1:{server.port}/tools/notes"
    sent = {"Authorization": f"Bearer {token}", **headers}
    reply = httpx.post(url, json={"scope": "user", **said}, headers=sent, timeout=PATIENCE, verify=False).json()
    assert reply["ok"], reply
    return [note["content"] for note in reply["data"]["notes"]]


def test_the_user_is_the_one_whose_token_it_is_whatever_a_request_says(locked: Server) -> None:
    keep = {"change": "keep", "name": "style"}
    notes(locked, USERS["ann"], {**keep, "content": "ann writes tabs"})
    notes(locked, USERS["ben"], {**keep, "content": "ben writes spaces"})
    notes(locked, TOKEN, {**keep, "content": "the owner writes neither"})
    forged = {"X-Clew-Agent": "ann", "X-Clew-User": "ann", "X-Clew-Session": "ann", "X-Clew-Project": ""}

    assert notes(locked, USERS["ann"], {}) == ["ann writes tabs"]
    assert notes(locked, USERS["ben"], {"agent_id": "ann", "session_id": "ann"}, **forged) == ["ben writes spaces"]
    assert notes(locked, TOKEN, {"agent_id": "ann"}, **forged) == ["the owner writes neither"]


def test_over_mcp_the_user_is_the_one_whose_token_it_is(locked: Server) -> None:
    notes(locked, USERS["ann"], {"change": "keep", "name": "editor", "content": "ann uses ed"})
    call = {"name": "notes", "arguments": {"scope": "user", "agent_id": "ann"}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
    url = f"http://127.0.0.1:{locked.port}/mcp"
    said = {
        name: httpx.post(
            url, json=body, headers={**headers, "Authorization": f"Bearer {token}"}, timeout=PATIENCE, verify=False
        ).text
        for name, token in USERS.items()
    }

    assert "ann uses ed" in said["ann"]
    assert "ann" not in said["ben"] and 'isError":false' in said["ben"]


def test_the_name_of_a_users_own_store_names_no_project(locked: Server) -> None:
    url = f"http://127.0.0.1:{locked.port}/tools/query_context"
    for name in ("user:ann", "user", "user:root/ann"):
        for said, sent in (({"project": name}, {}), ({}, {"X-Clew-Project": name})):
            headers = {"Authorization": f"Bearer {USERS['ben']}", **sent}
            reply = httpx.post(url, json={"query": "x", **said}, headers=headers, timeout=PATIENCE, verify=False)
            assert (reply.status_code, reply.json()["errorCode"]) == (404, "CLEW_E_NOT_FOUND")


def test_the_token_does_not_open_the_door_to_other_hosts(locked: Server) -> None:
    reply = request(locked, "GET", "/tools", Authorization=f"Bearer {TOKEN}", Host="evil.example")

    assert reply.status_code == 403


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
def test_another_address_needs_a_token(indexed: Path, address: str) -> None:
    done = clew("serve", "--host", address, "--port", "0", "--json", cwd=indexed)

    assert (done.code, done.json["errorCode"]) == (2, "CLEW_E_INVALID_INPUT")
    assert "token" in done.json["hint"]


def test_a_host_can_be_allowed(indexed: Path, tmp_path: Path) -> None:
    with serving(indexed, tmp_path / "log", env={"CLEW_SERVER_ALLOWED_HOSTS": "clew.example"}) as server:
        assert request(server, "GET", "/tools", Host="clew.example").status_code == 200
        assert request(server, "GET", "/tools", Host="clew.example", Origin="https://clew.example").status_code == 200
        assert request(server, "GET", "/tools", Host="other.example").status_code == 403


def test_another_directory_cannot_be_opened(server: Server, tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text("def secret(): ...\n", "utf-8")
    direct = server.post("query_context", {"query": "secret", "project": str(tmp_path)})
    by_header = server.post("query_context", {"query": "secret"}, X_Clew_Project=str(tmp_path))
    around = server.post("tools_call", {"name": "graph_health"}, X_Clew_Project=str(tmp_path))

    for reply in (direct, by_header, around):
        assert (reply.status_code, reply.json()["errorCode"]) == (404, "CLEW_E_NOT_FOUND")
    assert not (tmp_path / ".clew").exists()


def test_the_default_cannot_be_moved(server: Server, tmp_path: Path) -> None:
    direct = server.post("graph_set_workspace", {"workspace_root": str(tmp_path)})
    around = server.post("tools_call", {"name": "graph_set_workspace", "arguments": {"workspace_root": str(tmp_path)}})

    for reply in (direct, around):
        assert (reply.status_code, reply.json()["errorCode"]) == (403, "CLEW_E_DENIED")
    assert not (tmp_path / ".clew").exists()


def test_the_own_project_may_be_named_by_path_or_id_in_a_header(server: Server, indexed: Path) -> None:
    by_path = server.post("graph_health", {}, X_Clew_Project=str(indexed)).json()
    by_id = server.post("graph_health", {}, X_Clew_Project=by_path["data"]["project"]).json()

    assert by_path["ok"] and by_path == by_id


def test_an_argument_wins_over_the_header(server: Server, indexed: Path) -> None:
    reply = server.post("graph_health", {"project": str(indexed)}, X_Clew_Project="/nowhere/at/all")

    assert reply.json()["ok"] is True


def test_an_unknown_project_in_a_header_is_not_found(server: Server) -> None:
    assert server.post("graph_health", {}, X_Clew_Project="/nowhere/at/all").status_code == 404
