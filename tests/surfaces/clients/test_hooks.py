"""Hooks of coding clients: what they answer, and that they never stop their client."""

import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import clew
from clew.model.agents import Identity
from clew.model.fleet import Session
from clew.model.time import FOREVER
from clew.store.leases import this_process
from clew.surfaces.cli import hooking
from clew.surfaces.clients import hook_messages, siblings
from clew.surfaces.clients.edits import hook_command
from clew.tools.orientation import edit_context, prime
from clew.tools.registry import AnswerLimits
from tests.surfaces.processes import clew as run

ME = Identity("me", "s")
ANY = AnswerLimits(10_000)

FILES = [
    ({"tool_input": {"file_path": "a.py"}}, ("a.py",)),
    ({"tool_input": {"notebook_path": "n.ipynb"}}, ("n.ipynb",)),
    ({"file_path": "a.py", "edits": []}, ("a.py",)),
    ({"toolArgs": '{"path": "a.py"}'}, ("a.py",)),
    ({"tool_input": {"command": "*** Begin Patch\n*** Update File: b.py\n@@\n*** Add File: c.py\n"}}, ("b.py", "c.py")),
    ({"tool_input": {"files": ["a.ts", 3]}}, ("a.ts",)),
    ({"tool_input": {"command": ["ls"]}}, ()),
    ([], ()),
    ("not json", ()),
]
PROMPTS = {
    "fix the failing test of the parser": True,
    "why does `Card.charge` round twice?": True,
    "rename validate_token in tokens.py": True,
    "implement pagination for the orders endpoint": True,
    "Traceback (most recent call last) KeyError in load": True,
    "yes please": False,
    "thanks, that looks good to me": False,
    "/compact the conversation": False,
    "what is the weather like today in Paris": False,
    "continue": False,
}


def test_messages_of_all_clients_name_their_files_and_folder() -> None:
    for told, files in FILES:
        assert hook_messages.parse(told if isinstance(told, str) else json.dumps(told)).files == files
    assert hook_messages.parse('{"workspace_roots": ["/w"], "conversation_id": "c"}') == hook_messages.HookMessage(
        "/w", session="c"
    )


def test_only_prompts_about_code_get_a_pack() -> None:
    assert {prompt: hook_messages.is_code_task(prompt) for prompt in PROMPTS} == PROMPTS


def test_answers_have_the_form_of_the_client() -> None:
    told = json.loads(hook_messages.reply("claude-code", "before-edit", "x"))["hookSpecificOutput"]
    assert told["hookEventName"] == "PreToolUse"
    assert told["additionalContext"].endswith("\n\nx")
    assert "additional_context" in json.loads(hook_messages.reply("cursor", "session-start", "x"))
    assert hook_messages.reply("gemini", "prompt", "") == hook_messages.reply("kiro", "prompt", "x") == ""


def test_a_session_is_that_of_the_server_beside_the_hook() -> None:
    with subprocess.Popen(["sleep", "60"]) as server:
        own = Identity("claude-code", "a", this_process("a", server.pid))
        others = [Identity("b", "b", this_process("b", 1)), Identity("c", "c", this_process("c", os.getppid()))]
        sessions = [Session(one, 0, 1, FOREVER, 0) for one in (own, *others)]
        found = siblings.find_sibling(sessions, siblings.ancestors(os.getpid()) | {os.getpid()})
        server.kill()

    assert (found.agent_id if found else "") == ("claude-code" if Path("/proc/self/stat").exists() else "")


@pytest.fixture(scope="module")
def known(indexed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.trusting import copied

    root = copied(indexed, tmp_path_factory.mktemp("known") / "project")
    with clew.open(root) as ws:
        ws.agent_claim("vault.py", intent="lock it", agent_id="ann", session_id="s1")
        ws.task_update("pay", title="Pay", status="in_progress", agent_id="ann")
        metadata = {"title": "t", "rationale": "speed", "tradeoffs": [], "affected_files": ["tokens.py"]}
        ws.episode_add("DECISION", "tokens are opaque", metadata=metadata)
        ws.episode_add("LEARNING", "vaults are slow", entities=["vault.py::Vault"])
    return root


def test_a_session_starts_with_claims_tasks_and_what_is_known(known: Path) -> None:
    with clew.open(known, read_only=True) as ws:
        whole = prime(ws.engine, ANY, who=ME)
        again = prime(ws.engine, ANY, who=ME)
        sizes = [prime(ws.engine, AnswerLimits(limit), who=ME) for limit in (20, 60, 100, 1000)]

    assert whole == again
    for said in (
        'vault.py by ann: "lock it"',
        "pay (in progress",
        "tokens are opaque Why: speed",
        "vaults are slow",
        "3 files",
    ):
        assert said in whole.text
    assert [one.lines for one in sizes] == sorted(one.lines for one in sizes)
    assert all(set(one.text.splitlines()) <= set(whole.text.splitlines()) for one in sizes)


def test_before_an_edit_comes_what_concerns_the_file(known: Path) -> None:
    with clew.open(known, read_only=True) as ws:
        vault = edit_context(ws.engine, (str(known / "vault.py"),), ANY, who=ME).text
        tokens = edit_context(ws.engine, ("./tokens.py",), ANY, who=ME).text
        own = edit_context(ws.engine, ("vault.py",), ANY, who=Identity("ann", "s1")).text
        nothing = edit_context(ws.engine, ("guide.md",), ANY, who=ME).text

    assert "vault.py by ann" in vault
    assert "vaults are slow" in vault
    assert "opaque" not in vault
    assert tokens.startswith("Decided:\n- tokens.py (") and tokens.endswith('): "tokens are opaque Why: speed"')
    assert "by ann" not in own
    assert nothing == ""


Ask = Callable[..., str]


@pytest.fixture
def ask(project: Path) -> Ask:
    """A hook as a client runs it."""

    def asked(event: str, client: str = "claude-code", **message: Any) -> str:
        told = run("hook", event, "--client", client, cwd=project, stdin=json.dumps({"cwd": str(project), **message}))
        assert (told.code, told.err) == (0, ""), told
        return told.out

    return asked


def test_each_event_is_answered_by_one_command(project: Path, ask: Ask) -> None:
    with clew.open(project) as ws:
        ws.agent_claim("vault.py", agent_id="ann", session_id="s1")
        ws.notes("keep", content="half done", agent_id="claude-code", session_id="s9")
    (project / "tokens.py").write_text("def brand_new_thing():\n    pass\n", "utf-8")

    assert "3 files" in ask("session-start")
    assert "vault.py by ann" in ask("before-edit", tool_input={"file_path": str(project / "vault.py")})
    assert "validate_token" in ask("prompt", prompt="change how `validate_token` checks a vault")
    assert ask("prompt", prompt="thank you very much") == ""
    assert ask("after-edit", tool_input={"file_path": str(project / "tokens.py")}) == ""
    assert ask("session-end", session_id="s9") == ""
    with clew.open(project, read_only=True) as ws:
        assert ws.engine.episodes.latest(5)[-1].draft.content == "half done"
        assert any(hit.symbol.endswith("brand_new_thing") for hit in ws.search("brand new thing"))


def test_a_commit_of_held_files_is_warned_of_and_goes_on(project: Path) -> None:
    with clew.open(project) as ws:
        ws.agent_claim("vault.py::Vault", intent="locks", agent_id="ann", session_id="s1")
    subprocess.run(["git", "add", "vault.py"], cwd=project, check=True)
    told = run("hook", "pre-commit", cwd=project)

    assert told.code == 0
    assert "vault.py::Vault is held by ann/s1: locks" in told.err


@pytest.mark.parametrize("event", ["session-start", "after-edit"])
def test_a_hook_ends_in_time_and_well_whatever_happens(event: str, project: Path, tmp_path: Path) -> None:
    assert run("hook", event, "--client", "codex", cwd=tmp_path, stdin="{").code == 0  # no project, no message
    (project / ".clew" / "clew.db").write_bytes(b"no database" * 1000)
    assert run("hook", event, "--client", "codex", cwd=project, stdin="{}").code == 0


def test_a_hook_that_hangs_is_ended() -> None:
    code = "import time\nfrom clew.surfaces.cli import hooking\nwith hooking._time_limit(0.2):\n    time.sleep(60)\n"
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", code], check=False)

    assert done.returncode == 0
    assert time.monotonic() - began < 30


def test_without_clew_and_with_a_killed_one_the_command_succeeds_in_silence(tmp_path: Path) -> None:
    command = hook_command("stop", "claude-code")
    missing = subprocess.run(["/bin/sh", "-c", command], env={"PATH": "/bin"}, capture_output=True, check=False)
    fake = tmp_path / "clew"
    fake.write_text("#!/bin/sh\nkill -9 $$\n")
    fake.chmod(0o755)
    environ = {"PATH": f"{tmp_path}:/bin:/usr/bin"}
    killed = subprocess.run(["/bin/sh", "-c", command], env=environ, capture_output=True, check=False)

    assert (missing.returncode, missing.stdout, missing.stderr) == (0, b"", b"")
    assert (killed.returncode, killed.stdout) == (0, b"")


def test_a_locked_database_delays_a_hook_only_to_its_deadline(project: Path) -> None:
    with closing(sqlite3.connect(project / ".clew" / "clew.db")) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert run("hook", "before-edit", "--client", "codex", cwd=project, stdin="{}").code == 0
    assert max(hooking.DEADLINES.values()) <= 4
