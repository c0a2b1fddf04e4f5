"""A small shop: five files, of which it is known who calls whom."""

from collections.abc import Mapping
from types import MappingProxyType

from tests.conftest import Repository

FILES = {
    "shop/__init__.py": '"""A shop."""\n\nfrom shop.cart import Cart\n\n__all__ = ["Cart"]\n',
    "shop/cart.py": '''"""Carts."""

from shop.payment import charge
from shop.pricing import price


class Cart:
    """What a customer is about to buy."""

    def __init__(self, items):
        self.items = items

    def total(self):
        """The sum of all prices."""
        return sum(price(item) for item in self.items)

    def checkout(self, card):
        """Charge the card with the total of the cart."""
        return charge(card, self.total())
''',
    "shop/pricing.py": '''"""Prices."""

RATES = {"book": 7, "other": 19}


def price(item):
    """The price of an item, with its tax."""
    return item.net + tax(item)


def tax(item):
    """What the state wants."""
    return item.net * RATES.get(item.kind, RATES["other"]) // 100
''',
    "shop/payment.py": '''"""Payments."""


class Declined(Exception):
    """The card was refused."""


def charge(card, amount):
    """Take an amount from a card."""
    if not card.valid:
        raise Declined(card)
    return receipt(card, amount)


def receipt(card, amount):
    return f"{card} {amount}"
''',
    "tests/test_cart.py": """from shop.cart import Cart


def test_checkout_charges_the_total():
    assert Cart([]).checkout("card")
""",
    "docs/cart.md": "# Carts\n\nA `Cart` is paid by `Cart.checkout`, which charges the card.\n",
}


# With these, what is around `nightly` covers all sections of a context pack.
NIGHTLY = {
    "shop/jobs.py": '''"""What runs every night."""

from shop.cart import Cart
from shop.journal import note

__all__ = ["nightly"]

OPEN = Cart([])


def nightly():
    """Charge the total of each cart every night."""
    note()
    total = OPEN.total()
    return total > 0 and OPEN.checkout("card")


def midnight():
    nightly()
''',
    "shop/journal.py": '''"""A journal."""


def note():
    """Note that something happened."""
''',
    "shop/plan.py": """from shop.jobs import nightly


def plan():
    return [nightly]
""",
    "tests/test_jobs.py": """from shop.jobs import nightly


def test_nothing_is_charged_for_empty_carts():
    assert not nightly()
""",
    "docs/jobs.md": "# Jobs\n\n`nightly` charges the total of each cart.\n",
}


def build(repository: Repository, files: Mapping[str, str] = MappingProxyType(FILES)) -> None:
    for path, text in files.items():
        repository.write(path, text)
    repository.commit()
