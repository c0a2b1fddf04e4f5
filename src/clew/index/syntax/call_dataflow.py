"""The data flow of a call, read from the tree: whether it is a statement, and the text of its arguments."""

import re
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from clew.index.facts import Attr, Call, CallResult, Container, Param, ScopedName, Subscript, Super, This, Value, Values

if TYPE_CHECKING:
    from tree_sitter import Node

GIVES, TAKES = 1, 2  # passes something of the scope's own; uses the result
_WAITING = frozenset({"await_expression", "try_expression"})
LONGEST_GIVEN = 400  # bytes of arguments that are looked at

_CALL = re.compile(r".*(?:call|invocation|new_expression|creation|command|instance_expression|composite_literal)")
_STATEMENTS = frozenset(
    "expression_statement statements statement body_statement block_body then else do source_file program "
    "compilation_unit template_body indented_block list defer_statement go_statement throw_statement".split()
)
_AROUND = ("await_expression", "await", "parenthesized_expression")  # hand on what is inside
_STEPS = 3  # from what is called to the call
_TEXT = re.compile(r"\"(?:\\.|[^\"\\\n])*+\"|'(?:\\.|[^'\\\n])*+'")
_NAME = re.compile(r"(?<![\w.$])[^\W\d][\w$]*+|@\w+|\$\w+")
_OWN = frozenset({Param, CallResult, This, Call, Container})
_OBJECT = (This, Super)
_INSIDE = frozenset({Attr, Subscript})  # of something else
_RESULT = re.compile(r"[\w>]\(")  # a call among the arguments


def call_context(callee: "Node", source: bytes) -> tuple[bool, str]:
    """Whether the result of a call is unused, and the text behind its callee."""
    call: Node | None = callee
    for _ in range(_STEPS):
        call = call.parent if call is not None else None
        if call is None:
            return False, ""
        if _is_call(call.type):
            break
    else:
        return False, ""
    around = call.parent
    call, around = _with_block(call, around)
    given = source[callee.end_byte : min(call.end_byte, callee.end_byte + LONGEST_GIVEN)]
    while around is not None and around.type in _AROUND:
        around = around.parent
    return around is not None and around.type in _STATEMENTS, given.decode("utf-8", "replace")


def _with_block(call: "Node", parent: "Node | None") -> "tuple[Node, Node | None]":
    """The same call and its parent, where Swift's grammar makes the result the callee of a trailing block."""
    inner, around = call, parent
    while around is not None and around.type in _WAITING:
        inner, around = around, around.parent
    suffix = inner.next_named_sibling if around is not None and around.type == call.type else None
    block = suffix.named_children[:1] if suffix is not None and suffix.type == "call_suffix" else []
    if around is not None and block and block[0].type == "lambda_literal":
        return around, around.parent
    return call, parent


@cache
def _is_call(kind: str) -> bool:
    return _CALL.match(kind) is not None


def dataflow_ways(is_statement: bool, given: str, named: Callable[[str], Value | None]) -> int:
    """`named` returns the value of a name at the call's place."""
    found = 0 if is_statement else TAKES
    text = _TEXT.sub("", given).partition("(")[2]
    return found | (GIVES if _RESULT.search(text) or any(map(_is_own, map(named, _NAME.findall(text)))) else 0)


def is_own(values: Values) -> bool:
    """Whether something that is passed is a scope's own: a parameter, a variable, a result."""
    for value in values:
        while (kind := type(value)) in _INSIDE:
            value = value.of  # type: ignore[union-attr]  # which both of these have
        if kind in _OWN or (type(value) is ScopedName and value.scope):
            return True
    return False


def _is_own(value: Value | None) -> bool:
    return isinstance(value, _OBJECT) or (isinstance(value, ScopedName) and bool(value.scope))
