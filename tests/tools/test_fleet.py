"""Claims and the fleet as tools: what callers get, and how it is fitted."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from clew.model.agents import Identity
from clew.store.leases import this_process
from clew.tools.answer import Caller, answer
from clew.workspaces import Workspaces
from tests.conftest import DAY_2, Repository

ANN, BEN = Identity("ann", "1"), Identity("ben", "1")


class Desk:
    """Two agents of one project, each with its own connection."""

    def __init__(self, workspaces: Workspaces) -> None:
        self._callers = {who.agent_id: Caller(workspaces, identity=who) for who in (ANN, BEN)}

    def ask(self, who: Identity, tool: str, **arguments: Any) -> dict[str, Any]:
        return dict(msgspec.json.decode(answer(self._callers[who.agent_id], tool, arguments).body))

    def ok(self, who: Identity, tool: str, **arguments: Any) -> dict[str, Any]:
        envelope = self.ask(who, tool, **arguments)
        assert envelope["ok"], envelope
        return dict(envelope["data"])


@pytest.fixture
def desk(tmp_path: Path, backend: str) -> Iterator[Desk]:
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "repo" / "pay.py").write_text("def charge(): ...\n\n\ndef refund(): ...\n", "utf-8")
    (tmp_path / "repo" / "test_pay.py").write_text("import pay\n\n\ndef test_charge():\n    pay.charge()\n", "utf-8")
    workspaces = Workspaces(tmp_path / "repo")
    workspaces.get().index()
    yield Desk(workspaces)
    workspaces.close()


def test_a_claim_and_a_conflict_are_both_results(desk: Desk) -> None:
    mine = desk.ok(ANN, "agent_claim", target_id="pay.py", intent="round to cents", task_id="T1")
    theirs = desk.ask(BEN, "agent_claim", targetId="./pay.py::charge", claimType="function")

    assert (mine["status"], mine["target"], mine["holder"]) == ("ok", "pay.py", {"agent_id": "ann", "session_id": "1"})
    assert mine["target_version_sha"]
    assert theirs["ok"], "a conflict is no error"
    data = theirs["data"]
    assert (data["status"], data["claim_id"], data["intent"]) == ("CONFLICT", mine["claim_id"], "round to cents")
    assert data["since"] == mine["since"]
    assert theirs["summary"].startswith("CONFLICT: pay.py is held by ann/1 since ")


def test_a_conflict_fits_the_default_budget_where_connections_name_their_sessions(desk: Desk) -> None:
    """Ids as they are made cost some 40 tokens each."""
    session, intent = "01b7df87-4ade-470a-8092-de7dc8a06065", "round what is charged to whole cents, also in refunds"
    held = desk.ok(ANN, "agent_claim", target_id="pay.py::charge", intent=intent, session_id=session)

    theirs = desk.ask(BEN, "agent_claim", target_id="pay.py", session_id="77" + session[2:])

    assert (theirs["ok"], theirs["data"]["status"], theirs["data"]["claim_id"]) == (True, "CONFLICT", held["claim_id"])
    assert theirs["data"]["holder"] == {"agent_id": "ann", "session_id": session}
    assert theirs["summary"].startswith("CONFLICT: pay.py::charge is held by ann/01b7df87… since ")
    assert theirs["_tokenEstimate"] <= 300


def test_what_was_written_is_told_whatever_the_budget(desk: Desk) -> None:
    """After an error it would be written once more."""
    claim = desk.ok(ANN, "agent_claim", target_id="pay.py", max_tokens=20)
    episode = desk.ok(ANN, "episode_add", type="OBSERVATION", content="cents are rounded", max_tokens=20)

    assert (claim["status"], bool(claim["claim_id"]), bool(episode["episode_id"])) == ("ok", True, True)
    assert desk.ask(ANN, "agent_status", max_tokens=20)["errorCode"] == "CLEW_E_BUDGET_EXCEEDED"


def test_who_speaks_can_be_said(desk: Desk) -> None:
    claim = desk.ok(ANN, "agent_claim", target_id="pay.py", agent_id="sub", session_id="7")

    assert claim["holder"] == {"agent_id": "sub", "session_id": "7"}
    assert desk.ask(ANN, "agent_release", claim_id=claim["claim_id"])["errorCode"] == "CLEW_E_DENIED"
    assert desk.ok(ANN, "agent_release", claim_id="pay.py", agent_id="sub", session_id="7")["end_reason"] == "released"


def test_a_release_says_what_came_of_it_once(desk: Desk) -> None:
    claim = desk.ok(ANN, "agent_claim", target_id="pay.py")
    first = desk.ask(ANN, "agent_release", claim_id=claim["claim_id"], outcome="rounded")
    again = desk.ask(ANN, "agent_release", claim_id=claim["claim_id"], outcome="again")

    assert first["summary"] == "pay.py is free."
    assert again["summary"] == "pay.py had ended before: released."
    assert again["data"]["outcome"] == "rounded"
    assert desk.ask(ANN, "agent_release", claim_id="nothing")["errorCode"] == "CLEW_E_NOT_FOUND"


def test_a_symbols_name_claims_the_symbol(desk: Desk) -> None:
    claim = desk.ask(ANN, "agent_claim", target_id="refund", claim_type="function")
    at_line = desk.ok(BEN, "agent_claim", target_id="pay.py:1")

    assert (claim["data"]["target"], claim["data"]["named"]) == ("pay.py::refund", "refund")
    assert claim["summary"].startswith("pay.py::refund is claimed by you, ")
    assert claim["summary"].endswith("It was resolved from 'refund'.")
    assert at_line["target"] == "pay.py::charge"
    assert desk.ok(ANN, "agent_release", claim_id="refund")["target"] == "pay.py::refund"


def test_a_name_of_several_claims_none_of_them(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "repo" / "other.py").write_text("def refund(): ...\n", "utf-8")
    refused = desk.ask(ANN, "agent_claim", target_id="refund")

    assert (refused["errorCode"], refused["summary"]) == (
        "CLEW_E_INVALID_INPUT", "'refund' may be 2 things"
    )  # fmt: skip
    assert refused["hint"].startswith("Name one: other.py::refund, pay.py::refund; or ./refund ")
    assert desk.ok(ANN, "agent_claim", target_id="./refund")["target"] == "refund"


def test_what_is_not_there_yet_is_held_as_it_is_written_and_told(desk: Desk) -> None:
    told = [
        desk.ask(ANN, "agent_claim", target_id=target)
        for target in ("lib/new.py", "refnd", "pay.py::Card::refund", "pay.py::refund", "pay.py", "task:T1")
    ]

    assert [one["data"]["target"] for one in told[:3]] == ["lib/new.py", "refnd", "pay.py::Card::refund"]
    assert [one["summary"].partition(". ")[2] for one in told] == [
        "It does not exist yet.",
        "It does not exist yet; a similar name is pay.py::refund.",
        "It does not exist yet.",
        *("", "", ""),
    ]


@pytest.mark.parametrize("spelling", ["`pay.py::Card.refund`", "./pay.py::Card.refund", "pay.py::Card::refund"])
def test_what_is_spelled_otherwise_is_held_all_the_same(desk: Desk, spelling: str) -> None:
    claim = desk.ok(ANN, "agent_claim", target_id="pay.py::Card.refund")
    other = desk.ask(BEN, "agent_claim", target_id=spelling)

    assert claim["target"] == "pay.py::Card::refund"
    assert other["data"]["status"] == "CONFLICT"
    assert desk.ok(ANN, "agent_release", claim_id=spelling)["target"] == "pay.py::Card::refund"


@pytest.mark.parametrize("pattern", ["*.py", "src/*.py", "lib/**/test_*.py"])
def test_a_pattern_is_not_held_as_if_it_were_a_file(desk: Desk, pattern: str) -> None:
    refused = desk.ask(ANN, "agent_claim", target_id=pattern)

    assert (refused["errorCode"], refused["hint"]) == (
        "CLEW_E_INVALID_INPUT", "Claim a folder, or each file of its own."
    )  # fmt: skip


def test_a_file_that_a_task_names_in_full_is_one_that_others_hold(desk: Desk, tmp_path: Path) -> None:
    files = [str(tmp_path / "repo" / "pay.py"), "./lib/../pay.py", "refund"]
    task = desk.ok(ANN, "task_update", task_id="T1", title="Round", files=files, profile="debug")["task"]
    desk.ok(BEN, "agent_claim", target_id="pay.py")

    assert task["files"] == ["pay.py", "pay.py::refund"]
    assert "pay.py" in desk.ok(ANN, "blocking_issues")["issues"][0]["detail"]


def test_an_agent_sees_what_it_has(desk: Desk) -> None:
    desk.ok(ANN, "agent_claim", target_id="pay.py")
    desk.ok(ANN, "task_update", task_id="T1", title="Round to cents", status="in_progress")
    own, others = desk.ok(ANN, "agent_status", profile="debug"), desk.ok(BEN, "agent_status", agent_id="ann")

    assert [claim["target"] for claim in own["active_claims"]] == ["pay.py", "task:T1"]
    assert own["current_task"] == others["current_task"] == "T1"
    assert own["sessions"][0]["claim_count"] == 2
    assert desk.ask(BEN, "agent_status", agent_id="nobody")["summary"] == "Nothing is known of nobody."


def test_the_overview_has_the_whole_fleet(desk: Desk) -> None:
    desk.ok(ANN, "agent_claim", target_id="pay.py::charge")
    desk.ok(BEN, "agent_claim", target_id="pay.py::refund")
    desk.ok(BEN, "agent_release", claim_id="pay.py::refund")
    told = desk.ask(ANN, "coordination_overview", profile="debug")

    assert told["summary"] == "1 claim active, by 1 holder."
    assert (told["data"]["total_claims"], told["data"].get("conflicts")) == (2, None)
    assert [one["agent_id"] for one in told["data"]["agent_summary"]] == ["ann", "ben"]


def test_a_budget_leaves_rows_out_and_says_how_many(desk: Desk) -> None:
    for number in range(40):
        desk.ok(ANN, "agent_claim", target_id=f"src/{number}.py", intent="a long intent " * 5)
    told = desk.ask(BEN, "coordination_overview")

    assert told["_tokenEstimate"] <= 300
    assert len(told["data"]["active_claims"]) + told["data"]["active_claims_left_out"] == 40


def test_a_small_budget_shows_more_claims_rather_than_all_of_one(desk: Desk) -> None:
    """Ids that connections make cost more tokens than who holds what; they come where there is room."""
    session, intent = "01b7df87-4ade-470a-8092-de7dc8a06065", "round what is charged to whole cents"
    for number in range(40):
        target = f"src/shop/part{number}.py::charge"
        desk.ok(ANN, "agent_claim", target_id=target, intent=intent, task_id="T1", session_id=session)
    fleet, own = (desk.ask(BEN, "coordination_overview"), desk.ask(BEN, "agent_status", agent_id="ann"))
    first = desk.ok(BEN, "agent_status", agent_id="ann", profile="debug")["active_claims"][0]

    assert max(fleet["_tokenEstimate"], own["_tokenEstimate"]) <= 300
    assert len(fleet["data"]["active_claims"]) >= 6
    assert len(own["data"]["active_claims"]) >= 9
    assert fleet["data"]["active_claims"][0] == {"target": "src/shop/part0.py::charge", "holder": {"agent_id": "ann"}}
    assert own["data"]["active_claims"][0] == {"target": "src/shop/part0.py::charge"}, "the agent is told beside"
    assert (first["holder"], first["intent"]) == ({"agent_id": "ann", "session_id": session}, intent)


def test_a_claim_that_was_left_behind_says_so_in_any_budget(desk: Desk, tmp_path: Path) -> None:
    elsewhere, gone = Workspaces(tmp_path / "repo"), Identity("cy", "1", this_process("1"))
    answer(Caller(elsewhere, identity=gone), "agent_claim", {"target_id": "pay.py", "intent": "round " * 300})
    elsewhere.close()

    assert desk.ok(ANN, "agent_status", agent_id="cy")["active_claims"] == [
        {"target": "pay.py", "standing": "abandoned"}
    ]


def test_two_agents_cannot_take_one_task(desk: Desk) -> None:
    desk.ok(ANN, "task_update", task_id="T1", title="Round to cents", plan=["write", {"text": "test"}])
    first = desk.ok(ANN, "task_update", task_id="T1", status="in_progress", steps={"1": "done"}, profile="debug")
    second = desk.ask(BEN, "task_update", task_id="T1", status="in_progress")

    assert [step["state"] for step in first["task"]["plan"]] == ["done", "pending"]
    assert (second["ok"], second["data"]["status"]) == (True, "CONFLICT")
    assert second["summary"].startswith("CONFLICT: task:T1 is held by ann/1 since ")


def test_completion_says_what_is_not_done(desk: Desk) -> None:
    desk.ok(ANN, "task_update", task_id="T0", title="Before it")
    plan = ["write it", "test it", "tell of it"]
    desk.ok(ANN, "task_update", task_id="T1", title="Round", plan=plan, dependencies=["T0"], steps={"1": "done"})
    told = desk.ask(ANN, "task_update", task_id="T1", status="completed")
    after = desk.ask(ANN, "task_update", task_id="T1", steps={"2": "done", "3": "skipped"})

    waited = "T0, which it waited for, is not completed."
    assert told["summary"].startswith(f"T1 is completed. Not done: steps 2, 3. {waited}")
    assert (told["data"]["open_steps"], told["data"]["overtaken"]) == ([2, 3], ["T0"])
    assert after["summary"] == f"T1 is completed. {waited}"


def test_completion_releases_what_was_claimed_for_the_task(desk: Desk) -> None:
    desk.ok(ANN, "task_update", task_id="T1", title="Round to cents", status="in_progress")
    desk.ok(ANN, "agent_claim", target_id="pay.py", task_id="T1")
    told = desk.ask(ANN, "task_update", task_id="T1", status="completed", note="rounded")

    assert told["summary"] == "T1 is completed. 2 claims released."
    assert told["data"]["released"] == ["task:T1", "pay.py"]


def test_what_was_written_is_told_however_long_it_is(desk: Desk) -> None:
    long = "x" * 1900
    claim = desk.ok(ANN, "agent_claim", target_id=f"src/{long}", intent=long)
    conflict = desk.ok(BEN, "agent_claim", target_id=f"src/{long}")
    task = desk.ok(ANN, "task_update", task_id="T1", title="x" * 200, description=long, plan=[long], files=[long])
    released = desk.ok(ANN, "agent_release", claim_id=claim["claim_id"], outcome=long)

    assert (conflict["claim_id"], task["revision"], released["end_reason"]) == (claim["claim_id"], 1, "released")


def test_tasks_are_filtered_and_paged(desk: Desk) -> None:
    for number in range(5):
        title, feature = f"Step {number}", "checkout" if number % 2 else ""
        desk.ok(ANN, "task_update", task_id=f"T{number}", title=title, feature=feature, priority=number)
    page = desk.ok(BEN, "progress_query", limit=2, offset=1, profile="debug")
    some = desk.ask(BEN, "progress_query", feature="checkout", query="step")

    assert ([task["task_id"] for task in page["tasks"]], page["total"], page["next_offset"]) == (["T3", "T2"], 5, 3)
    assert (some["summary"], page["features"]) == ("2 tasks: 2 pending.", {"checkout": 2})


def test_a_feature_knows_its_tasks_and_which_of_its_code_has_tests(desk: Desk) -> None:
    desk.ok(ANN, "task_update", task_id="T1", title="Round", feature="checkout", files=["pay.py"])
    desk.ok(ANN, "task_update", task_id="feature:checkout", title="The checkout", files=["test_pay.py"])
    told = desk.ok(ANN, "feature_status", feature_id="checkout", profile="debug")

    assert (told["title"], told["files"], told["counts"]) == ("The checkout", ["pay.py"], {"pending": 1})
    assert told["coverage"] == {"share": 0.5, "tested": 1, "symbols": 2, "untested": ["pay.py::refund"]}
    missing = desk.ask(ANN, "feature_status", feature_id="chekout")
    assert (missing["errorCode"], missing["hint"]) == ("CLEW_E_NOT_FOUND", "Features: checkout.")


def test_a_feature_whose_code_has_few_tests_is_told_in_the_usual_budget(desk: Desk, tmp_path: Path) -> None:
    names = [f"settle_the_account_of_customer_number_{n}" for n in range(20)]
    (tmp_path / "repo" / "accounts.py").write_text("".join(f"def {name}(): ...\n\n\n" for name in names), "utf-8")
    for n in range(4):
        desk.ok(ANN, "task_update", task_id=f"T{n}", title=f"Settle {n}", feature="accounts", files=["accounts.py"])

    told = desk.ok(ANN, "feature_status", feature_id="accounts")

    assert told["coverage"] == {"share": 0.0, "tested": 0, "symbols": 20}
    assert [task["task_id"] for task in told["tasks"]][:1] == ["T0"]
    (tmp_path / "repo" / "accounts.py").write_text("def settle(): ...\n", "utf-8")
    assert desk.ok(ANN, "feature_status", feature_id="accounts")["coverage"]["symbols"] == 1


def test_of_a_feature_only_its_own_can_be_set(desk: Desk) -> None:
    refused = desk.ask(ANN, "task_update", task_id="feature:checkout", status="completed")

    assert (refused["ok"], refused["errorCode"]) == (False, "CLEW_E_INVALID_INPUT")


def test_what_holds_work_up_is_told(desk: Desk) -> None:
    desk.ok(ANN, "task_update", task_id="T1", title="One", dependencies=["T2"])
    desk.ok(ANN, "task_update", task_id="T2", title="Two", dependencies=["T1"])
    desk.ok(ANN, "task_update", task_id="T3", title="Three", files=["pay.py"], status="blocked", note="no key")
    desk.ok(BEN, "agent_claim", target_id="pay.py", intent="tidy up")
    told = desk.ok(ANN, "blocking_issues", profile="debug")

    assert [issue["kind"] for issue in told["issues"]] == ["dependency_cycle", "blocked_task", "claim_conflict"]
    assert told["issues"][0]["tasks"] == ["T1", "T2"]


def test_a_task_that_can_never_begin_is_told_at_once(desk: Desk) -> None:
    lacking = desk.ask(ANN, "task_update", task_id="T1", title="Round", dependencies=["T-0"])
    desk.ok(ANN, "task_update", task_id="T2", title="Ship", dependencies=["T3"])
    circular = desk.ask(ANN, "task_update", task_id="T3", title="Test", dependencies=["T2"])

    assert lacking["summary"] == "T1 is made, pending. It waits for 1 other. Nobody has made T-0."
    assert lacking["data"]["unmade"] == ["T-0"]
    assert circular["summary"].endswith("It and 1 other wait for each other.")
    assert circular["data"]["cycle"] == ["T2", "T3"]


def test_names_that_are_blank_are_none(desk: Desk) -> None:
    task = desk.ok(
        ANN, "task_update", task_id="T1", title="Round", dependencies=["", " T0 ", "task:T0"], files=[" ", "pay.py"]
    )["task"]

    assert (task["dependencies"], task["files"]) == (["T0"], ["pay.py"])


def test_a_step_is_named_by_its_number(desk: Desk) -> None:
    desk.ok(ANN, "task_update", task_id="T1", title="One", plan=["write"])

    for steps in ({"first": "done"}, {"2": "done"}, {"9" * 5000: "done"}):
        assert desk.ask(ANN, "task_update", task_id="T1", steps=steps)["errorCode"] == "CLEW_E_INVALID_INPUT"


def test_who_takes_over_sees_in_one_call_what_the_other_knew_about_the_task(desk: Desk) -> None:
    desk.ok(ANN, "task_update", task_id="T1", title="Cents", status="in_progress", plan=["read", "round"])
    desk.ok(ANN, "agent_claim", target_id="pay.py", intent="round to cents", task_id="T1")
    desk.ok(ANN, "agent_claim", target_id="test_pay.py", intent="elsewhere", task_id="T2")
    decision = {"title": "cents", "rationale": "no floats", "tradeoffs": [], "affected_files": ["pay.py"]}
    desk.ok(ANN, "episode_add", type="DECISION", content="Amounts are cents.", metadata=decision, task_id="T1")
    desk.ok(ANN, "episode_add", type="OBSERVATION", content="Does refund round too?", task_id="T1")
    desk.ok(ANN, "episode_add", type="OBSERVATION", content="about something else", task_id="T2")
    desk.ok(ANN, "episode_add", type="OBSERVATION", content="hunter2?", task_id="T1", sensitive=True)

    known = desk.ok(BEN, "agent_status", agent_id="ann", task_id="T1", profile="debug")

    assert {one["target"] for one in known["active_claims"]} == {"pay.py", "task:T1"}
    assert [one["content"] for one in known["decisions"]] == ["Amounts are cents."]
    assert [(one["kind"], one["content"]) for one in known["open_questions"]] == [("asked", "Does refund round too?")]
    assert [one["content"] for one in known["recent_episodes"]] == ["Does refund round too?", "Amounts are cents."]
    assert (known["next_step"], [one["task_id"] for one in known["tasks"]]) == ("read", ["T1"])
    said = desk.ask(BEN, "agent_status", agent_id="ann", task_id="T1")
    assert said["summary"] == "ann on T1: 2 claims, 1 decision, 1 open question."
    assert desk.ask(BEN, "agent_status", agent_id="ann", task_id="T7")["ok"]


def test_a_handoff_says_which_code_has_changed_since(desk: Desk, tmp_path: Path) -> None:
    decision = {"title": "t", "rationale": "r", "tradeoffs": [], "affected_files": ["pay.py"]}
    desk.ok(ANN, "episode_add", type="DECISION", content="x", metadata=decision, task_id="T1")
    (tmp_path / "repo" / "pay.py").write_text("def charge(): return 1\n", "utf-8")

    known = desk.ok(BEN, "agent_status", agent_id="ann", task_id="T1", profile="debug")

    assert known["decisions"][0]["drifted"] == ["pay.py: changed since"]


def test_claims_are_judged_by_the_working_tree_as_it_is(repository: Repository) -> None:
    for number in range(60):
        repository.write(f"pay{number}.py", "def charge(): ...\n")
    repository.commit()
    repository.git("checkout", "-qb", "other")
    for number in range(60):
        repository.write(f"pay{number}.py", "def charge(cents): ...\n")
    repository.commit(DAY_2)
    repository.git("checkout", "-q", "-")
    workspaces = Workspaces(repository.root)
    workspaces.get().index()
    two = Desk(workspaces)
    two.ok(ANN, "agent_claim", target_id="pay7.py", intent="cents")
    repository.git("checkout", "-q", "other")
    found = two.ok(BEN, "coordination_overview", profile="debug")
    mine = two.ok(BEN, "agent_claim", target_id="pay7.py")
    workspaces.close()

    assert found["active_claims"] == []
    assert mine["status"] == "ok"


def test_overloads_that_only_declare_are_not_untested(desk: Desk, tmp_path: Path) -> None:
    stubs = "@overload\ndef load(key: int) -> int: ...\n\n\n@overload\ndef load(key: str) -> str: ...\n\n\n"
    text = f"from typing import overload\n\n\n{stubs}def load(key):\n    return key\n"
    (tmp_path / "repo" / "load.py").write_text(text, "utf-8")
    (tmp_path / "repo" / "test_load.py").write_text(
        "from load import load\n\n\ndef test_load():\n    assert load(1)\n", "utf-8"
    )
    desk.ok(ANN, "task_update", task_id="T1", title="Load", feature="loading", files=["load.py"])
    covered = desk.ok(ANN, "feature_status", feature_id="loading")["coverage"]

    assert (covered["tested"], covered["symbols"]) == (1, 1)
