"""Narrowing by Python's type tests: behind `isinstance(x, Card)`, and in `case Card():`, x is a Card."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from clew.index.facts import Call, NarrowedValue, Values
from clew.index.python.annotations import value_of_type
from clew.index.python.file import PythonFile, union
from clew.index.python.scopes import PythonScope

if TYPE_CHECKING:
    from tree_sitter import Node

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
