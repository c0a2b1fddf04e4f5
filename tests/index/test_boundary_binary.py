"""Text and what is not: by name, magic number, content."""

import pytest

from clew.index.disk.binary import HEAD_BYTES, binary_reason, extension
from clew.runtime.settings import Indexing

LATIN = "Größe für Äpfel und Öl\n".encode("latin-1") * 20
CYRILLIC = "Привет, мир\n".encode("cp1251") * 20
PNG = b"\x89PNG\r\n\x1a\n" + b"\x01" * 100


def reason(head: bytes, name: str = "a.txt", **changes: object) -> str | None:
    return binary_reason(head, name, Indexing(**changes))  # type: ignore[arg-type]  # each test names one


def test_utf8_is_never_binary() -> None:
    assert reason("Привет, мир\n".encode()) is None
    assert reason("模块".encode() * 1000) is None
    assert reason(b"\xef\xbb\xbfplain") is None
    assert reason(b"") is None


def test_text_that_begins_like_a_program_is_text() -> None:
    assert reason(b"MZ is the mark of a Windows program\n") is None


@pytest.mark.parametrize("shift", range(4))
def test_a_character_that_the_head_cuts_in_two_does_no_harm(shift: int) -> None:
    text = b"x" * shift + "€".encode() * HEAD_BYTES

    assert reason(text) is None
    assert reason(text[:HEAD_BYTES]) is None


def test_a_file_that_ends_inside_a_character_is_not_utf8() -> None:
    assert reason(b"\xe2\x82", binary_threshold=50) == "100 % of its bytes are not ASCII"


def test_a_nul_byte_makes_a_file_binary() -> None:
    assert reason(b"text\0text") == "a NUL byte"
    assert reason(b"x" * HEAD_BYTES + b"\0") is None


def test_other_encodings_pass_up_to_the_threshold() -> None:
    assert reason(LATIN) is None
    assert reason(LATIN, binary_threshold=5) == "22 % of its bytes are not ASCII"
    assert reason(CYRILLIC) == "75 % of its bytes are not ASCII"


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf16_with_a_mark_is_text(codec: str) -> None:
    text = "\ufeffint main() { return 0; } // Größe, 模块, 🎉\n" * 500

    assert reason(text.encode(codec)) is None
    assert reason(text.encode(codec), binary_detection="content") is None
    assert reason(text.encode(codec)[:HEAD_BYTES]) is None


def test_what_only_begins_like_utf16_is_binary() -> None:
    assert reason(b"\xff\xfea\0\0\0b\0") == "a NUL byte"
    assert reason(b"\xff\xfe" + b"\x00\xdc" * 100) == "a NUL byte"
    assert reason(b"\xff\xfe" + b"\x90\xdc" * 100, binary_threshold=50) == "100 % of its bytes are not ASCII"


def test_wider_encodings_are_binary_and_named() -> None:
    assert reason("text".encode("utf-32")) == "UTF-32 text: only UTF-8 and UTF-16 are read"


def test_each_way_of_detection_stands_alone() -> None:
    name = "logo.png"

    assert reason(PNG, name, binary_detection="extension") == "extension .png"
    assert reason(PNG, name, binary_detection="mime") == "magic number of PNG"
    assert reason(PNG + b"\0", name, binary_detection="content") == "a NUL byte"
    assert reason(CYRILLIC, "a.txt", binary_detection="mime") is None
    assert reason(b"\0", "a.txt", binary_detection="extension") is None


@pytest.mark.parametrize(
    ("path", "expected"),
    [("a.PNG", ".png"), ("Makefile", ""), (".profile", ""), ("a.d/Makefile", ""), ("a.tar.gz", ".gz"), ("a.", ".")],
)
def test_an_extension_is_what_follows_the_last_dot_of_the_name(path: str, expected: str) -> None:
    assert extension(path) == expected
