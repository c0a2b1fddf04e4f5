"""Python's functions, lambdas and classes: their parameters, their decorators, their bases."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from clew.index.facts import CallResult, Def, Param, This, UnboundName, Values
from clew.languages.python.extract.annotations import is_scalar, value_of_type
from clew.languages.python.extract.bindings import Bindings, bindings, body_of, decorated_in, name_of
from clew.languages.python.extract.file import PythonFile, passed_values
from clew.languages.python.extract.scopes import PythonScope

if TYPE_CHECKING:
    from tree_sitter import Node

LONGEST_DECORATOR = 160
_KEPT = frozenset(
    "staticmethod classmethod property abstractmethod overload cached_property override final abstractproperty".split()
)
_OF_A_PROPERTY = ("setter", "deleter", "getter")
_OF_THE_CLASS = frozenset({"__new__", "__init_subclass__", "__class_getitem__"})
_SPLATS = {"list_splat_pattern": "*", "dictionary_splat_pattern": "**"}
_NAMELESS = ("comment", "tuple_pattern")
_UNTYPED = 5  # parts of a function: `def`, name, parameters, colon, body
_PROMISES, _PROMISE = (b"...", b"raise NotImplementedError"), 2  # behind a docstring
_SEPARATORS = {"keyword_separator": "*", "positional_separator": ""}


def read_decorated(self: PythonFile, node: "Node", scope: PythonScope) -> bool:
    definition = decorated_in(node)
    marks = [child for child in node.named_children if child.type == "decorator"]
    where = self.id_of(definition) if definition is not None else None
    if definition is None or where is None:
        return True
    texts = [self.text(mark).lstrip("@").strip() for mark in marks]
    self.decorators[where] = tuple(text[:LONGEST_DECORATOR] for text in texts)
    makers = [self.value(child, scope) for mark in marks for child in mark.named_children if child.type != "comment"]
    _define(self, definition, scope, where)
    value: Values = (Def(where),)
    if any(text.rpartition(".")[2] in _OF_A_PROPERTY for text in texts):
        return True  # the name is the property still
    if any(text.rpartition(".")[2] == "overload" for text in texts):
        self.overloads.setdefault((scope.id, _name(self, definition)), []).extend(self.returns.get(where, ()))
    for mark, maker, text in zip(reversed(marks), reversed(makers), reversed(texts), strict=False):
        name = text.partition("(")[0]
        if name.rpartition(".")[2] not in _KEPT:
            value = self.call(mark, scope, f"@{name}"[:LONGEST_DECORATOR], maker, (value,))
            value += _wrapped_function(self, text, maker)
        elif maker and type(maker[0]) is not UnboundName:  # a tree may have a `cached_property` of its own
            self.call(mark, scope, name[:LONGEST_DECORATOR], maker)
    scope.bind(name := _name(self, definition), value)
    scope.held[name] = where
    return True


def _wrapped_function(self: PythonFile, text: str, maker: Values) -> Values:
    """`@wraps(f)` makes the next function stand for f."""
    if text.partition("(")[0].rpartition(".")[2] != "wraps":
        return ()
    given = [self.calls[one.call].args for one in maker if isinstance(one, CallResult)]
    return tuple(value for args in given for value in (args[0] if args else ()))


def read_definition(self: PythonFile, node: "Node", scope: PythonScope) -> bool:
    if where := self.id_of(node):
        _define(self, node, scope, where)
        scope.bind(name := _name(self, node), (Def(where),))
        scope.held[name] = where
    return True


def _name(self: PythonFile, node: "Node") -> str:
    name = name_of(node)
    return self.text(name) if name is not None else ""


def _define(self: PythonFile, node: "Node", scope: PythonScope, where: str) -> None:
    if node.type == "class_definition":
        _class(self, node, scope, where)
    else:
        _function(self, node, scope, where)


def _class(self: PythonFile, node: "Node", scope: PythonScope, where: str) -> None:
    named = node.child_by_field_name("superclasses")
    found: Values = ()
    is_record = False
    before, self.user = self.user, where
    for child in named.named_children if named is not None else ():
        if child.type == "subscript":  # Generic[T]
            child = child.named_children[0]
        values = self.value(child, scope)
        is_record = is_record or self.text(child).rpartition(".")[2] == "NamedTuple"
        found += values if child.type not in ("keyword_argument", "comment", "list_splat") else ()
    self.user = before
    if found:
        self.bases[where] = found
    body = body_of(node)
    own = _open(scope, where, "class", bindings(body, self.source) if body is not None else Bindings())
    self.scopes[where] = own
    if body is not None:
        if fields := tuple(_fields(self, body)) if "__init__" not in own.counts else ():
            _accept_fields(self, where, own, fields, by_place=is_record or where in self.decorators)
        self.block(body, own)


def _accept_fields(self: PythonFile, where: str, own: PythonScope, fields: tuple[str, ...], *, by_place: bool) -> None:
    """A generated initialiser takes the fields of its class: data classes, records, models."""
    self.params[where] = fields if by_place else ("*", *fields)
    for name in fields:
        own.add(f".{name}", (Param(where, f".{name}"),))


def _fields(self: PythonFile, body: "Node") -> Iterator[str]:
    """Annotated names in their order, except class variables and fields excluded from the initialiser."""
    for statement in body.named_children:
        for part in statement.named_children if statement.type == "expression_statement" else ():
            name, kind = part.child_by_field_name("left"), part.child_by_field_name("type")
            if part.type == "assignment" and kind is not None and name is not None and name.type == "identifier":
                given = part.child_by_field_name("right")
                if "ClassVar" not in self.text(kind) and (given is None or "init=False" not in self.text(given)):
                    yield self.text(name)


def _open(scope: PythonScope, where: str, kind: str, bound: Bindings) -> PythonScope:
    own = PythonScope(where, kind, scope, bound.counts, bound.within)
    outer: PythonScope | None = scope if bound.enclosing or bound.outer else None
    while outer is not None:
        for name in bound.enclosing:
            if outer.kind == "function" and outer.binds(name):
                own.elsewhere.setdefault(name, outer)
        if outer.parent is None:
            own.elsewhere |= dict.fromkeys(bound.outer, outer)
            for name in bound.outer:
                outer.counts.setdefault(name, 1)
        outer = outer.parent
    return own


def _function(self: PythonFile, node: "Node", scope: PythonScope, where: str) -> None:
    body = body_of(node)
    own = _open(scope, where, "function", bindings(body, self.source) if body is not None else Bindings())
    self.scopes[where] = own
    before, self.user = self.user, where
    parameters, result = _taken_and_given(node)
    if parameters is not None:
        _parameters(self, parameters, own, scope)
    if result is not None:
        self.add_return(own, value_of_type(self, result, scope))
        if is_scalar(self.text(result)):
            self.told.add(where)
    elif self.overloads and (given := self.overloads.get((scope.id, _name(self, node)))):
        self.add_return(own, tuple(given))
    self.user = before
    if body is not None:
        if scope.kind == "class" and _is_promise(self, body, where):
            self.declared.append(where)
        self.block(body, own)
    self.close_function(own)


def _is_promise(self: PythonFile, body: "Node", where: str) -> bool:
    """Whether a method has nothing to say but that others have to: `...`, or an error."""
    if any("abstract" in mark for mark in self.decorators.get(where, ())):
        return True
    said = body.named_children
    return 0 < len(said) <= _PROMISE and self.source.startswith(_PROMISES, said[-1].start_byte)


def _taken_and_given(node: "Node") -> "tuple[Node | None, Node | None]":
    """The parameters of a function, and its return annotation, which most lack."""
    parts = node.children
    if len(parts) == _UNTYPED and parts[2].type == "parameters" and parts[3].type == ":":
        return parts[2], None
    return node.child_by_field_name("parameters"), node.child_by_field_name("return_type")


def function_expression(self: PythonFile, node: "Node", scope: PythonScope) -> Values:
    """A lambda."""
    own = PythonScope(scope.new_id("lambda"), "function", scope)
    self.scopes[own.id] = own
    self.kinds[own.id] = "function"
    parameters = node.child_by_field_name("parameters")
    if parameters is not None:
        _parameters(self, parameters, own, scope)
    body = node.child_by_field_name("body")
    if body is not None:
        self.add_return(own, self.value(body, own))
    self.close_function(own)
    return (Def(own.id),)


def _parameters(self: PythonFile, node: "Node", own: PythonScope, scope: PythonScope) -> None:
    names: list[str] = []
    for child in node.named_children:
        kind = child.type
        if kind in _SEPARATORS:
            names += filter(None, [_SEPARATORS[kind]])
            continue
        star, name, values, is_told = _parameter(self, child, kind, scope)
        if not name.isidentifier():
            continue
        names.append(f"{star}{name}")
        if star and values:  # what it says is of each of those that it takes
            self.boxes[own.inner(names[-1])], values = {"": values}, ()
        own.counts[name] = own.counts.get(name, 0) + 1
        own.bind(name, values if values and is_told else (Param(own.id, names[-1]), *values))
        if len(names) == 1:
            _receive(self, name, own, scope)
    if names:
        self.params[own.id] = tuple(names)


def _parameter(self: PythonFile, node: "Node", what: str, scope: PythonScope) -> tuple[str, str, Values, bool]:
    """Its stars, its name, the values of its default and its annotation, and whether these are exhaustive."""
    if what == "identifier":
        return "", self.text(node), (), False
    inner = node.child_by_field_name("name") or (node.named_children[0] if node.named_children else node)
    star = _SPLATS.get(what) or _SPLATS.get(inner.type, "")
    name = self.text(inner).lstrip("*")
    values: Values = ()
    if what in _NAMELESS or not name.isidentifier():
        return star, "", values, False
    given, kind = node.child_by_field_name("value"), node.child_by_field_name("type")
    if given is not None:
        values = passed_values(self.value(given, scope))
    if kind is not None:
        values += value_of_type(self, kind, scope)
    return star, name, values, kind is not None and not star and is_scalar(self.text(kind))


def _receive(self: PythonFile, name: str, own: PythonScope, scope: PythonScope) -> None:
    """The first parameter of a method is the object, or the class."""
    marks = self.decorators.get(own.id, ())
    if scope.kind != "class" or "staticmethod" in marks or "<lambda" in own.id:
        return
    of_class = "classmethod" in marks or own.id.rpartition("::")[2] in _OF_THE_CLASS
    value = Def(scope.id) if of_class else This(scope.id)
    own.receiver = (name, value)
    own.names[name] = [value]
    own.now[name] = (value,)
