"""Bytes of a file as text: UTF-8, UTF-16 with its mark, the encoding that a file declares, or else Windows-1252."""

import codecs
import re
from contextlib import suppress

_MARKS = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_REPLACEMENT = "\ufffd"
_LATIN = "Windows-1252"  # of which Latin-1 is all that text has
# As Python, Ruby, Emacs, HTML, XML and CSS declare it, near the beginning of a file.
_DECLARED = re.compile(rb"""(?:coding[:=]|charset=|encoding=|@charset)[ \t]*["']?([A-Za-z][\w.:-]{1,30})""")
_DECLARED_WITHIN = 1024  # bytes
_WIDER = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)  # the first begins with UTF-16's


def is_utf16(head: bytes, *, whole: bool) -> bool:
    """Whether it is text in UTF-16; a character that the end of a part cuts in two does no harm."""
    codec = _wide(head)
    if not codec:
        return False
    with suppress(UnicodeDecodeError):
        return "\0" not in codecs.getincrementaldecoder(codec)().decode(head, final=whole)
    return False


def decode(content: bytes) -> tuple[str, str]:
    """The text, with its byte order mark, and its encoding problem, if there is one: undecodable bytes become
    replacement characters.

    Text that is not UTF-8 is read in its declared encoding; else as Windows-1252, and reported.
    """
    codec = _wide(content)
    try:
        return content.decode(codec or "utf-8"), ""
    except UnicodeDecodeError as error:
        where = error.start
    if codec:
        return content.decode(codec, "replace"), f"invalid UTF-16 at byte {where}"
    if text := _as_declared(content):
        return text, ""
    text = content.decode("utf-8", "replace")
    damaged = text.count(_REPLACEMENT)
    if damaged <= sum(not one.isascii() for one in text) - damaged or b"\0" in content:
        return text, f"invalid UTF-8 at byte {where}"
    return _as_latin(content), f"not UTF-8, and it declares no encoding: read as {_LATIN}"


def in_utf8(content: bytes) -> tuple[bytes, str]:
    """The same as bytes, which most files are already."""
    if content.isascii():
        return content, ""
    text, problem = decode(content)
    encoded = text.encode()
    return content if encoded == content else encoded, problem


def as_utf8(content: bytes) -> bytes:
    """As the index keeps it."""
    return in_utf8(content)[0]


def _wide(content: bytes) -> str:
    return "" if content.startswith(_WIDER) else next((codec for mark, codec in _MARKS if content.startswith(mark)), "")


def _as_declared(content: bytes) -> str:
    """Empty if it declares nothing, or nothing that it can be read as."""
    for found in _DECLARED.finditer(content, 0, _DECLARED_WITHIN):
        with suppress(LookupError, UnicodeDecodeError, ValueError):
            return content.decode(found[1].decode())
    return ""


def _as_latin(content: bytes) -> str:
    try:
        return content.decode("cp1252")
    except UnicodeDecodeError:  # five of its bytes stand for nothing
        return content.decode("latin-1")
