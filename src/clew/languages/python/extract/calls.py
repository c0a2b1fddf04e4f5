"""Calls in Python code, and the results of a few built-in functions."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from clew.index.facts import (
    DELEGATE,
    QUOTE,
    Attr,
    CallFact,
    CallResult,
    ImportedName,
    ScopedName,
    Subscript,
    Super,
    This,
    UnboundName,
    Values,
)
from clew.index.syntax.call_dataflow import GIVES, TAKES, is_own
from clew.index.syntax.chains import LONGEST
from clew.languages.python.extract.annotations import type_variable_bound, value_of_type
from clew.languages.python.extract.expressions import callee_values, read_for_calls, read_inner
from clew.languages.python.extract.file import (
    BUILTIN,
    Handler,
    PythonFile,
    is_builtin,
    named_children,
    passed_values,
    union,
)
from clew.languages.python.extract.scopes import PythonScope
from clew.model.code import SCOPE

if TYPE_CHECKING:
    from tree_sitter import Node


# Containers that Python code writes down: lists, tuples, sets, dictionaries, and comprehensions of them.

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


_SAME_ELEMENTS = frozenset({"list", "tuple", "sorted", "set", "reversed", "iter", "frozenset", "aiter"})
_GOING_THROUGH = frozenset({"enumerate", "zip", "map", "filter"})
_BY_KEY = frozenset({"sorted", "max", "min"})
_OF_TYPES = re.compile(r"(?:(?:typing(?:_extensions)?|te?)\.)?(?:cast|TypeVar)")
_KEEPING = re.compile(r"(?:functools\.)?lru_cache\([^()]*\)")
_HOLDING = ("closing", "nullcontext")  # what they are given is what `with` gives
_ENTERING = {"enter_context": "__enter__", "enter_async_context": "__aenter__"}
_BY_MODULE = ("gather", "cast", "TypeVar", ")", *_HOLDING, *_ENTERING)
_PUTS = {"append": 0, "add": 0, "appendleft": 0, "insert": 1, "setdefault": 1}  # where what is put in stands
_PUTS_ALL = frozenset({"extend", "update", "extendleft"})
_PUTTING = _PUTS.keys() | _PUTS_ALL

_CLASS = re.compile(r"([\"'])(?:(?P<before>\w+(?:\.\w+)*)\.)?(?P<name>_?[A-Z]\w*[a-z]\w*|self)\1")
_FALLBACK = f"{SCOPE}__getattr__"

_BOTH = GIVES | TAKES
_BY_NAME = frozenset({"keyword_argument", "list_splat", "dictionary_splat", "comment"})  # all but those by place

Passed = tuple[tuple[Values, ...], dict[str, Values]]


_SUPER = UnboundName("super")


def _call(self: PythonFile, node: "Node", scope: PythonScope) -> Values:
    parts = node.children
    function, arguments = parts[0], parts[-1]
    written = self.text(function)
    callee = callee_values(self, function, scope, written)
    args, keywords = _arguments(self, arguments, scope)
    found = _record(self, function, scope, written, callee, (args, keywords))
    first = callee[0] if callee else None
    if type(first) is Attr:
        if args and first.name in _PUTTING:
            _store_in_container(self, first.name, args, callee)
    elif type(first) is UnboundName:
        if first == _SUPER:
            return _super(self, args, scope) or found
        special = _special(self, first, arguments, args, keywords, scope)
        return union(special, found) if special else found
    if written.endswith(_BY_MODULE):
        return union(_known_function_result(self, written, callee, arguments, (args, keywords), scope), found)
    return found


def _record(
    self: PythonFile, function: "Node", scope: PythonScope, written: str, callee: Values, given: Passed
) -> Values:
    by_place, by_name = given
    args: tuple[Values, ...] = ()
    gives = False
    if by_place:
        found = [passed_values(values) for values in by_place]
        while found and not found[-1]:
            found.pop()
        args, gives = tuple(found), any(map(is_own, found))
    keywords: dict[str, Values] = {}
    if by_name:
        keywords = {name: kept for name, values in by_name.items() if (kept := passed_values(values))}
        gives = gives or any(map(is_own, keywords.values()))
    start, end = function.start_byte, function.end_byte
    if "\n" in written or end - start > LONGEST:  # a chain over several lines: each stands where its name does
        written = self.source[start:end].rpartition(b".")[2][-LONGEST:].decode("utf-8", "replace")
        start = (function.children[-1] if function.type == "attribute" else function).start_byte
    calls = self.calls
    calls.append(CallFact(scope.id, self.lines.at(start), written, callee, args, keywords))
    self.flows.append(_BOTH if gives else TAKES)
    return (CallResult(len(calls) - 1),)


def _arguments(self: PythonFile, node: "Node", scope: PythonScope) -> Passed:
    if node.type != "argument_list":  # a generator, which needs no parentheses of its own
        return (self.value(node, scope),), {}
    args: list[Values] = []
    keywords: dict[str, Values] = {}
    for child in named_children(node):
        kind = child.type
        if kind not in _BY_NAME:
            is_class = scope.kind == "class" and not args and kind == "string" and _CLASS.fullmatch(self.text(child))
            args.append(_class_named_in_text(self, is_class, scope) if is_class else self.value(child, scope))
        elif kind == "keyword_argument":
            name, value = child.child(0), child.child(child.child_count - 1)
            if name is not None and value is not None:
                keywords[self.text(name)] = self.value(value, scope)
        elif kind == "list_splat":
            keywords["*"] = union(keywords.get("*", ()), self.value(child, scope))
        elif kind == "dictionary_splat":
            keywords["**"] = union(keywords.get("**", ()), self.value(child, scope))
    return tuple(args), keywords


def _class_named_in_text(self: PythonFile, found: re.Match[str], scope: PythonScope) -> Values:
    """`owner = ForeignKey("pay.Card")` in a class body may give a card on lookup."""
    if found["name"] == "self":
        around, _, own = scope.id.rpartition(SCOPE)
        return (ScopedName(around, own),)
    self.quoted[found["name"]] = None
    return (UnboundName(f"{found['name']}{QUOTE}{found['before'] or ''}"),)


def _super(self: PythonFile, args: tuple[Values, ...], scope: PythonScope) -> Values:
    """The object as an instance of its base class: of the enclosing class, or of the named one."""
    holder = scope
    while holder.kind != "class" and holder.parent is not None:
        holder = holder.parent
    if args and args[0]:
        return tuple(Super(one.scope) for one in args[0] if isinstance(one, This)) or _named_super(self, args[0])
    return (Super(holder.id),) if holder.kind == "class" else ()


def _named_super(self: PythonFile, classes: Values) -> Values:
    found = []
    for one in classes:
        scope = getattr(one, "scope", None)
        name = getattr(one, "name", "")
        holder = f"{scope}{SCOPE}{name}" if scope and name else name or scope
        if holder in self.scopes and self.scopes[holder].kind == "class":
            found.append(Super(holder))
    return tuple(found)


def _special(
    self: PythonFile,
    callee: UnboundName,
    arguments: "Node",
    args: tuple[Values, ...],
    keywords: Mapping[str, Values],
    scope: PythonScope,
) -> Values:
    first = args[0] if args else ()
    name = callee.name
    if name in _BY_KEY and (key := passed_values(keywords.get("key", ()))):
        self.call(arguments, scope, name, key, (self.elements(first),))
    if name in _SAME_ELEMENTS:
        return passed_values(first)
    if name in ("next", "anext"):
        return union(self.elements(first), *map(passed_values, args[1:]))
    if name in ("max", "min"):
        found = self.elements(first) if len(args) == 1 else passed_values(union(*args))
        return union(found, passed_values(keywords.get("default", ())))
    if name in _GOING_THROUGH:
        return _loop_elements(self, name, arguments, args, scope)
    if name == "type" and len(args) == 1:
        return tuple(Attr(value, "__class__") for value in passed_values(first))
    if name == "getattr" and len(args) > 1:
        member = self.key([[c for c in arguments.named_children if c.type != "comment"][1]])
        if not member.isidentifier():
            _delegate(self, first, scope)
            return ()
        return tuple(Attr(value, member) for value in passed_values(first))
    return ()


def _delegate(self: PythonFile, to: Values, scope: PythonScope) -> None:
    """`return getattr(self.real, name)` in `__getattr__` delegates missing members."""
    if scope.id.endswith(_FALLBACK) and scope.parent is not None and scope.parent.kind == "class":
        scope.parent.add(DELEGATE, tuple(value for value in passed_values(to) if type(value) is not This))


def _loop_elements(self: PythonFile, name: str, at: "Node", args: tuple[Values, ...], scope: PythonScope) -> Values:
    """The elements of a loop over `enumerate`, `zip`, `map` or `filter`."""
    through = [self.elements(values) for values in args]
    if name in ("map", "filter") and args:
        made = self.call(at, scope, name, passed_values(args[0]), tuple(through[1:])) if passed_values(args[0]) else ()
        if name == "filter":
            return passed_values(args[-1])
        return self.new_container("generator", scope, {"": made}) if made else ()
    together = [(), *through[:1]] if name == "enumerate" else through
    if not any(together):
        return ()
    pair = self.new_container("tuple", scope, {str(place): values for place, values in enumerate(together)})
    return self.new_container("generator", scope, {"": pair})


def _known_function_result(
    self: PythonFile, written: str, callee: Values, arguments: "Node", given: Passed, scope: PythonScope
) -> Values:
    """The results of a few library functions that depend on the written arguments."""
    args, keywords = given
    name = written.rpartition(".")[2]
    if name in _ENTERING:
        return self.implicit_call(arguments, scope, args[0], _ENTERING[name]) if args else ()
    if name in _HOLDING:
        return self.new_container("tuple", scope, {"0": args[0]}) if args else ()
    if name == "gather":
        is_known = written == "asyncio.gather" or ImportedName("asyncio", "gather") in callee
        held = dict(zip(map(str, range(len(args))), args, strict=True))
        held |= {"": self.elements(keywords["*"])} if "*" in keywords else {}
        return self.new_container("tuple", scope, held) if is_known else ()
    if _OF_TYPES.fullmatch(written) is None:
        return passed_values(args[0]) if args and _KEEPING.fullmatch(written) else ()
    if written.endswith("TypeVar"):
        return type_variable_bound(self, arguments, scope)
    kind = next((child for child in arguments.named_children if child.type != "comment"), None)
    return value_of_type(self, kind, scope) if len(args) == 2 and kind is not None and kind.type == "string" else ()


def _store_in_container(self: PythonFile, name: str, args: tuple[Values, ...], callee: Values) -> None:
    """`found.append(f)`: if it is a container, it now holds f."""
    place = _PUTS.get(name)
    of = tuple(value.of for value in callee if isinstance(value, Attr) and not isinstance(value.of, UnboundName))
    if place is not None and len(args) > place:
        self.store(of, "", args[place], item=True)
    elif place is None:
        self.store(of, "", tuple(Subscript(value, "") for value in passed_values(args[-1])), item=True)


def _yield(self: PythonFile, node: "Node", scope: PythonScope) -> Values:
    """Yielded values are elements of the container that the function returns."""
    delegated = any(child.type == "from" for child in node.children)
    given: Values = ()
    for child in node.named_children:
        given = self.iterate(child, scope) if delegated else self.value(child, scope)
    box = self.boxes.setdefault(scope.inner("<yield>"), {})
    box[""] = union(box.get("", ()), given)
    return ()


CALLS: Mapping[str, Handler] = {"call": _call, "yield": _yield}
