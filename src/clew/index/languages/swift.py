"""Swift: the type of an implicit member such as `.init()`, from the expected type."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from clew.index.facts import LAST, PASSED
from clew.index.languages.closures import MOST
from clew.index.languages.rust_patterns import THERE, PatternBinding

if TYPE_CHECKING:
    from tree_sitter import Node


# Swift: parameters of untyped closures, typed by their context: `withApp { app in app.run() }`.

_LAMBDA, _PARAMETER, _SUFFIX, _ALIAS = "lambda_literal", "parameter", "call_suffix", "typealias_declaration"
_AROUND = frozenset({"tuple_type_item", "tuple_type", "optional_type"})
_NAMES = (b"$0", b"$1", b"$2")  # of what a function takes that does not say so


def untyped_parameters(function: "Node") -> Iterator[PatternBinding]:
    """The untyped parameters of a closure, and the function that passes them."""
    suffix, number = _call_and_position(function)
    called = suffix.prev_named_sibling if suffix is not None else None
    for place, name in _named_parameters(function) if called is not None else ():
        yield PatternBinding("assigned", name, THERE, called, f"{PASSED}{number}${place}")


def _call_and_position(function: "Node") -> tuple["Node | None", str]:
    """The call that a closure is passed to, and its position: any within the brackets, the last behind them."""
    around = function.parent
    if around is not None and around.type == _SUFFIX:
        behind = [one for one in around.named_children if one.type == _LAMBDA]
        return (around, LAST) if len(behind) == 1 else (None, "")
    passed = around.parent if around is not None and around.type == "value_argument" else None
    if around is None or passed is None or passed.named_child_count > MOST:
        return None, ""
    suffix = passed.parent
    return (suffix, str(passed.named_children.index(around))) if suffix and suffix.type == _SUFFIX else (None, "")


def _named_parameters(function: "Node") -> Iterator[tuple[int, "Node"]]:
    head = function.child_by_field_name("type")
    if head is None:
        yield from _shorthand_parameters(function)
        return
    parts = [one for one in head.named_children if one.type == "lambda_function_type_parameters"]
    for place, one in enumerate(parts[0].named_children if parts else ()):
        names = one.children_by_field_name("name")
        if len(names) == 1:  # else there is a type behind it
            yield place, names[0]


def _shorthand_parameters(function: "Node") -> Iterator[tuple[int, "Node"]]:
    """The first use of `$0`; uses in a nested closure belong to that one."""
    if b"$" not in (function.text or b""):
        return
    todo, found = [*reversed(function.named_children)], set[int]()
    while todo:
        node = todo.pop()
        if node.type == "simple_identifier" and node.text in _NAMES and (place := _NAMES.index(node.text)) not in found:
            found.add(place)
            yield place, node
        if node.type != _LAMBDA:
            todo += reversed(node.named_children)


def callback_types(type_: "Node") -> Iterator[tuple[str, "Node"]]:
    """The arguments that a function passes to its callbacks, by place, and if it is the last; those of a named type."""
    taken = type_.parent
    while taken is not None and taken.type in _AROUND:
        taken = taken.parent
    if taken is not None and taken.type == _ALIAS:
        yield from ((f"{PASSED}{place}", given) for place, given in enumerate(_function_type_parameters(type_)))
    above = taken.parent if taken is not None and taken.type == _PARAMETER else None
    if taken is None or above is None:
        return
    all_ = [one for one in above.named_children if one.type == _PARAMETER]
    number = all_.index(taken)
    is_last = not any(_takes_function(one) for one in all_[number + 1 :])
    for place, given in enumerate(_function_type_parameters(type_)):
        yield f"{PASSED}{number}${place}", given
        if is_last:
            yield f"{PASSED}{LAST}${place}", given


def _takes_function(parameter: "Node") -> bool:
    return any(b"->" in (one.text or b"") for one in parameter.children_by_field_name("name")[1:])


def _function_type_parameters(type_: "Node") -> list["Node"]:
    """The parameter types, which the grammar misreads as a part of `@escaping` before longer types."""
    params = type_.child_by_field_name("params")
    if params is not None and params.type == "tuple_type":
        items = [one.children_by_field_name("name")[-1:] for one in params.named_children]
        return [one for some in items for one in some]
    before = type_.prev_named_sibling
    marks = before.named_children if before is not None and before.type == "type_modifiers" else []
    return [one for one in marks[-1].named_children if one.type == "simple_identifier"] if marks else []


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
