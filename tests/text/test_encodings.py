"""Bytes of a file as text in UTF-8."""

import pytest

from clew.text.encodings import as_utf8, decode, in_utf8

CONTENTS = [
    b"",
    b"plain",
    "größer".encode(),
    b"\xef\xbb\xbfmarked",
    b"\xff\xfe" + "größer".encode("utf-16-le"),
    b"broken \xfc",
    b"\xff\xfe\x00",
]


@pytest.mark.parametrize("content", CONTENTS)
def test_in_utf8_a_file_says_what_its_text_does(content: bytes) -> None:
    text, problem = decode(content)

    assert in_utf8(content) == (text.encode(), problem)
    assert as_utf8(content) == text.encode()


def test_what_is_in_utf8_is_not_made_anew() -> None:
    content = "größer".encode()

    assert in_utf8(content)[0] is content


@pytest.mark.parametrize(
    "content",
    [
        "# -*- coding: latin-1 -*-\nNAME = 'größer'\n".encode("latin-1"),
        "# encoding: shift_jis\n# 日本語\n".encode("shift_jis"),
        '<?xml version="1.0" encoding="koi8-r"?>\n<a>привет</a>\n'.encode("koi8-r"),
    ],
)
def test_a_declared_encoding_is_used(content: bytes) -> None:
    text, problem = decode(content)

    assert problem == ""
    assert any(word in text for word in ("größer", "日本語", "привет"))


def test_latin_text_without_a_declaration_is_read_and_reported() -> None:
    text, problem = decode("// Größe in „Zoll“: 5 €\n".encode("cp1252"))

    assert text == "// Größe in „Zoll“: 5 €\n"
    assert problem == "not UTF-8, and it declares no encoding: read as Windows-1252"
    assert decode(b"gr\xf6\xdfer \x81")[0] == "größer \x81"


def test_a_damaged_place_in_utf8_is_reported_and_the_rest_stays() -> None:
    text, problem = decode("größer, wärmer ".encode() + b"\xff")

    assert text == "größer, wärmer \ufffd"
    assert problem == "invalid UTF-8 at byte 18"
