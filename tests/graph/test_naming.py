"""What people call a thing, and which ids they mean by it."""

import pytest

from clew.engine import Engine
from clew.graph.elements import Elements
from clew.graph.naming import Naming
from clew.model.errors import NotFound
from tests.conftest import Repository

CARD = """class Card:
    def charge(self, amount):
        def retry(): ...
        return amount

    def refund(self): ...


def charge(card): ...


def charge(card, again): ...
"""

ORDER = """class Order {
    Order() {}
    Order(int lines) {}
    static class Line {}
}
"""


@pytest.fixture
def naming(repository: Repository, engine: Engine) -> Naming:
    repository.write("src/pay/card.py", CARD)
    repository.write("src/pay/__init__.py", "LIMIT = 3\n")
    repository.write("src/pay/refunds.py", "class Refund:\n    def refund(self): ...\n")
    repository.write("lib/card.py", "def issue(): ...\n")
    repository.write("src/com/acme/Order.java", ORDER)
    repository.write("lib/fold.rs", "macro_rules! fold { () => {} }\n")
    engine.index()
    return Naming(engine.files, engine.nodes, Elements(engine.files))


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("src/pay/card.py::Card::charge", ["src/pay/card.py::Card::charge"]),
        ("symbol::src/pay/card.py::Card::charge", ["src/pay/card.py::Card::charge"]),
        ("file::src/pay/card.py", ["src/pay/card.py"]),
        (" src/pay/card.py ", ["src/pay/card.py"]),
        ("src/pay/card.py:1", ["src/pay/card.py::Card"]),
        ("src/pay/card.py:3", ["src/pay/card.py::Card::charge::retry"]),
        ("src/pay/card.py:4", ["src/pay/card.py::Card::charge"]),
        ("src/pay/card.py:4-9", ["src/pay/card.py::Card::charge"]),
        ("src/pay/card.py:8", ["src/pay/card.py"]),
        ("src/pay/card.py#L4", ["src/pay/card.py::Card::charge"]),
        ("src/pay/card.py#L4C2-L9C1", ["src/pay/card.py::Card::charge"]),
        ("src/pay/card.py, line 4", ["src/pay/card.py::Card::charge"]),
        ("card.py:9", ["src/pay/card.py::charge"]),  # the other has one line
        ("pay/card.py:9", ["src/pay/card.py::charge"]),
        ("Card", ["src/pay/card.py::Card"]),
        ("Card.refund", ["src/pay/card.py::Card::refund"]),
        ("Card::refund()", ["src/pay/card.py::Card::refund"]),
        ("pay.card.Card.charge", ["src/pay/card.py::Card::charge"]),
        ("pay.LIMIT", ["src/pay/__init__.py::LIMIT"]),
        ("charge#2", ["src/pay/card.py::charge#2"]),
        ("refund", ["src/pay/card.py::Card::refund", "src/pay/refunds.py::Refund::refund"]),
        ("charge", ["src/pay/card.py::Card::charge", "src/pay/card.py::charge", "src/pay/card.py::charge#2"]),
        ("card.py", ["lib/card.py", "src/pay/card.py"]),
        ("pay.card", ["src/pay/card.py"]),
        ("refunds", ["src/pay/refunds.py"]),
        ("pay", ["src/pay/__init__.py"]),
        ("Order", ["src/com/acme/Order.java::Order"]),  # and not how it is made
        ("com.acme.Order", ["src/com/acme/Order.java::Order"]),
        ("src/pay/card.py::Card.charge", ["src/pay/card.py::Card::charge"]),
        ("card.py::Card.refund", ["src/pay/card.py::Card::refund"]),
        ("src/pay/card.py:Card.charge()", ["src/pay/card.py::Card::charge"]),
        ("pay/card.py#refund", ["src/pay/card.py::Card::refund"]),
        ("lib/card.py::Card.charge", []),
        ("./src//pay/../pay/card.py", ["src/pay/card.py"]),
        (r"src\pay\card.py:4", ["src/pay/card.py::Card::charge"]),
        ("Card.issue", []),
        ("::", []),
        ("nothing", []),
    ],
)
def test_a_text_means_these_ids(naming: Naming, text: str, ids: list[str]) -> None:
    assert naming.find(text) == ids


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("`Card.refund`", ["src/pay/card.py::Card::refund"]),
        ("(*Card).refund", ["src/pay/card.py::Card::refund"]),
        ("acme.org/till/src/pay/card.(*Card).refund", ["src/pay/card.py::Card::refund"]),
        ("Acme.Till.pay.card.Card.refund", ["src/pay/card.py::Card::refund"]),
        ("Till.Card.refund", []),
        ('"card.py:9"', ["src/pay/card.py::charge"]),
        ("class Card", ["src/pay/card.py::Card"]),
        ("&Card<T>", ["src/pay/card.py::Card"]),
        ("self.refund", ["src/pay/card.py::Card::refund", "src/pay/refunds.py::Refund::refund"]),
        ("pay.Card", ["src/pay/card.py::Card"]),  # as a package may offer it
        ("src.pay.Refund.refund", ["src/pay/refunds.py::Refund::refund"]),
        ("com.acme.Order$Line", ["src/com/acme/Order.java::Order::Line"]),
        ("com.acme.Order.Line", ["src/com/acme/Order.java::Order::Line"]),
        ("refunds.Card", []),
        ("fold", ["lib/fold.rs::fold!"]),
        ("CARD", ["src/pay/card.py::Card"]),
        ("pay::limit", ["src/pay/__init__.py::LIMIT"]),
        ("Refunds", ["src/pay/refunds.py"]),
        ("how does a Card work", []),
        ("<>", []),
        ("", []),
    ],
)
def test_a_text_that_names_nothing_may_mean_these(naming: Naming, text: str, ids: list[str]) -> None:
    assert naming.loosely(text) == ids


@pytest.mark.parametrize(
    ("text", "scopes"),
    [
        ("charge", ["Card::charge", "charge", "charge#2"]),
        ("Card.charge", ["Card::charge"]),
        ("charge#2", ["charge#2"]),
        ("issue", []),
    ],
)
def test_a_text_means_these_of_one_file(naming: Naming, text: str, scopes: list[str]) -> None:
    assert naming.inside("src/pay/card.py", text) == [f"src/pay/card.py::{scope}" for scope in scopes]
    assert naming.inside("nowhere.py", text) == []


def test_a_line_that_a_file_does_not_have_is_said(naming: Naming) -> None:
    with pytest.raises(NotFound, match="has 12 lines"):
        naming.find("src/pay/card.py:99")


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("chrage", "src/pay/card.py::Card::charge"),
        ("Crad", "src/pay/card.py::Card"),
        ("refnd", "src/pay/card.py::Card::refund"),
        ("src/pay/card.py::Card::refnd", "src/pay/card.py::Card::refund"),
        ("refunds.ts", "src/pay/refunds.py"),
        ("Refunt.refund", "src/pay/refunds.py::Refund::refund"),
        ("lib/crad.py", "lib/card.py"),
        ("src/pay/charge.py", "src/pay/card.py"),
        ("zzz", ""),
    ],
)
def test_what_is_called_almost_so_is_near(naming: Naming, text: str, first: str) -> None:
    near = naming.near(text)

    assert near[:1] == ([first] if first else [])
    assert len(near) <= 5
