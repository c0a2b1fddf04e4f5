"""context_pack as it is sent: inside of every budget, the same bytes everywhere, nothing that is not in the files."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import clew
from clew.text.tokens import estimate
from clew.tools.answer import Caller, answer
from clew.tools.budget import LIMITS
from clew.workspaces import Workspaces
from tests.tools.conftest import FILES

TASK = "validate a bearer token"

tasks = st.sampled_from([TASK, "audit 🔐", "令牌 token", "zeppelin", "Vault store_token"])
on_one_index = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40)


def asked(caller: Caller, task: str = TASK, **arguments: object) -> dict[str, Any]:
    envelope: dict[str, Any] = json.loads(answer(caller, "context_pack", {"task": task, **arguments}).body)
    return envelope


@on_one_index
@given(tasks, st.integers(50, 20_000), st.sampled_from(["markdown", "xml", "json", "text"]))
def test_an_answer_fits_its_budget_or_says_what_to_do(caller: Caller, task: str, budget: int, format: str) -> None:
    profile = "debug" if budget % 2 else "balanced"
    arguments = {"task": task, "max_tokens": budget, "format": format, "profile": profile}
    reply = answer(caller, "context_pack", arguments)

    if reply.ok:
        assert estimate(reply.body.decode()) <= budget
    else:
        envelope = json.loads(reply.body)
        assert (envelope["errorCode"], budget < 400) == ("CLEW_E_BUDGET_EXCEEDED", True)
        least = int(envelope["hint"].partition("max_tokens=")[2].split()[0])
        assert least > budget
        assert answer(caller, "context_pack", {**arguments, "max_tokens": least}).ok


@pytest.mark.parametrize("profile", LIMITS)
def test_every_profile_is_kept_and_shows_something(caller: Caller, profile: str) -> None:
    envelope = asked(caller, profile=profile)

    assert envelope["data"]["items"][0]["symbol"] == "tokens.py::validate_token"
    assert envelope["_tokenEstimate"] <= (LIMITS[profile] or 1_000_000)


def test_a_focus_that_may_be_several_things_says_so(tmp_path: Path) -> None:
    for name in ("card", "cash", "coin"):
        (tmp_path / f"{name}.py").write_text("def charge(amount):\n    return amount\n", "utf-8")
    workspaces = Workspaces(tmp_path)
    workspaces.get().index()
    told = asked(Caller(workspaces), "round amounts", focus="charge")
    clear = asked(Caller(workspaces), "round amounts", focus="coin.charge")
    workspaces.close()

    assert told["data"]["entry_point"] == "card.py::charge"
    assert "The focus may also be cash.py::charge and 1 more." in told["summary"]
    assert "The focus" not in clear["summary"]


@pytest.mark.parametrize("format", ["markdown", "json"])
def test_debug_tells_the_walk_and_since_when_code_is_as_it_is(caller: Caller, format: str) -> None:
    data = asked(caller, format=format, profile="debug")["data"]
    plain = asked(caller, format=format, max_tokens=4000)["data"]

    assert data["ppr_scores"].keys() == {item["symbol"] for item in data["items"]}
    assert max(data["ppr_scores"].values()) > 0
    assert all(one["valid_from"] > 0 for one in data["core_symbols"])
    assert "ppr_scores" not in plain
    assert not any("valid_from" in one for one in plain["core_symbols"]), (
        "the same code, the same bytes, on any machine"
    )


@pytest.mark.parametrize("format", ["markdown", "json"])
def test_a_pack_says_what_it_costs_whatever_its_form(caller: Caller, format: str) -> None:
    envelope = asked(caller, format=format, max_tokens=4000)

    assert 0 < envelope["data"]["token_estimate"] <= 4000
    if format == "json":
        assert 0 <= envelope["data"]["token_estimate"] - envelope["_tokenEstimate"] <= 6, "a few digits of itself"


@on_one_index
@given(tasks, st.integers(400, 4000), st.integers(0, 4000), st.sampled_from(["markdown", "json"]))
def test_more_budget_never_loses_an_item(caller: Caller, task: str, budget: int, more: int, format: str) -> None:
    small = asked(caller, task, max_tokens=budget, format=format)["data"]["items"]
    large = asked(caller, task, max_tokens=budget + more, format=format)["data"]["items"]

    assert [one["symbol"] for one in large[: len(small)]] == [one["symbol"] for one in small]


def test_in_json_the_fields_hold_the_code_and_who_calls_it(caller: Caller) -> None:
    data = asked(caller, format="json", max_tokens=4000)["data"]
    best = data["core_symbols"][0]

    assert data["entry_point"] == best["id"] == "tokens.py::validate_token"
    assert (best["file"], best["start_line"], best["end_line"]) == ("tokens.py", 4, 6)
    assert best["code"].startswith("def validate_token(token: str) -> bool:")
    assert best["callers_total"] == 0
    assert "text" not in data


def test_beside_a_text_nothing_is_said_twice(caller: Caller) -> None:
    data = asked(caller, max_tokens=4000)["data"]

    assert all(item.keys() <= {"symbol", "first_line", "last_line", "stale"} for item in data["items"])
    assert all(one.keys() == {"item"} for one in data["core_symbols"])
    assert data["items"][data["core_symbols"][0]["item"]]["symbol"] == data["entry_point"]


def test_beside_a_text_edges_tell_between_which_items_they_lead(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def sign_in(user):\n    return check(user)\n\n\ndef check(it):\n    ...\n", "utf-8")
    workspaces = Workspaces(tmp_path)
    try:
        workspaces.get().index()
        data = asked(Caller(workspaces), "sign in user", max_tokens=4000)["data"]
    finally:
        workspaces.close()
    symbols = [item["symbol"] for item in data["items"]]

    (edge,) = data["dependencies"]
    assert (symbols[edge["source"]], edge["kind"], symbols[edge["target"]]) == ("a.py::sign_in", "CALLS", "a.py::check")


def test_explained_an_item_tells_all_that_speaks_for_it(caller: Caller) -> None:
    best = asked(caller, explain=True, max_tokens=4000)["data"]["items"][0]

    assert {reason["retriever"] for reason in best["reasons"]} >= {"full_text", "path"}


def test_the_same_request_gives_the_same_bytes_in_another_process_and_under_another_path(
    root: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "some" / "where" / "else"
    elsewhere.mkdir(parents=True)
    for name, text in FILES.items():
        (elsewhere / name).write_text(text, "utf-8")
    with clew.open(elsewhere) as workspace:
        workspace.index()
    command = [sys.executable, "-P", "-m", "clew"]
    arguments = ["pack", TASK, "--json", "--max-tokens", "2000"]
    here, again, there = (
        subprocess.run([*command, "-C", where, *arguments], capture_output=True, check=True).stdout
        for where in (root, root, elsewhere)
    )

    assert here == again == there


def test_a_file_that_changed_is_packed_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_QUERY_REFRESH_BUDGET_MS", "60000")
    (tmp_path / "a.py").write_text("def login(user):\n    return 1\n", "utf-8")
    with clew.open(tmp_path) as workspace:
        workspace.index()
        (tmp_path / "a.py").write_text("\n\ndef login(user, again):\n    return 2\n", "utf-8")
        pack = workspace.context_pack(task="login user", max_tokens=1000)

    assert "def login(user, again)" in pack.text
    assert (pack.items[0].first_line, pack.items[0].stale) == (3, False)


def test_what_no_longer_stands_in_a_file_is_not_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_QUERY_REFRESH", "false")
    (tmp_path / "a.py").write_text("def login(user):\n    return 1\n", "utf-8")
    with clew.open(tmp_path) as workspace:
        workspace.index()
        (tmp_path / "a.py").write_text("def other():\n    return 2\n", "utf-8")
        pack = workspace.context_pack(task="login user", max_tokens=1000)

    assert pack.items[0].stale
    assert "return 1" not in pack.text
    assert "changed on disk" in pack.text


def test_a_project_without_an_index_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n", "utf-8")
    workspaces = Workspaces(tmp_path)
    try:
        assert asked(Caller(workspaces))["errorCode"] == "CLEW_E_INDEX_MISSING"
    finally:
        workspaces.close()
