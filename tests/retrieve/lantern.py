"""Lantern, a small shop: a server in Python, a page in TypeScript, tables in SQL, pages in Markdown, and a past."""

from typing import NamedTuple

from tests.conftest import DAY, DAY_1, Repository

JWT = '''"""JSON Web Tokens: who sends a request."""

import base64
import hashlib
import hmac
import json


class InvalidToken(Exception):
    """A token that must not be believed."""


class JwtValidator:
    """Validates JWT tokens of incoming requests."""

    def __init__(self, secret, leeway=30):
        self.secret = secret
        self.leeway = leeway

    def validate(self, token, now):
        """Check signature, issuer and expiry of a JWT token; returns its claims."""
        header, payload, signature = token.split(".")
        if not hmac.compare_digest(self.sign(f"{header}.{payload}"), signature):
            raise InvalidToken("signature does not match")
        claims = json.loads(base64.urlsafe_b64decode(payload))
        if claims["exp"] + self.leeway < now:
            raise InvalidToken("token has expired, sign in again")
        return claims

    def sign(self, text):
        digest = hmac.new(self.secret, text.encode(), hashlib.sha256).digest()
        return base64.urlsafe_b64encode(digest).decode()
'''
PASSWORDS = '''"""Passwords are kept as salted hashes."""

import hashlib
import os


def hash_password(password, salt=None):
    """A salted scrypt hash."""
    salt = salt or os.urandom(16)
    return salt + hashlib.scrypt(password.encode(), salt=salt, n=16384, r=8, p=1)


def verify_password(password, kept):
    return hash_password(password, kept[:16]) == kept
'''
SESSIONS = '''"""Who is signed in."""

from server.auth.passwords import verify_password


class SessionStore:
    def __init__(self):
        self.open = {}

    def login(self, user, password):
        """Open a session, if the password is right."""
        if not verify_password(password, user.password):
            raise PermissionError("wrong name or password")
        self.open[user.id] = user
        return user.id

    def logout(self, session):
        self.open.pop(session, None)
'''
CART = '''"""What somebody is about to buy."""

from server.orders.discounts import best_discount


class Cart:
    def __init__(self):
        self.lines = []

    def add(self, article, quantity):
        if quantity < 1:
            raise ValueError("quantity must be at least one")
        self.lines.append((article, quantity))

    def total(self, customer):
        """The price of all lines, less the best discount."""
        plain = sum(article.price * quantity for article, quantity in self.lines)
        return plain - best_discount(customer, plain)
'''
DISCOUNTS = '''"""Rebates."""


def best_discount(customer, amount):
    """The highest of the rebates that a customer may have."""
    rates = [rate for name, rate in customer.rebates.items() if not name.startswith("old")]
    return amount * max(rates)
'''
PAYMENTS = '''"""Money in, money out."""

from server.mail.outbox import send_mail


class PaymentGateway:
    def charge_card(self, card, amount):
        """Take an amount from a credit card."""
        reply = self.post("/charges", card=card, amount=amount)
        if reply.status == 402:
            raise RuntimeError(f"card was declined: {reply.reason}")
        return reply.id

    def refund_payment(self, payment, amount):
        """Give money back."""
        self.post("/refunds", payment=payment, amount=amount)
        send_mail(payment.customer, "refund")
'''
INVOICES = '''"""Invoices, as printed."""


def render_invoice(order):
    """An invoice as text, line by line."""
    lines = [f"{line.name:<30}{line.price:>10}" for line in order.lines]
    return "\\n".join([f"Invoice {order.number}", *lines])


def invoice_number(year, counter):
    return f"{year}-{counter:06}"
'''
OUTBOX = '''"""Mail to customers."""

import smtplib


def send_mail(customer, template):
    with smtplib.SMTP("localhost") as server:
        server.sendmail("shop@example.org", customer.email, template)


def retry_failed_mail(queue):
    """Send again what bounced."""
    for customer, template in queue:
        send_mail(customer, template)
'''
ACCOUNTS = '''"""Rows of the users table."""


def find_user(db, email):
    return db.one("SELECT id, email, name FROM users WHERE email = ?", email)


def create_user(db, email, name):
    db.run("INSERT INTO users (email, name) VALUES (?, ?)", email, name)
'''
ROUTER = '''"""From a path to what answers it."""


class Router:
    def __init__(self):
        self.routes = {}

    def register_route(self, path, handler):
        self.routes[path] = handler

    def dispatch(self, request):
        handler = self.routes.get(request.path)
        if handler is None:
            raise LookupError("no such page")
        return handler(request)
'''
USERS_SQL = """-- Who may sign in.
CREATE TABLE users (
    id BIGINT PRIMARY KEY,
    email TEXT NOT NULL,
    name TEXT NOT NULL,
    password BYTEA NOT NULL
);

CREATE INDEX users_by_name ON users (name);
"""
ORDERS_SQL = """-- What was bought.
CREATE TABLE orders (
    id BIGINT PRIMARY KEY,
    customer BIGINT NOT NULL,
    placed_at TIMESTAMP NOT NULL
);
"""
CLIENT = """/** Calls to the server. */
export class ApiError extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

export async function fetchJson<T>(path: string): Promise<T> {
  const reply = await fetch(`/api${path}`);
  if (!reply.ok) {
    throw new ApiError(reply.status, `server answered ${reply.status}`);
  }
  return reply.json() as Promise<T>;
}
"""
CART_STORE = """import { fetchJson } from "../api/client";

export interface CartLine {
  article: string;
  quantity: number;
}

export class CartStore {
  private lines: CartLine[] = [];

  async restoreCart(): Promise<void> {
    this.lines = await fetchJson<CartLine[]>("/cart");
  }

  countArticles(): number {
    return this.lines.reduce((sum, line) => sum + line.quantity, 0);
  }
}
"""
MONEY = """/** Money as people read it. */
export function formatMoney(cents: number, currency: string): string {
  return new Intl.NumberFormat("en", { style: "currency", currency }).format(cents / 100);
}
"""
README = """# Lantern

A small shop.

## Running it

Start the server with `make run`, and open the page.

## Deploying

Build the image, then roll it out machine by machine. Roll back by the tag before.
"""
TESTS = """from server.auth.jwt_validator import JwtValidator


def test_an_expired_token_is_refused():
    validator = JwtValidator(b"secret")
    assert validator.leeway == 30
"""

FILES = {
    "server/auth/jwt_validator.py": JWT,
    "server/auth/passwords.py": PASSWORDS,
    "server/auth/sessions.py": SESSIONS,
    "server/orders/cart.py": CART,
    "server/orders/discounts.py": DISCOUNTS,
    "server/billing/payments.py": PAYMENTS,
    "server/billing/invoices.py": INVOICES,
    "server/mail/outbox.py": OUTBOX,
    "server/db/accounts.py": ACCOUNTS,
    "server/http/router.py": ROUTER,
    "db/schema/users.sql": USERS_SQL,
    "db/schema/orders.sql": ORDERS_SQL,
    "db/migrations/0001_create_users.sql": "CREATE TABLE users (id BIGINT PRIMARY KEY, email TEXT NOT NULL);\n",
    "db/migrations/0002_orders.sql": ORDERS_SQL,
    "db/migrations/0003_users_password.sql": "ALTER TABLE users ADD COLUMN password BYTEA NOT NULL;\n",
    "web/src/api/client.ts": CLIENT,
    "web/src/state/cartStore.ts": CART_STORE,
    "web/src/format/money.ts": MONEY,
    "README.md": README,
    "tests/test_jwt_validator.py": TESTS,
}


class Past(NamedTuple):
    """A commit: what was said, and which files it changed."""

    message: str
    paths: tuple[str, ...]


PAST = (
    Past("Add invoices", ("server/billing/invoices.py",)),
    Past("Authentication: sign in with a password", ("server/auth/sessions.py", "server/auth/passwords.py")),
    Past("Show money with its currency", ("web/src/format/money.ts",)),
    Past("Authentication by JWT for the page", ("server/auth/jwt_validator.py",)),
    Past("Retry mail that bounced", ("server/mail/outbox.py",)),
    Past("fix(orders): take the best rebate, not the first", ("server/orders/discounts.py", "server/orders/cart.py")),
    Past("Authentication allows clocks that differ by 30 s", ("server/auth/jwt_validator.py",)),
    Past("Say which page is missing", ("server/http/router.py",)),
    Past("Harden authentication against guessing", ("server/auth/sessions.py",)),
    Past("Refunds are told by mail", ("server/billing/payments.py",)),
)


def build(repository: Repository) -> None:
    """All files in one commit, then the past: each commit adds a line to its files."""
    for path, text in FILES.items():
        repository.write(path, text)
    repository.commit(DAY_1, "Start")
    for number, (message, paths) in enumerate(PAST, 1):
        for path in paths:
            text = (repository.root / path).read_text("utf-8")
            repository.write(path, f"{text}{'//' if path.endswith('.ts') else '#'} {number}\n")
        repository.commit(DAY_1 + number * DAY, message)
