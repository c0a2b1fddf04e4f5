"""The plain routes: files, questions, statistics, probes, tokens with scopes, and limits."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # it carries no types; the MCP SDK brings it
import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from clew.engine import Engine
from clew.model.errors import ConfigError, RateLimited
from clew.runtime.guard import guard
from clew.surfaces import http
from clew.surfaces.cli import cli
from clew.surfaces.http import RateLimit
from clew.tools.answer import Caller
from clew.workspaces import Workspaces
from tests.conftest import Repository

LIMITS = http.HttpLimits(1_000_000, 60.0)
SCOPES = {name: f"{name}-key" for name in ("read", "write", "admin")}
SCOPED = [f"{name}:{name}:{sha256(key.encode()).hexdigest()}" for name, key in SCOPES.items()]


@contextmanager
def client_of(root: Path, tokens: list[str], limits: http.HttpLimits = LIMITS) -> Iterator[TestClient]:
    workspaces = Workspaces(root)
    app = http.create(Caller(workspaces), guard("127.0.0.1", "", (), scoped=tokens), ("core",), limits)
    with TestClient(app, base_url="http://127.0.0.1") as client:
        yield client
    workspaces.close()


@pytest.fixture
def project(repository: Repository, backend: str) -> Repository:
    repository.write("src/pay.py", "def charge(card):\n    return card\n")
    repository.write("README.md", "# How to pay\n")
    repository.commit()
    with Engine.open(repository.root) as engine:
        engine.index()
    return repository


@pytest.fixture
def client(project: Repository) -> Iterator[TestClient]:
    with client_of(project.root, []) as client:
        yield client


def test_a_file_is_added_and_deleted_by_its_path(client: TestClient, project: Repository) -> None:
    project.write("src/new.py", "def refund(card): ...\n\ndef undo(card): ...\n")
    added = client.post("/add_context", json={"file_path": "src/new.py", "lang": "python"}).json()
    again = client.post("/add_context", json={"file_path": "src/new.py"}).json()
    other = client.post("/add_context", json={"file_path": "src/new.py", "content": "x = 1\n"})
    nowhere = client.post("/add_context", json={"file_path": "src/none.py"})
    outside = client.post("/add_context", json={"file_path": "../other.py"})
    kept = client.post("/delete_context", json={"file_path": "src/new.py"}).json()
    project.delete("src/new.py")
    deleted = client.post("/delete_context", json={"file_path": "src/new.py"}).json()

    assert added["chunks"] == added["embeddings"] >= 1
    assert added == again
    assert (other.status_code, nowhere.status_code, outside.status_code) == (422, 404, 403)
    assert (kept["deleted"], deleted["deleted"]) == (False, True)


def test_a_question_is_answered_without_an_envelope(client: TestClient) -> None:
    found = client.post("/query_context", json={"q": "charge a card", "k": 2, "filters": {"lang": "python"}}).json()
    refused = client.post("/query_context", json={"q": "charge", "model": "other"})
    unknown = client.post("/query_context", json={"q": "charge", "size": 1})

    assert [one["file_path"] for one in found["hits"]] == ["src/pay.py"]
    assert found["q_embed_model"] == "clew"
    assert "def charge" in found["hits"][0]["snippet"]
    assert [one.json()["errorCode"] for one in (refused, unknown)] == 2 * ["CLEW_E_INVALID_INPUT"]


def test_statistics_probes_and_metrics(client: TestClient, tmp_path: Path) -> None:
    assert client.get("/stats").json()["storage"]["total_files"] == 2
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json() == {"status": "ready"}
    told = client.get("/metrics").text
    assert "clew_index_files 2\n" in told
    assert 'clew_http_requests_total{route="/stats",status="200"} 1' in told
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / ".git").mkdir()
    with client_of(tmp_path / "empty", []) as other:
        assert other.get("/readyz").status_code == 503


def test_every_answer_is_as_openapi_says(client: TestClient) -> None:
    described = client.get("/openapi.json").json()

    def schema_of(path: str, method: str, status: str) -> dict[str, Any]:
        content = described["paths"][path][method]["responses"][status]["content"]
        return {**next(iter(content.values()))["schema"], "components": described["components"]}

    for path, body in {
        "/query_context": {"q": "charge"},
        "/add_context": {"file_path": "README.md"},
        "/delete_context": {"file_path": "README.md"},
    }.items():
        good, bad = client.post(path, json=body), client.post(path, json={})
        jsonschema.Draft202012Validator(schema_of(path, "post", "200")).validate(good.json())
        jsonschema.Draft202012Validator(schema_of(path, "post", "default")).validate(bad.json())
    for path in ("/stats", "/healthz", "/readyz"):
        jsonschema.Draft202012Validator(schema_of(path, "get", "200")).validate(client.get(path).json())


def test_a_token_allows_what_its_scope_says(project: Repository) -> None:
    with client_of(project.root, SCOPED) as client:

        def status(scope: str, path: str, body: Mapping[str, object]) -> int:
            return client.post(path, json=body, headers={"X-API-Key": SCOPES[scope]}).status_code

        episode = {"type": "OBSERVATION", "content": "x", "entities": []}
        rebuild = {"confirm": True, "options": {"validate_only": True}}
        added = {"file_path": "README.md"}
        assert [status(scope, "/query_context", {"q": "pay"}) for scope in SCOPES] == [200, 200, 200]
        assert [status(scope, "/tools/episode_add", episode) for scope in SCOPES] == [403, 200, 200]
        assert [status(scope, "/add_context", added) for scope in SCOPES] == [403, 200, 200]
        assert [status(scope, "/tools/rebuild_context", rebuild) for scope in SCOPES] == [403, 403, 200]
        stand_in = {"name": "rebuild_context", "arguments": rebuild}
        assert [status(scope, "/tools/tools_call", stand_in) for scope in SCOPES] == [403, 403, 200]
        assert client.get("/stats", headers={"Authorization": f"Bearer {SCOPES['read']}"}).status_code == 200
        assert client.get("/stats").status_code == client.get("/stats", headers={"X-API-Key": "no"}).status_code == 401
        assert client.get("/healthz").status_code == 200, "a probe has no token"


def test_who_calls_too_often_waits(project: Repository) -> None:
    with client_of(project.root, [], http.HttpLimits(1_000_000, 60.0, 2)) as client:
        codes = [client.get("/stats").status_code for _ in range(3)]
        assert codes == [200, 200, 429]
        assert client.get("/healthz").status_code == 200

    seconds = 0.0
    limit = RateLimit(60, lambda: seconds)
    for _ in range(60):
        limit.take("a")
    with pytest.raises(RateLimited):
        limit.take("a")
    limit.take("b")
    seconds = 1.0
    limit.take("a")


def test_a_token_is_shown_once_and_only_its_digest_is_kept(project: Repository) -> None:
    done = CliRunner().invoke(cli, ["-C", str(project.root), "token", "ci", "--scope", "write"])
    made = done.stdout.strip()

    assert f"ci:write:{sha256(made.encode()).hexdigest()}" in done.stderr
    with pytest.raises(ConfigError, match="another form"):
        guard("127.0.0.1", "", (), scoped=[f"ci:write:{made}"])
