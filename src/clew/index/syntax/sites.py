"""The context of a name in the tree: whether it is called, and its arguments."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

_ARGUMENT_LISTS = frozenset({"arguments", "argument_list", "value_arguments", "initializer_list"})
_OF_KOTLIN = ("value_arguments", "annotated_lambda")  # behind what these end, a block may stand
_WITH_TYPES = "generic_function"


def is_read(node: "Node") -> bool:
    """Whether an expression is neither a bracketed callee, nor an assignment target."""
    around = node.parent
    if around is not None and around.type == _WITH_TYPES:
        node, around = around, around.parent
    if around is None:
        return True
    if around.type == "call_expression":
        return around.child_by_field_name("function") != node
    return around.type != "assignment_expression" or around.child_by_field_name("left") != node


def is_in_attribute(node: "Node") -> bool:
    while (parent := node.parent) is not None and parent.type == "token_tree":
        node = parent
    return parent is not None and parent.type == "attribute"


def arguments_of(captures: "dict[str, list[Node]]") -> int:
    """How many arguments a call has: those of a list, and blocks of code behind it."""
    passed = [*captures.get("call.args", ()), *captures.get("call.count", ())]
    if not passed:
        return -1
    lists = [node for node in passed if node.type in _ARGUMENT_LISTS]
    inside = sum(not child.type.endswith("comment") for node in lists for child in node.named_children)
    call = passed[0].parent if passed[0].type in _OF_KOTLIN else None
    behind = call.next_named_sibling if call is not None else None
    return inside + len(passed) - len(lists) + (behind is not None and behind.type == "annotated_lambda")
