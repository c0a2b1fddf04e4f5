"""Bytes of a file as text in UTF-8."""

import pytest

from clew.text.encodings import as_utf8, decoded, in_utf8

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
    text, problem = decoded(content)

    assert in_utf8(content) == (text.encode(), problem)
    assert as_utf8(content) == text.encode()


def test_what_is_in_utf8_is_not_made_anew() -> None:
    content = "größer".encode()

    assert in_utf8(content)[0] is content
