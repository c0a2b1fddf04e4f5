"""Python's statements, read in order: their bindings and control flow."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from clew.index.facts import Call, ImportedName, Values
from clew.languages.python.extract.annotations import (
    alias_classes,
    classes_of,
    is_scalar,
    record_calls_in_type,
    value_of_type,
)
from clew.languages.python.extract.bindings import captured_names, imported_names
from clew.languages.python.extract.definitions import read_decorated, read_definition
from clew.languages.python.extract.expressions import narrow_by_test, narrow_case, read_for_calls
from clew.languages.python.extract.file import PythonFile, Walk, passed_values, union
from clew.languages.python.extract.scopes import PythonScope
from clew.model.code import Import

if TYPE_CHECKING:
    from tree_sitter import Node

_CALLS = ("call", "await")
_ASIDE = ("comment", "ERROR")
_BRACKETS = ("parenthesized_expression", "tuple")
_ALIASING = ("subscript", "binary_operator")
_PLAIN = 3  # parts of an assignment: name, sign, value


def _expression(self: PythonFile, node: "Node", scope: PythonScope) -> bool:
    for child in node.children:  # a comma among them says nothing
        kind = child.type
        if kind == "assignment":
            _assignment(self, child, scope)
        elif kind == "augmented_assignment":
            _augmented_assignment(self, child, scope)
        else:
            self.value(child, scope)
            if kind in _CALLS:
                self.drop_result()
    return True


def _assignment(self: PythonFile, node: "Node", scope: PythonScope) -> Values:
    """Bind all targets of an assignment; returns the values."""
    left, right, kind = _sides(node)
    values: Values = ()
    if right is not None:
        values = _assignment(self, right, scope) if right.type == "assignment" else _right_side(self, right, scope)
    if kind is not None:
        declared = value_of_type(self, kind, scope)
        if right is not None and self.text(kind).endswith("TypeAlias"):
            values = classes_of(self, right, scope)
        values = declared if is_scalar(self.text(kind)) else union(values, declared) if declared else values
    if left is None or (right is None and not values):
        return values
    if not scope.id and left.type == "identifier" and right is not None and self.text(left) == "__all__":
        _offer(self, right)
    self.assign(left, values, scope)
    return values


def _right_side(self: PythonFile, node: "Node", scope: PythonScope) -> Values:
    """The values of a right side; outside of functions it may be a type alias."""
    values = self.value(node, scope)  # in any case: there may be calls in it
    return alias_classes(self, node, scope) or values if node.type in _ALIASING and scope.kind != "function" else values


def _alias(self: PythonFile, node: "Node", scope: PythonScope) -> bool:
    """`type Payer = Card | Cash`."""
    name, kind = node.child_by_field_name("left"), node.child_by_field_name("right")
    if name is not None and kind is not None:
        plain = self.text(name).partition("[")[0].strip()  # behind it is what it takes: `type Pair[T] = …`
        record_calls_in_type(self, kind, scope)
        scope.bind(plain, classes_of(self, kind, scope))
    return True


def _sides(node: "Node") -> "tuple[Node | None, Node | None, Node | None]":
    """The target, the value, and the annotation of an assignment, which most lack."""
    parts = node.children
    if len(parts) == _PLAIN and parts[1].type == "=":
        return parts[0], parts[2], None
    return node.child_by_field_name("left"), node.child_by_field_name("right"), node.child_by_field_name("type")


def _augmented_assignment(self: PythonFile, node: "Node", scope: PythonScope) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return
    of, values = self.value(left, scope), self.value(right, scope)
    self.implicit_call(
        node, scope, of, "__iadd__" if b"+=" in self.source[left.end_byte : right.start_byte] else "__ior__"
    )
    self.store(of, "", self.elements(values, ""), item=True)
    if not scope.id and self.text(left) == "__all__":
        _offer(self, right)


def _offer(self: PythonFile, node: "Node") -> None:
    for child in node.named_children:
        if child.type == "string":
            name = self.text(child).strip("\"'")
            self.exports.append(name)
            self.offers.setdefault(name, self.lines.at(child.start_byte))


def _return(self: PythonFile, node: "Node", scope: PythonScope) -> bool:
    for child in node.children[1:]:
        self.add_return(scope, self.value(child, scope))
    return False


def _raise(self: PythonFile, node: "Node", scope: PythonScope) -> bool:
    """A class that is raised is made first."""
    for place, child in enumerate(node.named_children):
        values = self.value(child, scope)
        if child.type == "call":
            self.drop_result()
        if place == 0 and child.type in ("identifier", "attribute") and passed_values(values):
            self.call(child, scope, self.text(child), values)
    return False


def _leave(self: PythonFile, node: "Node", scope: PythonScope) -> bool:
    return False


def _broken(self: PythonFile, node: "Node", scope: PythonScope) -> bool:
    """The readable parts of a statement with errors."""
    self.statements(node.named_children, scope)
    return True


def _skip(self: PythonFile, node: "Node", scope: PythonScope) -> bool:
    return True


def _if(self: PythonFile, node: "Node", scope: PythonScope) -> bool:
    ways: list[dict[str, Values]] = []
    closed, test = False, None
    for child in node.named_children:
        kind = child.type
        if kind == "block":
            before = dict(scope.now)
            narrow_by_test(self, test, scope)
            if self.block(child, scope):
                ways.append(scope.now)
            scope.now = before
        elif kind == "elif_clause":
            before = dict(scope.now)
            condition, body = child.child_by_field_name("condition"), child.child_by_field_name("consequence")
            if condition is not None:
                self.value(condition, scope)
                narrow_by_test(self, condition, scope)
            if body is None or self.block(body, scope):
                ways.append(scope.now)
            scope.now = before
        elif kind == "else_clause":
            closed = True
            if _clause(self, child, scope):
                ways.append(scope.now)
        elif kind not in _ASIDE:
            test = child
            self.value(child, scope)
    if not closed:
        if not ways and test is not None and test.type == "not_operator":  # the only way on is that it is one
            narrow_by_test(self, test.named_children[0], scope)
        ways.append(scope.now)
    scope.merge_branches(ways)
    return bool(ways)


def _clause(self: PythonFile, node: "Node", scope: PythonScope) -> bool:
    """The block of an `else`, `finally` or `except`."""
    goes_on = True
    for child in node.named_children:
        if child.type == "block":
            goes_on = self.block(child, scope)
    return goes_on


def _assert(self: PythonFile, node: "Node", scope: PythonScope) -> bool:
    for child in node.named_children:
        self.value(child, scope)
    narrow_by_test(self, node.named_children[0] if node.named_children else None, scope)
    return True


def _for(self: PythonFile, node: "Node", scope: PythonScope) -> bool:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    values = self.iterate(right, scope, _a(node)) if right is not None else ()
    return _loop(self, node, scope, left, values)


def _while(self: PythonFile, node: "Node", scope: PythonScope) -> bool:
    return _loop(self, node, scope, None, ())


def _loop(self: PythonFile, node: "Node", scope: PythonScope, target: "Node | None", values: Values) -> bool:
    bound = scope.within.get(node.id, ())
    before = dict(scope.now)
    scope.bind_at_unknown_line(bound)
    test = node.child_by_field_name("condition")
    if test is not None:
        self.value(test, scope)
    if target is not None:
        self.assign(target, values, scope)
    for child in node.named_children:
        if child.type == "block":
            self.block(child, scope)
    scope.merge_branches([scope.now, before])
    for child in node.named_children:
        if child.type == "else_clause":
            _clause(self, child, scope)
    return True


def _with(self: PythonFile, node: "Node", scope: PythonScope) -> bool:
    for clause in node.named_children:
        if clause.type == "with_clause":
            for item in clause.named_children:
                _with_item(self, item, scope, _a(node))
        elif clause.type == "block":
            return self.block(clause, scope)
    return True


def _a(node: "Node") -> str:
    """The prefix of an `async` statement's special methods."""
    return "a" if node.children[0].type == "async" else ""


def _with_item(self: PythonFile, item: "Node", scope: PythonScope, a: str) -> None:
    node = item.named_children[0] if item.type == "with_item" and item.named_children else item
    if node.type in _BRACKETS and any(child.type == "as_pattern" for child in node.named_children):
        for child in node.named_children:
            _with_item(self, child, scope, a)
        return
    parts = node.named_children if node.type == "as_pattern" else [node]
    values = self.value(parts[0], scope)
    entered = self.implicit_call(node, scope, values, f"__{a}enter__")
    self.implicit_call(node, scope, values, f"__{a}exit__")
    for target in parts[1].named_children if len(parts) > 1 else ():
        self.assign(target, entered, scope)


def _try(self: PythonFile, node: "Node", scope: PythonScope) -> bool:
    bound = scope.within.get(node.id, ())
    before, ways = dict(scope.now), []
    goes_on, last = True, True
    for child in node.named_children:
        if child.type == "block":
            goes_on = self.block(child, scope)
        elif child.type == "else_clause":
            goes_on = _clause(self, child, scope) and goes_on
        elif child.type.startswith("except"):
            here, scope.now = scope.now, dict(before)
            scope.bind_at_unknown_line(bound)
            if _except(self, child, scope):
                ways.append(scope.now)
            scope.now = here
        elif child.type == "finally_clause":
            scope.merge_branches(([scope.now] if goes_on else []) + ways)
            last, ways, goes_on = _clause(self, child, scope), [scope.now], bool(ways) or goes_on
            return goes_on and last
    scope.merge_branches(([scope.now] if goes_on else []) + ways)
    return goes_on or bool(ways)


def _except(self: PythonFile, node: "Node", scope: PythonScope) -> bool:
    for child in node.named_children:
        if child.type == "block":
            return self.block(child, scope)
        if child.type == "as_pattern":
            kinds, *targets = child.named_children
            caught = self.value(kinds, scope)
            caught = self.elements(caught) if kinds.type == "tuple" else caught
            for target in (inner for one in targets for inner in one.named_children):
                self.assign(target, tuple(Call(value) for value in caught), scope)
        else:
            self.value(child, scope)
    return True


def _match(self: PythonFile, node: "Node", scope: PythonScope) -> bool:
    subject = node.child_by_field_name("subject")
    values = self.value(subject, scope) if subject is not None else ()
    body = node.child_by_field_name("body")
    ways = [dict(scope.now)]
    for case in body.named_children if body is not None else ():
        if case.type != "case_clause":
            continue
        scope.now = dict(ways[0])
        for child in case.named_children:
            if child.type == "case_pattern":
                for name in captured_names(child, self.source):
                    scope.bind(name, self.elements(values, ""))
                narrow_case(self, child, subject, scope)
            elif child.type == "block":
                if self.block(child, scope):
                    ways.append(scope.now)
            else:
                read_for_calls(self, child, scope)  # the guard
    scope.merge_branches(ways)
    return True


def _import(self: PythonFile, node: "Node", scope: PythonScope) -> bool:
    for module, alias in imported_names(node, self.source):
        line = self.lines.at(node.start_byte)
        self.imports.append(Import(module, (), line, (alias,) if alias else ()))
        scope.bind(alias or module.partition(".")[0], (ImportedName(module if alias else module.partition(".")[0]),))
    return True


def _import_from(self: PythonFile, node: "Node", scope: PythonScope) -> bool:
    named = node.child_by_field_name("module_name")
    module = self.text(named) if named is not None else "__future__"
    line = self.lines.at(node.start_byte)
    if any(child.type == "wildcard_import" for child in node.named_children):
        self.imports.append(Import(module, (), line, (), True))
        self.stars.append(module)
        return True
    found = imported_names(node, self.source) if named is not None else []
    aliases = tuple(alias or name for name, alias in found)
    self.imports.append(Import(module, tuple(name for name, _ in found), line, aliases))
    for (name, _), alias in zip(found, aliases, strict=True):
        scope.bind(alias, (ImportedName(module, name),))
        scope.taken.add(alias)
    return True


STATEMENTS: Mapping[str, Walk] = {
    "expression_statement": _expression,
    "return_statement": _return,
    "raise_statement": _raise,
    "break_statement": _leave,
    "continue_statement": _leave,
    "pass_statement": _skip,
    "comment": _skip,
    "ERROR": _broken,
    "global_statement": _skip,
    "nonlocal_statement": _skip,
    "assert_statement": _assert,
    "if_statement": _if,
    "for_statement": _for,
    "while_statement": _while,
    "with_statement": _with,
    "try_statement": _try,
    "match_statement": _match,
    "type_alias_statement": _alias,
    "import_statement": _import,
    "import_from_statement": _import_from,
    "future_import_statement": _import_from,
    "function_definition": read_definition,
    "class_definition": read_definition,
    "decorated_definition": read_decorated,
}
