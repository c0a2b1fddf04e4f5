"""The possible values of Python expressions: names, members, elements, operators, literals."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from clew.index.facts import Attr, Call, NarrowedValue, Values
from clew.languages.python.extract.annotations import value_of_type
from clew.languages.python.extract.file import BUILTIN, Handler, PythonFile, is_builtin, union
from clew.languages.python.extract.scopes import PythonScope

if TYPE_CHECKING:
    from tree_sitter import Node


# Narrowing by Python's type tests: behind `isinstance(x, Card)`, and in `case Card():`, x is a Card.

_TEST = b"isinstance("


def narrow_by_test(self: PythonFile, test: "Node | None", scope: PythonScope) -> None:
    """`if isinstance(x, Card):` inside, x is a Card."""
    for name, found in _test_facts(self, test, scope):
        scope.now[name] = _narrow_values(scope.lookup(name), found)


@contextmanager
def narrowed_by_test(self: PythonFile, test: "Node", scope: PythonScope) -> Iterator[None]:
    """For the part of an expression that a test stands before."""
    told = list(_test_facts(self, test, scope))
    before = {name: scope.now.get(name) for name, _ in told}
    for name, found in told:
        scope.now[name] = _narrow_values(scope.lookup(name), found)
    yield
    for name, values in before.items():
        if values is None:
            del scope.now[name]
        else:
            scope.now[name] = values


def narrow_case(self: PythonFile, pattern: "Node", subject: "Node | None", scope: PythonScope) -> None:
    """`case Card() as one:` inside, one is a Card, and so is the subject if it is a name."""
    inner = pattern.named_children[0] if pattern.named_children else pattern
    parts = inner.named_children if inner.type == "as_pattern" else [inner]
    kinds = parts[0].named_children if parts[0].type == "case_pattern" and parts[0].named_children else parts[:1]
    kinds = kinds[0].named_children if kinds[0].type == "union_pattern" else kinds
    found = union(*(value_of_type(self, one.named_children[0], scope) for one in kinds if one.type == "class_pattern"))
    names = [self.text(one) for one in [*parts[1:], subject] if one is not None and one.type == "identifier"]
    for name in names if found else ():
        if scope.binds(name):
            scope.now[name] = _narrow_values(scope.lookup(name), found)


def _test_facts(self: PythonFile, test: "Node | None", scope: PythonScope) -> Iterator[tuple[str, Values]]:
    if test is not None and test.type in ("boolean_operator", "parenthesized_expression"):
        if test.type == "parenthesized_expression" or test.children[1].type == "and":
            for part in test.named_children:
                yield from _test_facts(self, part, scope)
        return
    if test is None or test.type != "call" or not self.source.startswith(_TEST, test.start_byte):
        return
    arguments = [child for child in test.named_children[-1].named_children if child.type != "comment"]
    if len(arguments) != 2 or arguments[0].type != "identifier":
        return
    name = self.text(arguments[0])
    kinds = arguments[1].named_children if arguments[1].type == "tuple" else [arguments[1]]
    found = union(*(value_of_type(self, kind, scope) for kind in kinds))
    if found and scope.binds(name):
        yield name, found


def _narrow_values(values: Values, objects: Values) -> Values:
    """A value known to be one of some objects: these, and those of its values that are of their classes or
    subclasses."""
    kinds = tuple(one.by for one in objects if isinstance(one, Call))
    if len(kinds) < len(objects):
        return union(values, objects)
    return union(tuple(NarrowedValue(value, kinds) for value in values), objects)


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
