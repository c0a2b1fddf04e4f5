"""Zig expressions in common notation."""

import re

_BEFORE = re.compile(r"^(?:try|await|async|comptime)\s+")
_ERRORS = re.compile(r"^[A-Za-z_][\w.]*!(?!=)")
_BUILTIN = re.compile(r"@(?=import\()")
_MADE = re.compile(r"^([A-Z]\w*(?:\.\w+)*)\s*\{.*\}$", re.DOTALL)
_CATCH = re.compile(r"\s+(?:catch|orelse)\b.*$", re.DOTALL)
_UNWRAPPED = re.compile(r"\.[?*](?=\.|$)")


def normalise_expression(text: str) -> str:
    """Without what handles errors; `Card{ … }` makes a card, `card.?.bank` is a member of the card."""
    text = _UNWRAPPED.sub("", _CATCH.sub("", _BUILTIN.sub("", _BEFORE.sub("", text))))
    made = _MADE.match(text)
    return f"{made[1]}()" if made else text


def types_of(text: str) -> list[str]:
    """`Failed!Card` is a card, if it is no error."""
    return [_ERRORS.sub("", text)]
