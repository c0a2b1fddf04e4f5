"""Golden queries (C §14.4): what must be among the first three, how sure of it an answer is, and what may stand above.

A gap is a mark with the score that is reached; whoever closes it takes the mark away.
"""

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from clew.engine import Engine
from clew.model.search import Hit, Query
from tests.conftest import Repository
from tests.retrieve.lantern import build

FIRST, SURE, LOOKED_AT = 3, 0.7, 10

TRACEBACK = """It breaks for new customers:

Traceback (most recent call last):
  File "/srv/lantern/server/http/router.py", line 15, in dispatch
    return handler(request)
  File "/srv/lantern/server/orders/cart.py", line 18, in total
    return plain - best_discount(customer, plain)
  File "/srv/lantern/server/orders/discounts.py", line 7, in best_discount
    return amount * max(rates)
ValueError: max() arg is an empty sequence
"""
STACK = """ApiError: server answered 500
    at fetchJson (/app/web/src/api/client.ts:11:11)
    at async CartStore.restoreCart (/app/web/src/state/cartStore.ts:12:18)
"""


class Golden(NamedTuple):
    """`expected` are ids, of symbols or files, all of which must be there.

    `related` is how ids begin that are no mistake above them.
    """

    question: str
    expected: tuple[str, ...]
    related: tuple[str, ...] = ()


AUTH = ("server/auth/",)
GOLDEN = {
    "jwt": Golden(
        "How do we validate JWT tokens?",
        ("server/auth/jwt_validator.py::JwtValidator", "server/auth/jwt_validator.py::JwtValidator::validate"),
        ("server/auth/jwt_validator.py",),
    ),
    "users table": Golden("Database schema for users", ("db/schema/users.sql::users",), ("db/schema/users.sql",)),
    "users migrations": Golden(
        "Database schema for users",
        ("db/migrations/0001_create_users.sql::users", "db/migrations/0003_users_password.sql::ALTER users"),
        ("db/schema/users.sql",),
    ),
    "recent changes": Golden(
        "Recent changes to authentication", ("server/auth/jwt_validator.py", "server/auth/sessions.py"), AUTH
    ),
    "python trace": Golden(
        TRACEBACK, ("server/orders/discounts.py::best_discount", "server/orders/cart.py::Cart::total")
    ),
    "javascript trace": Golden(
        STACK, ("web/src/api/client.ts::fetchJson", "web/src/state/cartStore.ts::CartStore::restoreCart")
    ),
    "error message": Golden(
        "RuntimeError: card was declined: insufficient funds",
        ("server/billing/payments.py::PaymentGateway::charge_card",),
    ),
    "message in words": Golden(
        "token has expired, sign in again", ("server/auth/jwt_validator.py::JwtValidator::validate",)
    ),
    "quoted": Golden('where does "quantity must be at least one" come from', ("server/orders/cart.py::Cart::add",)),
    "file name": Golden("cartStore.ts", ("web/src/state/cartStore.ts::CartStore",), ("web/src/state/cartStore.ts",)),
    "path": Golden("server/mail/outbox.py", ("server/mail/outbox.py::send_mail",), ("server/mail/outbox.py",)),
    "qualified name": Golden("SessionStore.login", ("server/auth/sessions.py::SessionStore::login",)),
    "name": Golden("fetchJson", ("web/src/api/client.ts::fetchJson",)),
    "prefix": Golden("render_inv", ("server/billing/invoices.py::render_invoice",)),
    "sentence": Golden(
        "how are refunds given back to customers", ("server/billing/payments.py::PaymentGateway::refund_payment",)
    ),
    "document": Golden("how do we deploy", ("README.md::Lantern::Deploying",)),
}
BEHIND = {"users migrations": "fourth and fifth: orders.sql has the word schema in its folder"}


def cases(gaps: dict[str, str]) -> list[object]:
    return [
        pytest.param(golden, id=name, marks=[pytest.mark.xfail(reason=gaps[name])] if name in gaps else [])
        for name, golden in GOLDEN.items()
    ]


@pytest.fixture(scope="module")
def lantern(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    repository = Repository(tmp_path_factory.mktemp("lantern"))
    repository.git("init", "-q", "-b", "main")
    build(repository)
    with Engine.open(repository.root, environ={}) as engine:
        engine.index()
        yield engine


def answered(engine: Engine, golden: Golden) -> list[Hit]:
    return list(engine.search(Query(golden.question, LOOKED_AT)).hits)


def places(hits: list[Hit], golden: Golden) -> list[int]:
    """Where the best hit of each that is expected stands, from 0; at the end, if it is not there."""
    ids = [(hit.symbol, hit.path) for hit in hits]
    return [next((i for i, own in enumerate(ids) if one in own), LOOKED_AT) for one in golden.expected]


@pytest.mark.parametrize("golden", cases(BEHIND))
def test_what_is_expected_is_among_the_first(lantern: Engine, golden: Golden) -> None:
    assert max(places(answered(lantern, golden), golden)) < FIRST


@pytest.mark.parametrize("golden", [pytest.param(golden, id=name) for name, golden in GOLDEN.items()])
def test_scores_say_how_sure_it_is(lantern: Engine, golden: Golden) -> None:
    hits = answered(lantern, golden)

    assert min(hits[place].score for place in places(hits, golden)) > SURE


@pytest.mark.parametrize("golden", cases(BEHIND))
def test_nothing_else_stands_above_it(lantern: Engine, golden: Golden) -> None:
    hits = answered(lantern, golden)
    above = [hit.symbol for hit in hits[: max(places(hits, golden))]]

    assert [one for one in above if not one.startswith(golden.expected + golden.related)] == []


def test_what_comes_of_history_says_so(lantern: Engine) -> None:
    best = answered(lantern, GOLDEN["recent changes"])[0]

    by_history = next(one for one in best.reasons if one.retriever == "git_history")
    assert "commits to its file with similar messages" in by_history.detail


@pytest.mark.parametrize("golden", [pytest.param(golden, id=name) for name, golden in GOLDEN.items()])
def test_every_hit_has_reasons_that_sum_to_its_score(lantern: Engine, golden: Golden) -> None:
    for hit in answered(lantern, golden):
        assert hit.score == pytest.approx(sum(reason.share for reason in hit.reasons), abs=1e-3)
        assert all(reason.detail for reason in hit.reasons)
