"""Containers that Python code writes down: lists, tuples, sets, dictionaries, and comprehensions of them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from clew.index.facts import Values
from clew.index.python.expressions import read_for_calls, read_inner
from clew.index.python.file import BUILTIN, Handler, PythonFile, is_builtin, named_children, passed_values, union
from clew.index.python.scopes import PythonScope

if TYPE_CHECKING:
    from tree_sitter import Node


_PAIR = 2  # a key and its value, where no comment stands between them


def _sequence(what: str) -> Handler:
    def read(self: PythonFile, node: "Node", scope: PythonScope) -> Values:
        elements: dict[str, Values] = {}
        spread: Values = ()
        for child in named_children(node):
            kind = child.type
            if kind in ("list_splat", "parenthesized_list_splat"):
                spread = union(spread, self.elements(read_inner(self, child, scope)))
            elif kind != "comment":
                elements[str(len(elements))] = self.value(child, scope)
        if what == "set" or spread:
            elements = {"": union(spread, *elements.values())}
        if _is_data(elements):
            return BUILTIN[what]
        return self.new_container(what, scope, elements)

    return read


def _dictionary(self: PythonFile, node: "Node", scope: PythonScope) -> Values:
    elements: dict[str, Values] = {}
    for child in node.named_children:
        if child.type == "pair":
            parts = named_children(child)
            if len(parts) > _PAIR:
                parts = [part for part in parts if part.type != "comment"]
            self.value(parts[0], scope)
            key = self.key(parts[:1])
            elements[key] = union(elements.get(key, ()) if key == "" else (), self.value(parts[-1], scope))
        elif child.type == "dictionary_splat":
            elements[""] = union(elements.get("", ()), self.elements(read_inner(self, child, scope), ""))
    if _is_data(elements):
        return BUILTIN["dict"]
    return self.new_container("dict", scope, elements)


def _is_data(elements: dict[str, Values]) -> bool:
    for values in elements.values():
        if not values or not all(map(is_builtin, values)):
            return False
    return bool(elements)


def _comprehension(what: str) -> Handler:
    def read(self: PythonFile, node: "Node", scope: PythonScope) -> Values:
        outer = dict(scope.inside)
        body, *clauses = (child for child in node.named_children if child.type != "comment")
        for clause in clauses:
            if clause.type == "for_in_clause":
                _loop_names(self, clause, scope)
            else:
                read_for_calls(self, clause, scope)
        if body.type == "pair":
            self.value(body.named_children[0], scope)
            body = body.named_children[-1]
        values = self.value(body, scope)
        scope.inside = outer
        return self.new_container(what, scope, {"": values}) if passed_values(values) else BUILTIN.get(what, ())

    return read


def _loop_names(self: PythonFile, clause: "Node", scope: PythonScope) -> None:
    """The names of a comprehension live in a scope of their own, beside those of the scope around it."""
    left, right = clause.child_by_field_name("left"), clause.child_by_field_name("right")
    if left is None or right is None:
        return
    beside = PythonScope(scope.id, "function")
    self.assign(left, self.iterate(right, scope), beside)
    scope.inside = scope.inside | {name: tuple(values) for name, values in beside.names.items()}


CONTAINERS: Mapping[str, Handler] = {
    "list": _sequence("list"),
    "tuple": _sequence("tuple"),
    "expression_list": _sequence("tuple"),
    "set": _sequence("set"),
    "dictionary": _dictionary,
    "list_comprehension": _comprehension("list"),
    "set_comprehension": _comprehension("set"),
    "dictionary_comprehension": _comprehension("dict"),
    "generator_expression": _comprehension("generator"),
}
