"""GraphQL documents that a client sends: the fields of the schema that they ask for."""

import re
from collections.abc import Iterator

_OPERATION = re.compile(
    r"(?:^|[\s}])(query|mutation|subscription)\b(?:\s+\w+)?\s*(?:\((?:[^()]|\([^()]*\))*\)\s*)?(?:@\w+\s*)*\{"
)
_FIELD = re.compile(r"(?:(\w+)\s*:\s*)?(\w+)")
MOST_FIELDS = 20


def graphql_operations(text: str) -> Iterator[tuple[str, int]]:
    """`Query.product` for each field that an operation begins with, and its line within the text, from 0."""
    if not re.search(r"\{[^{}]*\w", text):
        return
    plain = re.sub(r"#[^\n]*", "", text)
    found = list(_OPERATION.finditer(plain))
    for operation in found:
        kind = operation[1].title()
        yield from ((f"{kind}.{field}", line) for field, line in _fields(plain, operation.end()))
    if (
        not found
        and (short := re.match(r"\s*\{\s*\w", plain))
        and re.search(r"\}\s*$", plain)
        and ":" not in plain.split("{")[1]
    ):
        yield from ((f"Query.{field}", line) for field, line in _fields(plain, short.end() - 1))


def _fields(text: str, at: int) -> Iterator[tuple[str, int]]:
    """The fields of a selection, without those that are nested in them."""
    count = 0
    while at < len(text) and count < MOST_FIELDS:
        if text[at] == "}":
            return
        if text[at] in "({":
            at = _closed(text, at)
        elif text.startswith("...", at) or text[at] == "@":
            at += len(re.match(r"(?:\.\.\.|@)\s*(?:on\s+)?\w*", text[at:])[0])  # type: ignore[index]  # it begins so
        elif field := _FIELD.match(text, at):
            yield field[2], text.count("\n", 0, at)
            count += 1
            at = field.end()
        else:
            at += 1


def _closed(text: str, at: int) -> int:
    """The offset behind the bracket that closes this one."""
    depth = 0
    while at < len(text):
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(text[at], 0)
        at += 1
        if depth == 0:
            break
    return at
