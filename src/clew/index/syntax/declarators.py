"""Names in C declarators: `*names[3]` is names, `Card<T>::at(int i)` is Card::at."""

import re
from typing import NamedTuple

_ARGUMENTS = r"(?:\s*<[^<>]*(?:<[^<>]*(?:<[^<>]*>[^<>]*)*>[^<>]*)*>)?"
_OPERATOR = r"operator(?:\s*\(\s*\)|\s*\[\s*\]|\s*\"\"\s*\w+|\s*[^\s\w(\[]+|\s+[^(]+)"
_PART = rf"(?:{_OPERATOR}|~?\s*[^\W\d]\w*{_ARGUMENTS})"
_NAME = re.compile(
    r"(?:[\s*&^(]|\.\.\.|::|\b(?:const|volatile|restrict|__\w+(?=[\s*&]+\w)|_Nonnull|_Nullable)\b)*"
    rf"(?P<name>{_PART}(?:\s*(?:::|\.)\s*(?:template\s+)?{_PART})*)"
)
_IN_PATH = re.compile(rf"{_OPERATOR}|~?[^\W\d]\w*|{_ARGUMENTS[3:-2]}")


class Declarator(NamedTuple):
    """The path of the declared name, and whether it takes parameters."""

    path: tuple[str, ...]
    takes: bool

    @property
    def name(self) -> str:
        return self.path[-1] if self.path else ""


def parse_declarator(text: str) -> Declarator:
    if text.isidentifier():
        return Declarator((text,), takes=False)
    found = _NAME.match(text)
    if found is None:
        return Declarator((), takes=False)
    parts = [" ".join(part.split()) for part in _IN_PATH.findall(found["name"]) if not part.lstrip().startswith("<")]
    return Declarator(tuple(part for part in parts if part != "template"), text[found.end() :].lstrip()[:1] == "(")
