"""C++: facts that a query cannot extract."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

_STATIC = re.compile(rb"\bstatic\b")
_ITERATOR = re.compile(r">\s*::\s*(?:const_)?(?:reverse_)?iterator\b")


def element_type(name: str, given: list[str]) -> str:
    """The element type of a container, by its type arguments: for `map<int, Card>`, the value type."""
    return given[1] if "map" in name and len(given) > 1 else given[0]


def pointee_type(text: str) -> str:
    """The element type of an iterator; unchanged, for one that is used like its element."""
    found = _ITERATOR.search(text)
    return text[: found.start() + 1] if found else ""


def is_exported(node: "Node", before: bytes, name: str) -> bool:
    """Static definitions are private to their file, except in a class; so are those of an anonymous namespace."""
    around = node
    while (parent := around.parent) is not None:
        if parent.type == "namespace_definition" and parent.child_by_field_name("name") is None:
            return False
        if parent.type == "field_declaration_list":
            return True
        around = parent
    return _STATIC.search(before) is None
