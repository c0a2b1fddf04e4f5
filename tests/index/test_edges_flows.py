"""Data that goes to what is called, and comes back from it."""

from clew.model.words import EdgeKind
from tests.index.edges import edges


def test_python_arguments_and_results() -> None:
    text = (
        "from card import Paper, charge, limit, log\n"
        "def pay(amount):\n"
        "    log('text')\n"
        "    top = limit()\n"
        "    log(top)\n"
        "    return charge(amount, Paper(amount))\n"
        "def fixed():\n"
        "    charge(3)\n"
        "    raise limit()\n"
    )
    card = (
        "class Card:\n    def __init__(self, amount): ...\nclass Paper(Card): ...\n"
        "def charge(a, b=None): ...\ndef limit(): ...\ndef log(x): ...\n"
    )

    assert edges(EdgeKind.DATAFLOW, {"main.py": text, "card.py": card}, "main.py") == [
        "pay:6 -> card.py::Card::__init__ (argument 1)",
        "pay:6 -> card.py::charge (argument+result 1)",
        "pay:4 -> card.py::limit (result 1)",
        "pay:5 -> card.py::log (argument 1)",
    ]


def test_a_function_that_is_passed_on_is_used_and_nothing_of_ones_own() -> None:
    text = "from card import charge, log\ndef pay():\n    charge(log)\n"
    card = "def charge(a): ...\ndef log(x): ...\n"

    assert edges(EdgeKind.DATAFLOW, {"main.py": text, "card.py": card}, "main.py") == []
    assert edges(EdgeKind.USES, {"main.py": text, "card.py": card}, "main.py") == [
        "pay:3 -> card.py::log (identifier 1)"
    ]


def test_typescript() -> None:
    sources = {
        "card.ts": "export function charge(n: number) { return n }\nexport function log(s: string) {}\n",
        "main.ts": (
            "import { charge, log } from './card'\n"
            "function pay(amount: number) {\n  log('amount')\n  const done = charge(amount)\n  log(done)\n}\n"
            "async function later() {\n  await charge(1)\n}\n"
        ),
    }

    assert edges(EdgeKind.DATAFLOW, sources, "main.ts") == [
        "pay:4 -> card.ts::charge (argument+result 1)",
        "pay:5 -> card.ts::log (argument 1)",
    ]


def test_go() -> None:
    sources = {
        "card.go": "package pay\n\nfunc charge(n int) int { return n }\nfunc flush() {}\n",
        "main.go": "package pay\n\nfunc Pay(amount int) int {\n\tflush()\n\treturn charge(amount)\n}\n",
    }

    assert edges(EdgeKind.DATAFLOW, sources, "main.go") == ["Pay:5 -> card.go::charge (argument+result 1)"]
