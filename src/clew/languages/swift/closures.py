"""Swift: parameters of untyped closures, typed by their context: `withApp { app in app.run() }`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from clew.languages.member_names import LAST, PassedValue
from clew.languages.profile import THERE, PatternBinding

MOST = 64  # arguments or parameters; more are a table

if TYPE_CHECKING:
    from tree_sitter import Node


_LAMBDA, _PARAMETER, _SUFFIX, _ALIAS = "lambda_literal", "parameter", "call_suffix", "typealias_declaration"
_AROUND = frozenset({"tuple_type_item", "tuple_type", "optional_type"})
_NAMES = (b"$0", b"$1", b"$2")  # of what a function takes that does not say so


def untyped_parameters(function: "Node") -> Iterator[PatternBinding]:
    """The untyped parameters of a closure, and the function that passes them."""
    suffix, number = _call_and_position(function)
    called = suffix.prev_named_sibling if suffix is not None else None
    for place, name in _named_parameters(function) if called is not None else ():
        yield PatternBinding("assigned", name, THERE, called, (PassedValue(place, number),))


def _call_and_position(function: "Node") -> tuple["Node | None", int]:
    """The call that a closure is passed to, and its position: any within the brackets, the last behind them."""
    around = function.parent
    if around is not None and around.type == _SUFFIX:
        behind = [one for one in around.named_children if one.type == _LAMBDA]
        return (around, LAST) if len(behind) == 1 else (None, 0)
    passed = around.parent if around is not None and around.type == "value_argument" else None
    if around is None or passed is None or passed.named_child_count > MOST:
        return None, 0
    suffix = passed.parent
    return (suffix, passed.named_children.index(around)) if suffix and suffix.type == _SUFFIX else (None, 0)


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


def callback_types(type_: "Node") -> Iterator[tuple[PassedValue, "Node"]]:
    """The arguments that a function passes to its callbacks, by place, and if it is the last; those of a named type."""
    taken = type_.parent
    while taken is not None and taken.type in _AROUND:
        taken = taken.parent
    if taken is not None and taken.type == _ALIAS:
        yield from ((PassedValue(place), given) for place, given in enumerate(_function_type_parameters(type_)))
    above = taken.parent if taken is not None and taken.type == _PARAMETER else None
    if taken is None or above is None:
        return
    all_ = [one for one in above.named_children if one.type == _PARAMETER]
    number = all_.index(taken)
    is_last = not any(_takes_function(one) for one in all_[number + 1 :])
    for place, given in enumerate(_function_type_parameters(type_)):
        yield PassedValue(place, number), given
        if is_last:
            yield PassedValue(place, LAST), given


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
