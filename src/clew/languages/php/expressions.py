"""PHP: expressions as most languages write them: what a generator yields is a list."""

import re

_YIELD = re.compile(r"yield\b\s*(?P<from>from\b\s*)?(?:[^=>()\[\]{}]*=>)?\s*(?P<value>.+)", re.DOTALL)


def normalise_expression(text: str) -> str:
    """`yield $key => $card` gives one element, `yield from $cards` all of another sequence."""
    found = _YIELD.fullmatch(text) if text.startswith("yield") else None
    if found is None:
        return text
    return found["value"] if found["from"] else f"[{found['value']}]"
