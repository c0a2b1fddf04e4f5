"""Scala expressions in common notation."""

import re

from clew.index.syntax.chains import closing_bracket

_CLASS_OF = re.compile(r"\bclassOf\[\s*([\w.]+)\s*\]")
_OF_A_TYPE = re.compile(
    r"(?:^implicitly|^.*\.asInstanceOf)\[\s*([A-Z][\w.]*)"
)  # what is of a type, whatever else it is


def normalise_expression(text: str) -> str:
    """Without type arguments: `[` never opens an index. A function with type arguments and no others is called all
    the same."""
    text = _CLASS_OF.sub(r"\1.class", text) if "classOf[" in text else text
    opens = text.find("[", 1)
    if opens > 0 and (typed := _OF_A_TYPE.match(text)):
        end = closing_bracket(text, text.index("[", typed.start(1) - 2))
        text, opens = f"new {typed[1]}(){text[end + 1 :] if end > 0 else ''}", 0
        opens = text.find("[")
    while opens > 0:
        end = closing_bracket(text, opens)
        if end < 0:
            return text[:opens]
        is_call = text[end + 1 : end + 2] in ("(", "{") or text[end + 1 : end + 3] in (" {", " (")
        text = text[:opens] + ("" if is_call else "()") + text[end + 1 :]
        opens = text.find("[", opens)
    return text
