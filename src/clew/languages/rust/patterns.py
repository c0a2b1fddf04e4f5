"""Rust: the bindings of patterns, name by name, and the members of destructured tuples.

`State::Charged(by)` determines the value of `by` by itself: the first field of that variant. Fields without a name
have their position, `0`; an enum has those of a variant by its name, too: `Charged$0`, `Failed$reason`.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from clew.languages.member_names import MemberName, PassedValue
from clew.languages.profile import THERE, PatternBinding

if TYPE_CHECKING:
    from tree_sitter import Node


_WRAPPING = frozenset({"Some", "Ok"})
_INSIDE = frozenset({"mut_pattern", "ref_pattern", "reference_pattern"})
_GIVING = frozenset({"call_expression", "try_expression", "await_expression", "macro_invocation"})
_BRANCHES = frozenset({"match_expression", "if_expression", "else_clause", "match_block", "unsafe_block"})
_NOTHING = frozenset(
    "return_expression break_expression continue_expression integer_literal float_literal "
    "boolean_literal string_literal raw_string_literal char_literal unit_expression array_expression range_expression "
    "binary_expression closure_expression for_expression while_expression loop_expression tuple_expression".split()
)
_Path = tuple[MemberName, ...]
_PLACES = ("assigned", "second", "third")  # of what a function gives, if that is several


def pattern_bindings(node: "Node") -> Iterator[PatternBinding]:
    """The bindings of a statement, a condition, an arm, a loop or the head of a function by its patterns."""
    pattern, value = node.child_by_field_name("pattern"), node.child_by_field_name("value")
    if node.type == "closure_parameters":
        called, given = _callee_and_position(node.parent)
        for place, one in enumerate(node.named_children):
            told = (PassedValue(place, given),) if called is not None else ()
            yield from _unfold(one, called, "assigned", THERE, told) if one.type != "parameter" else ()
    elif node.type == "match_arm" and pattern is not None:
        first, block = pattern.named_children[:1], node.parent
        matched = block.parent.child_by_field_name("value") if block is not None and block.parent is not None else None
        for one in first:
            yield from _unfold(one, matched, "assigned", one.end_byte)
    elif node.type == "for_expression" and pattern is not None and value is not None:
        yield from _of_loop(pattern, value)
    elif node.type == "parameter" and pattern is not None:
        yield from _unfold(pattern, None, "local", pattern.end_byte) if pattern.type != "identifier" else ()
    elif pattern is not None and value is not None:
        is_told = node.child_by_field_name("type") is not None or value.type in ("struct_expression",)
        if not (pattern.type == "identifier" and (is_told or value.type == "closure_expression")):
            for leaf in _leaves(value):
                yield from _unfold(pattern, leaf, "assigned", value.end_byte)


def _callee_and_position(closure: "Node | None") -> tuple["Node | None", int]:
    """The callee that a closure is passed to, and its position."""
    given = closure
    while given is not None and given.parent is not None and given.parent.type == "reference_expression":
        given = given.parent
    passed = given.parent if given is not None else None
    call = passed.parent if passed is not None and passed.type == "arguments" else None
    if given is None or passed is None or call is None or call.type != "call_expression":
        return None, 0
    return call.child_by_field_name("function"), passed.named_children.index(given)


def callback_types(node: "Node") -> Iterator[tuple[PassedValue, "Node"]]:
    """The argument types that a function passes to its callbacks, by their positions: `FnOnce(&Scope)`."""
    inner: Node | None = node
    while inner is not None and inner.type not in ("parameter", "type_parameter", "where_predicate"):
        inner = inner.parent
    function = inner
    while function is not None and function.type not in ("function_item", "function_signature_item", "impl_item"):
        function = function.parent
    taken = function.child_by_field_name("parameters") if function is not None else None
    types = node.child_by_field_name("parameters")
    if inner is None or taken is None or types is None:
        return
    name = inner.child_by_field_name("name") or inner.child_by_field_name("left")
    all_ = [one for one in taken.named_children if one.type == "parameter"]
    for given, one in enumerate(all_):
        written = one.child_by_field_name("type")
        if one == inner or (name is not None and written is not None and _is_type(written, _text(name))):
            for place, type_ in enumerate(types.named_children):
                yield PassedValue(place, given), type_


def _is_type(node: "Node", name: str) -> bool:
    return _text(node).removeprefix("&").removeprefix("mut ").strip() == name


def _of_loop(pattern: "Node", value: "Node") -> Iterator[PatternBinding]:
    """In a pair, the last is the element: `for (i, card) in cards.iter().enumerate()`."""
    parts = pattern.named_children if pattern.type == "tuple_pattern" else [pattern]
    for one in parts[:-1]:
        yield from _unfold(one, None, "local", value.end_byte)
    for one in parts[-1:]:
        yield from _unfold(one, value, "each", value.end_byte)


def _leaves(value: "Node") -> Iterator["Node | None"]:
    """The possible results of an expression: for branches, the last expression of each."""
    if value.type == "block":
        last = value.named_children[-1] if value.named_children else None
        if last is not None and last.type == "expression_statement" and not (last.text or b"").endswith(b";"):
            last = last.named_children[0]
        yield from _leaves(last) if last is not None else ()
    elif value.type in _BRANCHES:
        inner = [value.child_by_field_name(one) for one in ("body", "consequence", "alternative")]
        for one in filter(None, inner if any(inner) else value.named_children):
            yield from _leaves(one)
    elif value.type == "match_arm":
        given = value.child_by_field_name("value")
        yield from _leaves(given) if given is not None else ()
    elif value.type == "tuple_expression":
        yield value
    else:
        yield value if value.type not in _NOTHING and not _is_list(value) else None


def _is_list(value: "Node") -> bool:
    """`vec![1, 2]`, which a chain would be an element of."""
    return value.type == "macro_invocation" and (value.text or b"").endswith(b"]")


def _unfold(pattern: "Node", value: "Node | None", kind: str, end: int, path: _Path = ()) -> Iterator[PatternBinding]:
    """The names in a pattern that matches a value, or a member of the value's type."""
    if pattern.type in ("identifier", "shorthand_field_identifier"):
        if (pattern.text or b"A")[:1].islower() or (pattern.text or b"").startswith(b"_"):  # else it is a constant
            is_known = value is not None and (value.type != "tuple_expression" or bool(path))
            yield (
                PatternBinding(kind, pattern, end, value, path) if is_known else PatternBinding("local", pattern, end)
            )
    elif pattern.type in _INSIDE:
        yield from _unfold(pattern.named_children[-1], value, kind, end, path) if pattern.named_children else ()
    elif pattern.type in ("or_pattern", "captured_pattern"):
        for one in pattern.named_children:
            yield from _unfold(one, value, kind, end, path)
    elif pattern.type == "tuple_struct_pattern":
        yield from _of_variant(pattern, value, kind, end, path)
    elif pattern.type == "struct_pattern":
        yield from _of_struct(pattern, end)
    elif pattern.type == "tuple_pattern":
        yield from _of_tuple(pattern, value, kind, end, path)
    elif pattern.type == "slice_pattern":
        for one in pattern.named_children:
            yield from _unfold(one, None, "local", end)


def _of_struct(pattern: "Node", end: int) -> Iterator[PatternBinding]:
    """The fields of a struct; those of a variant by its name, where the pattern tells that it is one."""
    holder = pattern.child_by_field_name("type")
    *around, last = _text(holder).split("::") if holder is not None else [""]
    variant = f"{last}$" if around and around[-1][:1].isupper() else ""
    for one in pattern.named_children:
        name, inner = one.child_by_field_name("name"), one.child_by_field_name("pattern")
        if one.type == "field_pattern" and name is not None:
            yield from _unfold(inner or name, holder, "assigned", end, (f"{variant}{_text(name)}",))


def _of_variant(pattern: "Node", value: "Node | None", kind: str, end: int, path: _Path) -> Iterator[PatternBinding]:
    holder, *parts = [one for one in pattern.children if one.type not in ("(", ")", ",")]
    name = _text(holder).rpartition("::")[2].partition("<")[0].strip()
    for place, one in enumerate(parts):
        if name in _WRAPPING:
            yield from _unfold(one, value, kind, end, path)
        elif one.type == "remaining_field_pattern":
            break
        else:
            yield from _unfold(one, holder, "assigned", end, (f"{name}${place}",))


def _of_tuple(pattern: "Node", value: "Node | None", kind: str, end: int, path: _Path) -> Iterator[PatternBinding]:
    """The results of a function by position; a tuple expression is destructured directly."""
    parts = [one for one in pattern.children if one.type not in ("(", ")", ",")]
    given = value.named_children if value is not None and value.type == "tuple_expression" and not path else []
    is_several = value is not None and value.type in _GIVING and kind == "assigned" and not path
    for place, one in enumerate(parts):
        if len(given) == len(parts):
            yield from _unfold(one, next(_leaves(given[place]), None), kind, end)
        elif is_several and place < len(_PLACES):
            yield from _unfold(one, value, _PLACES[place], end)
        else:
            yield from _unfold(one, None, "local", end)


def fields_of(node: "Node") -> Iterator[tuple[str, "Node"]]:
    """The fields of a tuple that has a name, or of a variant, as patterns find them, and their types."""
    body, name = node.child_by_field_name("body"), node.child_by_field_name("name")
    if body is None or name is None:
        return
    for place, one in enumerate(body.children_by_field_name("type")):
        yield f"{_text(name)}${place}", one
        if node.type == "struct_item":
            yield str(place), one
    for one in body.named_children if body.type == "field_declaration_list" else ():
        field, type_ = one.child_by_field_name("name"), one.child_by_field_name("type")
        if field is not None and type_ is not None:
            yield f"{_text(name)}${_text(field)}", type_


def results_of(written: str) -> list[str]:
    """The types of a function's several results: `(Sender, Receiver)`."""
    depth, start, parts = 0, 1, list[str]()
    for i, char in enumerate(written):
        if char == "," and depth == 1:
            parts.append(written[start:i].strip())
            start = i + 1
        depth += (char in "(<[") - (char in ")]" or (char == ">" and written[i - 1] != "-"))
    return [*parts, last] if (last := written[start:-1].strip()) else parts


def _text(node: "Node") -> str:
    return (node.text or b"").decode("utf-8", "replace")
