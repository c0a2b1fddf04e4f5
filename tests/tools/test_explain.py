"""code_explain: what a thing is, who uses it, and what nobody knows; now and as it was."""

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.engine import Engine, now
from clew.model.time import to_iso
from clew.tools.answer import Caller, answer
from clew.workspaces import Workspaces
from tests.worlds import call, loose, show

FILES = {
    "pay/card.py": '''"""Cards."""

import os


class Card:
    """A card. It can be charged."""

    def charge(self, amount: int) -> bool:
        """Take money from a card."""
        return self.check(amount)

    def check(self, amount: int) -> bool:
        return amount > 0


def refund(card: Card) -> None: ...
''',
    "pay/shop.py": "def buy(card): ...\n\n\ndef sell(card): ...\n\n\ndef gift(card): ...\n",
    "pay/other.py": "class Other:\n    def refund(self): ...\n",
    "pay/desk.py": '@app.route("/desk", slow=True)\n@cache\ndef desk(): ...\n',
    "guide.md": "# Guide\n\nHow money is taken from a card.\n",
}
CHARGE = "pay/card.py::Card::charge"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three callers of `charge`, one more that may be, and two calls by its name that lead nowhere known."""
    root = tmp_path_factory.mktemp("explained")
    for name, text in FILES.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, "utf-8")
    with Engine.open(root, environ={}) as engine:
        engine.index()
        show(
            engine, "pay/card.py", call("Card::charge", "pay/card.py::Card::check", 11), call("refund", CHARGE, 17, 0.8)
        )
        show(engine, "pay/shop.py", call("buy", CHARGE, 1), call("sell", CHARGE, 4, 0.6), call("gift", CHARGE, 7, 0.3))
        show(engine, "pay/shop.py", call("sell", CHARGE, 5, 0.9))
        show(engine, "pay/other.py", loose("Other::refund", "thing.charge", 2), loose("", "charge", 1))
    return root


@pytest.fixture(scope="module")
def caller(root: Path) -> Iterator[Caller]:
    workspaces = Workspaces(root)
    yield Caller(workspaces)
    workspaces.close()


@contextmanager
def asking(root: Path) -> Iterator[Caller]:
    """Whoever asks about a tree that has just been indexed."""
    with Engine.open(root, environ={}) as engine:
        engine.index()
    with closing(Workspaces(root)) as workspaces:
        yield Caller(workspaces)


def said(caller: Caller, element: str, **arguments: object) -> dict[str, Any]:
    asked = {"element": element, "profile": "debug", **arguments}
    envelope: dict[str, Any] = json.loads(answer(caller, "code_explain", asked).body)
    return envelope


def test_a_method_is_told_with_its_place_and_text(caller: Caller) -> None:
    data = said(caller, CHARGE)["data"]

    assert (data["id"], data["type"], data["summary_line"]) == (CHARGE, "method", "Take money from a card")
    assert (data["file_path"], data["first_line"], data["last_line"]) == ("pay/card.py", 9, 11)
    assert data["signature"] == "def charge(self, amount: int) -> bool"
    assert data["doc"] == "Take money from a card."
    assert data["exported"] is True
    assert data["text"].startswith("def charge(")
    assert "valid_to" not in data, "it still holds"


def test_a_decorated_function_says_by_what(caller: Caller) -> None:
    assert said(caller, "pay/desk.py::desk")["data"]["decorators"] == ['app.route("/desk", slow=True)', "cache"]
    assert "decorators" not in said(caller, CHARGE)["data"]


def test_what_it_is_related_to_comes_by_signature_with_how_near_it_is(caller: Caller) -> None:
    buy, check, sell, refund = said(caller, CHARGE)["data"]["slices"]

    assert 0 < refund.pop("ppr_score") < 1
    assert refund == {
        "id": "pay/card.py::refund",
        "summary_line": "Refund; takes card",
        "file": "pay/card.py",
        "start_line": 17,
        "end_line": 17,
        "signature": "def refund(card: Card) -> None",
    }
    assert [one["id"].rpartition("::")[2] for one in (buy, check, sell)] == ["buy", "check", "sell"]
    assert check["ppr_score"] > sell["ppr_score"], "it stands in the same class"


def test_what_is_outside_or_was_has_no_walk(caller: Caller) -> None:
    assert "slices" not in said(caller, "pay/desk.py")["data"]
    assert "ppr_score" not in said(caller, CHARGE, as_of="2999-01-01")["data"]["slices"][0]


def test_a_long_text_comes_after_all_slices(tmp_path: Path) -> None:
    body = "".join(f"    total = total + {n}\n" for n in range(200))
    (tmp_path / "a.py").write_text(f"def long(total):\n{body}    return long(short())\n\n\ndef short(): ...\n", "utf-8")
    workspaces = Workspaces(tmp_path)
    workspaces.get().index()
    some, most = (said(Caller(workspaces), "long", max_tokens=n, profile="compact")["data"] for n in (600, 3000))
    workspaces.close()

    assert [one["id"] for one in some["slices"]] == ["a.py::short"]
    assert (some["fields_left_out"], "text" in some) == (1, False)
    assert most["text"].startswith("def long")


def test_callers_come_with_the_surest_first_and_the_unsure_are_counted_apart(caller: Caller) -> None:
    envelope = said(caller, CHARGE)
    data = envelope["data"]

    assert [(one["id"], one["confidence"], one["line"], one.get("times", 1)) for one in data["dependents"]] == [
        ("pay/shop.py::buy", 1.0, 1, 1),
        ("pay/shop.py::sell", 0.9, 5, 2),
        ("pay/card.py::refund", 0.8, 17, 1),
    ]
    assert data["candidates"]["count"] == 1
    assert data["candidates"]["places"][0]["id"] == "pay/shop.py::gift"
    assert [one["id"] for one in data["dependencies"]] == ["pay/card.py::Card::check"]
    assert "3 callers, 2 calls by this name unresolved, 1 more may lead here; 1 dependency." in envelope["summary"]


def test_calls_by_its_name_that_are_not_resolved_have_their_places(caller: Caller) -> None:
    unresolved = said(caller, CHARGE)["data"]["unresolved"]

    assert unresolved["count"] == 2
    assert unresolved["places"][1] == {
        "id": "pay/other.py::Other::refund",
        "path": "pay/other.py",
        "line": 2,
        "written": "thing.charge",
    }


def test_a_class_has_what_its_members_have_and_not_what_they_have_of_each_other(caller: Caller) -> None:
    data = said(caller, "Card")["data"]

    called = [one for one in data["dependents"] if one["relation"] == "CALLS"]
    assert [(one["id"], one["member"]) for one in called] == [
        ("pay/shop.py::buy", "charge"),
        ("pay/shop.py::sell", "charge"),
        ("pay/card.py::refund", "charge"),
    ]
    assert data["dependencies"] == []


def test_a_file_is_an_element_too(caller: Caller) -> None:
    envelope = said(caller, "pay/card.py")

    assert envelope["data"]["type"] == "file"
    assert envelope["data"]["summary_line"] == "File card.py with Card and refund"
    assert [one["id"] for one in envelope["data"]["dependencies"]] == ["external::os"]
    assert "exported" not in envelope["data"]


def test_what_is_outside_has_dependents(caller: Caller) -> None:
    data = said(caller, "os")["data"]

    assert (data["id"], data["type"]) == ("external::os", "external")
    assert [one["id"] for one in data["dependents"]] == ["pay/card.py"]


def test_no_callers_is_what_was_found_and_not_what_is(caller: Caller) -> None:
    assert "No callers found" in said(caller, "pay/shop.py::gift")["summary"]


def test_where_nothing_leads_it_is_told_where_the_name_stands(tmp_path: Path) -> None:
    """What is read, and not called, has no callers; what stands nowhere else is used by nobody."""
    card = "class Card:\n    @property\n    def limit_left(self): return self._limit\n\n    def unused_one(self): ...\n"
    (tmp_path / "card.py").write_text(card)
    (tmp_path / "shop.py").write_text("def buy(card):\n    return card.limit_left > 3\n\n\nlimit_left_over = 1\n")
    (tmp_path / "page.html").write_text("<p>{{ card.limit_left }}</p>\n")
    with asking(tmp_path) as caller:
        read = said(caller, "card.py::Card::limit_left")
        alone = said(caller, "card.py::Card::unused_one")

    assert read["data"]["named"] == {"count": 2, "places": ["shop.py:2", "page.html:1"]}
    assert "No callers found, its name occurs in 2 other lines, may be called" in read["summary"]
    assert alone["data"]["named"] == {"count": 0, "places": []}
    assert "No callers found, its name occurs in no other line, may be called" in alone["summary"]


def test_of_a_setting_that_nothing_leads_to_it_is_told_where_its_key_stands(tmp_path: Path) -> None:
    (tmp_path / "all.yml").write_text("card_limit: 3\ncards:\n  - name: one\n    sum: 4\n")
    (tmp_path / "card.conf.j2").write_text("limit = {{ card_limit }}\n")
    with asking(tmp_path) as caller:
        used = said(caller, "all.yml::card_limit")

    assert used["data"]["named"] == {"count": 1, "places": ["card.conf.j2:1"]}
    assert used["summary"].endswith("No dependents found, its name occurs in 1 other line; no dependencies found.")


def test_an_edit_that_is_not_seen_in_the_index_yet_is_read_first(tmp_path: Path) -> None:
    (tmp_path / "card.py").write_text("def lonely_one(): ...\n")
    with asking(tmp_path) as caller:
        (tmp_path / "page.html").write_text("<p>lonely_one</p>\n")
        found = said(caller, "lonely_one")

    assert found["data"]["named"]["places"] == ["page.html:1"]


@pytest.mark.parametrize(
    "element",
    ["pay/card.py:10", "symbol::pay/card.py::Card::charge", "pay.card.Card.charge", "Card#charge", "`pay.Card.charge`"],
)
def test_an_element_has_many_names(caller: Caller, element: str) -> None:
    assert said(caller, element)["data"]["id"] == CHARGE


def test_what_a_class_has_of_one_above_it_is_its_own_too(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("class Base:\n    def pay(self): ...\n\n\nclass Middle(Base): ...\n")
    (tmp_path / "b.py").write_text(
        "from a import Middle\n\n\nclass Low(Middle):\n    class Part:\n        def pay(self): ...\n"
    )
    with asking(tmp_path) as caller:
        assert said(caller, "Low.pay")["data"]["id"] == "a.py::Base::pay"
        assert said(caller, "b.Low.Part.pay")["data"]["id"] == "b.py::Low::Part::pay"
        assert said(caller, "Low.gone")["errorCode"] == "CLEW_E_NOT_FOUND"


@pytest.mark.parametrize("element", ["pay/card.py:10", "pay/card.py::Card::charge"])
def test_an_element_may_be_named_by_its_whole_path(caller: Caller, root: Path, element: str) -> None:
    assert said(caller, f"{root}/{element}")["data"]["id"] == CHARGE
    assert said(caller, f"{root}/pay/card.py")["data"]["id"] == "pay/card.py"


def test_a_name_that_several_have_is_a_choice(caller: Caller) -> None:
    envelope = said(caller, "refund")

    assert envelope["ok"]
    assert envelope["data"]["type"] == "ambiguous"
    assert [one["id"] for one in envelope["data"]["choices"]] == ["pay/card.py::refund", "pay/other.py::Other::refund"]
    assert "any of 2" in envelope["summary"]
    around = json.loads(answer(caller, "query_graph_neighborhood", {"node_id": "refund", "profile": "debug"}).body)
    told = [(one["summary"], one["data"]["type"], one["data"]["choices"]) for one in (around, envelope)]
    assert told[0] == told[1]  # not all of it: only one of them may have looked at the files


def test_a_question_is_answered_by_its_best_hit_and_the_others_are_named(caller: Caller) -> None:
    data = said(caller, "take money from a card")["data"]

    assert data["id"] == CHARGE
    assert "pay/card.py::Card" in data["also"]


def test_a_near_miss_is_not_found_and_the_hint_has_its_id(caller: Caller) -> None:
    envelope = said(caller, "chrage")

    assert envelope["errorCode"] == "CLEW_E_NOT_FOUND"
    assert f"Did you mean {CHARGE}" in envelope["hint"]


def test_nothing_near_leads_to_the_search(caller: Caller) -> None:
    assert "query_context" in said(caller, "zzzzzz")["hint"]
    assert said(caller, "qqq zzz xxx")["errorCode"] == "CLEW_E_NOT_FOUND"


@pytest.mark.parametrize("as_of", ["whenever", "2026-13-01", "0001-01-01"])
def test_a_time_that_is_none_is_refused(caller: Caller, as_of: str) -> None:
    assert said(caller, CHARGE, as_of=as_of)["errorCode"] == "CLEW_E_INVALID_INPUT"


def test_a_project_without_an_index_says_so(tmp_path: Path) -> None:
    workspaces = Workspaces(tmp_path)
    envelope = said(Caller(workspaces), "charge")
    workspaces.close()

    assert envelope["errorCode"] == "CLEW_E_INDEX_MISSING"


def test_by_default_even_a_long_path_leaves_room_for_who_uses_it(tmp_path: Path) -> None:
    """As in Java, or in prose with addresses in its headings."""
    place = tmp_path / "/".join(["a_component_of_the_whole", "source", "test", "functional"] * 3)
    place.mkdir(parents=True)
    (place / "a_module_that_tells_its_purpose.py").write_text(
        "def serialised():\n    return 1\n\n\ndef test_one():\n    return serialised()\n", "utf-8"
    )
    heading = f"[A guide](https://example.org/{'a-part-of-the-address/' * 12})"
    (place / "guide.md").write_text(f"# {heading}\n\n## {heading}\n\n### {heading}\n\nText.\n", "utf-8")
    workspaces = Workspaces(tmp_path)
    engine, caller = workspaces.get(), Caller(workspaces)
    engine.index()
    for element in (one for one in engine.graph().ids if not one.startswith("external")):
        envelope = json.loads(answer(caller, "code_explain", {"element": element}).body)
        assert envelope["ok"], element
        assert envelope["_tokenEstimate"] <= (300 if envelope["profile"] == "compact" else 1200)
    used = json.loads(answer(caller, "code_explain", {"element": "serialised"}).body)["data"]
    workspaces.close()

    assert "::test_one" in json.dumps(used.get("used_by") or used["dependents"])


@given(st.integers(60, 900), st.integers(0, 300))
@settings(max_examples=40, deadline=None)
def test_more_budget_never_shows_less(root: Path, limit: int, more: int) -> None:
    workspaces = Workspaces(root)
    less, full = (said(Caller(workspaces), CHARGE, max_tokens=n, profile="compact") for n in (limit, limit + more))
    workspaces.close()

    if less["ok"]:
        assert less["_tokenEstimate"] <= limit
        lean = {"fields_left_out", "used_by", "uses"}
        assert less["data"].keys() - lean <= full["data"].keys()
        for name in ("dependents", "dependencies", "slices"):
            shown, wider = (one["data"].get(name, []) for one in (less, full))
            assert wider[: len(shown)] == shown


def test_it_can_be_seen_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text('def login():\n    """Let someone in."""\n', "utf-8")
    (tmp_path / "b.py").write_text("def main(): ...\n", "utf-8")
    workspaces = Workspaces(tmp_path)
    engine, caller = workspaces.get(), Caller(workspaces)
    engine.index()
    show(engine, "b.py", call("main", "a.py::login"), loose("main", "x.login"))
    then = to_iso(now())
    (tmp_path / "a.py").write_text('\n\ndef login(user):\n    """Let a user in."""\n', "utf-8")
    (tmp_path / "b.py").unlink()
    engine.index()

    present, past = said(caller, "login"), said(caller, "login", as_of=then)
    gone = said(caller, "main", as_of=then)
    before = said(caller, "login", as_of="2001-01-01")
    workspaces.close()

    assert (present["data"]["summary_line"], present["data"]["dependents"]) == ("Let a user in", [])
    assert (past["data"]["summary_line"], past["data"]["first_line"]) == ("Let someone in", 1)
    assert past["data"]["text"].startswith("def login():")
    assert [one["id"] for one in past["data"]["dependents"]] == ["b.py::main"]
    assert past["data"]["unresolved"]["count"] == 1
    assert "valid_from" in past["data"] and "valid_to" not in past["data"], "as it was known then"
    assert gone["data"]["id"] == "b.py::main"
    assert before["errorCode"] == "CLEW_E_NOT_FOUND"
    assert "a.py::login today" in before["hint"]


def test_an_overload_is_told_as_what_has_its_body(tmp_path: Path) -> None:
    declared = "export function pay(n: number): void\nexport function pay(n: string): void\n"
    (tmp_path / "pay.ts").write_text(f"{declared}export function pay(n: any) {{}}\n")
    (tmp_path / "use.ts").write_text("import { pay } from './pay'\nexport function use() { pay(1) }\n")
    with asking(tmp_path) as caller:
        by_name, by_id, second = (said(caller, one) for one in ("pay", "pay.ts::pay", "pay.ts::pay#2"))

    assert by_name["data"]["id"] == by_id["data"]["id"] == "pay.ts::pay#3"
    assert "1 caller, " in by_name["summary"]
    assert second["data"]["id"] == "pay.ts::pay#2"


def test_to_call_a_variable_is_a_use_of_it_and_to_export_it_is_none(tmp_path: Path) -> None:
    made = "import { create } from 'far'\nexport const useCart = create(1)\nexport const useDesk = create(2)\n"
    (tmp_path / "lib.ts").write_text(made)
    (tmp_path / "use.ts").write_text("import { useCart } from './lib'\nexport function use() { useCart() }\n")
    with asking(tmp_path) as caller:
        used, unused = said(caller, "useCart"), said(caller, "useDesk")

    users = [one["id"] for one in used["data"]["dependents"] if one["relation"] == "USES"]
    assert users == ["use.ts::use"]
    assert "its name occurs in no other line" in unused["summary"]


def test_overloads_are_told_together_in_their_order_with_their_signatures(tmp_path: Path) -> None:
    methods = "".join(f"  void pay(int a{i}) {{}}\n".replace("int", f"T{i}") for i in range(11))
    (tmp_path / "Card.java").write_text(f"class Card {{\n{methods}}}\n")
    with asking(tmp_path) as caller:
        parts = said(caller, "Card.pay")["data"]["parts"]

    assert [one["signature"] for one in parts] == [f"void pay(T{i} a{i})" for i in range(11)]
