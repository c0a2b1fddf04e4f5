"""Memory as of another time: what had happened by then, as far as it was recorded, on both clocks."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from clew.engine import Engine, now
from clew.model.agents import Identity
from clew.model.memory import Learning
from clew.model.time import NOW, AsOf, to_iso
from tests.conftest import DAY, DAY_1, Repository
from tests.tools.asking import Ask, asking

CARD = "def charge(card, amount):\n    return card.debit(amount)\n"
TODAY = DAY_1 + 200 * DAY


@pytest.fixture
def ask(repository: Repository, backend: str) -> Iterator[Ask]:
    repository.write("pay.py", CARD)
    repository.commit(DAY_1)
    repository.write("pay.py", CARD + "\n\ndef refund(card):\n    return card.credit()\n")
    repository.commit(DAY_1 + 10 * DAY)
    with Engine.open(repository.root) as engine:
        engine.index()
    with asking(repository.root) as asked:
        yield asked


def decide(ask: Ask, title: str, day: int, **more: object) -> str:
    metadata = {"title": title, "rationale": "r", "tradeoffs": [], "affected_files": ["pay.py"], **more}
    at = to_iso(DAY_1 + day * DAY)
    told = ask("episode_add", type="DECISION", content=f"charge cards {title}", metadata=metadata, occurred_at=at)
    assert told["ok"], told
    return str(told["data"]["episode_id"])


def found(told: dict[str, Any]) -> list[str]:
    assert told["ok"], told
    return [one["id"] for one in told["data"]["episodes"]]


@pytest.mark.parametrize("tool", ["episode_recall", "decision_query"])
def test_memory_has_both_clocks(ask: Ask, tool: str) -> None:
    early = decide(ask, "at once", 2)
    between = to_iso(now())
    late = decide(ask, "later", 20, supersedes=early)
    told_late = decide(ask, "by night", 3)

    everything = ask(tool, query="charge cards")
    assert set(found(everything)) == {late, told_late}
    assert [(one["id"], one["superseded_by"]) for one in everything["data"]["nearest_misses"]] == [(early, late)]
    then = ask(tool, query="charge cards", as_of="HEAD")  # the commit of day 10, with what is known today
    assert set(found(then)) == {early, told_late}
    assert not any(one.get("superseded_by") for one in then["data"]["episodes"])
    assert found(ask(tool, query="charge cards", as_of="HEAD", known_as_of=between)) == [early]
    assert found(ask(tool, query="charge cards", known_as_of=between)) == [early]
    before = ask(tool, query="charge cards", as_of="HEAD~1")
    assert found(before) == []
    assert "up to 2026-01-01T00:00:00" in before["summary"]
    assert "3 others do" in before["summary"]
    assert ask(tool, query="charge cards", as_of="whenever")["errorCode"] == "CLEW_E_INVALID_INPUT"


def test_a_pack_of_the_past_quotes_what_was_decided_by_then(ask: Ask) -> None:
    decide(ask, "at once", 2)
    decide(ask, "in parts", 20)
    past = json.dumps(ask("context_pack", task="charge cards", as_of="HEAD", max_tokens=4000)["data"])
    assert "at once" in past
    assert "in parts" not in past
    assert "in parts" in json.dumps(ask("context_pack", task="charge cards", max_tokens=4000)["data"])


def test_a_state_that_stands_for_two_times_answers_each_by_its_own(ask: Ask) -> None:
    first = to_iso(now())
    decide(ask, "today", 0)
    second = to_iso(now())
    asked = {"task": "charge cards", "max_tokens": 4000}
    before, after = (ask("context_pack", **asked, as_of=one) for one in (first, second))
    assert before["as_of"] != after["as_of"]
    assert "today" not in json.dumps(before["data"])
    assert "today" in json.dumps(after["data"])


def test_learnings_are_those_that_were_held(repository: Repository, backend: str) -> None:
    def learn(engine: Engine, id: str, claim: str, at: int) -> None:
        learning = Learning(id, "cards", claim, f"cards {claim}", 0.9, ("e",), Identity("ada"))
        engine.learnings.learn(learning, at)

    with Engine.open(repository.root) as engine:
        learn(engine, "l1", "fail", DAY_1)
        learn(engine, "l2", "pass", DAY_1 + 5 * DAY)
        held = [
            [one.claim for one in engine.learnings.current_at(9, at)]
            for at in (AsOf(DAY_1 - 1, NOW.known), AsOf(DAY_1, NOW.known), AsOf(TODAY, DAY_1 + DAY), AsOf(TODAY, TODAY))
        ]
        assert held == [[], ["fail"], ["fail"], ["pass"]]
        assert engine.learnings.current_at(9, AsOf(DAY_1, TODAY))[0].superseded_by == ""


def test_the_fleet_and_its_notes_are_asked_as_of_a_time(ask: Ask) -> None:
    ask("agent_claim", target_id="pay.py", intent="to round", agent_id="ann", session_id="1")
    ask("task_update", task_id="T1", title="Round", feature="money", files=["pay.py"], agent_id="ann", session_id="1")
    ask("notes", change="keep", content="charge in cents", name="unit", scope="shared", entities=["pay.py::charge"])
    between = to_iso(now())
    ask("agent_release", claim_id="pay.py", outcome="rounded", agent_id="ann", session_id="1")
    ask("task_update", task_id="T1", status="completed", agent_id="ann", session_id="1")
    ask("task_update", task_id="T2", title="Ship", dependencies=["T1", "T9"])
    ask("notes", change="keep", content="charge in euros", name="unit", scope="shared")

    def told(tool: str, **arguments: object) -> list[dict[str, Any]]:
        """Now, and as of between by either clock."""
        times: tuple[dict[str, str], ...] = ({}, {"as_of": between}, {"known_as_of": between})
        envelopes = [ask(tool, **arguments, **one) for one in times]
        assert all(one["ok"] for one in envelopes), envelopes
        assert ["as_of" in one for one in envelopes] == [False, True, True]
        assert envelopes[1]["data"] == envelopes[2]["data"]
        return [one["data"] for one in envelopes[:2]]

    present, past = told("coordination_overview")
    assert (present["active_claims"], [one["target"] for one in past["active_claims"]]) == ([], ["pay.py"])
    assert "stale or abandoned then is not recorded" in past["unseen"]
    present, past = told("agent_status", agent_id="ann")
    assert ([one["outcome"] for one in present["recent_claims"]], past.get("recent_claims")) == (["rounded"], None)
    assert [one["intent"] for one in past["active_claims"]] == ["to round"]
    present, past = told("progress_query")
    assert {one["task_id"]: one["status"] for one in present["tasks"]} == {"T1": "completed", "T2": "pending"}
    assert {one["task_id"]: one["status"] for one in past["tasks"]} == {"T1": "pending"}
    present, past = told("feature_status", feature_id="money")
    assert [present["progress"], past["progress"]] == [1.0, 0.0]
    assert past["files"] == ["pay.py"]
    present, past = told("blocking_issues")
    assert [one["kind"] for one in present["issues"]] == ["unknown_dependency"]
    assert [one["kind"] for one in past["issues"]] == ["claim_conflict"]
    present, past = told("notes")
    assert [one["content"] for one in past["notes"]] == ["charge in cents"]
    assert [one["content"] for one in present["notes"]] == ["charge in euros"]
    assert [one["state"] for one in past["notes"][0]["entities"]] == ["current"]
    assert ask("notes", change="end", name="unit", as_of=between)["errorCode"] == "CLEW_E_INVALID_INPUT"
    present, past = told("decision_query", query="charge")
    assert [one["notes"][0]["content"] for one in (present, past)] == ["charge in euros", "charge in cents"]


def test_a_pack_and_an_impact_of_the_past_name_the_claims_and_tasks_of_then(ask: Ask) -> None:
    ask("agent_claim", target_id="pay.py", intent="to round", agent_id="ann", session_id="1")
    ask("task_update", task_id="T1", title="Round", plan=["to cents"])
    between = to_iso(now())
    ask("agent_release", claim_id="pay.py", agent_id="ann", session_id="1")
    ask("task_update", task_id="T1", title="Round", plan=["to euros"])

    def pack(**time: str) -> str:
        asked = ask("context_pack", task="charge cards", task_id="T1", max_tokens=4000, **time)
        return json.dumps(asked["data"])

    assert ["to round" in pack(), "to cents" in pack()] == [False, False]
    past = pack(as_of=between)
    assert ["to round" in past, "to cents" in past, "to euros" in past] == [True, True, False]
    impacts = [ask("impact_analyze", symbols=["pay.py::charge"], **time)["data"] for time in ({}, {"as_of": between})]
    assert [[one["holder"] for one in data.get("claims", ())] for data in impacts] == [[], ["ann/1"]]


def test_git_is_asked_as_of_a_time(ask: Ask) -> None:
    decide(ask, "late", 20)
    first = to_iso(DAY_1 + DAY)
    whole, old = ask("symbol_history", element="pay.py"), ask("symbol_history", element="pay.py", as_of=first)
    assert [len(one["data"]["changes"]) for one in (whole, old)] == [2, 1]
    assert [len(one["data"].get("memories", ())) for one in (whole, old)] == [1, 0]
    assert len(ask("symbol_blame", element="pay.py", as_of=first)["data"]["lines"]) == 2
    assert not ask("symbol_blame", element="refund", as_of=first)["ok"]
    searched = ask("history_search", query="when did charge change", as_of=first)["data"]
    assert searched["commits_looked_at"] == 1
    assert ask("transactions", as_of=first)["data"]["transactions"] == []
    assert ask("symbol_history", element="pay.py", as_of="2020-01-01")["errorCode"] == "CLEW_E_NOT_FOUND"
