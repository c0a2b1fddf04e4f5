"""Dart expressions in common notation."""

import re

_CASCADES = re.compile(r"\.\.(?:.*\.\.)?", re.DOTALL)
_BEFORE = re.compile(r"^(?:await|new|const)\s+")


def normalise_expression(text: str) -> str:
    """`card..open()..pay` is a member of the card, and `new Card()` a call of the class."""
    return _CASCADES.sub(".", _BEFORE.sub("", text)) if ".." in text and "..." not in text else _BEFORE.sub("", text)
