"""Words and terms: what a text is found by is what a question asks for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.text.terms import LONGEST_WORD, Lexicon, count_words

LEXICON = Lexicon()


@pytest.mark.parametrize(
    ("word", "terms"),
    [
        ("parser", ("parser",)),
        ("Parsing", ("pars",)),
        ("parseQuery", ("pars", "queri", "parsequery")),
        ("parse_query", ("pars", "queri", "parse_query")),
        ("HTTPServer", ("http", "server", "httpserver")),
        ("getHTTPResponse", ("get", "http", "respons", "gethttpresponse")),
        ("MAX_SIZE", ("max", "size", "max_size")),
        ("utf8", ("utf", "utf8")),
        ("v2", ("v2",)),
        ("_private", ("privat",)),
        ("__init__", ("init",)),
        ("x", ()),
        ("42", ("42",)),
        ("東京都", ("東京", "京都", "東京都")),
    ],
)
def test_identifiers_are_split_and_stemmed(word: str, terms: tuple[str, ...]) -> None:
    assert LEXICON.terms(word) == terms


def test_a_word_beyond_ascii_is_found_as_it_is_written() -> None:
    assert "straße" in LEXICON.terms("Straße")
    assert "größe" in LEXICON.question("die Größe?")


def test_camel_case_and_snake_case_meet() -> None:
    assert {"pars", "queri"} <= set(LEXICON.terms("parseQuery")) & set(LEXICON.terms("parse_query"))


def test_an_acronym_is_not_taken_apart() -> None:
    assert {"http", "server"} <= set(LEXICON.terms("HTTPServer"))
    assert "h" not in LEXICON.terms("HTTPServer")


def test_several_parts_are_found_as_one_word_too() -> None:
    assert "parsequery" in LEXICON.terms("parseQuery")
    assert "parse_query" in LEXICON.terms("parse_query")


def test_digits_are_parts_of_their_own() -> None:
    assert {"utf", "utf8"} <= set(LEXICON.terms("utf8"))
    assert LEXICON.terms("2026") == ("2026",)


def test_words_without_spaces_are_found_by_pairs_of_characters() -> None:
    assert {"東京", "京都"} <= set(LEXICON.terms("東京都"))
    assert set(LEXICON.terms("京都")) & set(LEXICON.terms("東京都"))


def test_what_is_too_long_to_be_a_word_is_data() -> None:
    assert LEXICON.terms("a" * LONGEST_WORD) != ()
    assert LEXICON.terms("a" * (LONGEST_WORD + 1)) == ()


def test_forms_of_a_word_meet_in_its_stem() -> None:
    assert LEXICON.terms("connections") == LEXICON.terms("Connected") == LEXICON.terms("connecting")


def test_words_are_counted_as_written() -> None:
    assert count_words(b"parse(Parse, parse_all)\n# parse!") == {b"parse": 2, b"Parse": 1, b"parse_all": 1}


def test_words_beyond_ascii_stay_whole() -> None:
    assert count_words("größe = straße.länge".encode()) == {
        "größe".encode(): 1, "straße".encode(): 1, "länge".encode(): 1
    }  # fmt: skip


def test_a_question_has_each_term_once_in_a_fixed_order() -> None:
    assert (
        list(LEXICON.question("tokens parse parsing PARSED"))
        == list(LEXICON.question("parsed token"))
        == ["pars", "token"]
    )


def test_a_question_of_nothing_has_no_terms() -> None:
    assert LEXICON.question("") == LEXICON.question("?! … ---") == {}


@given(st.text())
def test_a_text_is_found_by_its_own_words(text: str) -> None:
    """Whatever is asked in the words of a text is among the text's terms."""
    words = count_words(text.encode("utf-8", "replace"))
    of_text = {term for word in words for term in LEXICON.terms(word.decode("utf-8", "replace"))}

    assert set(LEXICON.question(text)) <= of_text


def test_words_that_hold_a_question_together_do_not_count() -> None:
    assert list(LEXICON.question("how are the views rendered")) == ["render", "view"]


def test_a_question_of_nothing_else_is_taken_at_its_word() -> None:
    assert list(LEXICON.question("what is it")) == ["is", "it", "what"]


def test_each_term_knows_the_word_it_comes_from() -> None:
    assert LEXICON.question("jsonify")["jsonifi"] == "jsonify"


@given(st.from_regex(r"[a-z]{2,12}(_[a-z]{2,12}){1,3}", fullmatch=True))
def test_the_parts_of_an_identifier_find_it(identifier: str) -> None:
    terms = set(LEXICON.terms(identifier))

    assert all(set(LEXICON.terms(part)) <= terms for part in identifier.split("_"))


@given(st.text(st.characters(codec="utf-8"), max_size=80))
def test_terms_are_lower_case_and_short(word: str) -> None:
    for term in LEXICON.terms(word):
        assert term
        assert len(term) <= 2 * LONGEST_WORD  # lower case may be longer than the word
        assert not any("A" <= letter <= "Z" for letter in term)
