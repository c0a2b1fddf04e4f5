"""No tool keeps a secret that an agent wrote; each says how many there were."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from clew.model.agents import Identity
from clew.tools.answer import Caller, answer
from clew.workspaces import Workspaces

SECRET = "ghp_" + "a1B2" * 9


@pytest.fixture
def caller(tmp_path: Path, backend: str) -> Iterator[Caller]:
    workspaces = Workspaces(tmp_path)
    yield Caller(workspaces, identity=Identity("ann", "1"))
    workspaces.close()


def said(caller: Caller, tool: str, **arguments: Any) -> dict[str, Any]:
    return dict(msgspec.json.decode(answer(caller, tool, {**arguments, "profile": "debug"}).body))


def test_what_agents_write_is_kept_without_secrets(caller: Caller) -> None:
    error = {"error_type": "Denied", "stack_summary": f"Authorization: {SECRET}", "token": "abc123"}
    added = said(caller, "episode_add", type="ERROR", content=f"{SECRET} is refused", metadata=error)
    claim = said(caller, "agent_claim", target_id="a.py", intent=f"use {SECRET}", task_id="T1")
    ended = said(caller, "agent_release", claim_id="a.py", outcome=f"used {SECRET}")
    texts = {"title": f"a {SECRET}", "description": SECRET, "plan": [SECRET, {"text": SECRET}], "note": SECRET}
    task = said(caller, "task_update", task_id="T1", **texts)
    feature = said(caller, "task_update", task_id="feature:F", title=SECRET)

    assert [one["data"]["scrubbed"] for one in (added, claim, ended, task, feature)] == [3, 1, 1, 5, 1]
    assert "3 secrets were replaced" in added["summary"]
    kept = [said(caller, "episode_recall", query="refused used"), said(caller, "agent_status"), task, feature]
    engine = caller.workspaces.get()
    history = engine.fleet.lookout.tasks.changes("T1")
    assert SECRET not in f"{kept}{history}"
    assert "[REDACTED] is refused" in f"{kept}"


def test_the_same_key_again_is_the_same_episode_without_its_secret(caller: Caller) -> None:
    once, again = (
        said(caller, "episode_add", type="OBSERVATION", content=f"saw {SECRET}", key="k")["data"] for _ in range(2)
    )

    assert once["episode_id"] == again["episode_id"]
