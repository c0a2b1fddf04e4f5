"""The arguments of a call as written: one by one, and those that reach the called function; and plain names."""

from clew.index.languages.language import Language
from clew.index.syntax import chains

_THESE = frozenset("this null undefined self that _this".split())  # what a function is called on


def arguments(text: str) -> list[str]:
    """The arguments one by one; an element as a whole, with its attributes."""
    if not text or text.startswith("<"):
        return [text] if text else []
    return [part for _, part in chains.elements(text if text.startswith("(") else f"({text})")]


def passed_on(callee: str, texts: list[str]) -> list[str]:
    """The arguments that `run.call(this, card)` passes to run. `plugin.apply(it)` is nearly always a method of its
    own."""
    if callee.endswith("apply"):
        return texts if len(texts) == 1 else []
    return texts[1:] if texts and texts[0] in _THESE else []


def plain_name(text: str, language: Language) -> str:
    """A name without sigils; "" for other expressions."""
    name = language.bare(text.removeprefix(":")).rstrip("!?")
    return name if chains.is_name(name) or name.isdecimal() else ""


def offered_name(text: str) -> str:
    """The name that others take it by; a thing that stands for the whole file is its default."""
    return text if chains.is_name(text) else "default"
