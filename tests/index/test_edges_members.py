"""Members that are named and not called, and variables that are called: uses of their definitions."""

from collections.abc import Mapping

import pytest

from clew.model.words import EdgeKind
from tests.index.edges import edges, leads

PYTHON = {
    "a method that is handed on": (
        "class Card:\n    def run(self): ...\n    def start(self):\n        Thread(target=self.run)\n",
        ["Card::start -> main.py::Card::run"],
    ),
    "one that is inherited": (
        "class Base:\n    def run(self): ...\nclass Card(Base):\n    def start(self):\n        return [self.run]\n",
        ["Card::start -> main.py::Base::run"],
    ),
    "one that is called before": (
        (
            "class Card:\n    def run(self): ...\ndef f(card: Card):\n    card.run()\ndef g(card: Card):\n"
            "    then(card.run)\n"
        ),
        ["f -> main.py::Card", "g -> main.py::Card", "g -> main.py::Card::run"],
    ),
    "a property that is read, or set": (
        "class Card:\n    @property\n    def sum(self): ...\n    @sum.setter\n    def sum(self, n): ...\n"
        "    def show(self):\n        return self.sum.real\ndef put(card: Card):\n    card.sum = 3\n",
        ["Card::show -> main.py::Card::sum", "put -> main.py::Card", "put -> main.py::Card::sum"],
    ),
    "what holds data is no symbol": (
        "class Card:\n    limit = 3\n    def __init__(self):\n        self.n = 1\n    def show(self):\n"
        "        return self.n, self.limit\n",
        [],
    ),
    "of something unknown, nothing is said": ("class Card:\n    def run(self): ...\ndef f(x):\n    then(x.run)\n", []),
    "what a call gives": (
        "class Card:\n    def run(self): ...\ndef make():\n    return Card()\ndef f():\n    then(make().run)\n",
        ["f -> main.py::Card::run"],
    ),
    "a variable of another file that is called, or put": (
        "import made\nfrom made import parse as p\ndef f():\n    p()\ndef g():\n    made.parse()\n    made.LIMIT = 4\n",
        ["f -> made.py::parse", "g -> made.py::LIMIT", "g -> made.py::parse"],
    ),
}


@pytest.mark.parametrize(("text", "expected"), PYTHON.values(), ids=PYTHON.keys())
def test_python(text: str, expected: list[str]) -> None:
    sources = {"main.py": text, "made.py": "from x import make\nparse = make()\nLIMIT = 3\n"}

    assert leads(EdgeKind.USES, sources, "main.py") == expected


def test_a_fixture_is_used_by_what_is_handed_it() -> None:
    sources = {
        "tests/conftest.py": "import pytest\n@pytest.fixture\ndef card(): ...\n@pytest.fixture\ndef gate(card): ...\n",
        "tests/test_a.py": "def test_a(gate, other): ...\ndef helper(gate): ...\n",
    }

    assert leads(EdgeKind.USES, sources, "tests/test_a.py") == ["test_a -> tests/conftest.py::gate"]
    assert leads(EdgeKind.USES, sources, "tests/conftest.py") == ["gate -> tests/conftest.py::card"]


def test_a_fixture_is_used_by_what_asks_for_it_by_a_mark() -> None:
    mark = "@pytest.mark.usefixtures('card', \"gate\")\n"
    sources = {
        "tests/conftest.py": "import pytest\n@pytest.fixture\ndef card(): ...\n@pytest.fixture\ndef gate(): ...\n",
        "tests/test_a.py": f"import pytest\n{mark}def test_a(): ...\n{mark}class TestB:\n    def test_b(self): ...\n",
    }

    assert leads(EdgeKind.USES, sources, "tests/test_a.py") == [
        "TestB -> tests/conftest.py::card",
        "TestB -> tests/conftest.py::gate",
        "test_a -> tests/conftest.py::card",
        "test_a -> tests/conftest.py::gate",
    ]


OTHERS: dict[str, tuple[Mapping[str, str], str, list[str]]] = {
    "typescript": (
        {
            "made.ts": "import { create } from 'x'\nexport const useBear = create(() => 1)\n",
            "main.ts": (
                "import { useBear } from './made'\nimport * as all from './made'\n"
                "class Card {\n  constructor() { this.pay = this.pay.bind(this) }\n  pay() {}\n  #own() {}\n"
                "  on(el: Element) { el.on('x', this.pay); el.on('y', this.#own) }\n}\n"
                "function later(card: Card) { card.pay(); return card.pay }\n"
                "function bear() { return useBear() }\nfunction bears() { return all.useBear() }\n"
                "function unknown(x: any) { return x.pay }\n"
            ),
        },
        "main.ts",
        [
            "Card::constructor -> main.ts::Card::pay", "Card::on -> main.ts::Card::#own",
            "Card::on -> main.ts::Card::pay", "bear -> made.ts::useBear", "bears -> made.ts::useBear",
            "later -> main.ts::Card",
        ],
    ),
    "javascript": (
        {
            "made.js": "const LIMIT = 3\nconst run = wrap(() => 1)\nmodule.exports = { LIMIT, run }\n",
            "main.js": (
                "const made = require('./made')\nfunction f() { return made.LIMIT }\n"
                "function g() { made.run() }\n"
            ),
        },
        "main.js",
        ["f -> made.js::LIMIT", "f -> main.js::made", "g -> made.js::run", "g -> main.js::made"],
    ),
    "java": (
        {
            "p/Base.java": "package p;\nclass Base { static final int LIMIT = 3; void above(String s) {} }\n",
            "p/Card.java": (
                "package p;\nclass Card extends Base {\n  int sum;\n  int sum() { return sum; }\n"
                "  void pay(String s) {}\n"
                "  void a(List<String> l) { l.forEach(this::pay); }\n"
                "  void b(List<String> l) { l.forEach(super::above); }\n"
                "  int c(Card card) { return card.sum; }\n  int d() { return LIMIT; }\n}\n"
                "class Gate {\n  Card card;\n  void e(List<String> l) { l.forEach(card::pay); }\n"
                "  @Mark void f() {}\n}\n@interface Mark {}\n"
            ),
        },
        "p/Card.java",
        [
            "Card::a -> p/Card.java::Card::pay", "Card::b -> p/Base.java::Base::above",
            "Card::d -> p/Base.java::Base::LIMIT", "Gate -> p/Card.java::Card", "Gate::e -> p/Card.java::Card::pay",
            "Gate::f -> p/Card.java::Mark",
        ],
    ),
    "kotlin": (
        {
            "a.kt": (
                "open class Base { fun above(s: String) {} }\nfun top(s: String) {}\n"
                "class Card : Base() {\n  var sum = 1\n  fun pay(s: String) {}\n"
                "  fun a(l: List<String>) { l.forEach(::pay) }\n"
                "  fun b(l: List<String>) { l.forEach(::above) }\n  fun c() = sum\n"
                "  fun label() = make(sum = 3)\n  fun d(l: List<String>) { l.forEach(this::pay) }\n}\n"
                "fun e(l: List<String>) { l.forEach(::top) }\nfun f(l: List<String>) { l.map(::Card) }\n"
            )
        },
        "a.kt",
        [
            "Card::a -> a.kt::Card::pay", "Card::b -> a.kt::Base::above", "Card::c -> a.kt::Card::sum",
            "Card::d -> a.kt::Card::pay", "e -> a.kt::top", "f -> a.kt::Card",
        ],
    ),
    "go": (
        {
            "a.go": (
                "package m\ntype Card struct{ n int }\nfunc (c *Card) pay() {}\n"
                "func (c *Card) on() { c.pay(); take(c.pay) }\n"
                "func direct() { take((*Card).pay) }\nfunc field(c *Card) int { return c.n }\nfunc calls() { run() }\n"
            ),
            "b.go": "package m\nvar run = other.Make()\n",
        },
        "a.go",
        ["calls -> b.go::run", "direct -> a.go::Card", "direct -> a.go::Card::pay", "field -> a.go::Card"],
    ),
    "csharp": (
        {
            "a.cs": (
                "class Base { protected void Above(object s) {} }\nclass Card : Base {\n"
                "  public int Sum { get; set; }\n"
                "  void On(Button b) { b.Click += OnX; b.Click += Above; }\n  void OnX(object s) {}\n"
                "  int Read(Card other) { return Sum + other.Sum; }\n"
                "  void Label() { Make(Sum: 1); new Gate { Sum = 1 }; }\n}\n"
            )
        },
        "a.cs",
        ["Card::On -> a.cs::Base::Above", "Card::On -> a.cs::Card::OnX", "Card::Read -> a.cs::Card::Sum"],
    ),
    "php": (
        {
            "a.php": (
                "<?php\nclass Base { const LIMIT = 3; function above() {} }\nclass Card extends Base {\n"
                "  const OWN = 1;\n"
                "  function a() { array_map([$this, 'pay'], []); array_map(array($this, 'above'), []); }\n"
                "  function b() { return self::OWN + self::LIMIT; }\n  function c() { return [Card::class, 'of']; }\n"
                "  function pay() {}\n  static function of() {}\n  // [$this, 'never']\n  function never() {}\n}\n"
            )
        },
        "a.php",
        [
            "Card::a -> a.php::Base::above", "Card::a -> a.php::Card::pay", "Card::b -> a.php::Base::LIMIT",
            "Card::b -> a.php::Card::OWN", "Card::c -> a.php::Card::of",
        ],
    ),
    "ruby": (
        {
            "lib/card.rb": (
                "module Pay\n  LIMIT = 3\n  class Card\n    MAX = 4\n    def a(l); l.each(&method(:charge)); end\n"
                "    def b; MAX; end\n    def c; LIMIT; end\n    def charge(x); end\n  end\nend\n"
            ),
            "lib/main.rb": "def d; Pay::LIMIT; end\ndef e(x); x.is_a?(Pay::Card); end\n",
        },
        "lib/main.rb",
        [
            "d -> lib/card.rb::Pay", "d -> lib/card.rb::Pay::LIMIT", "e -> lib/card.rb::Pay",
            "e -> lib/card.rb::Pay::Card",
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("sources", "path", "expected"), OTHERS.values(), ids=OTHERS.keys())
def test_other_languages(sources: Mapping[str, str], path: str, expected: list[str]) -> None:
    assert leads(EdgeKind.USES, sources, path) == expected


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.ts", "class Card {\n  #sum = 1\n  get sum() { return 2 }\n  show() { return this.#sum }\n}\n"),
        ("a.cs", "class Card {\n  [TearDown]\n  public void TearDown() {}\n  [TearDown]\n  public void End() {}\n}\n"),
    ],
)
def test_what_is_only_called_like_a_member_is_no_use_of_it(path: str, text: str) -> None:
    assert leads(EdgeKind.USES, {path: text}, path) == []


def test_constants_of_ruby_are_seen_from_inside() -> None:
    sources, _, _ = OTHERS["ruby"]

    assert leads(EdgeKind.USES, sources, "lib/card.rb") == [
        "Pay::Card::a -> lib/card.rb::Pay::Card::charge",
        "Pay::Card::b -> lib/card.rb::Pay::Card::MAX",
        "Pay::Card::c -> lib/card.rb::Pay::LIMIT",
    ]


def test_of_several_each_has_its_share() -> None:
    text = (
        "class Card:\n    def run(self): ...\nclass Gate:\n    def run(self): ...\n"
        "def f(n):\n    x = Card() if n else Gate()\n    then(x.run)\n"
    )

    assert edges(EdgeKind.USES, {"main.py": text}, "main.py") == [
        "f:7 -> main.py::Card::run (identifier 0.5)",
        "f:7 -> main.py::Gate::run (identifier 0.5)",
    ]


def test_a_member_of_what_a_pointer_of_go_points_to_costs_no_calls() -> None:
    text = (
        "package m\ntype Card struct { next *Card }\nfunc pay() {}\n"
        "func put(tail **Card) {\n\tif (*tail).next != nil {\n\t\tpay()\n\t}\n}\n"
    )

    assert leads(EdgeKind.CALLS, {"a.go": text}, "a.go") == ["put -> a.go::pay"]
