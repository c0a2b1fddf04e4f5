"""Questions that ask for a text to the letter: one in quotes, or where a setting is read."""

import re

from msgspec import Struct

_QUOTED = re.compile(r"""\s*(?:"([^"]{2,})"|'([^']{2,})'|`([^`]{2,})`|“([^”]{2,})”)\s*\Z""")
_READ = re.compile(
    r"""\s*where\s+(?:is|are)\s+(?:the\s+)?(?:(?:config(?:uration)?|environment|env|settings?|options?|flag|key|variable"""
    r"""|constant)\s+)*["'`]?(?P<name>[A-Za-z_][\w.-]*\w)["'`]?\s+(?:read|used|accessed|referenced|looked\s+up|consumed)"""
    r"""\b[^.]*\Z""",
    re.IGNORECASE,
)
_LIKE_A_NAME = re.compile(r"_|[.-]|[a-z][A-Z]|\A[A-Z][A-Z0-9]+\Z")  # and no word of a sentence


class Literal(Struct, frozen=True):
    """`is_name`: it is looked for as a whole word."""

    text: str
    is_name: bool = False


def find_literal(query: str) -> Literal | None:
    if quoted := _QUOTED.match(query):
        return Literal(next(filter(None, quoted.groups())))
    asked = _READ.match(query)
    if asked and _LIKE_A_NAME.search(asked["name"]):
        return Literal(asked["name"], is_name=True)
    return None
