"""C++: what a query cannot tell."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

_STATIC = re.compile(rb"\bstatic\b")


def is_exported(node: "Node", before: bytes, name: str) -> bool:
    """What is static is of its file alone, unless it is in a class; so is what stands in a namespace without a name."""
    around = node
    while (parent := around.parent) is not None:
        if parent.type == "namespace_definition" and parent.child_by_field_name("name") is None:
            return False
        if parent.type == "field_declaration_list":
            return True
        around = parent
    return _STATIC.search(before) is None
