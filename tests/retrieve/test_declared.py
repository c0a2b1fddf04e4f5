"""What is declared in one place and defined in another: the definition comes first, and tells of the other."""

import pytest

from clew.engine import Engine
from clew.model.search import Query, Scope
from tests.conftest import Repository
from tests.views import search

FILES = {
    "card.h": (
        "/* Charge a card in euros: what everybody calls. */\nint card_charge(struct card *card, int euros);\n"
        "void card_free(struct card *card);\nint only_declared(struct card *card);\n"
    ),
    "card.c": (
        '#include "card.h"\nstatic int check(struct card *card);\n\nint card_charge(struct card *card, int euros)\n{\n'
        "\tint taken = check(card);\n\treturn bank_take(card->bank, taken);\n}\n\n"
        "static int check(struct card *card)\n{\n\treturn card->limit;\n}\n"
    ),
    "gate.d.ts": "export function openGate(wide: boolean): void;\nexport class Lock { turn(by: number): void }\n",
    "gate.js": (
        "export function openGate(wide) {\n  return hinge(wide);\n}\n\n"
        "export class Lock {\n  turn(by) {\n    return key(by);\n  }\n}\n"
    ),
    "pay.ts": (
        "export function settle(amount: number): number;\nexport function settle(amount: string): string;\n"
        "export function settle(amount: any): any {\n  return books(amount);\n}\n"
        "export abstract class Base {\n  abstract refund(amount: number): number;\n}\n"
        "export class Sub extends Base {\n  refund(amount: number): number {\n    return books(amount);\n  }\n}\n"
    ),
    "pay.py": (
        "from typing import overload\n\n\n@overload\ndef audit(amount: int) -> int: ...\n@overload\n"
        "def audit(amount: str) -> str: ...\ndef audit(amount):\n    return ledger(amount)\n"
    ),
}


@pytest.fixture
def shop(repository: Repository, engine: Engine) -> Engine:
    for path, text in FILES.items():
        repository.write(path, text)
    engine.index()
    return engine


@pytest.mark.parametrize(
    ("question", "first", "declared"),
    [
        ("card_charge", "card.c::card_charge", "card.h:1"),
        ("where is a card charged in euros, as everybody calls it", "card.c::card_charge", "card.h:1"),
        ("check", "card.c::check#2", "card.c:2"),
        ("openGate", "gate.js::openGate", "gate.d.ts:1"),
        ("Lock.turn", "gate.js::Lock::turn", "gate.d.ts:2"),
        ("settle", "pay.ts::settle#3", "pay.ts:"),
        ("audit", "pay.py::audit#3", "pay.py:"),
    ],
)
def test_a_definition_comes_before_its_declarations_and_names_one(
    shop: Engine, question: str, first: str, declared: str
) -> None:
    best, *others = search(shop, question)

    assert best.symbol == first
    assert f"declared in {declared}" in " ".join(reason.detail for reason in best.reasons)
    assert all(other.score < 0.6 for other in others if other.label == best.label)


def test_who_asks_for_a_declaration_or_names_its_file_has_it(shop: Engine) -> None:
    assert search(shop, "prototype of card_charge")[0].symbol == "card.h::card_charge"
    assert search(shop, "card_charge in card.h")[0].symbol == "card.h::card_charge"


def test_what_is_only_declared_or_abstract_stays_as_it_is(shop: Engine) -> None:
    assert search(shop, "only_declared")[0].symbol == "card.h::only_declared"
    refunds = [hit for hit in search(shop, "refund") if hit.label == "refund"]
    assert {hit.symbol for hit in refunds} == {"pay.ts::Base::refund", "pay.ts::Sub::refund"}
    assert min(hit.score for hit in refunds) > 0.9


def test_a_definition_that_is_not_asked_about_lowers_no_declaration(shop: Engine) -> None:
    found = shop.search(Query("card_charge", 5, Scope(paths=("card.h",)))).hits

    assert found[0].symbol == "card.h::card_charge"
    assert found[0].score > 0.9


def test_an_overload_declares_nothing_of_another_file(shop: Engine, repository: Repository) -> None:
    repository.write("old/pay.py", "def audit(amount):\n    return audit_books(audit_day(amount))\n")
    shop.index()
    told = {hit.symbol: [one.detail for one in hit.reasons] for hit in search(shop, "audit")}

    assert not any("declared" in detail for detail in told["old/pay.py::audit"])
