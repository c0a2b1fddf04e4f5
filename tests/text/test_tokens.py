"""The estimate of tokens: never too low by the rule of the field, and it adds up."""

from hypothesis import given
from hypothesis import strategies as st

from clew.text.tokens import CHARACTERS_PER_TOKEN, estimate


def test_four_characters_make_a_token() -> None:
    assert [estimate(text) for text in ("", "a", "abcd", "abcde", "a" * 400)] == [0, 1, 1, 2, 100]


def test_what_is_not_ascii_counts_each() -> None:
    assert estimate("größe") == 1 + 2
    assert estimate("東京都") == 3


@given(st.text())
def test_an_estimate_is_never_below_a_token_for_four_characters(text: str) -> None:
    assert len(text) / CHARACTERS_PER_TOKEN <= estimate(text) <= len(text)


@given(st.text(), st.text())
def test_two_texts_cost_at_least_what_they_cost_together(one: str, other: str) -> None:
    together = estimate(one + other)

    assert max(estimate(one), estimate(other)) <= together <= estimate(one) + estimate(other)
