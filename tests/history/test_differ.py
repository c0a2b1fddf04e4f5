"""What differs between two versions: what kind of change it is, where a thing went, and what it breaks."""

import pytest

from clew.history.differ import breaking_signature
from tests.history.versions import changed, ids, origins

CARD = '''class Card:
    """A card."""

    def charge(self, amount: int, currency: str) -> bool:
        """Take money."""
        if amount <= 0 or currency not in self.currencies:
            raise ValueError("nothing to charge")
        self.balance -= self.convert(amount, currency)
        return self.balance >= 0

    def name(self) -> str:
        return self.holder.strip().title()


def total(cards: list[Card]) -> int:
    return sum(card.balance for card in cards if card.balance > 0)
'''


def test_an_edit_tells_which_part_of_a_function_changed() -> None:
    new = CARD.replace("return self.balance >= 0", "return self.balance > 0").replace("Take money.", "Take some money.")
    found = changed({"pay.py": CARD}, {"pay.py": new})

    assert [(one.id, one.changes) for one in found.modified if one.kind != "file"] == [
        ("pay.py::Card::charge", ("body", "documentation"))
    ]
    assert not found.added and not found.removed and not found.renamed and not found.moved


def test_blanks_alone_are_formatting_and_a_decorator_is_a_decorator() -> None:
    new = CARD.replace("return self.holder.strip().title()", "return  self.holder.strip().title( )")
    assert changed({"pay.py": CARD}, {"pay.py": new}).modified[-1].changes == ("formatting",)

    new = CARD.replace("    def name", "    @property\n    def name")
    found = changed({"pay.py": CARD}, {"pay.py": new})
    assert {one.id: one.changes for one in found.modified}["pay.py::Card::name"] == ("decorators",)


def test_a_renamed_method_is_no_removal() -> None:
    new = CARD.replace("charge(", "debit(").replace("self.balance >= 0", "self.balance > 0")
    found = changed({"pay.py": CARD}, {"pay.py": new})

    assert origins(found.renamed) == {"pay.py::Card::debit": "pay.py::Card::charge"}
    assert not found.removed and not ids(found.added)
    assert found.renamed[0].breaking == "renamed"
    assert 0 < found.renamed[0].confidence <= 1


def test_two_functions_that_swap_their_names_are_followed() -> None:
    first = "def first(rows):\n    return sorted(row.price * row.count for row in rows if row.valid)\n"
    second = "def second(path):\n    with open(path) as file:\n        return file.read().splitlines()\n"
    old = {"a.py": f"{first}\n\n{second}"}
    new = {"a.py": old["a.py"].replace("def first", "def third").replace("def second", "def first")}
    assert origins(changed(old, new).renamed) == {"a.py::first": "a.py::second", "a.py::third": "a.py::first"}


def test_a_function_that_goes_to_another_file_is_moved() -> None:
    old = {"pay.py": CARD, "sums.py": "LIMIT = 3\n"}
    cut = CARD[CARD.index("\n\ndef total") :]
    new = {"pay.py": CARD.replace(cut, ""), "sums.py": f"LIMIT = 3\n{cut}"}
    found = changed(old, new)

    assert origins(found.moved) == {"sums.py::total": "pay.py::total"}
    assert not found.removed and not ids(found.added)


def test_what_goes_along_with_a_moved_file_is_listed_apart_from_what_moved_by_itself() -> None:
    found = changed({"pay.py": CARD}, {"billing/pay.py": CARD})

    assert origins(found.moved, files=True) == {"billing/pay.py": "pay.py", "billing/pay.py::Card": "pay.py::Card"}
    assert {one.id: one.changes for one in found.modified} == {
        "billing/pay.py::Card::charge": ("path",),
        "billing/pay.py::Card::name": ("path",),
        "billing/pay.py::total": ("path",),
    }


def test_members_follow_a_renamed_class() -> None:
    new = CARD.replace("Card", "CreditCard")
    found = changed({"pay.py": CARD}, {"pay.py": new})
    assert origins(found.renamed) == {"pay.py::CreditCard": "pay.py::Card"}
    assert origins(found.modified)["pay.py::CreditCard::charge"] == "pay.py::Card::charge"


def test_an_extracted_function_names_where_its_code_came_from() -> None:
    new = CARD.replace(
        """        if amount <= 0 or currency not in self.currencies:
            raise ValueError("nothing to charge")
""",
        "        self.check(amount, currency)\n",
    ).replace(
        "    def name",
        """    def check(self, amount: int, currency: str) -> None:
        if amount <= 0 or currency not in self.currencies:
            raise ValueError("nothing to charge")

    def name""",
    )
    found = changed({"pay.py": CARD}, {"pay.py": new})
    assert origins(found.added) == {"pay.py::Card::check": "pay.py::Card::charge"}
    assert found.added[0].changes == ("added", "extracted")


def test_a_function_that_several_gave_code_to_names_all_of_them() -> None:
    check = "    if amount <= 0 or amount > card.limit:\n        raise ValueError(f'{amount} cannot be used')\n"
    old = f"def charge(card, amount):\n{check}    card.debit(amount)\n\n\n"
    old += f"def refund(card, amount):\n{check}    card.credit(amount)\n"
    called = old.replace(check, "    check(card, amount)\n")
    found = changed({"pay.py": old}, {"pay.py": f"{called}\n\ndef check(card, amount):\n{check}"})

    (added,) = found.added
    assert {added.origin, *added.also_from} == {"pay.py::charge", "pay.py::refund"}
    assert len(added.also_from) == 1


def test_what_stays_in_a_file_whose_rest_became_another_one_has_not_moved() -> None:
    kept = "def count(numbers):\n    return sum(1 for number in numbers if number > 0)\n\n\n"
    entry = "".join(f"def step_{n}(app):\n    return app.run({n}, mode='fast')\n\n\n" for n in range(9))
    found = changed({"app.py": kept + CARD}, {"app.py": kept + entry, "pay/card.py": CARD})

    assert origins(found.moved)["pay/card.py::Card"] == "app.py::Card"
    assert "app.py::count" not in ids((*found.moved, *found.modified, *found.added))


def test_calls_that_came_and_went_are_told_of_both_ends() -> None:
    new = CARD.replace("self.convert(amount, currency)", "total([self])")
    found = changed({"pay.py": CARD}, {"pay.py": new})
    charge = next(one for one in found.modified if one.id == "pay.py::Card::charge")
    assert (charge.calls_added, charge.calls_removed) == (("total",), ("convert",))


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("def f(a, b)", "def f(a, b, c=1)", ""),
        ("def f(a, b)", "def f(a, b, *rest)", ""),
        ("def f(a, b)", "def f(a, b, c)", "parameter c added"),
        ("def f(a, b)", "def f(a)", "parameter b removed or renamed"),
        ("def f(a, b)", "def f(b, a)", "parameters changed"),
        ("f(a: Map<K, V>, b: T): R", "f(a: Map<K, V>, b: T, c?: U): R", ""),
    ],
)
def test_a_signature_breaks_callers_only_if_they_must_pass_something_else(old: str, new: str, why: str) -> None:
    assert breaking_signature(old, new) == why


def test_what_is_private_or_a_test_breaks_nobody() -> None:
    old = {"a.py": "def _hidden(a):\n    return a\n", "tests/test_a.py": "def test_a():\n    assert 1\n"}
    found = changed(old, {"a.py": "", "tests/test_a.py": ""})
    assert {one.breaking for one in found.removed} == {""}


def test_java_overloads_keep_apart() -> None:
    old = (
        "class A {\n  /** One. */\n  public int f(int a) { return a + 1; }\n"
        "  public int f(String s) { return s.length(); }\n}\n"
    )
    new = old.replace("a + 1", "a + 2")
    found = changed({"A.java": old}, {"A.java": new})
    assert ids(found.modified) == ["A.java::A::f"]


def test_the_lists_do_not_depend_on_the_order_of_files() -> None:
    old = {f"m{n}.py": CARD.replace("Card", f"Card{n}") for n in range(4)}
    new = {f"n{n}.py": CARD.replace("Card", f"Kard{n}") for n in range(4)}
    assert changed(old, new) == changed(dict(reversed(old.items())), dict(reversed(new.items())))
