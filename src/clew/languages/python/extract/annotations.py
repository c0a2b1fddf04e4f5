"""From Python's type annotations to values: `Card` is an instance of it, `list[Card]` a container of instances."""

import re
from typing import TYPE_CHECKING

from clew.index.facts import QUOTE, Attr, Call, Def, ImportedName, UnboundName, Value, Values, WrappedType
from clew.languages.python.extract.file import BUILTIN, PythonFile, is_builtin, passed_values, union
from clew.languages.python.extract.scopes import PythonScope

if TYPE_CHECKING:
    from tree_sitter import Node

LONGEST = 200  # of a type that is written in quotes; nobody reads longer ones
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*\Z")
_EITHER = frozenset({"Optional", "Union", "Annotated", "Final", "ClassVar", "Awaitable", "Required", "NotRequired"})
_MANY = frozenset(
    "list List set Set frozenset FrozenSet tuple Tuple Sequence Iterable Iterator Collection Generator AsyncIterator "
    "AsyncIterable AsyncGenerator deque Deque MutableSequence AbstractSet".split()
)
_KEYED = frozenset({"dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "DefaultDict", "OrderedDict"})
_YIELDING = frozenset({"Generator", "AsyncGenerator"})  # what is sent to them, and what they return, is not in them
_TYPES = frozenset({"type", "Type"})
_HOLDING = _EITHER | _MANY | _KEYED | _TYPES
# What Python has itself, of which all that is known are its methods.
_OWN = {**BUILTIN, **{name.title(): BUILTIN[name] for name in ("list", "dict", "set", "tuple")}}
_NONE = (Call(ImportedName("builtins", "None")),)
_UNTOLD = frozenset(
    "object Any Callable Literal Self TypeVar type Type NoReturn Never complex frozenset bytearray memoryview".split()
)
_ALIASED = frozenset({"Optional", "Union", "Annotated"})
_CLASS = re.compile(r"_?[A-Z]\w*[a-z]|_?[A-Z]\Z")
_PARTS = ("type", "generic_type", "type_parameter", "subscript", "union_type", "binary_operator")
_PLAIN = ("identifier", "attribute", "string", "none")
_SCALARS = re.compile(r"\b(?:typing\.|t\.)?(?:str|bytes|int|float|bool|None|Optional|Union)\b|[\s\[\]|,\"']")


def alias_classes(self: PythonFile, node: "Node", scope: PythonScope) -> Values:
    """The classes that a name for a type stands for, as in `Payer = Union[Card, "Cash"]`; none if it is no such."""
    if node.type == "subscript":
        holder = self.text(node.named_children[0]).rpartition(".")[2]
        return classes_of(self, node, scope) if holder in _ALIASED else ()
    return classes_of(self, node, scope) if _is_choice(self, node) else ()


def type_variable_bound(self: PythonFile, node: "Node", scope: PythonScope) -> Values:
    """The class that a type variable is held to, where its name is in quotes."""
    for one in node.named_children:
        if (
            one.type == "keyword_argument"
            and self.text(one.children[0]) == "bound"
            and one.children[-1].type == "string"
        ):
            return classes_of(self, one.children[-1], scope)
    return ()


def classes_of(self: PythonFile, node: "Node", scope: PythonScope) -> Values:
    """Those that a written type names."""
    return _classes(_value_of_type(self, node, scope))


def _classes(types: Values) -> Values:
    return tuple(value.by for value in types if type(value) is Call and not is_builtin(value))


def _is_choice(self: PythonFile, node: "Node") -> bool:
    """`Card | Cash | None`: names of classes, as they are written."""
    if node.type == "binary_operator":
        return node.children[1].type == "|" and all(_is_choice(self, one) for one in node.children[::2])
    return node.type in ("none", "string") or (
        node.type in ("identifier", "attribute") and bool(_CLASS.match(self.text(node).rpartition(".")[2]))
    )


def value_of_type(self: PythonFile, node: "Node", scope: PythonScope) -> Values:
    """The possible values of the type."""
    record_calls_in_type(self, node, scope)
    found = _value_of_type(self, node, scope)
    return found if found != _NONE else ()


def record_calls_in_type(self: PythonFile, node: "Node", scope: PythonScope) -> None:
    """Tell of the calls that a type is written with: `Annotated[Card, Depends(found)]`, `conint(gt=0)`."""
    if "(" in self.text(node):
        for child in node.named_children:
            if child.type in _PARTS:
                record_calls_in_type(self, child, scope)
            elif child.type not in _PLAIN:
                self.value(child, scope)


def _value_of_type(self: PythonFile, node: "Node", scope: PythonScope) -> Values:
    kind = node.type
    if kind == "type":
        return _value_of_type(self, node.named_children[0], scope) if node.named_children else ()
    if kind in ("none", "ellipsis"):
        return _NONE
    if kind in ("identifier", "attribute", "dotted_name"):
        return _named_type(self, self.text(node), node, scope)
    if kind == "string":
        return _quoted_type(self, self.text(node).strip("\"'"), node, scope)
    if kind in ("binary_operator", "union_type"):
        return _either_type([_value_of_type(self, child, scope) for child in node.named_children])
    if kind in ("generic_type", "subscript"):
        return _generic(self, node, scope)
    return ()


def _named_type(self: PythonFile, text: str, at: "Node", scope: PythonScope) -> Values:
    if text == "None":
        return _NONE
    if scope.kind == "class" and text.rpartition(".")[2] == "Self":
        return (Call(Def(scope.id)),)
    return () if text.rpartition(".")[2] in _UNTOLD else _OWN.get(text) or _instances(_chain(self, text, at, scope))


def _either_type(types: list[Values]) -> Values:
    """Text and numbers count only if nothing else is possible: other types have the calls that matter."""
    found = union(*types)
    if all(types) and all(map(is_builtin, found)):
        return tuple(value for value in found if value not in _NONE) or _NONE
    return passed_values(found)


def is_scalar(text: str) -> bool:
    """Whether a type says that a value is text, a number or nothing, and nothing else."""
    return not _SCALARS.sub("", text)


def _quoted_type(self: PythonFile, text: str, at: "Node", scope: PythonScope) -> Values:
    """As `typed`, of a type that is written in quotes: `"Card | None"`, `"list[Card]"`."""
    text = text.strip().strip("\"'")
    if len(text) > LONGEST:
        return ()
    if text == "...":
        return _NONE
    if _DOTTED.match(text):
        found = _named_type(self, text, at, scope)
        if scope.kind != "class" or found != (Call(UnboundName(text)),):
            return found
        self.quoted[text] = None  # what it is put into may know it, as `Mapped["Card"]` does
        return (*found, Call(UnboundName(f"{text}{QUOTE}")))
    parts = _split(text, "|")
    if len(parts) > 1:
        return _either_type([_quoted_type(self, part, at, scope) for part in parts])
    holder, bracket, inner = text.partition("[")
    if not bracket or not inner.endswith("]"):
        return ()
    types = [_quoted_type(self, part, at, scope) for part in _split(inner[:-1], ",")]
    name = holder.strip().rpartition(".")[2]
    if name in _HOLDING:
        return _container_of(self, name, types, scope)
    return _put_into(_quoted_type(self, holder, at, scope), types)


def _split(text: str, mark: str) -> list[str]:
    """A text at the marks that stand in no brackets."""
    parts, depth = [""], 0
    for char in text:
        depth += (char in "[(") - (char in "])")
        if char == mark and not depth:
            parts.append("")
        else:
            parts[-1] += char
    return parts


def _container_of(self: PythonFile, name: str, types: list[Values], scope: PythonScope) -> Values:
    """The value of an alias type or a container type."""
    if name in _EITHER:
        return _either_type(types[:1] if name == "Annotated" else types)
    if name in _TYPES:
        return tuple(value.by for some in types for value in some if isinstance(value, Call))
    elements = _either_type(types[-1:] if name in _KEYED else types[:1] if name in _YIELDING else types)
    if not elements or elements == _NONE:
        return _OWN.get(name, ())
    return self.new_container("dict" if name in _KEYED else "list", scope, {"": elements})


def _generic(self: PythonFile, node: "Node", scope: PythonScope) -> Values:
    holder, *inner = node.named_children
    name = self.text(holder).rpartition(".")[2]
    if inner and inner[0].type == "type_parameter":
        inner = inner[0].named_children
    types = [_value_of_type(self, one, scope) for one in inner]
    if name in _HOLDING:
        return _container_of(self, name, types, scope)
    return _put_into(_value_of_type(self, holder, scope), types)


def _put_into(of: Values, types: list[Values]) -> Values:
    """An object of a type that others are put into, which may stand for them: `Mapped[Card]`."""
    given = [Call(one) for some in types for one in _classes(some)]
    return of + tuple(WrappedType(one.by, value) for one in of if type(one) is Call for value in given)


def _instances(values: Values) -> Values:
    return tuple(Call(value) for value in values)


def _chain(self: PythonFile, text: str, at: "Node", scope: PythonScope) -> Values:
    first, *members = text.split(".")
    if scope.is_outer(first):
        self.refer(text, at, scope)
    values: list[Value] = list(scope.lookup(first))
    for member in members:
        values = [Attr(value, member.strip()) for value in values]
    return tuple(values)
