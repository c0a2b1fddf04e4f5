"""What a written Python type says of a value: `Card` is an object of it, `list[Card]` a container of such."""

import re
from typing import TYPE_CHECKING

from clew.index.facts import Attr, Made, Value, Values
from clew.index.python.reading import Reading, union
from clew.index.python.scopes import Scope

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
_TYPES = frozenset({"type", "Type"})
_HOLDING = _EITHER | _MANY | _KEYED | _TYPES
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
    if kind in ("attribute", "dotted_name"):
        return () if self.text(node.named_children[-1]) in _PLAIN else _made(_chain(self, self.text(node), node, scope))
    if kind == "string":
        return _quoted(self, self.text(node).strip("\"'"), node, scope)
    if kind in ("binary_operator", "union_type"):
        return union(*(typed(self, child, scope) for child in node.named_children))
    if kind in ("generic_type", "subscript"):
        return _generic(self, node, scope)
    return ()


def _quoted(self: Reading, text: str, at: "Node", scope: Scope) -> Values:
    """As `typed`, of a type that is written in quotes: `"Card | None"`, `"list[Card]"`."""
    text = text.strip().strip("\"'")
    if len(text) > LONGEST:
        return ()
    if _DOTTED.match(text):
        return () if text.rpartition(".")[2] in _PLAIN else _made(_chain(self, text, at, scope))
    parts = _split(text, "|")
    if len(parts) > 1:
        return union(*(_quoted(self, part, at, scope) for part in parts))
    holder, bracket, inner = text.partition("[")
    if not bracket or not inner.endswith("]"):
        return ()
    types = [_quoted(self, part, at, scope) for part in _split(inner[:-1], ",")]
    name = holder.strip().rpartition(".")[2]
    return _held(self, name, types, scope) if name in _HOLDING else _quoted(self, holder, at, scope)


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


def _held(self: Reading, name: str, types: list[Values], scope: Scope) -> Values:
    """What a type is that stands for others, or holds them."""
    if name in _EITHER:
        return union(*types)
    if name in _TYPES:
        return tuple(value.by for some in types for value in some if isinstance(value, Made))
    elements = union(*(types[-1:] if name in _KEYED else types))
    return self.box("dict" if name in _KEYED else "list", scope, {"": elements}) if elements else ()


def _generic(self: Reading, node: "Node", scope: Scope) -> Values:
    holder, *inner = node.named_children
    name = self.text(holder).rpartition(".")[2]
    if inner and inner[0].type == "type_parameter":
        inner = inner[0].named_children
    types = [typed(self, one, scope) for one in inner]
    if name in _HOLDING:
        return _held(self, name, types, scope)
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
