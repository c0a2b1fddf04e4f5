"""What tests exercise, and how one can tell."""

import pytest

from clew.model.words import EdgeKind
from clew.text.paths import is_test_path
from tests.index.edges import edges

CARD = "class Card:\n    def charge(self): ...\ndef log(): ...\n"


@pytest.mark.parametrize(
    "path",
    [
        "tests/card.py", "pay/test_card.py", "card_test.go", "web/card.test.ts", "web/card.spec.js", "a_spec.rb",
        "src/test/java/CardTest.java", "Pay.Tests/CardTests.cs", "web/__tests__/card.js", "conftest.py", "app/tests.py",
    ],
)  # fmt: skip
def test_a_path_that_is_a_test(path: str) -> None:
    assert is_test_path(path)


@pytest.mark.parametrize(
    "path", ["pay/latest.py", "pay/contest.py", "attestation.go", "protest/card.rb", "testament.ts", "pay/inspect.py"]
)
def test_a_path_that_is_none(path: str) -> None:
    assert not is_test_path(path)


def test_python_by_call_by_import_and_by_name() -> None:
    sources = {
        "pay/card.py": CARD,
        "pay/other.py": "def other(): ...\n",
        "tests/test_card.py": (
            "from pay.card import Card\nfrom pay.other import other\nfrom tests.help import made\n"
            "def test_charge():\n    made()\n    Card().charge()\n    other()\n"
            "def prepare():\n    other()\n"
        ),
        "tests/help.py": "from pay.card import log\ndef made():\n    log()\n",
    }

    assert edges(EdgeKind.TESTS, sources, "tests/test_card.py") == [
        ":1 -> pay/card.py (importStmt+name 0.7)",
        ":2 -> pay/other.py (importStmt 0.4)",
        ":9 -> pay/other.py::other (callsite 0.8)",
        "test_charge:6 -> pay/card.py::Card (callsite+name 0.95)",
        "test_charge:6 -> pay/card.py::Card::charge (callsite+name 0.95)",
        "test_charge:7 -> pay/other.py::other (callsite 0.8)",
    ]
    assert edges(EdgeKind.TESTS, sources, "tests/help.py") == []
    assert edges(EdgeKind.TESTS, sources, "pay/card.py") == []


def test_a_class_of_tests_is_what_its_helpers_belong_to() -> None:
    sources = {
        "pay/card.py": CARD,
        "tests/test_all.py": (
            "from pay.card import log\nclass LogTests:\n    def setUp(self):\n        log()\n"
            "    def test_it(self): ...\n"
            "class Helper:\n    def run(self):\n        log()\n"
        ),
    }

    assert edges(EdgeKind.TESTS, sources, "tests/test_all.py") == [
        ":1 -> pay/card.py (importStmt 0.4)",
        ":8 -> pay/card.py::log (callsite 0.8)",
        "LogTests:4 -> pay/card.py::log (callsite+name 0.95)",
    ]


def test_by_name_alone() -> None:
    sources = {"pay/card.py": CARD, "tests/test_card.py": "def test_card(run):\n    run('card')\n"}

    assert edges(EdgeKind.TESTS, sources, "tests/test_card.py") == [":1 -> pay/card.py (name 0.3)"]


def test_typescript_blocks_are_the_file() -> None:
    sources = {
        "web/card.ts": "export function charge() {}\n",
        "web/card.test.ts": "import { charge } from './card'\ndescribe('card', () => {\n"
        "  it('charges', () => { charge() })\n})\n",
    }

    assert edges(EdgeKind.TESTS, sources, "web/card.test.ts") == [
        ":1 -> web/card.ts (importStmt+name 0.7)",
        ":3 -> web/card.ts::charge (callsite+name 0.95)",
    ]


def test_go_tests_of_the_package() -> None:
    sources = {
        "card.go": "package pay\n\nfunc Charge() int { return 1 }\n",
        "card_test.go": "package pay\n\nfunc TestCharge(t *testing.T) {\n\tCharge()\n}\nfunc helper() {}\n",
    }

    assert edges(EdgeKind.TESTS, sources, "card_test.go") == [
        ":1 -> card.go (name 0.3)",
        "TestCharge:4 -> card.go::Charge (callsite+name 0.95)",
    ]


def test_java_annotations_and_rust_attributes() -> None:
    java = {
        "pay/Card.java": "package pay;\npublic class Card { public static void charge() { } }\n",
        "pay/CardChecks.java": (
            "package pay;\nclass CardChecks {\n  @Test void works() { Card.charge(); }\n"
            "  void not() { Card.charge(); }\n}\n"
        ),
    }
    rust = {
        "Cargo.toml": '[package]\nname = "pay"\n',
        "src/lib.rs": "pub fn charge() {}\n#[test]\nfn works() {\n    charge();\n}\nfn other() {\n    charge();\n}\n",
    }

    assert edges(EdgeKind.TESTS, java, "pay/CardChecks.java") == [
        "CardChecks::works:3 -> pay/Card.java::Card::charge (callsite 0.8)"
    ]
    assert edges(EdgeKind.TESTS, rust, "src/lib.rs") == ["works:4 -> src/lib.rs::charge (callsite 0.8)"]


def test_what_a_decorator_hides_is_called_and_tested_by_who_calls_its_name() -> None:
    logged = "def logged(f):\n    def inner(*args): return f(*args)\n    return inner\n"
    sources = {
        "pay.py": f"{logged}@logged\ndef pay(n): ...\n@logged\ndef refund(n): ...\n",
        "tests/test_pay.py": "from pay import pay\ndef test_pay(): pay(1)\n",
    }

    assert edges(EdgeKind.CALLS, sources, "tests/test_pay.py") == [
        "test_pay:2 -> pay.py::logged::inner (callsite 1)",
        "test_pay:2 -> pay.py::pay (callsite 0.5)",
    ]
    assert "pay.py::pay (" in "".join(edges(EdgeKind.TESTS, sources, "tests/test_pay.py"))
