"""C#: parameters of untyped lambdas, typed by their context: `shop.Configure(card => card.Pay())`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from clew.languages.member_names import PassedValue
from clew.languages.profile import THERE, PatternBinding

MOST = 64  # arguments or parameters; more are a table

if TYPE_CHECKING:
    from tree_sitter import Node


_GIVING = frozenset({"Func", "Converter"})  # whose last argument is what they give
_TAKING = frozenset({"Action", "Predicate", "EventHandler"})
_AROUND = frozenset({"Expression"})
_CALLED = {"invocation_expression": "function", "object_creation_expression": "type"}


def untyped_parameters(function: "Node") -> Iterator[PatternBinding]:
    """The untyped parameters of a function, and the source of their types."""
    names, around = _parameters_without_type(function), function.parent
    if not names or around is None:
        return
    passed, call = around.parent, around.parent.parent if around.parent is not None else None
    is_passed = around.type == "argument" and passed is not None and passed.named_child_count <= MOST
    if is_passed and passed is not None and call is not None and call.type in _CALLED:
        is_by_name = around.child_by_field_name("name") is not None
        called = call.child_by_field_name(_CALLED[call.type])
        number = [one for one in passed.named_children if one.type == "argument"].index(around)
        for place, name in enumerate(names) if not is_by_name else ():
            yield PatternBinding("assigned", name, THERE, called, (PassedValue(place, number),))
    elif (type_ := _expected_type(around)) is not None:
        for name, told in zip(names, _delegate_parameters(type_), strict=False):
            yield PatternBinding("typed", name, THERE, told)


def callback_types(type_: "Node") -> Iterator[tuple[PassedValue, "Node"]]:
    """The arguments that a function passes to its callbacks, by .NET's delegate types."""
    taken = type_.parent
    if taken is None or taken.parent is None or taken.parent.named_child_count > MOST:
        return
    all_ = [one for one in taken.parent.named_children if one.type == "parameter"]
    extending = bool(all_) and (all_[0].text or b"").lstrip().startswith(b"this ")  # which nobody passes
    number = all_.index(taken) - extending
    for place, given in enumerate(_delegate_parameters(type_)) if number >= 0 else ():
        yield PassedValue(place, number), given


def _parameters_without_type(function: "Node") -> list["Node"]:
    taken = function.child_by_field_name("parameters")
    if taken is None or taken.type == "implicit_parameter":
        return [taken] if taken is not None else []
    parts = [one for one in taken.named_children if one.type == "parameter"]
    names = [one.child_by_field_name("name") for one in parts if one.child_by_field_name("type") is None]
    return [one for one in names if one is not None] if len(names) == len(parts) else []


def _expected_type(around: "Node") -> "Node | None":
    """The expected type of an expression, by its assignment or return."""
    above: Node | None = around.parent
    if around.type == "variable_declarator":
        return above.child_by_field_name("type") if above is not None else None
    if around.type == "arrow_expression_clause":
        pass
    elif around.type == "return_statement":
        while above is not None and above.type not in (
            "method_declaration",
            "lambda_expression",
            "accessor_declaration",
        ):
            above = above.parent
    else:
        return None
    return (above.child_by_field_name("returns") or above.child_by_field_name("type")) if above is not None else None


def _delegate_parameters(type_: "Node") -> list["Node"]:
    """The parameters of a function type, if it is one of .NET's own."""
    if type_.type != "generic_name":
        return []
    name, arguments = type_.named_children[0].text, type_.named_children[-1].named_children
    own = (name or b"").decode("utf-8", "replace")
    if own in _AROUND and arguments:
        return _delegate_parameters(arguments[0])
    return arguments[:-1] if own in _GIVING else arguments if own in _TAKING else []
