"""Lua expressions in common notation."""

import re

_MADE = re.compile(r"setmetatable\(\s*(?:\{[^{}]*\}|\w+(?:\s+or\s+\{\s*\})?)\s*,\s*(\w+)\s*\)")
_METHOD = re.compile(r"(?<=[\w)\]]):(?=[^\W\d]\w*\s*(?:[({\"'\[]|$))")
_LOADED = re.compile(r"\brequire\s*(\"[^\"]*\"|'[^']*')")


def normalise_expression(text: str) -> str:
    """`setmetatable({}, Card)` makes a card, `card:pay()` calls its member, and `require "card"` has brackets."""
    return _METHOD.sub(".", _MADE.sub(r"\1()", _LOADED.sub(r"require(\1)", text)))
