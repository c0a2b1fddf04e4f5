"""code_explain and the like of what is one thing, and written in several places."""

import json
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from clew.engine import Engine
from clew.tools.answer import Caller, answer
from clew.workspaces import Workspaces


class World(NamedTuple):
    """Files, what is asked for, where its parts are, and who calls it."""

    files: Mapping[str, str]
    name: str
    parts: list[str]
    callers: list[str]


RUBY = {
    "lib/card.rb": "module Pay\n  class Card\n    def charge; end\n  end\nend\n",
    "lib/more.rb": "class Pay::Card\n  def refund; end\nend\n",
    "lib/use.rb": "def one\n  Pay::Card.new.charge\nend\n\ndef two\n  Pay::Card.new.refund\nend\n",
}
WORLDS = {
    "a class of Ruby that is opened again, also by its whole name": World(
        RUBY, "Pay::Card", ["lib/card.rb:2-4", "lib/more.rb:1-3"], ["lib/use.rb::one", "lib/use.rb::two"]
    ),
    "by its last name": World(
        RUBY, "Card", ["lib/card.rb:2-4", "lib/more.rb:1-3"], ["lib/use.rb::one", "lib/use.rb::two"]
    ),
    "a module of Ruby, whatever a heading says": World(
        {
            **RUBY,
            "README.md": "# Pay\n\nPays.\n",
            "lib/gate.rb": "module Pay\n  def self.open; end\nend\n\ndef three\n  Pay.open\nend\n",
        },
        "Pay",
        ["lib/gate.rb:1-3", "lib/card.rb:1-5", "lib/more.rb:1-3"],
        ["lib/gate.rb::three", "lib/use.rb::one", "lib/use.rb::two"],
    ),
    "what tests open again": World(
        {"lib/card.rb": "class Card\n  def charge; end\nend\n", "test/help.rb": "class Card\n  def fake; end\nend\n"},
        "Card",
        ["lib/card.rb:1-3", "test/help.rb:1-3"],
        [],
    ),
    "a partial class of C#": World(
        {
            "Card.cs": "\ufeffnamespace Pay;\npublic partial class Card\n{\n    public void Charge() {}\n}\n",
            "Card.More.cs": (
                "namespace Pay\n{\n    partial class Card\n    {\n        public void Refund() {}\n    }\n}\n"
            ),
            "Use.cs": (
                "namespace Pay;\nclass Use\n{\n    void One(Card c) { c.Charge(); }\n"
                "    void Two(Card c) { c.Refund(); }\n}\n"
            ),
            "Other.cs": "namespace Other;\npublic partial class Gate {}\npublic partial class Gate {}\n",
        },
        "Card",
        ["Card.More.cs:3-6", "Card.cs:2-5"],
        ["Use.cs::Use::One", "Use.cs::Use::Two"],
    ),
    "interfaces of TypeScript, and the namespace of a class": World(
        {
            "card.ts": (
                "export interface Rate { a: number }\nexport interface Rate { b: number }\n"
                "export class Card {\n  charge() {}\n}\nexport namespace Card {\n"
                "  export function make() { return new Card() }\n}\n"
            ),
            "use.ts": (
                "import { Card } from './card'\nexport function one(card: Card) { card.charge() }\n"
                "export function two() { Card.make() }\n"
            ),
        },
        "Card",
        ["card.ts:3-5", "card.ts:6-8"],
        ["use.ts::one", "use.ts::two"],
    ),
    "a type of Rust with blocks in other files": World(
        {
            "Cargo.toml": '[package]\nname = "pay"\n',
            "src/lib.rs": "mod card;\nmod more;\nmod use_it;\n",
            "src/card.rs": "pub struct Card;\n\nimpl Card {\n    pub fn charge(&self) {}\n}\n",
            "src/more.rs": "use crate::card::Card;\n\nimpl Card {\n    pub fn refund(&self) {}\n}\n",
            "src/use_it.rs": (
                "use crate::card::Card;\n\nfn one(card: &Card) { card.charge() }\n\n"
                "fn two(card: &Card) { card.refund() }\n"
            ),
        },
        "Card",
        ["src/card.rs:1-1", "src/card.rs:4-4", "src/more.rs:4-4"],
        ["src/use_it.rs::one", "src/use_it.rs::two"],
    ),
    "an extension of Swift": World(
        {
            "Sources/Pay/Card.swift": "class Card {\n    func charge() {}\n}\n",
            "Sources/Pay/More.swift": "extension Card {\n    func refund() {}\n}\n",
            "Sources/Pay/Use.swift": "func one(card: Card) { card.charge() }\nfunc two(card: Card) { card.refund() }\n",
        },
        "Card",
        ["Sources/Pay/Card.swift:1-3", "Sources/Pay/More.swift:2-2"],
        ["Sources/Pay/Use.swift::one", "Sources/Pay/Use.swift::two"],
    ),
    "an extension of Kotlin": World(
        {
            "src/Card.kt": "package pay\n\nclass Card {\n    fun charge() {}\n}\n",
            "src/More.kt": "package pay\n\nfun Card.refund() {}\n",
            "src/Use.kt": (
                "package pay\n\nfun one(card: Card) { card.charge() }\nfun two(card: Card) { card.refund() }\n"
            ),
        },
        "Card",
        ["src/Card.kt:3-5", "src/More.kt:3-3"],
        ["src/Use.kt::one", "src/Use.kt::two"],
    ),
    "methods of Go in another file": World(
        {
            "card.go": "package pay\n\ntype Card struct{}\n\nfunc (c *Card) Charge() {}\n",
            "more.go": "package pay\n\nfunc (c *Card) Refund() {}\n",
            "use.go": "package pay\n\nfunc One(c *Card) { c.Charge() }\n\nfunc Two(c *Card) { c.Refund() }\n",
        },
        "Card",
        ["card.go:3-3", "card.go:5-5", "more.go:3-3"],
        ["use.go::One", "use.go::Two"],
    ),
    "a class of C++ that is defined outside of itself": World(
        {
            "card.h": "class Card {\n public:\n  void charge();\n  void refund();\n};\n",
            "card.cpp": (
                '#include "card.h"\n\nvoid Card::charge() {\n  int a = 1;\n}\n\n'
                "void Card::refund() {\n  int b = 1;\n}\n"
            ),
            "use.cpp": (
                '#include "card.h"\n\nvoid one(Card* c) {\n  c->charge();\n}\n\n'
                "void two(Card* c) {\n  c->refund();\n}\n"
            ),
        },
        "Card",
        ["card.h:1-5", "card.cpp:3-9"],
        ["use.cpp::one", "use.cpp::two"],
    ),
    "a function of Python that is defined twice": World(
        {
            "card.py": (
                "import sys\n\nif sys.platform == 'win32':\n    def charge(): ...\nelse:\n    def charge(): ...\n"
            ),
            "use.py": "from card import charge\n\n\ndef one():\n    charge()\n",
        },
        "charge",
        ["card.py:4-4", "card.py:6-6"],
        ["use.py::one"],
    ),
    "overloads of Java": World(
        {
            "Card.java": "class Card {\n    void charge(int a) {}\n    void charge(String b) {}\n}\n",
            "Use.java": (
                'class Use {\n    void one(Card c) { c.charge(1); }\n    void two(Card c) { c.charge("a"); }\n}\n'
            ),
        },
        "Card.charge",
        ["Card.java:2-2", "Card.java:3-3"],
        ["Use.java::Use::one", "Use.java::Use::two"],
    ),
}


@contextmanager
def asking(root: Path, files: Mapping[str, str]) -> Iterator[Caller]:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    with Engine.open(root, environ={}) as engine:
        engine.index()
    with closing(Workspaces(root)) as workspaces:
        yield Caller(workspaces)


def said(caller: Caller, tool: str, **arguments: object) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(answer(caller, tool, {"profile": "debug", **arguments}).body)
    return found


def places(parts: list[dict[str, Any]]) -> list[str]:
    return [f"{one['id'].partition('::')[0]}:{one['first_line']}-{one['last_line']}" for one in parts]


def callers(data: dict[str, Any]) -> list[str]:
    return sorted(one["id"] for one in data["dependents"] if one["relation"] == "CALLS")


@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
def test_one_thing_has_one_answer(tmp_path: Path, world: World) -> None:
    with asking(tmp_path, world.files) as caller:
        found = said(caller, "code_explain", element=world.name)
        around = said(caller, "query_graph_neighborhood", node_id=world.name, radius=2)["data"]
        sliced = said(caller, "semantic_slice", symbol=world.name, context="with-deps")["data"]

    assert "choices" not in found["data"], [one["id"] for one in found["data"]["choices"]]
    assert sorted(places(found["data"]["parts"])) == sorted(world.parts)
    assert places(found["data"]["parts"])[0] == world.parts[0]
    assert callers(found["data"]) == world.callers
    assert f"{len(world.parts)} parts" in found["summary"]
    assert sorted(one["id"] for one in sliced.get("incoming_callers", ())) == world.callers
    assert sliced["parts"] == places(found["data"]["parts"])[1:]
    assert {f"symbol::{one}" for one in world.callers} <= {one["id"] for one in around["nodes"]}
    assert len(around["parts"]) == len(world.parts)


def test_an_id_or_a_line_means_one_part_and_says_that_there_are_others(tmp_path: Path) -> None:
    with asking(tmp_path, RUBY) as caller:
        for element in ("lib/more.rb::Pay::Card", "lib/more.rb:1"):
            found = said(caller, "code_explain", element=element)

            assert callers(found["data"]) == ["lib/use.rb::two"]
            assert found["data"]["one_part"]
            assert places(found["data"]["parts"]) == ["lib/card.rb:2-4", "lib/more.rb:1-3"]
            assert "one of 2 parts" in found["summary"]


def test_what_only_has_the_same_name_is_to_be_chosen_from(tmp_path: Path) -> None:
    files = {
        "test/a_test.rb": "class Job\n  def run; end\nend\n",
        "test/b_test.rb": "class Job\n  def run; end\nend\n",
        "One.cs": "namespace One;\npublic partial class Card {}\n",
        "Two.cs": "namespace Two;\npublic partial class Card {}\n",
        "Three.cs": "namespace Three;\npublic class Gate {}\n",
        "Four.cs": "namespace Three;\npublic class Gate {}\n",
    }
    with asking(tmp_path, files) as caller:
        found = {name: said(caller, "code_explain", element=name)["data"] for name in ("Job", "Card", "Gate")}

    assert {name: data["choices_total"] for name, data in found.items()} == {"Job": 2, "Card": 2, "Gate": 2}


def test_unresolved_calls_are_counted_once(tmp_path: Path) -> None:
    files = {**RUBY, "lib/other.rb": "class Pay::Card\n  def charge; end\nend\n\ndef odd(x)\n  x.charge\nend\n"}
    with asking(tmp_path, files) as caller:
        found = said(caller, "code_explain", element="Pay::Card#charge")["data"]

    assert [one["id"] for one in found["parts"]] == [
        "lib/card.rb::Pay::Card::charge",
        "lib/other.rb::Pay::Card::charge",
    ]
    assert [one.get("times", 1) for one in found["dependents"] if one["id"] == "lib/use.rb::one"] == [1]
    assert found["unresolved"]["count"] + found.get("candidates", {"count": 0})["count"] <= 1


SIDES = {
    "card.rb": (
        "class Card\n  def make(n); end\n\n  class << self\n    def make(n); end\n  end\nend\n\n"
        "class Gold < Card\n  def self.sell; end\nend\n\nclass Old < Card\n  def make(n); end\nend\n"
    ),
    "more.rb": "class Card\n  def self.sell; end\nend\n\nclass Gold\n  def sell; end\nend\n",
    "use.rb": (
        "def one\n  Card.make(1)\nend\n\ndef two\n  Card.new.make(1)\nend\n\n"
        "def three\n  Gold.sell\nend\n\ndef four\n  Gold.new.sell\nend\n\ndef five\n  Old.make(1)\nend\n"
    ),
}


@pytest.mark.parametrize(
    ("name", "id", "called"),
    [
        ("Card.make", "card.rb::Card::make#2", ["use.rb::five", "use.rb::one"]),
        ("Card#make", "card.rb::Card::make", ["use.rb::two"]),
        ("Gold.sell", "card.rb::Gold::sell", ["use.rb::three"]),
        ("Gold#sell()", "more.rb::Gold::sell", ["use.rb::four"]),
        ("Old#make", "card.rb::Old::make", []),
    ],
)
def test_a_method_of_a_class_of_ruby_is_told_apart_from_one_of_its_objects(
    tmp_path: Path, name: str, id: str, called: list[str]
) -> None:
    with asking(tmp_path, SIDES) as caller:
        found = said(caller, "code_explain", element=name)["data"]
        sliced = said(caller, "semantic_slice", symbol=name)["data"]

    assert (found["id"], callers(found)) == (id, called)
    others = {"use.rb::one", "use.rb::three"} if "#" in name else {"use.rb::two", "use.rb::four"}
    assert others.isdisjoint(one["id"] for one in found.get("candidates", {}).get("places", ()))
    assert sliced["id"] == id


def test_both_sides_are_told_by_their_signatures(tmp_path: Path) -> None:
    with asking(tmp_path, SIDES) as caller:
        choices = said(caller, "code_explain", element="Card::make")["data"]["choices"]

    assert {one["signature"] for one in choices} == {"def make(n)", "def self.make(n)"}


def test_what_was_in_parts_is_told_as_it_was(tmp_path: Path) -> None:
    from clew.engine import now
    from clew.model.time import to_iso

    with asking(tmp_path, RUBY) as caller:
        then = to_iso(now())
        (tmp_path / "lib/more.rb").write_text("class Gate\nend\n", "utf-8")
        today = said(caller, "code_explain", element="Pay::Card")["data"]
        found = said(caller, "code_explain", element="Pay::Card", as_of=then)["data"]

    assert "parts" not in today
    assert places(found["parts"]) == ["lib/card.rb:2-4", "lib/more.rb:1-3"]


def test_members_that_stand_elsewhere_are_joined_as_they_were(tmp_path: Path) -> None:
    from clew.engine import now
    from clew.model.time import to_iso

    files = {
        "pay/card.go": "package pay\n\ntype Card struct{ cents int }\n",
        "pay/more.go": "package pay\n\nfunc (c *Card) Refund() int { return c.cents }\n",
        "pay/use.go": "package pay\n\nfunc one(c *Card) { c.Refund() }\n",
    }
    with asking(tmp_path, files) as caller:
        then = to_iso(now())
        (tmp_path / "pay/more.go").write_text(
            "package pay\n\n// new\nfunc (c *Card) Refund() int { return 0 }\n", "utf-8"
        )
        today = said(caller, "code_explain", element="Card")["data"]
        found = said(caller, "code_explain", element="Card", as_of=then)["data"]

    assert places(today["parts"]) == ["pay/card.go:3-3", "pay/more.go:3-4"]
    assert places(found["parts"]) == ["pay/card.go:3-3", "pay/more.go:3-3"]
    assert callers(found) == callers(today) == ["pay/use.go::one"]


def test_a_part_that_is_added_is_known_at_once(tmp_path: Path) -> None:
    with asking(tmp_path, RUBY) as caller:
        (tmp_path / "lib/late.rb").write_text("module Pay\n  class Card\n    def late; end\n  end\nend\n", "utf-8")
        found = said(caller, "code_explain", element="Pay::Card")["data"]

    assert places(found["parts"]) == ["lib/card.rb:2-4", "lib/late.rb:2-4", "lib/more.rb:1-3"]


def test_a_class_comes_before_what_has_its_name_inside_of_something_else(tmp_path: Path) -> None:
    files = {
        "Log.java": "class Log {\n    void write() {}\n}\n",
        "Config.java": "class Config {\n    Log Log() { return null; }\n    void Gate() {}\n}\n",
        "Desk.java": "class Desk {\n    void Gate() {}\n}\n",
    }
    with asking(tmp_path, files) as caller:
        found = said(caller, "code_explain", element="Log")
        gates = said(caller, "code_explain", element="Gate")["data"]

    assert (found["data"]["id"], found["data"]["also"]) == ("Log.java::Log", ["Config.java::Config::Log"])
    assert "May also be Config.java::Config::Log." in found["summary"]
    assert gates["choices_total"] == 2


def test_what_a_class_adds_to_others_is_its_own_too(tmp_path: Path) -> None:
    files = {
        "Card.cs": "namespace Pay;\npublic class Card {}\n",
        "More.cs": (
            "namespace Pay;\npublic static class More\n{\n    public static void Refund(this Card c) { Log(); }\n"
            "    static void Log() {}\n}\n"
        ),
        "Use.cs": "namespace Pay;\nclass Use\n{\n    void One(Card c) { c.Refund(); }\n}\n",
    }
    with asking(tmp_path, files) as caller:
        found = {name: said(caller, "code_explain", element=name)["data"] for name in ("More", "Card")}
        around = said(caller, "query_graph_neighborhood", node_id="More", radius=1)["data"]["nodes"]

    assert callers(found["More"]) == callers(found["Card"]) == ["Use.cs::Use::One"]
    assert found["More"]["dependents"][0]["member"] == "Refund"
    assert "Refund" in found["More"]["summary_line"]
    assert "symbol::More.cs::Card::Refund" in {one["id"] for one in around}
