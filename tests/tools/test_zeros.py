"""What code_explain says of a thing that nothing in the tree is known to call: where else a caller may be."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from clew.engine import Engine, now
from clew.store.leases import INDEXING
from clew.tools.answer import Caller, answer
from clew.workspaces import Workspaces


def explained(root: Path, files: dict[str, str], element: str) -> dict[str, Any]:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    with Engine.open(root, environ={}) as engine:
        engine.index()
    with closing(Workspaces(root)) as workspaces:
        found: dict[str, Any] = json.loads(
            answer(Caller(workspaces), "code_explain", {"element": element, "profile": "debug"}).body
        )
    assert found["summary"].count("No callers found") + found["summary"].count("No dependents found") == 1
    return found


def method(line: str, name: str) -> str:
    return f"class Walker:\n    def walk(self, node):\n        {line}\n\n    def {name}(self, node): ...\n"


@pytest.mark.parametrize(
    ("path", "text", "line", "pieces"),
    [
        ("a.py", method('return getattr(self, f"visit_{node.kind}")(node)', "visit_leaf"), 3, ["visit_…"]),
        ("a.py", method('return getattr(self, "visit_" + node.kind)(node)', "visit_leaf"), 3, ["visit_…"]),
        ("a.py", method("return getattr(self, 'visit_%s' % node.kind)(node)", "visit_leaf"), 3, ["visit_…"]),
        ("a.py", method('return getattr(self, "visit_{}".format(node.kind))(node)', "visit_leaf"), 3, ["visit_…"]),
        ("a.py", method('return [n for n in dir(self) if n.startswith("visit_")]', "visit_leaf"), 3, ["visit_…"]),
        ("a.py", method('return getattr(self, f"{node.kind}_leaf")(node)', "visit_leaf"), 3, ["…_leaf"]),
        ("a.py", method('return [n for n in dir(self) if n.endswith("_leaf")]', "visit_leaf"), 3, ["…_leaf"]),
        ("a.py", method('return getattr(self, f"visit_any_{node.kind}")(node)', "visit_any_leaf"), 3, ["visit_any_…"]),
        ("a.rb", 'class Walker\n  def walk(n)\n    send("visit_#{n}", n)\n  end\n\n  def visit_leaf(n); end\nend\n', 3,
         ["visit_…"]),
        ("a.js", "class Walker {\n  walk(n) { return this['visit' + n.type](n); }\n  visitLeaf(n) {}\n}\n", 2,
         ["visit…"]),
        ("a.ts", "class Walker {\n  walk(n: any) { return this[`visit${n.type}`](n); }\n  visitLeaf(n: any) {}\n}\n", 2,
         ["visit…"]),
        ("a.php", "<?php\nclass Walker {\n  function walk($n) { $m = 'visit' . $n; return $this->$m(); }\n"
         "  function visitLeaf() {}\n}\n", 3, ["visit…"]),
        ("a.c", "#define VISIT(kind) visit_##kind(0)\nstatic int visit_leaf(int n) { return n; }\n", 1, ["visit_…"]),
        ("a.go", 'package a\n\nimport "strings"\n\nfunc is(n string) bool { return strings.HasPrefix(n, "visit") }\n\n'
         "func visitLeaf() {}\n", 5, ["visit…"]),
    ],
)  # fmt: skip
def test_lines_are_told_that_may_put_a_name_together(
    tmp_path: Path, path: str, text: str, line: int, pieces: list[str]
) -> None:
    name = next(one for one in ("visit_any_leaf", "visit_leaf", "visitLeaf") if one in text)

    found = explained(tmp_path, {path: text}, name)

    assert found["data"]["put_together"] == {"count": 1, "places": [f"{path}:{line}"], "pieces": pieces}
    assert f"1 line may put it together ({pieces[0]})" in found["summary"]


@pytest.mark.parametrize(
    "line",
    [
        'return ["visit_", "_leaf"]',  # strings that nothing is put to
        'return f"revisit_{node}"',  # another name
        'return f"{node}_leaflet"',
        'return "visit_other_" + node',
        "return visit_ + node",  # no string
    ],
)
def test_what_makes_other_names_or_none_is_not_told(tmp_path: Path, line: str) -> None:
    assert "put_together" not in explained(tmp_path, {"a.py": method(line, "visit_leaf")}, "visit_leaf")["data"]


def test_other_languages_do_not_put_names_of_this_one_together(tmp_path: Path) -> None:
    files = {"a.py": "def visit_leaf(): ...\n", "b.js": "this['visit_' + kind]()\n"}

    assert "put_together" not in explained(tmp_path, files, "visit_leaf")["data"]


@pytest.mark.parametrize(("caller", "unresolved"), [("page.js", 0), ("lib.rb", 1), ("bind.c", 1)])
def test_calls_of_a_language_that_cannot_call_it_are_not_counted(tmp_path: Path, caller: str, unresolved: int) -> None:
    calls = {
        "page.js": "function load(x) { x.deposit(1); }\n",
        "lib.rb": "def load(x)\n  x.deposit(1)\nend\n",
        "bind.c": "int load(struct box *x) { return x->deposit(1); }\n",
    }
    files = {"bank.rb": "class Bank\n  def deposit(sum); end\nend\n", caller: calls[caller]}
    files["other.rb"] = "class Safe\n  def deposit(sum); end\nend\n"  # so that nobody guesses

    found = explained(tmp_path, files, "Bank#deposit")["data"]

    assert sum(found.get(name, {"count": 0})["count"] for name in ("unresolved", "candidates")) == unresolved


JAVA = (
    "class A implements java.util.concurrent.Callable<String> {\n  @Override public String call() { return null; }\n}\n"
)
RUST = (
    "use serde::de::Visitor;\nstruct P;\nimpl Visitor for P {\n    fn visit_it(self) {}\n}\n"
    "impl P {\n    pub fn own(self) {}\n}\n"
)


@pytest.mark.parametrize(
    ("path", "text", "element", "reasons"),
    [
        ("a.py", "@app.route('/')\n@functools.lru_cache\ndef page(): ...\n", "page", ["decorated with app.route"]),
        ("a.py", "import ast\n\n\nclass V(ast.NodeVisitor):\n    def visit_X(self): ...\n", "visit_X",
         ["V extends ast.NodeVisitor"]),
        ("a.py", "import ast\nclass V(ast.NodeVisitor): ...\nclass W(V):\n    def visit_X(self): ...\n", "visit_X",
         ["W extends ast.NodeVisitor"]),
        ("a.py", "class T:\n    def __str__(self): ...\n", "__str__", ["the language calls it by this name"]),
        ("tests/test_a.py", "def test_it(): ...\n", "test_it", ["a test, which a runner calls"]),
        ("a.py", "def offered(): ...\n", "offered", ["it is exported"]),
        ("a.py", "def _hidden(): ...\n", "_hidden", None),
        ("A.java", JAVA, "A.call", ["it overrides something", "A extends java.util.concurrent.Callable"]),
        ("a.rs", RUST, "visit_it", ["P extends serde::de::Visitor"]),
        ("a.rs", RUST, "own", ["it is exported"]),
        ("a.go", "package a\n\ntype s struct{}\n\nfunc (s *s) Serve() {}\n", "Serve", ["an interface may ask for it"]),
        ("a.go", "package main\n\nfunc init() {}\n", "init", ["the language calls it by this name"]),
        ("a.ts", "import { Base } from 'far';\nclass A extends Base {\n  private own() {}\n}\n", "own", None),
        ("a.ts", "import { Base } from 'far';\nclass A extends Base {\n  hook() {}\n}\n", "hook",
         ["A extends far.Base"]),
        ("A.kt", "import far.Base\n\nclass A : Base() {\n    override fun hook() {}\n}\n", "hook",
         ["it overrides something", "A extends far.Base"]),
    ],
)  # fmt: skip
def test_it_is_told_why_somebody_outside_may_call_it(
    tmp_path: Path, path: str, text: str, element: str, reasons: list[str] | None
) -> None:
    found = explained(tmp_path, {path: text}, element)

    assert found["data"].get("outside") == reasons
    assert ("may be called from outside" in found["summary"]) == bool(reasons)


def test_what_nobody_can_call_is_told_plainly(tmp_path: Path) -> None:
    found = explained(tmp_path, {"a.py": "def _hidden(): ...\n"}, "_hidden")

    assert "No callers found, its name occurs in no other line; no dependencies found." in found["summary"]


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        ("a.py", "def refund(card):\n    if card.ok\n        return settle(card)\n\ndef settle(card): ...\n", 3),
        ("a.js", "function refund(card) {\n  if (card.ok {\n    settle(card)\n  }\n}\n\nfunction settle() {}\n", 3),
    ],
)
def test_an_edit_that_is_half_done_loses_no_caller(tmp_path: Path, path: str, text: str, line: int) -> None:
    (tmp_path / path).write_text(text, "utf-8")
    with Engine.open(tmp_path, environ={}) as engine:
        report = engine.index()
    with closing(Workspaces(tmp_path)) as workspaces:
        data = json.loads(answer(Caller(workspaces), "code_explain", {"element": "settle"}).body)["data"]

    called = [(one["path"], one["line"]) for one in (*data["dependents"], *data["unresolved"]["places"])]
    assert (path, line) in called
    assert "1 with problems, such as syntax errors" in report.summary


def being_indexed(root: Path) -> None:
    """One file of nine is read."""
    (root / "a.py").write_text("def lonely(): ...\n", "utf-8")
    with Engine.open(root, environ={}) as engine:
        engine.index()
        assert engine.leases.acquire(INDEXING, "another run", now())
        engine.checkouts.mark_seen(engine.where, 9)


def test_a_first_index_that_is_being_made_is_told_so(tmp_path: Path) -> None:
    """What nobody has read yet may have callers: neither names nor edges are told to be all."""
    being_indexed(tmp_path)
    with closing(Workspaces(tmp_path)) as workspaces:
        found = json.loads(answer(Caller(workspaces), "code_explain", {"element": "lonely"}).body)["summary"]

    assert "its name occurs in no other line that was looked at" in found
    assert "Indexing: 1 of 9 files so far; callers and other edges are not all known yet." in found


def test_no_answer_says_more_of_a_first_index_than_how_far_it_is(tmp_path: Path) -> None:
    """Nothing is linked anew then, and what it has yet to come to is not told twice."""
    being_indexed(tmp_path)
    with closing(Workspaces(tmp_path)) as workspaces:
        caller = Caller(workspaces)
        pack = json.loads(answer(caller, "context_pack", {"task": "change lonely"}).body)["summary"]
        found = json.loads(answer(caller, "query_context", {"query": "lonely"}).body)["summary"]

    assert pack.endswith("Indexing: 1 of 9 files so far; callers and other edges are not all known yet.")
    assert found == "1 match. Indexing: 1 of 9 files so far."


@pytest.mark.parametrize(
    ("tool", "asked"), [("context_pack", {"task": "change it"}), ("query_context", {"query": "it"})]
)
def test_before_the_first_file_is_read_it_is_said_to_ask_again(
    tmp_path: Path, tool: str, asked: dict[str, str]
) -> None:
    """And not to ask in other words."""
    with Engine.open(tmp_path, environ={}) as engine:
        engine.index()
        assert engine.leases.acquire(INDEXING, "another run", now())
    with closing(Workspaces(tmp_path)) as workspaces:
        said = json.loads(answer(Caller(workspaces), tool, asked).body)["summary"]

    assert said == "Indexing: no file has been read yet. Ask again in a moment."


def test_of_what_is_kept_as_text_it_is_said_that_nothing_is_known(tmp_path: Path) -> None:
    files = {
        "lib/socket.erl": "join(A) -> A.\n",
        "doc.md": "# Joining\n",
        "a.py": "x = 1\n",
    }
    said = "It is indexed as text only: its uses and users are unknown."

    assert explained(tmp_path, files, "lib/socket.erl")["summary"].endswith(said)
    assert explained(tmp_path, files, "lib/socket.erl")["data"]["plain"]
    assert said not in explained(tmp_path, files, "doc.md")["summary"]
    assert said not in explained(tmp_path, files, "a.py")["summary"]


def test_what_ruby_hands_on_by_its_name_is_told_as_it_is_written(tmp_path: Path) -> None:
    text = "class Wallet\n  def all(things)\n    things.map(&:pay_up)\n  end\nend\n"
    found = explained(tmp_path, {"wallet.rb": text}, "wallet.rb")

    assert {one["written"] for one in found["data"]["unresolved_calls"]["places"]} == {"&:pay_up", "things.map"}


def test_of_a_variable_that_only_its_own_file_is_known_to_use_it_is_told_where_its_name_stands(tmp_path: Path) -> None:
    files = {
        "settings.py": "LARGEST_BODY = 3\nLIMITS = [LARGEST_BODY]\n",
        "views.py": "from django.conf import settings\n\n\ndef show(body):\n    return body[: settings.LARGEST_BODY]\n",
    }
    found = explained(tmp_path, files, "LARGEST_BODY")

    assert found["data"]["dependents_total"] == 1
    assert found["data"]["named"]["places"] == ["views.py:5", "settings.py:2"]
