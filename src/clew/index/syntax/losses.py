"""How much of a text a parser could make nothing of."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node


def unread(root: "Node") -> int:
    """Bytes that stand in errors, and one for each thing that is missing."""
    lost, todo = 0, [root]
    while todo:
        node = todo.pop()
        if node.is_error:
            lost += node.end_byte - node.start_byte
        elif node.is_missing:
            lost += 1
        elif node.has_error:
            todo += node.children
    return lost
