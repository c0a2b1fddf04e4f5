"""context_pack_create and context_pack_get: as every surface calls them."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

import clew
from clew.engine import Engine
from clew.model.errors import Denied, NotFound
from clew.pack.artifact import ContextPack
from clew.text.tokens import estimate
from clew.tools.answer import Caller, answer
from clew.tools.registry import find
from clew.workspaces import Workspaces


def said(caller: Caller, name: str = "context_pack_create", **arguments: Any) -> dict[str, Any]:
    return dict(json.loads(answer(caller, name, arguments).body))


def items(envelope: dict[str, Any]) -> int:
    return sum(len(section["items"]) for section in envelope["data"]["sections"])


@pytest.fixture
def own(root: Path, tmp_path: Path) -> Path:
    """A copy to write in."""
    copy = Path(shutil.copytree(root, tmp_path / "own", ignore=shutil.ignore_patterns(".clew", "audit.py")))
    with clew.open(copy) as ws:
        ws.index()
    return copy


def test_an_answer_is_the_pack_whole_unless_a_budget_is_named(caller: Caller) -> None:
    envelope = said(caller, query="validate token")

    assert envelope["ok"], envelope
    data = envelope["data"]
    assert (data["formatVersion"], data["schema"]) == (1, "ContextPack")
    assert data["seeds"][0]["symbolId"] == "tokens.py::validate_token"
    assert envelope["_tokenEstimate"] > 1500
    assert "indexRoot" not in json.dumps(data)
    assert data["createdAt"] and data["stats"]["timings"]["totalMs"] >= 0


def test_the_profile_of_an_answer_is_accepted_as_input(caller: Caller) -> None:
    envelope = said(caller, query="validate token")

    assert (
        said(caller, query="validate token", profile=envelope["profile"])["data"]["packId"]
        == envelope["data"]["packId"]
    )


@pytest.mark.parametrize("tokens", [300, 500, 1200, 2600, 4400, 9000])
def test_a_budget_bounds_the_whole_answer_and_shows_the_entry_point(caller: Caller, tokens: int) -> None:
    body = answer(caller, "context_pack_create", {"query": "validate token", "max_tokens": tokens}).body.decode()
    envelope = json.loads(body)

    assert envelope["ok"], envelope
    assert estimate(body) <= tokens
    first = envelope["data"]["sections"][0]["items"][0]
    assert first["symbolId"] == "tokens.py::validate_token"
    assert "validate_token" in first["excerpt"]["text"]


@pytest.mark.parametrize("profile", ["compact", "balanced"])
def test_small_profiles_get_the_lean_form(caller: Caller, profile: str) -> None:
    envelope = said(caller, query="validate token", profile=profile)

    assert envelope["data"]["form"] == "lean"
    assert items(envelope) >= 1


def test_a_small_answer_counts_its_warnings_if_it_has_no_room_for_them(caller: Caller) -> None:
    asked = {"query": "validate token", "expansion": {"max_hops": 9}, "budgets": {"max_items": 999}}
    for tokens in (300, 320, 400, 2000):
        body = answer(caller, "context_pack_create", {**asked, "max_tokens": tokens}).body.decode()
        assert json.loads(body)["ok"]
        assert estimate(body) <= tokens
    assert json.loads(body)["data"]["warnings"][1].startswith("expansion.maxHops")


def test_what_a_budget_must_be_is_told_in_the_words_it_was_given_in(caller: Caller) -> None:
    for tokens in (10, 100, 200):
        refused = said(caller, query="validate token", max_tokens=tokens)
        assert refused["summary"] == f"no pack fits {tokens} tokens"
        (enough,) = re.findall(r"max_tokens=(\d+)", refused["hint"])
        assert items(said(caller, query="validate token", max_tokens=int(enough))) >= 1

    inner = said(caller, query="validate token", max_tokens=5000, budgets={"max_total_tokens": 100})
    assert "budgets.max_total_tokens" in inner["hint"]
    full = said(caller, query="validate token", max_tokens=900, form="full")
    assert "form=lean" in full["hint"]
    assert (
        said(caller, query="validate token", max_tokens="many")["hint"] == "max_tokens: Replaces the profile's limit."
    )


@pytest.mark.parametrize(
    "focus",
    [
        "validate_token",
        "./tokens.py::validate_token",
        "tokens.py:5",
        "symbol::tokens.py::validate_token",
        {"symbol_id": "tokens.validate_token"},
        {"file_rel_path": "tokens.py:5"},
    ],
)
def test_focus_takes_what_other_tools_take(caller: Caller, focus: str | dict[str, str]) -> None:
    envelope = said(caller, focus=focus)

    assert envelope["ok"], envelope
    assert envelope["data"]["request"]["focus"] == {"symbolId": "tokens.py::validate_token"}


def test_a_path_in_focus_is_spelled_from_the_root(caller: Caller) -> None:
    assert said(caller, focus="./tokens.py")["data"]["request"]["focus"] == {"fileRelPath": "tokens.py"}


def test_of_overloads_the_implementation_is_in_focus(own: Path) -> None:
    stubs = "@overload\ndef load(key: int) -> int: ...\n\n\n@overload\ndef load(key: str) -> str: ...\n\n\n"
    body = "def load(key):\n    return KEYS.get(key)\n"
    (own / "load.py").write_text(f"from typing import overload\n\nKEYS = {{}}\n\n\n{stubs}{body}", "utf-8")
    with clew.open(own) as ws:
        ws.index()
        found = [ws.context_pack_create(focus=name).items()[0] for name in ("load", "load.py::load")]

    assert ["return KEYS.get(key)" in item.excerpt.text for item in found] == [True, True]


def test_a_stored_pack_is_read_in_a_smaller_form(own: Path) -> None:
    with clew.open(own) as ws:
        made = ws.context_pack_create(query="validate token", write=True)
        small = ws.context_pack_get(made.pack_id[:12], max_tokens=500)
        lean = ws.context_pack_get(made.pack_id, form="lean")

    assert (small.pack_id, small.form) == (made.pack_id, "lean")
    assert small.items()[0].chunk_uid == made.items()[0].chunk_uid
    assert 0 < len(small.items()) < len(made.items())
    assert small.left_out == len(made.items()) - len(small.items()) + made.stats.dropped["budget"]
    assert len(lean.items()) == len(made.items())
    workspaces = Workspaces(own)
    for tokens in (300, 700, 1500):
        body = answer(Caller(workspaces), "context_pack_get", {"pack_id": made.pack_id, "max_tokens": tokens}).body
        assert json.loads(body)["ok"]
        assert estimate(body.decode()) <= tokens
    workspaces.close()


def test_both_spellings_mean_the_same_and_caps_are_said(caller: Caller) -> None:
    snake = said(caller, query="token", seed_mode="code", expansion={"max_hops": 9, "edge_types": ["call"]})
    camel = said(caller, query="token", seedMode="code", expansion={"maxHops": 4, "edgeTypes": ["call", "call"]})

    assert snake["data"]["packId"] == camel["data"]["packId"]
    assert snake["data"]["stats"]["warnings"] == ["expansion.maxHops: 9 is above the hard cap, so 4 holds"]
    assert "warnings" not in camel["data"]["stats"]


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"query": "token", "budgets": {"max_items": 0}}, "budgets.max_items"),
        ({"query": "token", "budgets": {"maxTotalChars": "many"}}, "budgets.max_total_chars"),
        ({"query": "token", "expansion": {"edge_types": ["sings"]}}, "expansion.edge_types"),
        ({"query": "token", "intent": "dance"}, "intent"),
        ({"query": "token", "ordering": {"primary": "luck"}}, "ordering.primary"),
        ({"query": ""}, "query"),
        ({"query": "token", "focus": {"symbol_id": "a", "chunk_uid": "b"}}, "focus"),
    ],
)
def test_what_is_wrong_is_named(caller: Caller, arguments: dict[str, Any], field: str) -> None:
    envelope = said(caller, **arguments)

    assert envelope["errorCode"] == "CLEW_E_INVALID_INPUT"
    assert field in envelope["summary"]


def test_each_error_has_its_code(caller: Caller, tmp_path: Path) -> None:
    assert said(caller, query="token", budgets={"max_total_chars": 10})["errorCode"] == "CLEW_E_BUDGET_EXCEEDED"
    assert said(caller, query="token", focus={"symbol_id": "no.py::f"})["errorCode"] == "CLEW_E_NOT_FOUND"
    with Engine.open(tmp_path, environ={}):
        pass
    nothing = Workspaces(tmp_path)
    assert said(Caller(nothing), query="token")["errorCode"] == "CLEW_E_INDEX_MISSING"
    nothing.close()


def test_what_is_written_is_read_again_without_where_it_was_made(own: Path) -> None:
    with clew.open(own) as ws:
        made = ws.context_pack_create(query="validate token", write=True)
        read = ws.context_pack_get(made.pack_id)
    record = json.loads((own / ".clew" / "context_packs.jsonl").read_text("utf-8"))

    assert made.written is True
    assert read.canonical() == made.canonical()
    assert read.created_at == made.created_at
    assert record["request"]["indexRoot"] == own.as_posix()
    assert record["request"]["repoId"]
    assert own.as_posix() not in str(read)


def test_a_pack_that_is_kept_does_not_change_with_the_code(own: Path) -> None:
    with clew.open(own) as ws:
        made = ws.context_pack_create(query="validate token", write=True)
        (own / "tokens.py").write_text("def validate_token(token):\n    return 1\n", "utf-8")
        ws.index()
        assert ws.context_pack_get(made.pack_id).canonical() == made.canonical()
        assert ws.context_pack_create(query="validate token").pack_id != made.pack_id


def test_another_format_and_an_unknown_pack_are_told(own: Path) -> None:
    with clew.open(own) as ws:
        made = ws.context_pack_create(query="validate token", write=True)
        with pytest.raises(NotFound):
            ws.context_pack_get("0" * 64)
    file = own / ".clew" / "context_packs.jsonl"
    file.write_text(file.read_text("utf-8").replace('"formatVersion":1', '"formatVersion":9', 1), "utf-8")
    later = Workspaces(own)
    assert said(Caller(later), "context_pack_get", pack_id=made.pack_id)["errorCode"] == "CLEW_E_CONTRACT_VERSION"
    later.close()


def test_who_may_only_read_may_make_a_pack_but_not_write_it(own: Path) -> None:
    with clew.open(own, read_only=True) as ws:
        assert isinstance(ws.context_pack_create(query="token"), ContextPack)
        with pytest.raises(Denied, match="context_pack_create"):
            ws.context_pack_create(query="token", write=True)
    assert not (own / ".clew" / "context_packs.jsonl").exists()


def test_a_file_that_just_changed_is_quoted_as_it_is(own: Path) -> None:
    with clew.open(own) as ws:
        ws.context_pack_create(query="validate token")
        (own / "tokens.py").write_text("def validate_token(token):\n    return 'fresh'\n", "utf-8")
        pack = ws.context_pack_create(query="validate token")

    assert any("'fresh'" in item.excerpt.text for item in pack.items())


def test_dotted_names_are_understood_and_not_listed(own: Path) -> None:
    assert find("context_pack.create").name == "context_pack_create"
    assert find("context_pack.get").name == "context_pack_get"
    with clew.open(own) as ws:
        assert getattr(ws, "context_pack.create")(query="token").stats.items
        assert "context_pack.create" not in dir(ws)
