"""TypeScript and JavaScript: parameters of untyped functions, typed by their context.

`use((card) => card.pay())` gets the arguments of `use`'s parameter; `const pay: Payer = (card) => …` and a function
returned as a `Payer` get those of the type. So do functions in objects, by their keys.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from clew.languages.member_names import ITSELF, PROMISED, MemberName, PassedValue, TakenValue
from clew.languages.profile import THERE, PatternBinding

MOST = 64  # arguments or parameters; more are a table

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_AROUND = 8  # types that another is part of

_AROUND = frozenset({"parenthesized_expression", "satisfies_expression", "as_expression", "object"})
_IN_TYPES = frozenset({"parenthesized_type", "union_type", "type_annotation"})
_TAKING = frozenset({"required_parameter", "optional_parameter"})
_TYPED = frozenset({"variable_declarator", "public_field_definition"})
_NAMED = frozenset({"type_alias_declaration", "property_signature"})
_FUNCTIONS = frozenset(
    "arrow_function function_expression function_declaration method_definition generator_function "
    "generator_function_declaration".split()
)
_CALLED = {"call_expression": "function", "new_expression": "constructor"}
_HANDING_ON = frozenset({"then"})  # what is promised


def untyped_parameters(function: "Node") -> Iterator[PatternBinding]:
    """The untyped parameters of a function, and the source of their types."""
    names = _parameters_without_type(function)
    if not names:
        return
    given, keys = _outermost(function)
    around = given.parent
    if around is not None and around.type == "arguments":
        yield from _callback_parameters(around, given, keys, names)
    elif (type_ := _expected_type(given)) is not None:
        for place, name in names:
            yield PatternBinding("wanted", name, THERE, type_, (*keys, PassedValue(place)))


def _outermost(function: "Node") -> tuple["Node", list[str]]:
    """The outermost expression around a function that is passed, assigned or returned, and the keys inside it."""
    given, keys = function, list[str]()
    if function.type == "method_definition":
        keys.append(_text(function.child_by_field_name("name")))
    while (around := given.parent) is not None:
        if around.type == "pair":
            keys.insert(0, _text(around.child_by_field_name("key")))
        elif around.type not in _AROUND:
            break
        given = around
    return given, keys


def _callback_parameters(
    arguments: "Node", given: "Node", keys: list[str], names: list[tuple[int, "Node"]]
) -> Iterator[PatternBinding]:
    call = arguments.parent
    called = call.child_by_field_name(_CALLED[call.type]) if call is not None and call.type in _CALLED else None
    if called is None or arguments.named_child_count > MOST:
        return
    number = [one for one in arguments.named_children if one.type != "comment"].index(given)
    member = called.child_by_field_name("property") if called.type == "member_expression" else None
    if member is not None and _text(member) in _HANDING_ON and not keys:
        promised = called.child_by_field_name("object")
        for name in [name for place, name in names if place == number == 0]:
            yield PatternBinding("assigned", name, THERE, promised, (PassedValue(PROMISED),))
        return
    for place, name in names:
        path: tuple[MemberName, ...] = (TakenValue(number), *keys, PassedValue(place))
        path = path if keys else (PassedValue(place, number),)
        yield PatternBinding("assigned", name, THERE, called, path)


def _expected_type(given: "Node") -> "Node | None":
    """The expected type of an expression, by its assignment or return."""
    around = given.parent
    if around is not None and around.type in _TYPED:
        return _annotation_type(around.child_by_field_name("type"))
    if around is not None and around.type == "return_statement":
        while around is not None and around.type not in _FUNCTIONS:
            around = around.parent
    elif around is None or around.type != "arrow_function":
        return None
    return _annotation_type(around.child_by_field_name("return_type")) if around is not None else None


def _parameters_without_type(function: "Node") -> list[tuple[int, "Node"]]:
    """By place."""
    if (alone := function.child_by_field_name("parameter")) is not None:
        return [(0, alone)]
    taken = function.child_by_field_name("parameters")
    found: list[tuple[int, Node]] = []
    for place, one in enumerate(_parameters(taken)):
        name = one.child_by_field_name("pattern") if one.type in _TAKING else one
        if name is not None and name.type == "identifier" and one.child_by_field_name("type") is None:
            found.append((place, name))
    return found


def _parameters(taken: "Node | None") -> list["Node"]:
    """But for `this`, which nobody passes."""
    if taken is None or taken.named_child_count > MOST:
        return []
    return [one for one in taken.named_children if one.type != "comment" and not _is_this(one)]


def _is_this(parameter: "Node") -> bool:
    name = parameter.child_by_field_name("pattern")
    return name is not None and name.type == "this"


def _annotation_type(annotation: "Node | None") -> "Node | None":
    return annotation.named_children[0] if annotation is not None and annotation.named_children else None


def callback_types(signature: "Node") -> Iterator[tuple[PassedValue, "Node"]]:
    """The arguments of a function type, by place: of a parameter with its place, of a named type."""
    around = signature.parent
    for _ in range(MOST_AROUND):
        if around is None or around.type not in _IN_TYPES:
            break
        around = around.parent
    function = ITSELF
    if around is not None and around.type in _TAKING:
        places = _parameters(around.parent)
        if around not in places:
            return
        function = places.index(around)
    elif signature.type == "function_type" and (around is None or around.type not in _NAMED):
        return
    for place, one in enumerate(_parameters(signature.child_by_field_name("parameters"))):
        if (type_ := _annotation_type(one.child_by_field_name("type"))) is not None:
            yield PassedValue(place, function), type_


def _text(node: "Node | None") -> str:
    return (node.text or b"").decode("utf-8", "replace") if node is not None else ""
