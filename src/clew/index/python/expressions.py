"""The possible values of Python expressions: names, members, elements, operators, literals."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from clew.index.facts import Attr, Values
from clew.index.python.file import BUILTIN, Handler, PythonFile, is_builtin, union
from clew.index.python.narrowing import narrowed_by_test
from clew.index.python.scopes import PythonScope

if TYPE_CHECKING:
    from tree_sitter import Node

LONGEST = 80  # of a chain of names that may lead through modules
_CONSTANTS = frozenset({"None", "True", "False"})  # which are no names
_OPERATORS = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "@": "matmul", "**": "pow",
    "&": "and", "|": "or", "^": "xor", "<<": "lshift", ">>": "rshift",
    "<": "lt", "<=": "le", ">": "gt", ">=": "ge",
}  # fmt: skip


def _attribute(self: PythonFile, node: "Node", scope: PythonScope) -> Values:
    text = self.text(node)
    first, _, name = text.partition(".")
    if name.isidentifier() and first.isidentifier() and first not in _CONSTANTS:
        if scope.is_outer(first):
            self.refer(text, node, scope)
        return self.members(scope.lookup(first), name, node, scope)
    holder = node.child_by_field_name("object")
    if holder is None:
        return ()
    name, kind = self.member(node, holder), holder.type
    if kind == "identifier":
        whole = self.text(holder)
        if scope.is_outer(whole):
            self.refer(f"{whole}.{name}", holder, scope)
        of = scope.lookup(whole)
    else:
        if kind == "attribute" and (chain := _modules(self, holder, scope)):
            self.refer(f"{chain}.{name}", holder, scope)
        of = self.value(holder, scope)
    return self.members(of, name, holder, scope)


def _modules(self: PythonFile, node: "Node", scope: PythonScope) -> str:
    """A chain of names that may be that of a module: `pay.card`."""
    text = self.text(node)
    first = text.partition(".")[0]
    return text if first.isidentifier() and scope.is_outer(first) and len(text) <= LONGEST and text.isascii() else ""


def callee_values(self: PythonFile, node: "Node", scope: PythonScope, written: str) -> Values:
    """A callee is no reference; its receiver is."""
    kind = node.type
    if kind == "identifier":
        return scope.lookup(written)
    if kind != "attribute":
        return self.value(node, scope)
    first, _, name = written.partition(".")
    if name.isidentifier() and first.isidentifier() and first not in _CONSTANTS:
        if scope.is_outer(first):
            self.refer(first, node, scope)
        of = scope.lookup(first)
    else:
        holder = node.child_by_field_name("object")
        if holder is None:
            return ()
        name, of = self.member(node, holder), self.value(holder, scope)
    return (Attr(of[0], name),) if len(of) == 1 else tuple([Attr(value, name) for value in of])


def read_for_calls(self: PythonFile, node: "Node", scope: PythonScope) -> Values:
    """Read an expression only for its calls."""
    for child in node.named_children:
        self.value(child, scope)
    return ()


def read_inner(self: PythonFile, node: "Node", scope: PythonScope) -> Values:
    """The values of the inner expression."""
    found: Values = ()
    for child in node.named_children:
        found = self.value(child, scope) or found
    return found


def _boolean(self: PythonFile, node: "Node", scope: PythonScope) -> Values:
    """`isinstance(card, Card) and card.pay()`."""
    left, *right = node.named_children
    found = [self.value(left, scope)]
    if node.children[1].type != "and":
        return union(*found, *(self.value(child, scope) for child in right))
    with narrowed_by_test(self, left, scope):
        return union(*found, *(self.value(child, scope) for child in right))


def _conditional(self: PythonFile, node: "Node", scope: PythonScope) -> Values:
    first, *others = node.named_children
    with narrowed_by_test(self, others[0] if others else first, scope):
        found = [self.value(first, scope)]
    found += [self.value(child, scope) for child in others]
    return union(*(found[:1] + found[2:]))


def _string(self: PythonFile, node: "Node", scope: PythonScope) -> Values:
    opening = self.source[node.start_byte : node.start_byte + 3].lower()
    prefix = opening.partition(b'"')[0].partition(b"'")[0]
    if b"f" in prefix or b"t" in prefix:
        read_for_calls(self, node, scope)
    return BUILTIN["bytes" if b"b" in prefix else "str"]


def _strings(self: PythonFile, node: "Node", scope: PythonScope) -> Values:
    read_for_calls(self, node, scope)
    return BUILTIN["str"]


def _first(self: PythonFile, node: "Node", scope: PythonScope) -> Values:
    return self.value(node.named_children[0], scope)


def _binary(self: PythonFile, node: "Node", scope: PythonScope) -> Values:
    left = self.value(node.children[0], scope)
    self.value(node.children[-1], scope)
    method = _OPERATORS.get(node.children[1].type)
    if all(map(is_builtin, left)) or method is None:
        return left
    return self.implicit_call(node, scope, left, f"__{method}__")


def _comparison(self: PythonFile, node: "Node", scope: PythonScope) -> Values:
    operands = [self.value(child, scope) for child in node.named_children]
    if len(operands) == 2:
        signs = "".join(child.type for child in node.children if not child.is_named)
        if signs in _OPERATORS:
            self.implicit_call(node, scope, operands[0], f"__{_OPERATORS[signs]}__")
        elif signs in ("in", "notin", "not in"):
            self.implicit_call(node, scope, operands[1], "__contains__")
    return BUILTIN["bool"]


def _subscript(self: PythonFile, node: "Node", scope: PythonScope) -> Values:
    holder, *keys = node.named_children
    of = self.value(holder, scope)
    for key in keys:
        self.value(key, scope)
    if of in _TEXTS:
        return of  # a part of a text is one, too; a number of one byte has no calls
    got = self.implicit_call(node, scope, of, "__getitem__")
    return self.elements(of, self.key(keys)) + got


def _walrus(self: PythonFile, node: "Node", scope: PythonScope) -> Values:
    target, value = node.named_children[0], node.named_children[-1]
    values = self.value(value, scope)
    self.assign(target, values, scope)
    return values


_TEXTS = (BUILTIN["str"], BUILTIN["bytes"])

EXPRESSIONS: Mapping[str, Handler] = {
    "attribute": _attribute,
    "subscript": _subscript,
    "string": _string,
    "concatenated_string": _strings,
    "interpolation": read_for_calls,
    "format_expression": read_for_calls,
    "format_specifier": read_for_calls,
    "binary_operator": _binary,
    "comparison_operator": _comparison,
    "boolean_operator": _boolean,
    "not_operator": read_for_calls,
    "unary_operator": read_for_calls,
    "conditional_expression": _conditional,
    "parenthesized_expression": read_inner,
    "await": read_inner,
    "named_expression": _walrus,
    "slice": read_for_calls,
    "list_splat": read_inner,
    "dictionary_splat": read_inner,
    "as_pattern": _first,
    "keyword_argument": read_for_calls,
    "pair": read_for_calls,
    "chevron": read_for_calls,
}
