"""A small shop: five files, of which it is known who calls whom."""

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


def build(repository: Repository) -> None:
    for path, text in FILES.items():
        repository.write(path, text)
    repository.commit()
