"""What a written Python type says of a value: `Card` is an object of it, `list[Card]` a container of such."""

import re
from typing import TYPE_CHECKING

from clew.index.facts import Attr, Made, Value, Values
from clew.index.python.reading import Reading, union
from clew.index.python.scopes import Scope

if TYPE_CHECKING:
    from tree_sitter import Node

_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*\Z")
_EITHER = frozenset({"Optional", "Union", "Annotated", "Final", "ClassVar", "Awaitable", "Required", "NotRequired"})
_MANY = frozenset(
    "list List set Set frozenset FrozenSet tuple Tuple Sequence Iterable Iterator Collection Generator AsyncIterator "
    "AsyncIterable AsyncGenerator deque Deque MutableSequence AbstractSet".split()
)
_KEYED = frozenset({"dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "DefaultDict", "OrderedDict"})
_PLAIN = frozenset(
    "int str bytes float bool object None complex Any Callable Literal list dict set tuple frozenset Self TypeVar "
    "type Type NoReturn Never bytearray memoryview".split()
)


def typed(self: Reading, node: "Node", scope: Scope) -> Values:
    """What a value of the type may be."""
    kind = node.type
    if kind == "type":
        return typed(self, node.named_children[0], scope) if node.named_children else ()
    if kind == "identifier":
        name = self.text(node)
        return () if name in _PLAIN else _made(_chain(self, name, node, scope))
    if kind == "attribute":
        return () if self.text(node.named_children[-1]) in _PLAIN else _made(_chain(self, self.text(node), node, scope))
    if kind == "string":
        text = self.text(node).strip("\"'")
        return _made(_chain(self, text, node, scope)) if _DOTTED.match(text) and text not in _PLAIN else ()
    if kind in ("binary_operator", "union_type"):
        return union(*(typed(self, child, scope) for child in node.named_children))
    if kind in ("generic_type", "subscript"):
        return _generic(self, node, scope)
    return ()


def _generic(self: Reading, node: "Node", scope: Scope) -> Values:
    holder, *inner = node.named_children
    name = self.text(holder).rpartition(".")[2]
    if inner and inner[0].type == "type_parameter":
        inner = inner[0].named_children
    if name in _EITHER:
        return union(*(typed(self, one, scope) for one in inner))
    if name in ("type", "Type"):
        return tuple(value.by for one in inner for value in typed(self, one, scope) if isinstance(value, Made))
    if name in _MANY or name in _KEYED:
        elements = union(*(typed(self, one, scope) for one in (inner[-1:] if name in _KEYED else inner)))
        return self.box("dict" if name in _KEYED else "list", scope, {"": elements}) if elements else ()
    for one in inner:
        typed(self, one, scope)  # for what it refers to
    return typed(self, holder, scope)


def _made(values: Values) -> Values:
    return tuple(Made(value) for value in values)


def _chain(self: Reading, text: str, at: "Node", scope: Scope) -> Values:
    first, *members = text.split(".")
    if scope.is_outer(first):
        self.refer(text, at, scope)
    values: list[Value] = list(scope.lookup(first))
    for member in members:
        values = [Attr(value, member.strip()) for value in values]
    return tuple(values)
