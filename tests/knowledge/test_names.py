"""Which names mean the same thing."""

import pytest

from clew.knowledge import names


@pytest.mark.parametrize(
    ("name", "other", "match"),
    [
        ("Payment Service", "Payment Service", names.EXACT),
        ("payment-service", "the Payment Service", names.CASE),
        ("HTTPServer", "http_server", names.CASE),
        ("retry policies", "retry policy", names.PLURAL),
        ("boxes", "box", names.PLURAL),
        ("src/pay.py::Card::charge", "charge", names.QUALIFIED),
        ("pay.Card.charge", "charge()", names.QUALIFIED),
        ("status", "statu", None),
        ("Anna", "Ann", None),
        ("payment service", "service", None),
    ],
)
def test_names_are_compared(name: str, other: str, match: names.NameMatch | None) -> None:
    assert names.compare(name, other) == match
    assert names.compare(other, name) == match
    if match:
        assert set(names.keys(name)) & set(names.keys(other)), "filed where it is found"


@pytest.mark.parametrize("text", ["isOwnedBy", "is_owned_by", "owned by", "was owned by"])
def test_predicates_are_compared_without_auxiliaries(text: str) -> None:
    assert names.predicate(text) == "owned by"


@pytest.mark.parametrize(
    ("name", "expected"),
    [("charge_card", True), ("src/pay.py", True), ("pay.charge", True), ("Ann", False), ("the team", False)],
)
def test_identifiers_and_paths_are_told_from_words(name: str, expected: bool) -> None:
    assert names.is_code(name) is expected
