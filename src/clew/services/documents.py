"""YAML, JSON, GraphQL, properties and environment files as values with the lines that they stand on.

Nothing is executed and no tag is constructed; aliases are bounded. Syntax errors are reported as problems.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

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
            at = _end_of_bracket(text, at)
        elif text.startswith("...", at) or text[at] == "@":
            at += len(re.match(r"(?:\.\.\.|@)\s*(?:on\s+)?\w*", text[at:])[0])  # type: ignore[index]  # it begins so
        elif field := _FIELD.match(text, at):
            yield field[2], text.count("\n", 0, at)
            count += 1
            at = field.end()
        else:
            at += 1


def _end_of_bracket(text: str, at: int) -> int:
    """The offset behind the bracket that closes this one."""
    depth = 0
    while at < len(text):
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(text[at], 0)
        at += 1
        if depth == 0:
            break
    return at


LARGEST = 2_000_000
MOST_NODES = 200_000


class DocumentNode(NamedTuple):
    """A scalar (`text`), a mapping (`keys` and `items`), or a list (`items`)."""

    line: int
    text: str | None = None
    keys: tuple[tuple[str, int], ...] = ()
    items: tuple["DocumentNode", ...] = ()

    def get(self, *path: str) -> "DocumentNode":
        """The node at a path of keys; an empty node if there is none."""
        node = self
        for key in path:
            node = (
                next((item for (name, _), item in zip(node.keys, node.items, strict=True) if name == key), NONE)
                if node.keys
                else NONE
            )
        return node

    def line_of(self, key: str) -> int:
        return next((line for name, line in self.keys if name == key), self.line)

    def pairs(self) -> Iterator[tuple[str, int, "DocumentNode"]]:
        for (name, line), item in zip(self.keys, self.items, strict=False):
            yield name, line, item

    def elements(self) -> tuple["DocumentNode", ...]:
        """The elements of a list."""
        return () if self.keys else self.items

    def value(self) -> str:
        return self.text or ""

    def scalars(self, prefix: str = "") -> Iterator[tuple[str, str, int]]:
        """Every scalar below with its dotted path and line."""
        if self.text is not None:
            yield prefix, self.text, self.line
        elif self.keys:
            for name, line, item in self.pairs():
                inner = f"{prefix}.{name}" if prefix else name
                if item.text is not None:
                    yield inner, item.text, line
                else:
                    yield from item.scalars(inner)
        else:
            for index, item in enumerate(self.items):
                yield from item.scalars(f"{prefix}[{index}]")

    def __bool__(self) -> bool:
        return self is not NONE


NONE = DocumentNode(0)


def read_yaml(text: str) -> tuple[DocumentNode, ...]:
    """The documents of a YAML or JSON file; none if it cannot be read. Templates of Helm lose their directives."""
    import yaml  # only projects with such files need it

    if len(text) > LARGEST:
        return ()
    if "{{" in text:
        text = re.sub(
            r"^\s*\{\{-?\s*(?:if|else|end|range|with|define|include|template|/\*)[^\n]*$", "", text, flags=re.MULTILINE
        )
        text = re.sub(r"\{\{-?\s*([^{}]*?)\s*-?\}\}", lambda found: _placeholder(found[1]), text)
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    documents: list[DocumentNode] = []
    left = [MOST_NODES]
    try:
        documents.extend(_convert(one, left, 0) for one in yaml.compose_all(text, Loader=loader) if one is not None)
    except (yaml.YAMLError, ValueError, RecursionError):
        return tuple(documents)  # those before the fault
    return tuple(documents)


def _placeholder(directive: str) -> str:
    found = re.search(r"\.Values\.([\w.]+)", directive)
    return f"<{found[1]}>" if found else "<>"


def _convert(node: object, left: list[int], depth: int) -> DocumentNode:
    import yaml

    left[0] -= 1
    if left[0] < 0 or depth > 60:
        return DocumentNode(1, "")
    line: int = node.start_mark.line + 1  # type: ignore[attr-defined]  # as every node
    if isinstance(node, yaml.MappingNode):
        pairs = [(key, value) for key, value in node.value if isinstance(key, yaml.ScalarNode)]
        merged = [(key, value) for key, value in pairs if key.value == "<<"]
        keys = [
            ((key.value, key.start_mark.line + 1), _convert(value, left, depth + 1))
            for key, value in pairs
            if key.value != "<<"
        ]
        for _, value in merged:
            for inner in value.value if isinstance(value, yaml.SequenceNode) else [value]:
                other = _convert(inner, left, depth + 1)
                known = {name for (name, _), _ in keys}
                keys += [(key, item) for key, item in zip(other.keys, other.items, strict=False) if key[0] not in known]
        return DocumentNode(line, None, tuple(key for key, _ in keys), tuple(item for _, item in keys))
    if isinstance(node, yaml.SequenceNode):
        return DocumentNode(line, None, (), tuple(_convert(value, left, depth + 1) for value in node.value))
    return DocumentNode(line, str(node.value))  # type: ignore[attr-defined]  # a scalar


def read_properties(text: str) -> list[tuple[str, str, int]]:
    """`key=value` lines of properties and environment files."""
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        row = line.strip().removeprefix("export ")
        if row and row[0] not in "#!;[" and (pair := re.match(r"([\w.\-\[\]]+)\s*[=:]\s*(.*)$", row)):
            found.append((pair[1], pair[2].strip().strip("\"'"), number))
    return found
