"""Terraform: its blocks by the addresses that expressions use, as `var.region` and `aws_instance.web`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from clew.index.facts import WHOLE, Def, Facts
from clew.index.syntax.definition import Definition
from clew.index.syntax.parse import Outline, parse_root, query_outline
from clew.index.syntax.ranges import LineIndex
from clew.index.syntax.units import OutlineUnit
from clew.languages.profile import Language
from clew.model.words import Kind

if TYPE_CHECKING:
    from tree_sitter import Node

_PREFIXES = {"variable": "var", "module": "module", "output": "output", "provider": "provider", "data": "data"}
_LABELS = 2  # of a resource: its type and its name
_MEMBERS = {"data": 2, "var": 1, "local": 1, "module": 1}  # names behind the first that belong to an address
_SCOPES = frozenset("each self count path terraform".split())  # words that name no block


def outline(language: Language, source: bytes) -> Outline:
    found = query_outline(language, source, parse_root(language, source))
    if found.root is None:
        return found
    lines = LineIndex(source)
    found.definitions = [*_definitions(found.root, source, lines)]
    return found


def _definitions(root: "Node", source: bytes, lines: LineIndex) -> Iterator[Definition]:
    for body in root.named_children:
        for block in body.named_children if body.type == "body" else ():
            if block.type != "block":
                continue
            word, *labels = (_label(one) for one in block.named_children if one.type in ("identifier", "string_lit"))
            if word == "locals":
                yield from (
                    _definition(one, f"local.{_label(one.named_children[0])}", source, lines)
                    for one in _attributes(block)
                )
            elif labels or word == "terraform":
                prefix = _PREFIXES.get(word, "" if len(labels) >= _LABELS else word)
                yield _definition(block, ".".join(filter(None, (prefix, *labels))), source, lines)


def _attributes(block: "Node") -> list["Node"]:
    bodies = [one for one in block.named_children if one.type == "body"]
    return [one for body in bodies for one in body.named_children if one.type == "attribute"]


def _definition(node: "Node", name: str, source: bytes, lines: LineIndex) -> Definition:
    start, above = node.start_byte, node.prev_named_sibling
    doc = None
    if (
        above is not None
        and above.type == "comment"
        and not source[above.end_byte : start].strip(b" \t\r").strip(b"\n")
    ):
        doc = above.start_byte, above.end_byte
    begin = doc[0] if doc else start
    head = source.find(b"\n", start, node.end_byte)
    return Definition(
        kind=Kind.BLOCK if node.type == "block" else Kind.VARIABLE,
        name=name,
        start=begin,
        end=node.end_byte,
        first=lines.at(begin),
        last=lines.at(node.end_byte - 1),
        head=(start, head if head >= 0 else node.end_byte),
        exported=True,
        named=start,
        bodied=True,
        doc=doc,
    )


def facts_of(arranged: list[OutlineUnit], seen: Outline, source: bytes) -> Facts:
    """Blocks refer to each other by their addresses, within a folder."""
    scopes = [(unit.definition.start, unit.definition.end, unit.scope) for unit in arranged]
    lines, uses = LineIndex(source), dict[str, dict[str, int]]()
    for at, address in _references(seen.root) if seen.root is not None else ():
        scope = next((scope for start, end, scope in reversed(scopes) if start <= at < end), "")
        uses.setdefault(scope, {}).setdefault(f"{WHOLE}{address}", lines.at(at))
    return Facts(
        kinds={unit.scope: unit.definition.kind.value for unit in arranged},
        names={"": {unit.scope: (Def(unit.scope),) for unit in arranged}},
        imports=tuple(one for _, one in seen.imports),
        uses=uses,
    )


def _references(root: "Node") -> Iterator[tuple[int, str]]:
    """Addresses in expressions, with their places."""
    todo = [root]
    while todo:
        node = todo.pop()
        todo += reversed(node.named_children)
        if node.type == "variable_expr" and (address := _address(node)) is not None:
            yield node.start_byte, address


def _address(first: "Node") -> str | None:
    parts, after = [_label(first)], first.next_named_sibling
    wanted = _MEMBERS.get(parts[0], 1)
    while after is not None and after.type == "get_attr" and len(parts) <= wanted:
        parts.append(_label(after))
        after = after.next_named_sibling
    return ".".join(parts) if len(parts) == wanted + 1 and parts[0] not in _SCOPES else None


def _label(node: "Node") -> str:
    return (node.text or b"").decode("utf-8", "replace").strip('".')
