"""Swift: the type of an implicit member such as `.init()`, from the expected type."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

_MAKES = b".init"
_ASSIGNED = re.compile(rb"[\w.]+")
_BODIES = frozenset({"function_body", "computed_property", "computed_getter"})
_HANDS_ON = frozenset({"try_expression", "await_expression", "nil_coalescing_expression", "computed_property"})
_WRAPS = frozenset({"optional_type", "existential_type", "opaque_type"})


def implicit_member_callee(callee: "Node", source: bytes) -> bytes:
    """A callee that begins with a dot, prefixed with its type, or with the target of its assignment; unchanged, if
    neither is written."""
    written = source[callee.start_byte : callee.end_byte]
    found = _expected_type(callee.parent)
    if found is None:
        return written
    if found.type == "directly_assignable_expression":
        target = source[found.start_byte : found.end_byte]
        return target + written if _ASSIGNED.fullmatch(target) else written
    type_ = source[found.start_byte : found.end_byte].partition(b"<")[0]
    return type_ if written == _MAKES else type_ + written


def _expected_type(node: "Node | None") -> "Node | None":
    """The expected type of an expression, or the target of its assignment."""
    held = 0
    while node is not None and (around := node.parent) is not None:
        match around.type:
            case "array_literal":
                held += 1
            case "ternary_expression" if around.child_by_field_name("condition") != node:
                pass
            case "control_transfer_statement" if around.children[0].type == "return":
                node = _body_around(around)
                continue
            case "statements" if around.named_child_count == 1 and around.parent and around.parent.type in _BODIES:
                node = around.parent
                continue
            case "assignment":
                return around.child_by_field_name("target") if not held else None
            case "property_declaration":
                return _declared_type(
                    next((one for one in around.children if one.type == "type_annotation"), None), held
                )
            case "function_declaration" | "init_declaration":
                return _declared_type(node.prev_named_sibling if node.type != "function_body" else around, held)
            case kind if kind not in _HANDS_ON:
                return None
        node = around
    return None


def _body_around(node: "Node") -> "Node | None":
    """The body that a `return` leaves."""
    around = node.parent
    while around is not None and around.type not in _BODIES:
        if around.type == "lambda_literal":
            return None
        around = around.parent
    return around


def _declared_type(holder: "Node | None", held: int) -> "Node | None":
    """The declared type of a parameter, a property or a result; or its element type."""
    if holder is None:
        return None
    types = [one for one in holder.children_by_field_name("name") if one.type.endswith("_type")]
    type_ = types[-1] if types else None
    while type_ is not None and type_.type != "user_type":
        if type_.type == "array_type" and held:
            held -= 1
        elif type_.type not in _WRAPS:
            return None
        inner = [one for one in type_.named_children if one.type.endswith("_type")]
        type_ = inner[0] if inner else None
    return type_ if not held else None
