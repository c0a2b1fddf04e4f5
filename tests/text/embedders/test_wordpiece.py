"""Text is cut as the model was trained to read it; the expected pieces are those of the published tokenizer."""

import pytest

from clew.text.embedders.bert import WordPiece, words

VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "un", "##aff", "##able", "run", "##s", "_", "(", ")", "caf", "##e"]


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("def parse_json(text):", "def parse _ json ( text ) :"),
        ("HTTPServer2\t\n x", "httpserver2 x"),
        ("Naïve ÜBER straße", "naive uber straße"),
        ("日本 a", "日 本 a"),
        ("a\u200bb\x07c\u00a0d\ufffd", "abc d"),
        ("“quoted” — €5", "“ quoted ” — €5"),
        ("", ""),
    ],
)
def test_words_are_cut_at_spaces_and_marks(text: str, cut: str) -> None:
    assert list(words(text)) == cut.split()


def test_a_word_is_the_longest_pieces_that_are_known() -> None:
    cut = WordPiece(VOCABULARY)

    assert [VOCABULARY[n] for n in cut.numbers("Unaffable runs(café)", 99)] == [
        *("[CLS]", "un", "##aff", "##able", "run", "##s", "(", "caf", "##e", ")", "[SEP]")
    ]


def test_what_cannot_be_pieced_together_is_unknown_as_a_whole() -> None:
    cut = WordPiece(VOCABULARY)

    assert cut.numbers("unx", 99) == cut.numbers("s" * 101, 99) == [2, 1, 3]


def test_a_long_text_ends_early_and_is_ended_all_the_same() -> None:
    cut = WordPiece(VOCABULARY)

    assert cut.numbers("run " * 1000, 5) == [2, 7, 7, 7, 3]
    assert cut.numbers("", 5) == [2, 3]
