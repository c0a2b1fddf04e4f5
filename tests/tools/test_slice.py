"""semantic_slice: the one thing that is meant, its exact lines, and as much of it as there is room for."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.engine import Engine
from clew.model.errors import ClewError, IndexMissing
from clew.pack.slicing import Context
from clew.tools.answer import Caller, answer
from clew.tools.slicing import SemanticSlice
from clew.workspaces import Workspaces
from tests.worlds import call, loose, show

STEPS = "".join(f"    if x == {n}:\n        print({n})\n        return {n}\n\n" for n in range(150))
FILES = {
    "pay/card.py": '''"""Cards."""


class Card:
    """A card. It can be charged."""

    def charge(self, amount: int) -> bool:
        """Take money from a card."""
        return amount > 0


def refund(card: Card) -> None:
    """Give money back."""


def _hidden(): ...
''',
    "pay/shop.py": "def buy(card): ...\n\n\ndef sell(card): ...\n\n\ndef gift(card): ...\n",
    "pay/other.py": "class Other:\n    def refund(self): ...\n\n\ndef _hidden(): ...\n\n\nLIMIT = 3\n",
    "tests/test_card.py": "def refund(): ...\n\n\ndef only_here(): ...\n",
    "long.py": f"def long(x):\n{STEPS}    zeppelin = x\n    return zeppelin\n",
    "guide.md": "# refund\n\nHow money is given back.\n\n# LIMIT\n\nThree.\n",
}
CHARGE = "pay/card.py::Card::charge"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("sliced")
    for name, text in FILES.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, "utf-8")
    with Engine.open(root, environ={}) as engine:
        engine.index()
        show(engine, "pay/shop.py", *(call(one, CHARGE, n) for n, one in ((1, "buy"), (4, "sell"), (7, "gift"))))
        show(engine, "pay/card.py", call("Card::charge", "pay/card.py::refund", 9), loose("refund", "x.charge", 12))
        show(engine, "long.py", call("long", CHARGE), call("long", "pay/card.py::refund"))
    return root


@pytest.fixture(scope="module")
def workspaces(root: Path) -> Iterator[Workspaces]:
    workspaces = Workspaces(root)
    yield workspaces
    workspaces.close()


def said(workspaces: Workspaces, **arguments: object) -> dict[str, Any]:
    envelope: dict[str, Any] = json.loads(answer(Caller(workspaces), "semantic_slice", arguments).body)
    return envelope


@pytest.mark.parametrize(
    ("asked", "id", "found_by"),
    [
        ({"symbol": CHARGE}, CHARGE, "id"),
        ({"symbol": f"symbol::{CHARGE}"}, CHARGE, "id"),
        ({"symbol": CHARGE, "file": "pay/shop.py"}, CHARGE, "id"),
        ({"symbol": "charge", "file": "pay/card.py"}, CHARGE, "file+symbol"),
        ({"symbol": "Card.charge", "file": "card.py"}, CHARGE, "file+symbol"),
        ({"symbol": "refund", "file": "file::pay/other.py"}, "pay/other.py::Other::refund", "file+symbol"),
        ({"symbol": "charge"}, CHARGE, "name"),
        ({"symbol": "Card.charge"}, CHARGE, "name"),
        ({"symbol": "Card::charge"}, CHARGE, "name"),
        ({"symbol": "pay.card.Card.charge()"}, CHARGE, "name"),
        ({"symbol": "pay/card.py:8"}, CHARGE, "line"),
        ({"symbol": "only_here"}, "tests/test_card.py::only_here", "name"),
        ({"symbol": "nowhere", "query": "give money back"}, "pay/card.py::refund", "query"),
        ({"query": "take money from a card"}, CHARGE, "query"),
        ({"query": "money", "file": "guide.md"}, "guide.md::refund", "query"),
        ({"query": "zebra", "file": "pay/card.py"}, "pay/card.py", "file"),
        ({"file": "pay/card.py"}, "pay/card.py", "file"),
        ({"file": "file::pay/card.py"}, "pay/card.py", "file"),
        ({"file": "shop.py"}, "pay/shop.py", "file"),
        ({"symbol": "pay/card.py"}, "pay/card.py", "file"),
    ],
    ids=str,
)
def test_a_thing_is_found_as_it_is_named(workspaces: Workspaces, asked: dict[str, str], id: str, found_by: str) -> None:
    data = said(workspaces, **asked)["data"]

    assert (data["id"], data.get("found_by", "name")) == (id, found_by)


def test_a_file_may_be_named_from_the_root_of_the_machine(workspaces: Workspaces, root: Path) -> None:
    assert said(workspaces, file=str(root / "pay" / "card.py"), symbol="charge")["data"]["id"] == CHARGE
    assert said(workspaces, file="/etc/passwd")["errorCode"] == "CLEW_E_DENIED"


@pytest.mark.parametrize(
    ("symbol", "id", "also"),
    [
        (
            "refund",
            "pay/card.py::refund",
            ["pay/other.py::Other::refund", "tests/test_card.py::refund", "guide.md::refund"],
        ),
        ("LIMIT", "pay/other.py::LIMIT", ["guide.md::LIMIT"]),
        ("_hidden", "pay/card.py::_hidden", ["pay/other.py::_hidden"]),
    ],
)
def test_of_several_the_best_is_meant_and_the_others_are_named(
    workspaces: Workspaces, symbol: str, id: str, also: list[str]
) -> None:
    envelope = said(workspaces, symbol=symbol)

    assert (envelope["data"]["id"], envelope["data"]["also"]) == (id, also)
    assert envelope["data"]["also_total"] == len(also)
    assert f"{len(also)} other" in envelope["summary"]


@pytest.mark.parametrize(
    ("asked", "code", "hint"),
    [
        ({}, "CLEW_E_INVALID_INPUT", "Give a symbol, a file, or a query"),
        ({"symbol": "chrage"}, "CLEW_E_NOT_FOUND", f"Did you mean {CHARGE}"),
        ({"symbol": "charge", "file": "pay/shop.py"}, "CLEW_E_NOT_FOUND", f"Did you mean {CHARGE}"),
        ({"symbol": "pay/card.py::Card::chrage"}, "CLEW_E_NOT_FOUND", f"Did you mean {CHARGE}"),
        ({"file": "pay/crad.py"}, "CLEW_E_NOT_FOUND", "Did you mean pay/card.py"),
        ({"file": "zzzz.zz"}, "CLEW_E_NOT_FOUND", "list-indexable"),
        ({"query": "zebra"}, "CLEW_E_NOT_FOUND", "other words"),
        ({"symbol": "pay/card.py:999"}, "CLEW_E_NOT_FOUND", "Name a line"),
        ({"symbol": "charge", "context": "everything"}, "CLEW_E_INVALID_INPUT", "context: with-deps adds"),
    ],
    ids=str,
)
def test_what_is_not_there_is_said_with_what_is_near(
    workspaces: Workspaces, asked: dict[str, str], code: str, hint: str
) -> None:
    envelope = said(workspaces, **asked)

    assert envelope["errorCode"] == code
    assert hint in envelope["hint"]


def test_a_project_without_an_index_says_so(tmp_path: Path) -> None:
    workspaces = Workspaces(tmp_path)
    envelopes = [said(workspaces, **{name: "charge"}) for name in ("symbol", "file", "query")]
    workspaces.close()

    assert {one["errorCode"] for one in envelopes} == {"CLEW_E_INDEX_MISSING"}


def test_contexts_say_ever_more(workspaces: Workspaces) -> None:
    contexts: list[Context] = ["signature", "body", "with-deps", "full"]
    signature, body, deps, full = (
        said(workspaces, symbol=CHARGE, context=one, ppr_score=0.5)["data"] for one in contexts
    )

    assert signature["code"] == "    def charge(self, amount: int) -> bool:"
    assert body["code"] == "\n".join(FILES["pay/card.py"].splitlines()[6:9])
    assert "callers_total" not in body
    assert [one["id"].rpartition("::")[2] for one in deps["incoming_callers"]] == ["long", "buy", "gift", "sell"]
    assert deps["outgoing_calls"] == [{"id": "pay/card.py::refund", "line": 12}]
    assert full == deps
    assert {one["ppr_score"] for one in (signature, body, deps, full)} == {0.5}


def test_full_says_what_was_decided_and_learned_of_it(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    tradeoffs = {"title": "Whole cents", "rationale": "banks round", "tradeoffs": [], "affected_files": ["pay/shop.py"]}
    edit = {"file": "pay/card.py", "diff_summary": "d", "lines_before": 1, "lines_after": 2, "reason": "r"}
    with clew.open(tmp_path) as ws:
        ws.index()
        decided = ws.episode_add(type="DECISION", content="Round", entities=[CHARGE], metadata=tradeoffs).episode_id
        for n in range(3):
            ws.episode_add(type="EDIT", content=f"edit {n}", entities=[CHARGE], metadata=edit)
        learned = ws.reflect().learning_ids

        full = ws.semantic_slice(symbol=CHARGE, context="full")
        deps = ws.semantic_slice(symbol=CHARGE, context="with-deps")
        other = ws.semantic_slice(symbol="pay/other.py::Other", context="full")
        small = ws.semantic_slice(symbol=CHARGE, context="full", max_tokens=150)

    assert (full.relevant_decisions, full.relevant_learnings) == ((decided,), learned)
    assert ["Whole cents" in full.memories[0].content, "hotspot" in full.memories[1].content] == [True, True]
    assert "2 decisions and learnings about it." in full.summary()
    assert not deps.memories and not other.memories
    assert small.fields_left_out >= 2
    assert not small.memories


def test_the_summary_counts_what_nobody_knows(workspaces: Workspaces) -> None:
    called = said(workspaces, symbol=CHARGE, context="with-deps")["summary"]
    alone = said(workspaces, symbol="only_here", context="with-deps")["summary"]

    assert called == (
        f"method {CHARGE}, lines 7-9: Take money from a card. 4 callers, 1 call by this name unresolved; 1 call."
    )
    assert "No callers found, its name occurs in no other line, may be called from outside" in alone


def test_a_query_shows_the_part_that_answers(workspaces: Workspaces) -> None:
    data = said(workspaces, query="zeppelin", max_tokens=1500)["data"]

    assert data["id"] == "long.py::long"
    assert data["elided"]
    assert "zeppelin = x" in data["code"]


def test_the_default_budget_is_that_of_context(workspaces: Workspaces) -> None:
    envelope = said(workspaces, symbol="long", context="with-deps")

    assert envelope["profile"] == "default"
    assert 300 < envelope["_tokenEstimate"] <= 1500
    assert envelope["data"]["elided"]
    assert len(envelope["data"]["outgoing_calls"]) == 1, "one is told before the code grows"


@given(st.integers(40, 1500), st.integers(0, 400), st.sampled_from(["long", "refund", "Card", "pay/card.py"]))
@settings(max_examples=60, deadline=None)
def test_more_budget_never_shows_less(root: Path, limit: int, more: int, symbol: str) -> None:
    workspaces = Workspaces(root)
    less, full = (
        said(workspaces, symbol=symbol, context="with-deps", max_tokens=n) for n in (limit, limit + more)
    )  # fmt: skip
    workspaces.close()
    if not less["ok"]:
        assert less["errorCode"] == "CLEW_E_BUDGET_EXCEEDED"
        assert int(less["hint"].partition("max_tokens=")[2].split()[0]) > limit
        return

    assert less["_tokenEstimate"] <= limit
    assert less["data"].keys() - {"fields_left_out", "elided", "freshness"} <= full["data"].keys()
    assert len(less["data"]["code"]) <= len(full["data"]["code"])
    for name in ("incoming_callers", "outgoing_calls", "also"):
        assert full["data"].get(name, [])[: len(less["data"].get(name, []))] == less["data"].get(name, [])


def test_code_is_cut_only_between_lines(workspaces: Workspaces) -> None:
    lines = {*FILES["long.py"].splitlines()}

    for limit in range(200, 2000, 50):
        shown = said(workspaces, symbol="long", max_tokens=limit)["data"]["code"].splitlines()
        assert all(line in lines or line.startswith("… ") for line in shown)


def test_an_edit_is_sliced_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_QUERY_REFRESH_BUDGET_MS", "60000")
    (tmp_path / "a.py").write_text("def login():\n    return 1\n", "utf-8")
    workspaces = Workspaces(tmp_path)
    workspaces.get().index()
    (tmp_path / "a.py").write_text("\n\ndef login(again):\n    return 2\n", "utf-8")
    data = said(workspaces, symbol="login")["data"]
    workspaces.close()

    assert (data["code"], data["start_line"]) == ("def login(again):\n    return 2", 3)
    assert data["freshness"]["refreshed"] == 1
    assert "stale" not in data


def test_what_could_not_be_refreshed_is_not_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_QUERY_REFRESH", "false")
    (tmp_path / "a.py").write_text("def login():\n    return 1\n", "utf-8")
    workspaces = Workspaces(tmp_path)
    workspaces.get().index()
    (tmp_path / "a.py").write_text("def login(again):\n    return 2\n", "utf-8")
    envelope = said(workspaces, symbol="login")
    workspaces.close()

    assert (envelope["data"]["code"], envelope["data"]["stale"]) == ("", True)
    assert "no longer stands in it" in envelope["summary"]


def test_the_library_gets_a_typed_value_and_a_budget_only_if_asked(root: Path) -> None:
    with clew.open(root) as ws:
        whole = ws.semantic_slice("long")
        short = ws.semantic_slice(symbol="long", max_tokens=300)

    assert isinstance(whole, SemanticSlice)
    assert whole.code == FILES["long.py"].rstrip()
    assert not whole.elided
    assert short.elided
    assert len(short.code) < 1200


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        ("a.py", "@overload\ndef f(a: int): ...\n@overload\ndef f(a: str): ...\ndef f(a):\n    return a\n", 5),
        ("a.ts", "export function f(a: string): string;\nexport function f(a: any): any {\n  return a;\n}\n", 2),
    ],
)
def test_of_overloads_the_one_that_does_it_is_shown(tmp_path: Path, path: str, text: str, line: int) -> None:
    (tmp_path / path).write_text(text, "utf-8")
    with clew.open(tmp_path) as ws:
        ws.index()
        assert ws.semantic_slice(symbol="f").start_line == line


def test_an_index_that_could_not_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "context.toml").write_text('[watcher]\nwatch_paths = ["nowhere"]\n', "utf-8")
    with clew.open(tmp_path) as ws:
        with pytest.raises(ClewError):
            ws.index()
        with pytest.raises(IndexMissing, match="its last run failed"):
            ws.semantic_slice(symbol="f")
        with pytest.raises(IndexMissing, match="its last run failed"):
            ws.search("anything")
