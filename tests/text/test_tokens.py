"""The estimate of tokens: it grows with the text, and parts tell what the whole costs."""

import itertools

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clew.text.tokens import CAPITAL, CHARACTERS_PER_TOKEN, JOINS, RUNS, by_characters, estimate

ONE_OF_EACH = 'aZ0 \n\t_."({=\\nt\x01→éжλשहあ東한ｗ😀'  # classes, and the letters that a backslash makes an escape of
AT_A_CUT = 3  # tokens that a text may cost more than its parts
texts = st.text(st.one_of(st.sampled_from(ONE_OF_EACH), st.characters()), max_size=60)

CODE = """\
def parse_header(self, line: str) -> tuple[str, str]:
    name, _, value = line.partition(":")
    return name.strip().lower(), value.strip()
"""


def test_nothing_costs_nothing() -> None:
    assert estimate("") == 0


def test_code_costs_more_than_a_token_for_four_characters_and_less_than_for_two() -> None:
    assert len(CODE) / 4 < estimate(CODE) < len(CODE) / 2


def test_every_digit_costs_since_some_tokenisers_take_each_alone() -> None:
    assert estimate("7" * 1000) >= 1000


def test_an_emoji_costs_its_four_bytes() -> None:
    assert estimate("😀" * 50) == 200


@pytest.mark.parametrize("word", ["fooBar", "HTTPServer", "foo_bar"])
def test_words_in_one_name_cost_each(word: str) -> None:
    assert estimate(word * 100) > estimate("x" + " foobar" * 100)


def test_an_escaped_end_of_line_is_no_part_of_the_word_behind_it() -> None:
    assert estimate(r"\nreturn" * 100) == estimate(r"\n" * 100) + estimate("return " * 100)


def test_ends_of_lines_of_two_characters_cost_as_one() -> None:
    assert estimate(CODE.replace("\n", "\r\n")) == estimate(CODE)


def test_what_is_no_text_has_an_estimate_too() -> None:
    assert estimate("\ud800\udfff\x00") > 0


@given(texts, texts)
@example("A", "a")
@example("\\", "n")
def test_what_is_appended_never_makes_it_less(text: str, more: str) -> None:
    assert estimate(text + more) >= estimate(text)


@given(texts, texts)
@example("a" * 9, "a" * 40)
@example("a ", "1")
def test_parts_cost_at_most_a_little_less_than_the_whole(one: str, other: str) -> None:
    assert estimate(one + other) <= estimate(one) + estimate(other) + AT_A_CUT


@given(st.lists(texts.map(lambda text: text.replace("\n", " ") + "\n")))
def test_lines_cost_at_least_what_they_cost_together(lines: list[str]) -> None:
    assert estimate("".join(lines)) <= sum(map(estimate, lines))


def test_both_laws_hold_where_any_two_classes_meet() -> None:
    for before, after, digits in itertools.product(ONE_OF_EACH, ONE_OF_EACH, range(20)):
        text = "7" * digits + "\n" + before  # so that hundredths show, wherever the rounding is
        assert estimate(text) <= estimate(text + after) <= estimate(text) + estimate(after) + AT_A_CUT, (before, after)


def test_no_figure_of_the_table_is_below_nothing_and_a_capital_is_no_dearer_than_a_word() -> None:
    assert min(min(steps) for steps in RUNS.values()) >= 0
    assert min(JOINS.values()) >= 0
    assert RUNS["A"][0] <= RUNS["a"][0] + CAPITAL


@given(texts)
def test_by_characters_four_of_ascii_make_a_token_and_others_one_each(text: str) -> None:
    assert len(text) / CHARACTERS_PER_TOKEN <= by_characters(text) <= len(text)


def test_chunks_are_sized_as_ever() -> None:
    assert [by_characters(text) for text in ("", "a", "abcd", "abcde", "größe", "東京都")] == [0, 1, 1, 2, 3, 3]
