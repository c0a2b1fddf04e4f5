"""A small repository with a past: a base, then commits that are cases and commits that are none."""

from dataclasses import dataclass

import pytest

from tests.conftest import DAY, DAY_1, Repository

CARD = '''"""Cards."""


class Card:
    limit = 100

    def charge(self, amount):
        """Take an amount of money from the card's owner."""
        if amount > self.limit:
            raise ValueError(amount)
        return amount

    def refund(self, amount):
        """Give money back to whoever paid before."""
        return -amount
'''
INVOICE = '''"""Invoices."""


def render(lines):
    """Write every line of an invoice as text."""

    def one(line):
        return str(line)

    return "".join(map(one, lines))


def total(lines):
    return sum(lines)
'''
STORE = '''"""Where things are kept."""


def load(key):
    """Look a stored value up by its key."""
    return KEPT[key]


KEPT = {}
'''


@dataclass(slots=True)
class Past:
    """Writes commits one day apart, by what they replace in which file."""

    repository: Repository
    days: int = 0

    def commit(self, message: str, **files: str) -> str:
        """Files by name, with `__` for a slash and `_py` for the ending."""
        for name, content in files.items():
            self.repository.write(as_path(name), content)
        self.days += 1
        return self.repository.commit(DAY_1 + self.days * DAY, message)


def as_path(name: str) -> str:
    stem, _, extension = name.replace("__", "/").rpartition("_")
    return f"{stem}.{extension}"


@pytest.fixture
def past(repository: Repository) -> Past:
    made = Past(repository)
    made.commit("The first commit", src__card_py=CARD, src__invoice_py=INVOICE, src__store_py=STORE)
    return made


@pytest.fixture
def grown(past: Past) -> Past:
    """Three cases, and one commit for most reasons to be none."""
    charge = CARD.replace("amount > self.limit", "amount >= self.limit")
    past.commit("Refuse a charge that reaches the limit (#12)\n\nSigned-off-by: T <t@example.org>", src__card_py=charge)
    past.commit("Release 1.0", src__store_py=STORE.replace("kept", "held"))
    past.commit("Bump the version", src__store_py=STORE)
    past.commit('Revert "Refuse a charge"', src__card_py=CARD)
    past.commit("Fix typo in a comment", src__store_py=STORE.replace("kept", "held"))
    past.commit("Say more in the readme", README_md="# Pay\n")
    past.commit("Add a module for taxes", src__tax_py="def tax(amount):\n    return amount // 5\n")
    past.commit("Change how taxes are rounded", src__tax_py="def tax(amount):\n    return round(amount / 5)\n")
    total = INVOICE.replace("sum(lines)", "sum(lines, 0)")
    past.commit("Sum invoice lines from zero", src__invoice_py=total, tests__test_invoice_py="def test_total(): ...\n")
    one = total.replace("str(line)", "repr(line)")
    past.commit("Print the lines as they are, and keep what is loaded", src__invoice_py=one, src__store_py=STORE + "\n")
    return past
