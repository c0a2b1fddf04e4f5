"""Bytes of a file as text: UTF-8, or what a byte-order mark says to be UTF-16, as Windows' tools write it."""

import codecs
from contextlib import suppress

_MARKS = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_WIDER = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)  # the first begins with UTF-16's


def is_utf16(head: bytes, *, whole: bool) -> bool:
    """Whether it is text in UTF-16; a character that the end of a part cuts in two does no harm."""
    codec = _wide(head)
    if not codec:
        return False
    with suppress(UnicodeDecodeError):
        return "\0" not in codecs.getincrementaldecoder(codec)().decode(head, final=whole)
    return False


def decoded(content: bytes) -> tuple[str, str]:
    """The text, with its mark, and what is wrong with it: where something is, a sign stands for what cannot be read."""
    codec = _wide(content)
    try:
        return content.decode(codec or "utf-8"), ""
    except UnicodeDecodeError as error:
        said = "UTF-16" if codec else "UTF-8"
        return content.decode(codec or "utf-8", "replace"), f"invalid {said} at byte {error.start}"


def in_utf8(content: bytes) -> tuple[bytes, str]:
    """The same as bytes, which most files are already."""
    text, problem = ("", "") if content.isascii() else decoded(content)
    return text.encode() if problem or _wide(content) else content, problem


def as_utf8(content: bytes) -> bytes:
    """As the index keeps it."""
    return in_utf8(content)[0]


def _wide(content: bytes) -> str:
    return "" if content.startswith(_WIDER) else next((codec for mark, codec in _MARKS if content.startswith(mark)), "")
