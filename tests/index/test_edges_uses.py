"""What definitions refer to without calling it."""

from collections.abc import Mapping

import pytest

from clew.model.words import EdgeKind
from tests.index.edges import edges, leads

CARD_PY = "LIMIT = 3\nclass Card:\n    def charge(self): ...\ndef helper(): ...\n"

PYTHON = {
    "an annotation, an argument, a constant": (
        "from card import Card, LIMIT, helper\ndef pay(card: Card, then=helper):\n    register(helper)\n"
        "    return LIMIT\n",
        ["pay -> card.py::Card", "pay -> card.py::LIMIT", "pay -> card.py::helper"],
    ),
    "a type inside of another, and one in quotes": (
        "from card import Card, helper\ndef pay() -> 'Card': ...\ndef all() -> dict[str, Pair[helper]]: ...\n",
        ["all -> card.py::helper", "pay -> card.py::Card"],
    ),
    "what is called is no use, what it is called on is": (
        "from card import Card, helper\ndef pay():\n    helper()\n    Card.charge(1)\n",
        ["pay -> card.py::Card"],
    ),
    "members of modules and classes": (
        "import card\nfrom card import Card\ndef pay():\n    return card.LIMIT, Card.charge\n",
        ["pay -> card.py::Card", "pay -> card.py::Card::charge", "pay -> card.py::LIMIT"],
    ),
    "an import inside of a function": (
        "def pay():\n    from card import Card\n    register(Card)\n",
        ["pay -> card.py::Card"],
    ),
    "all of a module": ("from card import *\ndef pay():\n    return Card, len\n", ["pay -> card.py::Card"]),
    "a name that is hidden": (
        "from card import Card, LIMIT, helper\ndef pay(Card):\n    LIMIT = 1\n"
        "    return [helper for helper in (Card, LIMIT)]\n",
        [],
    ),
    "a name of the function around": (
        "from card import Card\ndef pay():\n    Card = 1\n    def inner():\n        return Card\n    return inner\n",
        ["pay -> main.py::pay::inner"],
    ),
    "comments and texts": ("from card import Card\ndef pay():\n    # Card\n    return 'Card'\n", []),
    "its own file's names": (
        "TOP = 1\ndef f():\n    return TOP\ndef g():\n    return f\nTOP = f\n",
        [" -> main.py::f", "f -> main.py::TOP", "g -> main.py::f"],
    ),
    "what a definition hands on of what stands in it": (
        "def run():\n    def show(): ...\n    def hide(): return show\n    class Local: ...\n    on('start', show)\n"
        "    on('end', lambda: hide)\n    hide()\n    return Local\n"
        "class Api:\n    def get(self): ...\n    shown = property(get)\n",
        [
            "Api -> main.py::Api::get",
            "run -> main.py::run::Local",
            "run -> main.py::run::show",
            "run::<lambda1> -> main.py::run::hide",
            "run::hide -> main.py::run::show",
        ],
    ),
    "what is bound again is no definition": (
        "def run():\n    def show(): ...\n    def hide(show): return show\n    return [show for show in (1, 2)]\n",
        [],
    ),
    "what a file hands on, of its own": (
        "class Api:\n    def show(self): ...\ndef get(): ...\ndef run(): ...\nroutes = {'/': get, '/api': Api}\n"
        "on('start', Api().show)\nrun()\n",
        [" -> main.py::Api::show", " -> main.py::get"],
    ),
    "a base is inherited, and no use": ("from card import Card\nclass Mine(Card): ...\n", []),
    "what is outside is left out": ("import os\nfrom json import loads\ndef f():\n    return os.path, loads\n", []),
}


@pytest.mark.parametrize(("text", "expected"), PYTHON.values(), ids=PYTHON.keys())
def test_python(text: str, expected: list[str]) -> None:
    assert leads(EdgeKind.USES, {"main.py": text, "card.py": CARD_PY}, "main.py") == expected


OTHERS: dict[str, tuple[Mapping[str, str], str, list[str]]] = {
    "typescript": (
        {
            "card.ts": "export interface Card { n: number }\nexport const LIMIT = 3\nexport function helper() {}\n",
            "main.ts": (
                "import { Card, LIMIT, helper } from './card'\n"
                "type Pair = [Card, Card]\n"
                "// LIMIT\n"
                "function pay(card: Card): string {\n  run(helper)\n  return 'LIMIT'\n}\n"
                "function hides(helper: number) {\n  return helper\n}\n"
                "function calls() {\n  helper()\n}\n"
                "const all = { helper }\n"
            ),
        },
        "main.ts",
        [" -> card.ts::helper", "Pair -> card.ts::Card", "pay -> card.ts::Card", "pay -> card.ts::helper"],
    ),
    "go": (
        {
            "go.mod": "module example.com/pay\n",
            "card.go": "package pay\n\ntype Card struct{ Limit int }\n\nvar Default = 3\n",
            "main.go": (
                "package pay\n\nfunc Pay(c *Card) int {\n\t// Default\n\treturn 1\n}\n"
                "func (c Card) Top() int {\n\tLimit := 1\n\treturn Default + Limit\n}\n"
                "func Keyed() {\n\tuse(x{Default: 1})\n}\n"
            ),
        },
        "main.go",
        ["Card::Top -> card.go::Default", "Pay -> card.go::Card"],
    ),
    "java": (
        {
            "pay/Card.java": "package pay;\npublic class Card { }\n",
            "pay/Main.java": (
                'package pay;\nclass Main {\n  /** Card */\n  void pay(Card card) { log("Card"); }\n'
                "  void none() { }\n}\n"
            ),
        },
        "pay/Main.java",
        ["Main::pay -> pay/Card.java::Card"],
    ),
    "rust": (
        {
            "Cargo.toml": '[package]\nname = "pay"\n',
            "src/card.rs": "pub struct Card;\npub const LIMIT: u8 = 3;\n",
            "src/lib.rs": "mod card;\nuse card::{Card, LIMIT};\nfn pay(card: &Card) -> u8 {\n"
            "    // Card\n    LIMIT\n}\n",
        },
        "src/lib.rs",
        ["pay -> src/card.rs::Card", "pay -> src/card.rs::LIMIT"],
    ),
    "what a file of javascript hands on, of its own": (
        {
            "main.js": "function show() {}\nfunction hide() {}\nfunction run() {}\napp.get('/', show)\n"
            "module.exports = { hide, run }\nrun()\n",
        },
        "main.js",
        [" -> main.js::hide", " -> main.js::show"],
    ),
    "what a function of javascript hands on of what stands in it": (
        {
            "main.js": "function run() {\n  function show() {}\n  const hide = () => show\n  app.get('/', show)\n"
            "  hide()\n  { const inner = () => 2; go({ inner }) }\n  return function (show) { return show }\n}\n",
        },
        "main.js",
        ["run -> main.js::run::inner", "run -> main.js::run::show", "run::hide -> main.js::run::show"],
    ),
    "what a file of c hands on; not what it declares, nor what it asks to be there": (
        {
            "main.c": "#ifndef LIMIT\n#define LIMIT 3\n#endif\nstatic FILE *log_file, *other;\n"
            "static int (*real)(int);\nstatic int show(int n) { return n; }\n"
            "static struct entry table[] = { { LIMIT, show } };\n",
        },
        "main.c",
        [" -> main.c::LIMIT", " -> main.c::show"],
    ),
    "functions of a type of rust, as values": (
        {
            "src/lib.rs": "pub struct Card;\nimpl Card {\n    fn parse(s: &str) -> Self { Self }\n"
            "    fn all(v: Vec<&str>) { v.into_iter().map(Self::parse); Self::make(); }\n    fn make() {}\n}\n"
            "fn rest(v: Vec<&str>) { v.iter().map(Card::parse); }\n",
        },
        "src/lib.rs",
        ["Card::all -> src/lib.rs::Card::parse", "rest -> src/lib.rs::Card", "rest -> src/lib.rs::Card::parse"],
    ),
    "functions that a command of a shell is given, if they are no words of prose": (
        {"lib.sh": "pay_card() { :; }\nbuild() { :; }\n", "main.bats": "load lib\nrun pay_card 3\necho build\n"},
        "main.bats",
        [" -> lib.sh::pay_card"],
    ),
}


@pytest.mark.parametrize(("sources", "path", "expected"), OTHERS.values(), ids=OTHERS.keys())
def test_other_languages(sources: Mapping[str, str], path: str, expected: list[str]) -> None:
    assert leads(EdgeKind.USES, sources, path) == expected


def test_one_edge_at_the_first_line() -> None:
    text = "from card import Card\ndef pay(a,\n        b: Card):\n    return Card\n"

    assert edges(EdgeKind.USES, {"main.py": text, "card.py": CARD_PY}, "main.py") == [
        "pay:3 -> card.py::Card (identifier 1)"
    ]
