"""Text that files, git or agents wrote, shown as data: it cannot steer a terminal, hide, or start a line of its own.

Every surface shows names and quoted text through this module. Ordinary text comes out unchanged. In JSON the escapes
are JSON's own, so that a program reads the original text.
"""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from clew.text.late_patterns import compile_late

# Characters that a reader obeys or does not see: controls, surrogates, and what Unicode calls default-ignorable (signs
# of direction, of width zero, fillers, tags). U+FE0F stays: it only asks for the coloured form of a symbol.
_UNSEEN = (
    "\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ud800-\udfff\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
)
_IN_LINE = compile_late(f"[\x00-\x1f{_UNSEEN}]")
_IN_BLOCK = compile_late(f"[\x00-\x08\x0b-\x1f{_UNSEEN}]")
UNSEEN = compile_late(f"[{_UNSEEN}]")
_SHORT = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
_TICKS = compile_late("`+")
_ACTIVE = compile_late(r"(?<=\])\(|<(?=[A-Za-z/!?])")  # of Markdown: what makes a link or a picture, and a tag


def line(text: str) -> str:
    """A name or a sentence, in one line."""
    return text if text.isascii() and text.isprintable() else _IN_LINE.sub(_escape, text)


def block(text: str) -> str:
    """Quoted text of several lines: ends of lines and tabs stay, `\\r\\n` counts as one end."""
    return _IN_BLOCK.sub(_escape, text.replace("\r\n", "\n"))


def indent(text: str, indent: str = "    ") -> str:
    """Quoted text of which no line starts at the margin but the first, which the caller places."""
    return block(text).replace("\n", f"\n{indent}")


def quote(text: str) -> str:
    """Words of an agent in the middle of a line, marked as such."""
    escaped = line(text).replace('"', r"\"")
    return f'"{escaped}"'


def code_span(text: str) -> str:
    """A name as Markdown's code, which no backtick in it can end."""
    text = line(text)
    ticks = "`" * (max(map(len, _TICKS.findall(text)), default=0) + 1)
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{space}{text}{space}{ticks}"


def inert(text: str) -> str:
    """A sentence or a name in Markdown: it holds no link, picture or tag, which a reader would load."""
    return _ACTIVE.sub(r"\\\g<0>", line(text))


def fence(code: str) -> str:
    """The mark before and after a block of code in Markdown: longer than any in it."""
    return "`" * max(3, max(map(len, _TICKS.findall(code)), default=0) + 1)


def json_text(value: object) -> bytes:
    """JSON with invisible and control characters escaped; its value is the same."""
    try:
        return visible_json(msgspec.json.encode(value))
    except UnicodeEncodeError:  # the name of a file need not be text
        return visible_json(msgspec.json.encode(_as_text(msgspec.to_builtins(value))))


def _as_text(value: Any) -> Any:
    """Without halves of characters, which stand for bytes that are no UTF-8."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, Mapping):
        return {_as_text(key): _as_text(one) for key, one in value.items()}
    return [_as_text(one) for one in value] if isinstance(value, list | tuple) else value


def visible_json(body: bytes) -> bytes:
    if body.isascii() and b"\x7f" not in body:
        return body
    return UNSEEN.sub(_escape_utf16, body.decode()).encode()


def all_shown(value: Any, blocks: frozenset[str], name: str = "") -> Any:
    """An answer for people: each text by `line`, or by `block` where its field is one of `blocks`."""
    if isinstance(value, str):
        return block(value) if name in blocks else line(value)
    if isinstance(value, Mapping):
        return {line(key): all_shown(one, blocks, key) for key, one in value.items()}
    if isinstance(value, msgspec.Struct):
        fields = msgspec.structs.asdict(value)
        return type(value)(**{field: all_shown(one, blocks, field) for field, one in fields.items()})
    if isinstance(value, tuple):
        return tuple(all_shown(one, blocks, name) for one in value)
    return [all_shown(one, blocks, name) for one in value] if isinstance(value, list) else value


def _escape(found: re.Match[str]) -> str:
    sign = found[0]
    return _SHORT.get(sign) or (f"\\u{ord(sign):04x}" if ord(sign) < 0x10000 else f"\\U{ord(sign):08x}")


def _escape_utf16(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


# Text as XML holds it.

_UNFIT = compile_late("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # what XML 1.0 cannot hold
_ESCAPES = str.maketrans(  # blanks, too: a reader would make spaces of those in an attribute
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
)


def printable(text: str) -> str:
    """Replaces characters that XML cannot hold."""
    return _UNFIT.sub("\ufffd", text)


def escape(text: str) -> str:
    """For text and for attributes; invisible characters become numeric references."""
    return UNSEEN.sub(lambda found: f"&#{ord(found[0])};", printable(text).translate(_ESCAPES))
