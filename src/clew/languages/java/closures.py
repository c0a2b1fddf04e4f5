"""Java: parameters of untyped lambdas, typed by their context: `cards.forEach(card -> card.pay())`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from clew.languages.member_names import KEY, VALUE, PassedValue
from clew.languages.profile import THERE, PatternBinding

MOST = 64  # arguments or parameters; more are a table

if TYPE_CHECKING:
    from tree_sitter import Node

_ONE, _TWO, _SAME = (0,), (0, 1), (0, 0)
_INTERFACES = {  # what functions of Java's own types are given, by the places of their arguments
    **dict.fromkeys(
        "Consumer Predicate Function UnaryOperator ToIntFunction ToLongFunction ToDoubleFunction".split(), _ONE
    ),
    **dict.fromkeys("BiConsumer BiPredicate BiFunction ToIntBiFunction".split(), _TWO),
    **dict.fromkeys("BinaryOperator Comparator".split(), _SAME),
}
_CALLED = {"method_invocation": "name", "object_creation_expression": "type"}
_DECLARING = frozenset({"local_variable_declaration", "field_declaration"})


def untyped_parameters(function: "Node") -> Iterator[PatternBinding]:
    """The untyped parameters of a function, and the source of their types."""
    taken, around = function.child_by_field_name("parameters"), function.parent
    if taken is None or around is None or taken.type not in ("identifier", "inferred_parameters"):
        return
    names = [taken] if taken.type == "identifier" else taken.named_children
    call = around.parent
    if around.type == "argument_list" and call is not None and call.type in _CALLED:
        if around.named_child_count > MOST:
            return
        number = [one for one in around.named_children if not one.type.endswith("comment")].index(function)
        called = call.child_by_field_name(_CALLED[call.type])
        first = call if call.type == "method_invocation" else called
        for place, name in _elements(call, called, names):
            yield PatternBinding("assigned", name, THERE, first, (PassedValue(place, number),), called)
    elif (type_ := _expected_type(around)) is not None:
        told = _interface_parameters(type_)
        for index, name in enumerate(names):
            if told is None:
                yield PatternBinding("wanted", name, THERE, type_, (PassedValue(index),))
            elif index < len(told):
                yield PatternBinding("typed", name, THERE, told[index])


def callback_types(type_: "Node") -> Iterator[tuple[PassedValue, "Node"]]:
    """The arguments that a function passes to its callbacks, by Java's functional interfaces."""
    taken = type_.parent
    if (
        taken is None
        or taken.parent is None
        or taken.parent.named_child_count > MOST
        or not (told := _interface_parameters(type_))
    ):
        return
    number = [one for one in taken.parent.named_children if one.type == "formal_parameter"].index(taken)
    for place, given in enumerate(told):
        yield PassedValue(place, number), given


def _interface_parameters(type_: "Node") -> list["Node"] | None:
    """The parameters of a functional interface, if it is one of Java's own."""
    if type_.type != "generic_type":
        return None
    name, arguments = type_.named_children[0], type_.named_children[-1]
    places = _INTERFACES.get((name.text or b"").decode("utf-8", "replace").rpartition(".")[2])
    if places is None:
        return None
    types = [
        one.named_children[-1] if one.type == "wildcard" and one.named_children else one
        for one in arguments.named_children
    ]
    return [types[place] for place in places] if types and max(places) < len(types) else []


def _elements(call: "Node", called: "Node | None", names: list["Node"]) -> list[tuple[int, "Node"]]:
    """The names by place; keys and values, of which a map holds the values, and of pairs of them nothing."""
    on = call.child_by_field_name("object")
    if on is not None and b"entrySet(" in (on.text or b""):
        return []
    is_map = len(names) == 2 and called is not None and called.text in (b"forEach", b"replaceAll")
    places = (KEY, VALUE) if is_map else range(len(names))
    return list(zip(places, names, strict=False))


def _expected_type(around: "Node") -> "Node | None":
    """The expected type of an expression, by its assignment or return."""
    above: Node | None = around.parent
    if around.type == "return_statement":
        while above is not None and above.type not in ("method_declaration", "lambda_expression"):
            above = above.parent
    elif around.type != "variable_declarator" or above is None or above.type not in _DECLARING:
        return None
    return above.child_by_field_name("type") if above is not None else None
