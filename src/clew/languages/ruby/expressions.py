"""Ruby's expressions in words that all languages share: calls without brackets, blocks, and one or another value."""

import re

from clew.index.syntax.chains import LONGEST, closing_bracket

_START = re.compile(r"(?:::)?@{0,2}[^\W\d]\w*[?!]?")
_STEP = re.compile(r"\s*(?:&?\.|::)\s*[^\W\d]\w*[?!]?")
_BLOCK = re.compile(r"\s*(do\b|\{)")
_ARGUMENT = re.compile(
    r"[ \t]+(?!(?:if|unless|and|or|rescue|do|while|until|then|end|in)\b)"
    r"(?:[\w\"':@\[]|%[wiqWIQ]?[(\[{<]|[*&](?=[\w:@])|->)"
)
_SUBCLASS = re.compile(r"^Class\.new\(\s*(?:::)?([A-Z][\w:]*)\s*\)")  # what has no name has what is above it
_BEHIND = re.compile(r"\s+(?:if|unless|rescue)\b")
_APART = re.compile(r"""[(\[{]|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\s(\|\||&&|or|and|\?|:)\s|\bdo\b""", re.DOTALL)


def normalise_expression(text: str) -> str:
    """`Card.new 1 do … end` is `Card.new()`: arguments in a chain do not affect its value."""
    subclass = _SUBCLASS.match(text)
    above = subclass[1] if subclass else ""
    text = above + text[subclass.end() :] if subclass else text
    start = _START.match(text)
    if start is None:
        return text
    kept, at = start.group(), start.end()
    while at < len(text):
        if step := _STEP.match(text, at):
            kept, at = kept + step.group(), step.end()
        elif text[at] in "([":
            end = closing_bracket(text, at)
            if end < 0:
                return f"{kept}()" if text[at] == "(" and len(text) > LONGEST else text
            kept, at = kept + text[at : end + 1], end + 1
        elif block := _BLOCK.match(text, at):
            kept = kept if kept.endswith((")", ".tap")) or kept == above else f"{kept}()"
            end = closing_bracket(text, block.end() - 1) if block[1] == "{" else -1
            if end < 0:
                return kept if len(text) > LONGEST or text.endswith("end") else text
            at = end + 1
        elif _ARGUMENT.match(text, at):
            return f"{kept}()"
        else:
            return kept if _BEHIND.match(text, at) else text
    return kept


def branch_expressions(text: str) -> list[str]:
    """The values that an expression may have: of `a || b` both, of `a ? b : c` the last two; none if there is one."""
    found, start, at = list[str](), 0, 0
    while apart := _APART.search(text, at):
        at, sign = apart.end(), apart[1]
        if apart.group() in "([{":
            at = closing_bracket(text, apart.start()) + 1
            if not at:
                break
        elif apart.group() == "do":
            break
        elif sign:
            found = [] if sign == "?" else found
            found += [text[start : apart.start()].strip()] if sign in ("||", "or", ":") else []
            start, at = at, at - 1
    return [*found, text[start:].strip()] if start else []
