"""The client of `clew serve`: retries, time-outs, and the project itself where there is no server."""

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import httpx
import pytest

import clew
from clew.model.errors import Busy, InvalidInput, NotFound, Unreachable
from clew.surfaces.client import ConnectionSettings, HybridConnection, ServerConnection
from clew.tools.context import QueryContext
from clew.tools.registry import find

from .processes import PATIENCE, serving

NOTHING_LISTENS = "http://127.0.0.1:9"
BUSY = {"ok": False, "summary": "another process indexes", "errorCode": "CLEW_E_BUSY", "hint": "Wait."}


class Scripted(HTTPServer):
    """Answers with the statuses of its script, one after the other; 0 hangs up without an answer."""

    script: list[int]
    asked: list[str]


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server = self.server
        assert isinstance(server, Scripted)
        self.rfile.read(int(self.headers["Content-Length"]))
        server.asked.append(self.path)
        status = server.script.pop(0)
        if not status:
            self.close_connection = True
            return
        body = json.dumps(BUSY).encode()
        self.send_response(status)
        if status == 302:
            self.send_header("Location", f"{NOTHING_LISTENS}/stolen")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def scripted() -> Iterator[Scripted]:
    server = Scripted(("127.0.0.1", 0), Handler)
    server.script, server.asked = [], []
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def call(server: Scripted, tool: str, **arguments: object) -> list[float]:
    """Call a tool on the scripted server until it gives up; the pauses that it made."""
    pauses: list[float] = []
    url = f"http://127.0.0.1:{server.server_port}"
    ServerConnection(url, ConnectionSettings(timeout=5, retries=2), pauses.append).call(find(tool), arguments)
    return pauses


def test_a_question_is_repeated_while_the_server_is_busy_or_hangs_up(scripted: Scripted) -> None:
    scripted.script = [503, 0, 503]
    with pytest.raises(Busy, match="another process indexes"):
        call(scripted, "query_context", query="token")

    assert len(scripted.asked) == 3


def test_a_write_is_repeated_only_if_it_was_not_done(scripted: Scripted) -> None:
    scripted.script = [503, 0, 503]
    with pytest.raises(Unreachable):
        call(scripted, "episode_add", type="OBSERVATION", content="x")

    assert len(scripted.asked) == 2


def test_a_redirect_is_not_followed(scripted: Scripted) -> None:
    scripted.script = [302]
    with pytest.raises(Busy):
        call(scripted, "query_context", query="token")

    assert scripted.asked == ["/tools/query_context"]


def test_a_write_that_may_have_been_done_is_not_given_to_the_fallback(scripted: Scripted, indexed: Path) -> None:
    scripted.script = [0]
    settings = ConnectionSettings(retries=0)
    url = f"http://127.0.0.1:{scripted.server_port}"
    with clew.connect(url, path=indexed, fallback=True, settings=settings) as client, pytest.raises(Unreachable):
        client.episode_add(type="OBSERVATION", content="x")


def test_without_a_server_the_project_itself_answers_if_that_is_wanted(project: Path) -> None:
    settings = ConnectionSettings(retries=0)
    with clew.connect(NOTHING_LISTENS, path=project, fallback=True, settings=settings) as client:
        found = client.query_context(query="validate token")
        client.episode_add(type="OBSERVATION", content="kept here", agent_id="ann")
        with pytest.raises(NotFound):
            client.code_explain("no_such_thing")
        recalled = client.episode_recall(query="kept here")
    with clew.connect(NOTHING_LISTENS, settings=settings) as alone, pytest.raises(Unreachable):
        alone.query_context(query="validate token")

    assert isinstance(found, QueryContext)
    assert found.hits[0].file_path == "tokens.py"
    assert any("kept here" in one.content for one in recalled.episodes)


def test_each_agent_of_a_server_reads_only_its_own_sensitive_episodes(project: Path, tmp_path: Path) -> None:
    def recall(client: httpx.Client, **headers: str) -> str:
        body = {"query": "vault", "include_sensitive": True, "agent_id": "ann", "profile": "debug"}
        return client.post("/tools/episode_recall", json=body, headers=headers).text

    keys = {"ann": "a1" * 32, "ben": "b2" * 32}
    with (
        serving(project, tmp_path / "log", env={"CLEW_MEMORY_AGENT_KEY": keys["ann"]}) as server,
        server.client() as client,
    ):
        told = {"type": "OBSERVATION", "content": "the vault opens at noon", "sensitive": True, "agent_id": "ann"}
        client.post("/tools/episode_add", json=told, headers={"X-Clew-Agent-Key": keys["ann"]})
        read = {name: recall(client, **{"X-Clew-Agent-Key": key}) for name, key in keys.items()}
        without = recall(client)

    assert "at noon" in read["ann"]
    assert "at noon" not in read["ben"] + without


def test_a_server_that_could_not_be_reached_is_left_alone_for_a_while() -> None:
    class Counting:
        calls = 0

        def call(self, *_: object) -> str:
            self.calls += 1
            if isinstance(self, Away):
                raise Unreachable("away")
            return "here"

        def close(self) -> None: ...

    class Away(Counting): ...

    away, here, now = Away(), Counting(), [0.0]
    hybrid = HybridConnection(away, here, lambda: now[0])

    answers = [hybrid.call(find("graph_health"), {}) for _ in range(3)]
    now[0] = 60.0
    hybrid.call(find("graph_health"), {})

    assert answers == ["here"] * 3
    assert (away.calls, here.calls) == (2, 4)


def test_the_configuration_says_where_calls_go(indexed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with clew.connect(path=indexed) as embedded:
        assert embedded.graph_health().summary()
    monkeypatch.setenv("CLEW_MODE", "standalone")
    monkeypatch.setenv("CLEW_ENGINE_PORT", "9")
    monkeypatch.setenv("CLEW_ENGINE_RETRY_ATTEMPTS", "0")
    with clew.connect(path=indexed) as standalone, pytest.raises(Unreachable, match=r"127\.0\.0\.1:9"):
        standalone.graph_health()


@pytest.mark.parametrize("url", ["localhost:9090", "ftp://localhost", "http://"])
def test_what_is_no_address_of_a_server_is_refused(url: str) -> None:
    with pytest.raises(InvalidInput, match="address"):
        clew.connect(url)


def test_a_server_indexes_a_project_that_has_no_index(tmp_path: Path) -> None:
    root = tmp_path / "new"
    root.mkdir()
    (root / "tokens.py").write_text("def validate_token(token: str) -> bool: ...\n", "utf-8")
    with serving(root, tmp_path / "log", "--no-watch") as server, clew.connect(server.url) as client:
        deadline = time.monotonic() + PATIENCE
        while server.get("/readyz").status_code != 200 and time.monotonic() < deadline:
            time.sleep(0.05)
        hits = client.search("validate token")

    assert [hit.file_path for hit in hits] == ["tokens.py"]
